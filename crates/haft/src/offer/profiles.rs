//! The profiles that there are without configuration, and what a name of one means.

use std::collections::BTreeSet;

use tools_core::{ToolName, did_you_mean, meant_tool, nearest};

use crate::config::{HaftConfig, LoadError, LoadedConfig, ProfileConfig};

/// What an agent lacks that has file tools of its own: commands that are judged, confined and
/// recorded, what they printed, and what checkers say.
const CORE: &[&str] = &["bash", "job_read", "job_kill", "read_overflow", "diagnostics"];
/// What work on a project takes.
const CODING: &[&str] = &[
    "bash",
    "read",
    "edit",
    "write",
    "grep",
    "search_code",
    "find_path",
    "list_directory",
    "move_path",
    "delete_path",
    "diagnostics",
    "job_read",
    "job_kill",
    "read_overflow",
];

/// The tools of a profile and how long their descriptions are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Profile {
    /// `None` for all tools.
    pub(super) tools: Option<Vec<ToolName>>,
    pub(super) description_length: Option<usize>,
    /// Whether a list begins with next to nothing and all else is found by a search.
    pub(super) is_searched: bool,
}

/// What a list begins with that is searched: what was shown in part is read on.
const SEARCHED: &[&str] = &["read_overflow"];

/// What the tools of `gateway` are here, besides the search.
pub(super) fn searched(tools: &BTreeSet<ToolName>) -> Vec<ToolName> {
    SEARCHED.iter().filter_map(|name| tools.get(*name).cloned()).collect()
}

/// What the tools of `core` are here, for lists that are too long.
pub(super) fn core(tools: &BTreeSet<ToolName>) -> Vec<ToolName> {
    CORE.iter().filter_map(|name| tools.get(*name).cloned()).collect()
}

/// The configured profile. One of the configuration goes before a built-in one of its name.
///
/// # Errors
/// A profile that there is not, or one that names a tool that there is not, by key and line.
pub(super) fn chosen(loaded: &LoadedConfig<HaftConfig>, tools: &BTreeSet<ToolName>) -> Result<Profile, LoadError> {
    let name = loaded.config.mcp.profile.as_str();
    if let Some(profile) = loaded.config.tools.profiles.get(name) {
        return of(loaded, name, profile, tools);
    }
    let all = |names: &[&str]| names.iter().filter_map(|name| tools.get(*name).cloned()).collect();
    match name {
        "full" => Ok(Profile::default()),
        "core" => Ok(Profile { tools: Some(all(CORE)), ..Profile::default() }),
        "coding" => Ok(Profile { tools: Some(all(CODING)), ..Profile::default() }),
        "gateway" => Ok(Profile { is_searched: true, ..Profile::default() }),
        other => {
            let configured = loaded.config.tools.profiles.keys().map(String::as_str);
            let known: Vec<&str> = ["core", "coding", "full", "gateway"].into_iter().chain(configured).collect();
            let near = nearest(other, known.iter().copied());
            let hint = did_you_mean(&near).unwrap_or_else(|| listed(&known));
            let shown: String = other.chars().take(80).flat_map(char::escape_debug).collect();
            Err(loaded.fault("mcp.profile", format!("there is no profile `{shown}`; {hint}")))
        }
    }
}

fn of(
    loaded: &LoadedConfig<HaftConfig>,
    name: &str,
    profile: &ProfileConfig,
    tools: &BTreeSet<ToolName>,
) -> Result<Profile, LoadError> {
    let mut names: Vec<ToolName> = Vec::new();
    for (index, text) in profile.tools.iter().enumerate() {
        let meant = meant_tool(text, |name| tools.contains(name));
        let Some(tool) = tools.get(meant.as_deref().unwrap_or(text)) else {
            let near = nearest(text, tools.iter().map(ToolName::as_str));
            let hint = did_you_mean(&near).map(|near| format!("; {near}")).unwrap_or_default();
            let shown: String = text.chars().take(80).flat_map(char::escape_debug).collect();
            return Err(loaded
                .fault(&format!("tools.profiles.{name}.tools[{index}]"), format!("there is no tool `{shown}`{hint}")));
        };
        if !names.contains(tool) {
            names.push(tool.clone());
        }
    }
    Ok(Profile { tools: Some(names), description_length: profile.description_length, is_searched: false })
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
