//! `[[tools.permissions.network]]` and what people allowed, as rules on hosts.

use tools_core::Verdict;
use tools_egress::rules::{HostRules, RuleText};
use tools_policy::permissions::NETWORK;

use crate::config::{HaftConfig, LoadError, LoadedConfig};

/// How the list is cited.
const LIST: &str = "permissions.network";

/// The rules of a configuration.
///
/// # Errors
/// The first that names no host, by key and line.
pub(crate) fn compile(loaded: &LoadedConfig<HaftConfig>) -> Result<HostRules, LoadError> {
    let typed = loaded.config.tools.permissions.tools.get(NETWORK).map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<RuleText> = typed
        .iter()
        .map(|rule| RuleText {
            pattern: rule.pattern.clone(),
            program: rule.program.clone(),
            action: rule.action,
            private: rule.private,
        })
        .collect();
    HostRules::compile(LIST, &texts)
        .map_err(|fault| loaded.fault(&format!("tools.permissions.{NETWORK}[{}].pattern", fault.index), fault.problem))
}

/// What people allowed, pattern by pattern. A pattern that is none allows nothing.
pub(super) fn allowed<'a>(patterns: impl Iterator<Item = &'a str>) -> Vec<(String, HostRules)> {
    let rule = |pattern: &'a str| {
        let text = RuleText { pattern: pattern.to_owned(), program: None, action: Verdict::Allow, private: false };
        Some((pattern.to_owned(), HostRules::compile(LIST, &[text]).ok()?))
    };
    patterns.filter_map(rule).collect()
}
