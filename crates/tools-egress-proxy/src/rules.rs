//! `[[tools.permissions.network]]` and what people allowed, as rules on hosts.

use tools_core::{KeyFault, Verdict};
use tools_egress::rules::{HostRules, RuleText};
use tools_policy::permissions::{NETWORK, PermissionsConfig};

/// Name of the list in citations of its rules.
const LIST: &str = "permissions.network";

/// The rules on hosts of `[[tools.permissions.network]]`.
///
/// # Errors
/// The first rule that names no host, by its key below `[tools.permissions]`.
pub fn host_rules(permissions: &PermissionsConfig) -> Result<HostRules, KeyFault> {
    let typed = permissions.tools.get(NETWORK).map(Vec::as_slice).unwrap_or_default();
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
        .map_err(|fault| KeyFault::new(format!("{NETWORK}[{}].pattern", fault.index), fault.problem))
}

/// The hosts that people allowed, by pattern. An invalid pattern allows nothing.
pub(crate) fn allowed<'a>(patterns: impl Iterator<Item = &'a str>) -> Vec<(String, HostRules)> {
    let rule = |pattern: &'a str| {
        let text = RuleText { pattern: pattern.to_owned(), program: None, action: Verdict::Allow, private: false };
        Some((pattern.to_owned(), HostRules::compile(LIST, &[text]).ok()?))
    };
    patterns.filter_map(rule).collect()
}

#[cfg(test)]
mod tests {
    use tools_egress::guard::Host;
    use tools_policy::permissions::RuleConfig;

    use super::*;

    fn verdict(rules: &HostRules, host: &str) -> Option<Verdict> {
        rules.about(&Host::Name(host.to_owned()), 443, None).map(tools_egress::rules::HostRule::action)
    }

    #[test]
    fn hosts_are_named_by_the_list_of_the_network_alone() {
        let network = vec![RuleConfig::new("docs.example.com", Verdict::Allow)];
        let bash = vec![RuleConfig::new("curl *", Verdict::Allow)];
        let tools = [(NETWORK.to_owned(), network), ("bash".to_owned(), bash)].into();
        let rules = host_rules(&PermissionsConfig { tools }).unwrap();
        assert_eq!(verdict(&rules, "docs.example.com"), Some(Verdict::Allow));
        assert_eq!(verdict(&rules, "other.example.com"), None);
        let slip = vec![RuleConfig::new("docs.example.com", Verdict::Allow), RuleConfig::new("a b", Verdict::Deny)];
        let tools = [(NETWORK.to_owned(), slip)].into();
        assert_eq!(host_rules(&PermissionsConfig { tools }).unwrap_err().key, "network[1].pattern");
    }
}
