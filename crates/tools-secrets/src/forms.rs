//! Searches exact values in the encodings in which they usually appear. The number of values does
//! not affect the search time.

use std::collections::HashMap;

use tools_core::hex;

/// Minimum length in bytes of a form; shorter ones occur by chance in too many texts.
pub(crate) const MIN_FORM_BYTES: usize = 8;
/// Maximum total bytes of forms; beyond it, values are searched only unencoded.
const MAX_ENCODED: usize = 8 << 20;
/// Positions that are checked together.
const STEP: usize = 8;
/// Base-2 logarithm of the number of bits in the first filter.
const BITS: u32 = 18;

/// The forms of values, by their beginning.
#[derive(Debug, Clone, Default)]
pub(crate) struct Forms {
    /// A bit set of hashes of the first four bytes of all forms.
    beginnings: Vec<u64>,
    by_beginning: HashMap<u64, Vec<(Box<str>, &'static str)>>,
    bytes: usize,
}

impl Forms {
    /// Adds a value of a kind. A value that is too short or too much like a word is ignored.
    pub(crate) fn add(&mut self, value: &str, kind: &'static str) {
        self.insert(value, kind);
        if self.bytes < MAX_ENCODED {
            for form in encodings(value) {
                self.insert(&form, kind);
            }
        }
    }

    fn insert(&mut self, form: &str, kind: &'static str) {
        let Some(beginning) = beginning(form.as_bytes()) else { return };
        let (word, bit) = slot(std::array::from_fn(|at| form.as_bytes()[at]));
        let forms = self.by_beginning.entry(beginning).or_default();
        if forms.iter().any(|(known, _)| **known == *form) {
            return;
        }
        forms.push((form.into(), kind));
        self.bytes += form.len();
        if self.beginnings.is_empty() {
            self.beginnings = vec![0; 1 << (BITS - 6)];
        }
        self.beginnings[word] |= bit;
    }

    /// The positions of forms and the kinds of their values; at each position the longest form.
    pub(crate) fn find<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, usize, &'static str)> + 'a {
        let bytes = text.as_bytes();
        let last = if self.beginnings.is_empty() { 0 } else { (bytes.len() + 1).saturating_sub(MIN_FORM_BYTES) };
        let may_begin = move |four: &[u8; 4]| {
            let (word, bit) = slot(*four);
            self.beginnings[word] & bit != 0
        };
        // Several positions are skipped at once, without a branch for each.
        let is_asked =
            move |block: &[u8; STEP + 3]| block.array_windows().fold(false, |any, four| any | may_begin(four));
        let blocks = (0..last).step_by(STEP).filter(move |at| bytes[*at..].first_chunk().is_none_or(is_asked));
        let places = blocks.flat_map(move |at| at..(at + STEP).min(last));
        places.filter_map(move |start| {
            let rest = &bytes[start..];
            if !may_begin(rest.first_chunk()?) {
                return None;
            }
            let forms = self.by_beginning.get(&beginning(rest)?)?;
            let found = forms.iter().filter(|(form, _)| rest.starts_with(form.as_bytes()));
            let (form, kind) = found.max_by_key(|(form, _)| form.len())?;
            Some((start, start + form.len(), *kind))
        })
    }
}

fn beginning(bytes: &[u8]) -> Option<u64> {
    bytes.first_chunk::<MIN_FORM_BYTES>().map(|bytes| u64::from_le_bytes(*bytes))
}

fn slot(four: [u8; 4]) -> (usize, u64) {
    let hash = u32::from_le_bytes(four).wrapping_mul(0x9e37_79b1) >> (32 - BITS);
    ((hash >> 6) as usize, 1 << (hash & 63))
}

/// The encodings of a value: base64 in both alphabets at any offset, hexadecimal, percent-encoding,
/// JSON and other quotations, shell and XML.
fn encodings(value: &str) -> Vec<String> {
    let mut forms: Vec<String> = (0..3).flat_map(|before| base64(value, before)).collect();
    let percent = percent(value);
    forms.extend([
        lower_escapes(&percent),
        percent,
        hex(value.as_bytes()),
        hex(value.as_bytes()).to_ascii_uppercase(),
        json(value),
        json(value).replace('/', "\\/"),
    ]);
    for escape in [|byte| format!("%{byte:02x}"), |byte| format!("%{byte:02X}")] as [fn(u8) -> String; 2] {
        forms.push(value.bytes().map(escape).collect());
    }
    for escape in [|unit| format!("\\u{unit:04x}"), |unit| format!("\\u{unit:04X}")] as [fn(u16) -> String; 2] {
        forms.push(value.encode_utf16().map(escape).collect());
        let ascii = ascii_json(value, escape);
        // Also with escaped slashes, as PHP writes them.
        forms.extend([ascii.replace('/', "\\/"), ascii]);
    }
    forms.extend([value.replace('\'', "\\'"), value.replace('\'', r"'\''"), backslashed(value), xml(value)]);
    forms
}

/// In both alphabets, the part of a longer text's base64 that depends only on the value, when
/// `before` bytes of its first group precede it.
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

/// JSON with ASCII only.
fn ascii_json(value: &str, escape: fn(u16) -> String) -> String {
    let escaped = |character: char| -> String {
        if character.is_ascii() {
            return character.into();
        }
        character.encode_utf16(&mut [0; 2]).iter().map(|unit| escape(*unit)).collect()
    };
    json(value).chars().map(escaped).collect()
}

/// In the form of `printf %q`.
fn backslashed(value: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "_-./:=@%+,".contains(character);
    value.chars().flat_map(|c| (!is_plain(c)).then_some('\\').into_iter().chain([c])).collect()
}

fn xml(value: &str) -> String {
    let escaped = value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    escaped.replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_in_its_encodings() {
        let value = "p@ss/w0rd+'1&<\"x";
        let mut forms = Forms::default();
        forms.add(value, "password");
        for shown in [
            value.to_owned(),
            percent(value),
            lower_escapes(&percent(value)),
            hex(value.as_bytes()),
            json(value),
            xml(value),
            backslashed(value),
            value.replace('\'', r"'\''"),
        ] {
            let text = format!("…{shown}…");
            let found: Vec<_> = forms.find(&text).collect();
            assert_eq!(found.iter().map(|(start, ..)| *start).min(), Some("…".len()), "{text}");
            assert_eq!(found.iter().map(|(_, end, _)| *end).max(), Some(text.len() - "…".len()), "{text}");
        }
        let value = "pä/ssw0rd";
        let mut forms = Forms::default();
        forms.add(value, "password");
        for shown in [
            r"p\u00e4\/ssw0rd",
            r"p\u00e4/ssw0rd",
            "%70%c3%a4%2f%73%73%77%30%72%64",
            "%70%C3%A4%2F%73%73%77%30%72%64",
            r"\u0070\u00e4\u002f\u0073\u0073\u0077\u0030\u0072\u0064",
        ] {
            assert_eq!(
                forms.find(shown).map(|(start, end, _)| (start, end)).max_by_key(|found| found.1),
                Some((0, shown.len())),
                "{shown}"
            );
        }
        assert_eq!(Forms::default().find("anything at all").count(), 0);
        assert_eq!(forms.find("short").count(), 0);
    }

    #[test]
    fn base64_is_found_wherever_the_value_begins_in_a_longer_text() {
        let value = "Zx81pQ7mLw2k";
        let mut forms = Forms::default();
        forms.add(value, "key");
        for before in ["", "a", "ab", "abc", "user:"] {
            let whole = groups(format!("{before}{value}   ").as_bytes());
            assert_eq!(forms.find(&whole).count(), 1, "{before}");
        }
    }
}
