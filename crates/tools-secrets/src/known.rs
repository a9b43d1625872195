//! Values that the host knows to be secret: found exactly, in the encodings in which they usually show.

use aho_corasick::{AhoCorasick, MatchKind};

use crate::scan::Finding;

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
            .flat_map(|value| {
                let encoded = (0..3).flat_map(|skipped| base64(&value, skipped)).collect::<Vec<_>>();
                [percent(&value), lower_escapes(&percent(&value)), json(&value), value].into_iter().chain(encoded)
            })
            .filter(|form| form.len() >= SHORTEST)
            .collect();
        forms.sort_unstable();
        forms.dedup();
        let automaton = (!forms.is_empty())
            .then(|| AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&forms).ok())
            .flatten();
        Self { automaton }
    }

    /// Where known values stand.
    pub(crate) fn find(&self, text: &str, findings: &mut Vec<Finding>) {
        let found = self.automaton.iter().flat_map(|automaton| automaton.find_iter(text));
        findings.extend(found.map(|found| Finding {
            start: found.start(),
            end: found.end(),
            kind: "known",
            rule: "known-value",
        }));
    }
}

/// In both alphabets, as it stands in the encoding of a longer text when so many bytes of a group are before it; without
/// what depends on its neighbours.
fn base64(value: &str, before: usize) -> [String; 2] {
    let skipped = [0, 2, 1][before];
    let encoded = groups(value.as_bytes().get(skipped..).unwrap_or_default());
    [encoded.replace('+', "-").replace('/', "_"), encoded]
}

fn groups(value: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let groups = value.chunks_exact(3).flat_map(|group| {
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

/// `%2f` for `%2F`.
fn lower_escapes(percent: &str) -> String {
    let mut left = 0_usize;
    let lower = |character: char| {
        let is_digit = left > 0;
        left = if character == '%' { 2 } else { left.saturating_sub(1) };
        if is_digit { character.to_ascii_lowercase() } else { character }
    };
    percent.chars().map(lower).collect()
}

fn json(value: &str) -> String {
    let quoted = serde_json::Value::from(value).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}
