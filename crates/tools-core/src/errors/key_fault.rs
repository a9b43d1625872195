//! What is wrong with a value of a configuration.

use thiserror::Error;

/// A value of a configuration that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{key}`: {problem}")]
pub struct KeyFault {
    /// The key: below its section, or from the top where that is known (`tools.trust.tools.grep`).
    pub key: String,
    /// The problem and its correction.
    pub problem: String,
}

impl KeyFault {
    /// A fault of a key.
    pub fn new(key: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { key: key.into(), problem: problem.into() }
    }

    /// The same fault, seen from outside of its section.
    #[must_use]
    pub fn below(self, section: &str) -> Self {
        Self { key: format!("{section}.{}", self.key), ..self }
    }
}
