//! Built-in profiles, and the lookup of a profile by name.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_core::{KeyFault, ToolName, did_you_mean, nearest, quoted, resolve_alias};

/// A choice of tools under a name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProfileConfig {
    /// The tools, in the order in which a model sees them.
    pub tools: Vec<String>,
    /// The most characters of a description, cut at the end of a sentence; all of it when unset.
    pub description_length: Option<usize>,
}

/// For agents with their own file tools: commands that are judged, confined and recorded, their
/// stored output, and diagnostics.
const CORE: &[&str] = &["bash", "job_read", "job_kill", "read_overflow", "diagnostics"];
/// Tools for work on a project.
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
pub struct Profile {
    /// The tools, in order; `None` for all.
    pub tools: Option<Vec<ToolName>>,
    /// Maximum number of characters of a description; `None` for no limit.
    pub description_length: Option<usize>,
    /// Whether the list is minimal and all other tools are found by a search.
    pub is_searched: bool,
}

/// Initial tools of a searched list: the rest of a cut output must be readable.
const SEARCHED: &[&str] = &["read_overflow"];

impl Profile {
    /// Initial tools of a long list of these `tools`: a few of them, and those `always` shown.
    pub fn core(&self, tools: &BTreeSet<ToolName>, always: &BTreeSet<ToolName>) -> Vec<ToolName> {
        let usual = if self.is_searched { SEARCHED } else { CORE }.iter();
        let usual = usual.filter_map(|name| tools.get(*name));
        usual.chain(always.iter().filter(|name| tools.contains(*name))).cloned().collect()
    }

    /// The profile with this name, for these tools. A profile in `configured` replaces a built-in
    /// one with its name (`core`, `coding`, `full`, `gateway`).
    ///
    /// # Errors
    /// An unknown profile, or one that names an unknown tool.
    pub fn named(
        name: &str,
        configured: &BTreeMap<String, ProfileConfig>,
        tools: &BTreeSet<ToolName>,
    ) -> Result<Self, KeyFault> {
        if let Some(profile) = configured.get(name) {
            return of(name, profile, tools);
        }
        let all = |names: &[&str]| names.iter().filter_map(|name| tools.get(*name).cloned()).collect();
        match name {
            "full" => Ok(Self::default()),
            "core" => Ok(Self { tools: Some(all(CORE)), ..Self::default() }),
            "coding" => Ok(Self { tools: Some(all(CODING)), ..Self::default() }),
            "gateway" => Ok(Self { is_searched: true, ..Self::default() }),
            other => {
                let known = ["core", "coding", "full", "gateway"].into_iter();
                let known: Vec<&str> = known.chain(configured.keys().map(String::as_str)).collect();
                let near = nearest(other, known.iter().copied());
                let hint = did_you_mean(&near).unwrap_or_else(|| quoted(&known));
                let problem = format!("there is no profile `{}`; {hint}", shown(other));
                Err(KeyFault::new("mcp.profile", problem))
            }
        }
    }
}

fn of(name: &str, profile: &ProfileConfig, tools: &BTreeSet<ToolName>) -> Result<Profile, KeyFault> {
    let mut names: Vec<ToolName> = Vec::new();
    for (index, text) in profile.tools.iter().enumerate() {
        let meant = resolve_alias(text, |name| tools.contains(name));
        let Some(tool) = tools.get(meant.as_deref().unwrap_or(text)) else {
            let near = nearest(text, tools.iter().map(ToolName::as_str));
            let hint = did_you_mean(&near).map(|near| format!("; {near}")).unwrap_or_default();
            let problem = format!("there is no tool `{}`{hint}", shown(text));
            return Err(KeyFault::new(format!("tools.profiles.{name}.tools[{index}]"), problem));
        };
        if !names.contains(tool) {
            names.push(tool.clone());
        }
    }
    Ok(Profile { tools: Some(names), description_length: profile.description_length, is_searched: false })
}

/// Beginning of a user's text, on one line.
fn shown(text: &str) -> String {
    text.chars().take(80).flat_map(char::escape_debug).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_tools_that_there_are() {
        let tools: BTreeSet<ToolName> =
            ["bash", "read", "edit", "fetch"].iter().map(|name| ToolName::parse(name).unwrap()).collect();
        let own = ProfileConfig {
            tools: vec!["fetch".to_owned(), "read".to_owned(), "fetch".to_owned()],
            ..ProfileConfig::default()
        };
        let slip = ProfileConfig { tools: vec!["read".to_owned(), "fetsh".to_owned()], ..ProfileConfig::default() };
        let configured = BTreeMap::from([("own".to_owned(), own), ("slip".to_owned(), slip)]);
        let named = |name: &str| Profile::named(name, &configured, &tools);
        let tools_of = |name: &str| {
            let tools = named(name).unwrap().tools.unwrap();
            tools.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(tools_of("coding"), ["bash", "read", "edit"]);
        assert_eq!(tools_of("core"), ["bash"]);
        assert_eq!(tools_of("own"), ["fetch", "read"]);
        assert_eq!(named("full"), Ok(Profile::default()));
        assert!(named("gateway").unwrap().is_searched);
        let fault = named("slip").unwrap_err();
        assert_eq!(fault.key, "tools.profiles.slip.tools[1]");
        assert!(fault.problem.contains("`fetsh`; did you mean `fetch`"), "{}", fault.problem);
        let fault = named("codign").unwrap_err();
        assert_eq!(fault.key, "mcp.profile");
        assert!(fault.problem.contains("`coding`"), "{}", fault.problem);
    }
}
