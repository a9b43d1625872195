//! Errors in configuration values.

use thiserror::Error;

/// A value of a configuration that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{key}`: {problem}")]
pub struct KeyFault {
    /// The key: below its section, or from the top if known (`tools.trust.tools.grep`).
    pub key: String,
    /// The problem and how to fix it.
    pub problem: String,
}

impl KeyFault {
    /// A fault of a key.
    pub fn new(key: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { key: key.into(), problem: problem.into() }
    }

    /// Prefixes the key with its section.
    #[must_use]
    pub fn below(self, section: &str) -> Self {
        Self { key: format!("{section}.{}", self.key), ..self }
    }
}
