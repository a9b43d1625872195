//! Values that the host knows to be secret: found exactly, in the encodings in which they usually
//! show.

use crate::{
    finding::Finding,
    forms::{Forms, MIN_FORM_BYTES},
};

/// Values that are secret wherever they stand.
#[derive(Debug, Clone, Default)]
pub struct KnownValues(Forms);

impl KnownValues {
    /// The values of at least eight bytes, as they stand and in base64, hexadecimal,
    /// percent-encoding, JSON, XML and quoted for a shell.
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

    /// Where known values stand.
    pub(crate) fn find(&self, text: &str, findings: &mut Vec<Finding>) {
        let found = self.0.find(text);
        findings.extend(found.map(|(start, end, kind)| Finding { start, end, kind, rule: KNOWN }));
    }
}

/// The rule of a finding that a known value made.
pub(crate) const KNOWN: &str = "known-value";
