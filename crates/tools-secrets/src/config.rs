//! `[tools.filters.security]`: what is done about credentials in results.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ExtraPatterns, KnownValues, PatternError, SecretRedactor};

/// Credentials in results of tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SecurityConfig {
    /// Whether credentials are searched for in results. They are always removed from the audit log.
    #[schemars(extend("x-overlay" = true))]
    pub enabled: bool,
    /// Treatment of credentials found in results: `redact` replaces them by placeholders, `warn`
    /// only reports how many there are, `off` does nothing.
    #[schemars(extend("x-overlay" = ["off", "warn", "redact"]))]
    pub secrets: SecretsMode,
    /// Regular expressions of at most 512 characters for further credentials. The first group is
    /// the credential; without a group, the whole match.
    #[schemars(extend("x-overlay" = "extend"))]
    pub extra_patterns: Vec<String>,
}

impl Default for SecurityConfig {
    fn default() -> Self {
        Self { enabled: true, secrets: SecretsMode::Redact, extra_patterns: Vec::new() }
    }
}

/// Treatment of credentials in results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SecretsMode {
    /// A placeholder stands in the place of each, and a warning says how many there were.
    #[default]
    Redact,
    /// They stay, and a warning says how many there are.
    Warn,
    /// Nothing.
    Off,
}

impl SecurityConfig {
    /// The effective mode.
    pub fn mode(&self) -> SecretsMode {
        if self.enabled { self.secrets } else { SecretsMode::Off }
    }

    /// The patterns, compiled.
    ///
    /// # Errors
    /// The first pattern that is no regular expression, is too long or matches nothing at all.
    pub fn compile(&self) -> Result<ExtraPatterns, PatternError> {
        ExtraPatterns::compile(&self.extra_patterns)
    }

    /// A redactor: it takes out the values of this process's own environment first, then whatever
    /// has the shape of a credential, and what the patterns match. The mode is the caller's
    /// business.
    ///
    /// # Errors
    /// As [`SecurityConfig::compile`].
    pub fn redactor(&self) -> Result<SecretRedactor, PatternError> {
        Ok(SecretRedactor::default().knowing_later(KnownValues::of_environment).with_extra(self.compile()?))
    }
}
