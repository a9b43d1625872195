//! Names of servers' tools for models: `mcp_<server>_<tool>`, unique, in the alphabet that every
//! provider accepts.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};
use tools_core::ToolName;

use crate::pins::hexadecimal;

/// Maximum length of a name that every provider accepts.
const MAX_NAME_CHARS: usize = 64;
/// Number of hexadecimal digits that distinguish equal names.
const DIGITS: usize = 6;

/// The name of a tool, if no other tool has the same one.
pub(crate) fn model_name(server: &str, tool: &str) -> String {
    let fit = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    let name: String = format!("mcp_{server}_{tool}").chars().map(fit).collect();
    if name.len() > MAX_NAME_CHARS { told_apart(&name, server, tool) } else { name }
}

/// Names of all tools, given as server and tool; their order makes no difference. If two tools
/// would have the same name, both get a distinguishing suffix.
pub(crate) fn names(tools: &[(String, String)]) -> BTreeMap<ToolName, (String, String)> {
    let mut wanted: BTreeMap<String, Vec<&(String, String)>> = BTreeMap::new();
    for tool in tools {
        let same = wanted.entry(model_name(&tool.0, &tool.1)).or_default();
        if !same.contains(&tool) {
            same.push(tool);
        }
    }
    let mut named = BTreeMap::new();
    for (name, owners) in wanted {
        let is_clash = owners.len() > 1;
        for (server, tool) in owners {
            let name = if is_clash { told_apart(&name, server, tool) } else { name.clone() };
            if is_clash {
                tracing::warn!(
                    server,
                    tool = tool.escape_debug().to_string(),
                    name,
                    "two tools of MCP servers would have one name"
                );
            }
            if let Ok(name) = ToolName::parse(&name) {
                named.entry(name).or_insert_with(|| (server.clone(), tool.clone()));
            }
        }
    }
    named
}

/// Appends digits that are derived from server and tool.
fn told_apart(name: &str, server: &str, tool: &str) -> String {
    let digits = hexadecimal(&Sha256::digest(format!("{server}\0{tool}")));
    let kept = &name[..name.len().min(MAX_NAME_CHARS - DIGITS - 1)];
    format!("{kept}_{}", &digits[..DIGITS])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_have_the_server_and_the_tool() {
        assert_eq!(model_name("git", "log"), "mcp_git_log");
        assert_eq!(model_name("git", "show file!"), "mcp_git_show_file_");
        assert_eq!(model_name("git", &"x".repeat(80)).len(), 64);
    }

    proptest! {
        #[test]
        fn every_tool_has_one_name_of_its_own(tools in proptest::collection::btree_set(("[ab_]{1,3}", "[a-c_.é]{0,70}"), 0..30)) {
            let tools: Vec<(String, String)> = tools.into_iter().collect();
            let named = names(&tools);
            prop_assert_eq!(named.len(), tools.len());
            let mut reversed = tools.clone();
            reversed.reverse();
            prop_assert_eq!(&names(&reversed), &named);
            for owner in &tools {
                prop_assert_eq!(named.values().filter(|found| *found == owner).count(), 1);
            }
        }
    }
}
