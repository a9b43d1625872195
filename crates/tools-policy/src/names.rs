//! Names of tools in the configuration: a rule about a tool that there is not protects nothing.

use std::sync::Arc;

use tools_core::{ToolDef, nearest};

/// Names that tools had before, with today's.
const RENAMED: &[(&str, &str)] = &[("glob", "find_path")];
/// What other programs call such tools: for hints only, since a rule means what it says.
const ELSEWHERE: &[(&str, &str)] =
    &[("execute", "bash"), ("find", "find_path"), ("ls", "list_directory"), ("search", "grep"), ("shell", "bash")];

/// What a tool of this name is called today.
pub(crate) fn current(tool: &str) -> &str {
    RENAMED.iter().find(|(old, _)| *old == tool).map_or(tool, |(_, new)| new)
}

/// Says that a key is about a tool that there is not; `None` when there is one of this name.
pub(crate) fn unknown(key: &str, tool: &str, tools: &[Arc<ToolDef>]) -> Option<String> {
    let names = || tools.iter().map(|tool| tool.name.as_str());
    if names().any(|name| name == tool) {
        return None;
    }
    let meant = ELSEWHERE
        .iter()
        .find(|(other, here)| *other == tool && names().any(|name| name == *here))
        .map(|(_, here)| *here);
    let near = meant.map_or_else(|| nearest(tool, names()), |meant| vec![meant]);
    let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    let hint = if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) };
    Some(format!("`{key}`: there is no tool of this name{hint}"))
}
