//! Values that the host knows to be secret. They are found exactly, in the encodings in which they
//! usually appear.

use crate::finding::Finding;
use crate::forms::{Forms, MIN_FORM_BYTES};
use crate::name::is_credential;

/// Values that are secret in any context.
#[derive(Debug, Clone, Default)]
pub struct KnownValues(Forms);

impl KnownValues {
    /// The values of at least eight bytes: unencoded and in base64, hexadecimal, percent-encoding,
    /// JSON, XML and shell quotation.
    pub fn new(values: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let mut forms = Forms::default();
        for value in values {
            let value = value.as_ref().trim();
            if value.len() >= MIN_FORM_BYTES {
                forms.add(value, "known");
            }
        }
        Self(forms)
    }

    /// The credentials in this process's own environment.
    pub fn of_environment() -> Self {
        let variables =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        let secret = variables.filter(|(name, value)| is_credential(name, value) && !is_word(name, value));
        Self::new(secret.map(|(_, value)| value))
    }

    /// The text with each value replaced by `mark`; `None` when it contains none.
    pub fn hidden(&self, text: &str, mark: &str) -> Option<String> {
        let (mut clean, mut end) = (String::new(), 0);
        for (from, to, _) in self.0.find(text) {
            if from >= end {
                clean.push_str(&text[end..from]);
                clean.push_str(mark);
            }
            end = end.max(to);
        }
        (end > 0).then(|| clean + &text[end..])
    }

    /// Finds known values.
    pub(crate) fn find(&self, text: &str, findings: &mut Vec<Finding>) {
        let found = self.0.find(text);
        findings.extend(found.map(|(start, end, kind)| Finding { start, end, kind, rule: KNOWN }));
    }
}

/// The rule of findings of known values.
pub(crate) const KNOWN: &str = "known-value";

/// `AUTH=disabled`: a word that occurs in many texts. Only a password may be one.
fn is_word(name: &str, value: &str) -> bool {
    let is_plain = value.len() <= 16 && value.bytes().all(|byte| byte.is_ascii_lowercase());
    is_plain && !name.to_ascii_lowercase().contains("pass")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_no_known_value() {
        for (name, value, expected) in [
            ("AUTH", "disabled", true),
            ("DB_PASSWORD", "disabled", false),
            ("TOKEN", "a1b2c3d4e5", false),
            ("KEY", "Production", false),
        ] {
            assert_eq!(is_word(name, value), expected, "{name}={value}");
        }
    }
}
