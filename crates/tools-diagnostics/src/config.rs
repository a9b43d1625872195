//! `[tools.diagnostics]` as configured, and its compiled form.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_core::KeyFault;

/// The `diagnostics` tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DiagnosticsConfig {
    /// Maximum number of errors and warnings that one `diagnostics` call shows, whatever it asks
    /// for.
    pub max_diagnostics: usize,
    /// Seconds that one `diagnostics` call may take before its checkers are stopped.
    pub timeout: u64,
}

impl Default for DiagnosticsConfig {
    fn default() -> Self {
        Self { max_diagnostics: 50, timeout: 300 }
    }
}

/// The section `[tools.diagnostics]`, compiled. A call keeps the one it started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagnosticsPolicy {
    pub(crate) max_diagnostics: usize,
    pub(crate) timeout: Duration,
}

impl DiagnosticsConfig {
    /// Compiles the configuration.
    ///
    /// # Errors
    /// Names the key whose value cannot be used.
    pub fn compile(&self) -> Result<DiagnosticsPolicy, KeyFault> {
        let fault = |key: &str, problem: &str| Err(KeyFault::new(key, problem));
        if self.max_diagnostics == 0 {
            return fault("max_diagnostics", "expected at least 1");
        }
        if self.timeout == 0 {
            return fault("timeout", "expected at least 1 second");
        }
        Ok(DiagnosticsPolicy { max_diagnostics: self.max_diagnostics, timeout: Duration::from_secs(self.timeout) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_show_nothing_is_refused_by_its_key() {
        let check = |config: DiagnosticsConfig| config.compile().err().map_or_else(String::new, |fault| fault.key);
        let usual = DiagnosticsConfig::default();
        assert_eq!(check(usual.clone()), "");
        assert_eq!(check(DiagnosticsConfig { max_diagnostics: 0, ..usual.clone() }), "max_diagnostics");
        assert_eq!(check(DiagnosticsConfig { timeout: 0, ..usual }), "timeout");
    }
}
