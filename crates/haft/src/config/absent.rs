//! Parts that were not compiled in: their sections are read as they were typed, and refused where
//! they switch something on.

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

/// A part that a build may lack, and the keys that switch it on.
#[derive(Debug, Clone, Copy)]
struct Part {
    /// The feature of this crate that brings it.
    feature: &'static str,
    /// What it is, after "this build has no".
    what: &'static str,
    keys: &'static [&'static str],
    is_here: bool,
}

const PARTS: &[Part] = &[
    Part { feature: "shell", what: "shell", keys: &["tools.shell"], is_here: cfg!(feature = "shell") },
    Part { feature: "file", what: "file tools", keys: &["tools.file"], is_here: cfg!(feature = "file") },
    Part {
        feature: "diagnostics",
        what: "diagnostics",
        keys: &["tools.diagnostics"],
        is_here: cfg!(feature = "diagnostics"),
    },
    Part { feature: "code", what: "search in code", keys: &["index"], is_here: cfg!(feature = "code") },
    Part {
        feature: "graph",
        what: "lists of tools",
        keys: &["tools.dependencies", "tools.tafc", "tools.profiles", "agent.tool_filter"],
        is_here: cfg!(feature = "graph"),
    },
    Part { feature: "llm", what: "models", keys: &["llm"], is_here: cfg!(feature = "llm") },
    Part { feature: "acp", what: "agent for editors", keys: &["acp"], is_here: cfg!(feature = "acp") },
    Part { feature: "mcp-client", what: "MCP client", keys: &["mcp.servers"], is_here: cfg!(feature = "mcp-client") },
    Part {
        feature: "agent",
        what: "agent",
        keys: &[
            "agent.max_tool_iterations",
            "agent.context_budget_tokens",
            "agent.start_early",
            "agent.compress_provider",
            "agent.max_cost",
            "agent.sessions",
            "tools.summarize_output",
        ],
        is_here: cfg!(feature = "agent"),
    },
    Part { feature: "web", what: "web tools", keys: &["tools.scrape"], is_here: cfg!(feature = "web") },
    Part {
        feature: "policy",
        what: "gates",
        keys: &[
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
        ],
        is_here: cfg!(feature = "policy"),
    },
    Part {
        feature: "filter",
        what: "filters",
        // Patterns of credentials count also where filters are off.
        keys: &["tools.filters", "tools.filters.security"],
        is_here: cfg!(feature = "filter"),
    },
    Part { feature: "cache", what: "cache", keys: &["tools.result_cache"], is_here: cfg!(feature = "cache") },
    Part {
        feature: "overflow",
        what: "store of output",
        keys: &["tools.overflow"],
        is_here: cfg!(feature = "overflow"),
    },
    Part {
        feature: "sqlite",
        what: "store of output in a file",
        keys: &["tools.overflow.path"],
        is_here: cfg!(feature = "sqlite"),
    },
    Part {
        feature: "postgres",
        what: "PostgreSQL",
        keys: &[
            "agent.sessions.database",
            "tools.approvals.database",
            "tools.audit.database",
            "tools.caller_quota.database",
            "tools.overflow.database",
            "tools.memory.database",
            "scheduler.database",
        ],
        is_here: cfg!(feature = "postgres"),
    },
    Part { feature: "embed", what: "models of meaning", keys: &["embedding"], is_here: cfg!(feature = "embed") },
    Part { feature: "memory", what: "memory", keys: &["tools.memory"], is_here: cfg!(feature = "memory") },
    Part { feature: "scheduler", what: "scheduler", keys: &["scheduler"], is_here: cfg!(feature = "scheduler") },
    Part { feature: "skills", what: "skills", keys: &["skills"], is_here: cfg!(feature = "skills") },
    Part { feature: "retry", what: "retries", keys: &["tools.retry"], is_here: cfg!(feature = "retry") },
    Part { feature: "audit", what: "record", keys: &["tools.audit"], is_here: cfg!(feature = "audit") },
    Part {
        feature: "otel",
        what: "export to OpenTelemetry",
        keys: &["tools.audit.otlp_file"],
        is_here: cfg!(feature = "otel"),
    },
    Part {
        feature: "checkpoint",
        what: "checkpoints",
        keys: &["tools.checkpoints"],
        is_here: cfg!(feature = "checkpoint"),
    },
];

/// Refuses a configuration that switches on what this build does not have; gives back any other.
///
/// # Errors
/// [`LoadError::NotBuilt`] for the first such key.
pub(crate) fn refuse(mut loaded: LoadedConfig<HaftConfig>) -> Result<LoadedConfig<HaftConfig>, LoadError> {
    // Rules of gates that are here may be thousands, and nothing is looked for among them.
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

/// The first part that is not here and yet switched on, and by which key. What is as `usual` was
/// asked for by nobody.
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

/// Whether a value asks for something: not where it is empty, and not a section that says `enabled
/// = false`.
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
