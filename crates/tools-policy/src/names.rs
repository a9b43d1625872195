//! Checks names of tools in the configuration: a rule for a missing tool protects nothing.

use std::sync::Arc;

use tools_core::{ToolDef, did_you_mean, nearest, resolve_alias};

/// The warning that a key names a missing tool; `None` if the tool exists.
pub(crate) fn unknown(key: &str, tool: &str, tools: &[Arc<ToolDef>]) -> Option<String> {
    let names = || tools.iter().map(|tool| tool.name.as_str());
    if names().any(|name| name == tool) {
        return None;
    }
    let near = match resolve_alias(tool, |name| names().any(|known| known == name)) {
        Some(meant) => did_you_mean(&[meant]),
        None => did_you_mean(&nearest(tool, names())),
    };
    let hint = near.map(|near| format!("; {near}")).unwrap_or_default();
    Some(format!("`{key}`: there is no tool of this name{hint}"))
}
