//! The section `[tools.permissions]`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_core::Verdict;

use super::defaults::DefaultRule;

/// The list that is about the connections of commands and not about a tool: its patterns are hosts.
pub const NETWORK: &str = "network";

/// How long a pattern may be: enough for any command worth a rule, and a bound for what is
/// compiled.
const MAX_PATTERN_LEN: usize = 4096;

/// Rules by tool, each list in the order in which it is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct PermissionsConfig {
    /// The lists.
    pub tools: BTreeMap<String, Vec<RuleConfig>>,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleConfig {
    /// A glob on the command (`cargo *`), the path (`src/**`) or the address. For `network`: a host
    /// (`example.org`), a domain with all below it (`*.example.org`) or `*`, with a port
    /// (`example.org:22`) or `:*` where it is another than 443 and 80. What is not public is
    /// reached only by a rule that names host and port (`localhost:5432`).
    pub pattern: String,
    /// `"allow"` runs without a question, `"ask"` asks a person, `"deny"` refuses.
    #[schemars(schema_with = "action_schema")]
    pub action: Verdict,
    /// For `network` alone: the name of the program that the rule is about; all when unset. A
    /// command can make any program do its bidding, so that this tells honest programs apart and
    /// holds nobody back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// For `network` alone: whether the one host that the rule names may lead to addresses that are
    /// not public, as a registry of a company does. Metadata services stay out of reach.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// Commands or paths that this rule must decide about: checked by `haft policy test`.
    #[serde(default, rename = "match", skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<String>,
    /// Commands or paths that this rule must not decide about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_match: Vec<String>,
}

impl RuleConfig {
    /// A rule without examples.
    pub fn new(pattern: impl Into<String>, action: Verdict) -> Self {
        Self { pattern: pattern.into(), action, program: None, private: false, matches: vec![], not_match: vec![] }
    }
}

impl From<&DefaultRule> for RuleConfig {
    fn from(rule: &DefaultRule) -> Self {
        Self::new(rule.pattern, Verdict::Allow)
    }
}

fn action_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"type": "string", "enum": ["allow", "ask", "deny"]})
}

/// Refuses what no pattern can be.
pub(super) fn check_length(pattern: &str) -> Result<(), String> {
    if pattern.trim().is_empty() {
        Err("an empty pattern matches nothing; `*` matches everything".to_owned())
    } else if pattern.len() > MAX_PATTERN_LEN {
        Err(format!("the pattern is longer than {MAX_PATTERN_LEN} bytes"))
    } else {
        Ok(())
    }
}
