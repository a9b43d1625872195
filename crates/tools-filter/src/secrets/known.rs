//! Values that the host knows to be secret: found exactly, in the encodings in which they usually show.

use aho_corasick::{AhoCorasick, MatchKind};

use super::scan::Finding;

/// Shorter values stand in too many texts by chance.
const SHORTEST: usize = 8;

/// Values that are secret wherever they stand.
#[derive(Debug, Clone, Default)]
pub struct KnownValues {
    automaton: Option<AhoCorasick>,
}

impl KnownValues {
    /// The values of at least eight bytes, raw and in base64, percent-encoding and JSON.
    pub fn new(values: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let mut forms: Vec<String> = values
            .into_iter()
            .map(|value| value.as_ref().trim().to_owned())
            .filter(|value| value.len() >= SHORTEST)
            .flat_map(|value| [base64(&value), percent(&value), json(&value), value])
            .collect();
        forms.sort_unstable();
        forms.dedup();
        let automaton = (!forms.is_empty())
            .then(|| AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&forms).ok())
            .flatten();
        Self { automaton }
    }

    /// Where known values stand.
    pub(super) fn find(&self, text: &str) -> Vec<Finding> {
        let found = self.automaton.iter().flat_map(|automaton| automaton.find_iter(text));
        found.map(|found| Finding { start: found.start(), end: found.end(), kind: "known" }).collect()
    }
}

/// Without the padding and what depends on what would follow: found inside longer texts, too.
fn base64(value: &str) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let groups = value.as_bytes().chunks_exact(3).flat_map(|group| {
        let bits = u32::from(group[0]) << 16 | u32::from(group[1]) << 8 | u32::from(group[2]);
        [18, 12, 6, 0].map(|shift| char::from(ALPHABET[(bits >> shift & 63) as usize]))
    });
    groups.collect()
}

fn percent(value: &str) -> String {
    let byte = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    value.bytes().map(byte).collect()
}

fn json(value: &str) -> String {
    let quoted = serde_json::Value::from(value).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}
