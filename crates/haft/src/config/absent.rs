//! Sections of parts that were not compiled in: their keys are read unchecked, and refused if they
//! enable something.

use std::{cell::LazyCell, collections::BTreeMap, ops::Deref};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{HaftConfig, LoadError, LoadedConfig};

/// The section of a part that was not compiled in: any keys, as they were typed. A toolbox is not
/// built from one that says more than that the part is off.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct AbsentSection(BTreeMap<String, Value>);

/// A part that a build may lack, and the keys that enable it.
#[derive(Debug, Clone, Copy)]
struct Part {
    /// Feature of this crate that includes the part.
    feature: &'static str,
    /// Name of the part, after "this build has no".
    what: &'static str,
    keys: &'static [&'static str],
    is_here: bool,
}

/// A part, its feature and its keys.
macro_rules! part {
    ($feature:literal, $what:literal, $($key:literal),+ $(,)?) => {
        Part { feature: $feature, what: $what, keys: &[$($key),+], is_here: cfg!(feature = $feature) }
    };
}

const PARTS: &[Part] = &[
    part!("shell", "shell", "tools.shell"),
    part!("file", "file tools", "tools.file"),
    part!("diagnostics", "diagnostics", "tools.diagnostics"),
    part!("code", "search in code", "index"),
    part!("graph", "lists of tools", "tools.dependencies", "tools.tafc", "tools.profiles", "agent.tool_filter"),
    part!("llm", "models", "llm"),
    part!("acp", "agent for editors", "acp"),
    part!("mcp-client", "MCP client", "mcp.servers"),
    part!(
        "agent",
        "agent",
        "agent.max_tool_iterations",
        "agent.context_budget_tokens",
        "agent.start_early",
        "agent.compress_provider",
        "agent.max_cost",
        "agent.sessions",
        "tools.summarize_output",
    ),
    part!("web", "web tools", "tools.scrape"),
    part!(
        "policy",
        "gates",
        "tools.permissions",
        "tools.approvals",
        "tools.policy",
        "tools.authorization",
        "tools.adversarial_policy",
        "tools.trust",
        "tools.anomaly",
        "tools.utility",
        "tools.caller_quota",
        "tools.max_tool_calls_per_session",
        "agent.hallucination_detection",
    ),
    // Patterns of credentials apply even if filters are disabled.
    part!("filter", "filters", "tools.filters", "tools.filters.security"),
    part!("cache", "cache", "tools.result_cache"),
    part!("overflow", "store of output", "tools.overflow"),
    part!("sqlite", "store of output in a file", "tools.overflow.path"),
    part!(
        "postgres",
        "PostgreSQL",
        "agent.sessions.database",
        "tools.approvals.database",
        "tools.audit.database",
        "tools.caller_quota.database",
        "tools.overflow.database",
        "tools.memory.database",
        "scheduler.database",
    ),
    part!("embed", "models of meaning", "embedding"),
    part!("memory", "memory", "tools.memory"),
    part!("scheduler", "scheduler", "scheduler"),
    part!("skills", "skills", "skills"),
    part!("retry", "retries", "tools.retry"),
    part!("audit", "record", "tools.audit"),
    part!("otel", "export to OpenTelemetry", "tools.audit.otlp_file"),
    part!("checkpoint", "checkpoints", "tools.checkpoints"),
];

/// Refuses a configuration that enables what this build does not have; returns any other.
///
/// # Errors
/// [`LoadError::NotBuilt`] for the first such key.
pub(crate) fn refuse(mut loaded: LoadedConfig) -> Result<LoadedConfig, LoadError> {
    // Skip the rules if this build has gates: they may be thousands, and none of them matters here.
    let rules = cfg!(feature = "policy").then(|| std::mem::take(&mut loaded.config.tools.permissions));
    let value = serde_json::to_value(&loaded.config).unwrap_or_default();
    if let Some(rules) = rules {
        loaded.config.tools.permissions = rules;
    }
    let usual = LazyCell::new(|| serde_json::to_value(HaftConfig::default()).unwrap_or_default());
    let Some((part, key)) = switched_on(PARTS, &value, usual) else { return Ok(loaded) };
    let place = loaded.place(key);
    Err(LoadError::NotBuilt { key: key.to_owned(), place, what: part.what, feature: part.feature })
}

/// The first missing part that is enabled, and the key that enables it. Values equal to `usual` do
/// not count.
fn switched_on<'a>(
    parts: &'a [Part],
    config: &Value,
    usual: impl Deref<Target = Value>,
) -> Option<(&'a Part, &'static str)> {
    let absent = parts.iter().filter(|part| !part.is_here);
    let mut keys = absent.flat_map(|part| part.keys.iter().map(move |key| (part, *key)));
    keys.find(|(_, key)| {
        let pointer = format!("/{}", key.replace('.', "/"));
        let value = config.pointer(&pointer);
        value.is_some_and(is_on) && value != usual.pointer(&pointer)
    })
}

/// Whether a value enables something: not if it is empty, or a section with `enabled = false`.
fn is_on(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => match members.get("enabled") {
            Some(Value::Bool(is_enabled)) => *is_enabled,
            _ => members.values().any(is_on),
        },
        Value::Bool(true) | Value::Number(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SLIM: &[Part] = &[
        Part { feature: "here", what: "", keys: &["tools.here"], is_here: true },
        Part { feature: "web", what: "web tools", keys: &["tools.web", "limit"], is_here: false },
    ];

    #[test]
    fn a_part_that_is_not_here_is_on_where_its_section_says_more_than_that_it_is_off() {
        let usual = json!({"tools": {"web": {"name": "usual"}}});
        let check = |config: Value, expected: Option<&str>| {
            assert_eq!(switched_on(SLIM, &config, &usual).map(|(_, key)| key), expected, "{config}");
        };
        check(json!({}), None);
        check(json!({"tools": {"here": {"enabled": true}}}), None);
        check(json!({"tools": {"web": {}}, "limit": null}), None);
        check(json!({"tools": {"web": {"enabled": false, "timeout": 3}}}), None);
        check(json!({"tools": {"web": {"rules": [], "name": "", "table": {}}}}), None);
        check(json!({"tools": {"web": {"timeout": 3}}}), Some("tools.web"));
        check(json!({"tools": {"web": {"enabled": true}}}), Some("tools.web"));
        check(json!({"tools": {"web": {"table": {"rules": [{}]}}}}), Some("tools.web"));
        check(json!({"limit": 0}), Some("limit"));
        check(usual.clone(), None);
    }

    #[test]
    fn the_keys_of_every_part_that_is_here_are_keys() {
        let value = serde_json::to_value(HaftConfig::default()).unwrap();
        for key in PARTS.iter().filter(|part| part.is_here).flat_map(|part| part.keys) {
            assert!(value.pointer(&format!("/{}", key.replace('.', "/"))).is_some(), "`{key}` is not a key");
        }
    }
}
