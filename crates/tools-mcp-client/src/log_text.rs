//! Redacts credentials in text of servers for definitions, the log and operators. Hosts keep logs
//! in files, and a failing server often prints the token that was refused.

use std::sync::Arc;

use serde_json::Value;
use tools_core::{Redactor, redacted_lines};
use tools_secrets::SecretRedactor;

/// Maximum number of bytes searched for credentials if only the beginning of a text is shown.
const MAX_SEARCHED_BYTES: usize = 8 << 10;
/// Maximum number of characters of that beginning.
const MAX_BEGINNING_CHARS: usize = 200;

/// Redacts credentials in text of servers: by their shape, unless another redactor is given.
#[derive(Debug, Clone)]
pub(crate) struct LogText(Arc<dyn Redactor>);

impl Default for LogText {
    fn default() -> Self {
        Self(Arc::new(SecretRedactor::default()))
    }
}

impl LogText {
    pub(crate) fn by(redactor: Arc<dyn Redactor>) -> Self {
        Self(redactor)
    }

    /// Redacts a text.
    pub(crate) fn of(&self, text: &str) -> String {
        redacted_lines(self.0.as_ref(), text)
    }

    /// Redacts a JSON document.
    pub(crate) fn json(&self, value: &Value) -> Value {
        self.0.redact_json(value)
    }

    /// The beginning of a text on one line. It is redacted before it is cut: half a credential
    /// cannot be recognised by its shape.
    pub(crate) fn beginning(&self, text: &[u8]) -> String {
        let searched = String::from_utf8_lossy(&text[..text.len().min(MAX_SEARCHED_BYTES)]);
        let clean: String = self.of(&searched).chars().take(MAX_BEGINNING_CHARS).collect();
        tools_core::VisibleText::of(&clean).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_part_of_a_credential_is_repeated() {
        let token = ["gh", "p_", "k8dz7y3doqnvelbuizvohdbyhtvr2owpA7Qx"].concat();
        let text = LogText::default();
        assert_eq!(text.of(&format!("token {token}\n\u{1b}[2J")), "token «secret:github#1»\n\\u{1b}[2J");
        for start in [0, 150, 180, 199] {
            let line = format!("{} {token}", "x".repeat(start));
            let shown = text.beginning(line.as_bytes());
            assert!(!shown.contains("ghp") && shown.chars().count() <= 200, "{shown}");
        }
    }
}
