//! The section `[tools.caller_quota]`, and what it compiles to.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_core::{CallerId, KeyFault};

/// Maximum length of a window in seconds: a year.
const MAX_WINDOW_S: u64 = 366 * 24 * 3600;

/// Treatment of a call whose caller's account cannot be reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnUnavailable {
    /// It is refused.
    #[default]
    Block,
    /// It runs uncounted; the fault is logged and named in the warnings.
    Warn,
}

/// Limits of the calls that a caller may make in a window of time, over all its sessions. A caller
/// `a/b` uses the account of `a`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CallerQuotaConfig {
    /// Maximum number of calls of each caller in a time window. Unset: no limit.
    #[schemars(extend("x-overlay" = "lower"))]
    pub calls: Option<u64>,
    /// Maximum number of calls in a time window for single callers, instead of `calls`.
    pub callers: BTreeMap<String, u64>,
    /// Length of a time window in seconds. Windows start at multiples of it since 1970, UTC.
    pub window_s: u64,
    /// The `postgres://` address of a server where several processes count calls together; needs a
    /// build with the feature `postgres`. Empty: each process counts its own calls.
    #[schemars(extend("x-applies" = "next_start"))]
    pub database: String,
    /// Treatment of a call while the database cannot be reached: `"block"` refuses it, `"warn"`
    /// lets it run uncounted.
    #[schemars(extend("x-overlay" = ["warn", "block"]))]
    pub on_error: OnUnavailable,
}

impl Default for CallerQuotaConfig {
    fn default() -> Self {
        Self {
            calls: None,
            callers: BTreeMap::new(),
            window_s: 24 * 3600,
            database: String::new(),
            on_error: OnUnavailable::default(),
        }
    }
}

/// The limit of one caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallerLimit {
    /// Maximum number of calls in a window.
    pub calls: u64,
    /// Length of a window in seconds; at least 1.
    pub window_s: u64,
}

/// The compiled limits of callers.
#[derive(Debug, Clone, Default)]
pub struct CallerQuotaPolicy {
    config: CallerQuotaConfig,
}

impl CallerQuotaConfig {
    /// Compiles the limits.
    ///
    /// # Errors
    /// The first invalid key: a limit that never applies would look like protection.
    pub fn compile(&self) -> Result<CallerQuotaPolicy, KeyFault> {
        let fault = |key: &str, problem: String| KeyFault::new(format!("tools.caller_quota.{key}"), problem);
        if self.window_s == 0 || self.window_s > MAX_WINDOW_S {
            return Err(fault("window_s", format!("1 to {MAX_WINDOW_S} seconds are expected")));
        }
        for caller in self.callers.keys() {
            CallerId::parse(caller).map_err(|error| fault(&format!("callers.{caller}"), error.to_string()))?;
            if caller.contains('/') {
                let problem = "a caller `a/b` uses the account of `a`: write that one".to_owned();
                return Err(fault(&format!("callers.{caller}"), problem));
            }
        }
        Ok(CallerQuotaPolicy { config: self.clone() })
    }
}

impl CallerQuotaPolicy {
    /// The limit of an account; `None` when it has none.
    pub fn of(&self, account: &str) -> Option<CallerLimit> {
        let calls = self.config.callers.get(account).copied().or(self.config.calls)?;
        Some(CallerLimit { calls, window_s: self.config.window_s })
    }

    /// Treatment of a call whose account cannot be reached.
    pub fn on_error(&self) -> OnUnavailable {
        self.config.on_error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_has_its_own_limit_or_that_of_all() {
        let callers = [("http:ci".to_owned(), 5)].into();
        let config = CallerQuotaConfig { calls: Some(100), callers, ..CallerQuotaConfig::default() };
        let policy = config.compile().unwrap();
        let calls = |account: &str| policy.of(account).map(|limit| limit.calls);
        assert_eq!((calls("http:ci"), calls("http:alice")), (Some(5), Some(100)));
        let some = CallerQuotaConfig { calls: None, ..config }.compile().unwrap();
        assert_eq!(some.of("http:alice"), None);
        assert_eq!(CallerQuotaPolicy::default().of("http:ci"), None);
    }

    #[test]
    fn limits_that_never_apply_are_refused() {
        let check = |config: CallerQuotaConfig, key: &str| assert_eq!(config.compile().unwrap_err().key, key);
        let of = |caller: &str| CallerQuotaConfig {
            callers: [(caller.to_owned(), 1)].into(),
            ..CallerQuotaConfig::default()
        };
        check(of("a/b"), "tools.caller_quota.callers.a/b");
        check(of(""), "tools.caller_quota.callers.");
        let window = |window_s| CallerQuotaConfig { window_s, ..CallerQuotaConfig::default() };
        check(window(0), "tools.caller_quota.window_s");
        check(window(u64::MAX), "tools.caller_quota.window_s");
    }
}
