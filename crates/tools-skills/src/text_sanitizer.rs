//! Text of skills in definitions: a repository wrote it, and a model reads it before any person
//! has.

use std::sync::Arc;

use tools_core::{Redactor, VisibleText, redacted_lines};

/// Replaces the description of a skill that nobody agreed to.
pub(crate) const UNTRUSTED: &str =
    "[comes with this project; its description is shown once a person has agreed to the skill]";

/// Redacts credentials in text of skills and makes hidden characters visible. Clones share the
/// redactor.
#[derive(Debug, Clone)]
pub(crate) struct TextSanitizer(Arc<dyn Redactor>);

impl TextSanitizer {
    pub(crate) fn by(redactor: Arc<dyn Redactor>) -> Self {
        Self(redactor)
    }

    pub(crate) fn redactor(&self) -> &dyn Redactor {
        self.0.as_ref()
    }

    pub(crate) fn text(&self, text: &str) -> String {
        redacted_lines(self.0.as_ref(), text)
    }

    pub(crate) fn line(&self, text: &str) -> String {
        VisibleText::of(&self.text(text)).to_string()
    }
}
