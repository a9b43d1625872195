//! Tool names for interfaces that restrict them: unique, and mapped back to the original.

use std::collections::{BTreeMap, BTreeSet};

use tools_core::ToolName;

use super::table::Names;

/// Maps the tool names of the interface to the original names.
pub(super) fn mapped(tools: &[ToolName], rule: &Names) -> BTreeMap<String, ToolName> {
    let fits = |name: &str| !rule.begins_with_letter || name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    // A valid name stays as it is, even if another name would be mapped to it.
    let mut names: BTreeMap<String, ToolName> =
        tools.iter().filter(|tool| fits(tool.as_str())).map(|tool| (tool.to_string(), tool.clone())).collect();
    let others: BTreeSet<&ToolName> = tools.iter().filter(|tool| !fits(tool.as_str())).collect();
    for tool in others {
        let base: String = std::iter::once('_').chain(tool.as_str().chars()).take(MAX_NAME_CHARS).collect();
        let numbered = (2..).map(|number: usize| {
            let number = format!("_{number}");
            base.chars().take(MAX_NAME_CHARS - number.len()).chain(number.chars()).collect::<String>()
        });
        let free = std::iter::once(base.clone()).chain(numbered).find(|name| !names.contains_key(name));
        // The infinite sequence of numbers always contains a free one.
        names.extend(free.map(|name| (name, tool.clone())));
    }
    names
}

/// Maximum length of a tool name that every interface accepts.
const MAX_NAME_CHARS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_would_collide_are_told_apart() {
        let long = "1".repeat(64);
        let other = format!("{}2", "1".repeat(63));
        let tools = ["1a", "_1a", "a", "-x", &long, &other].map(|name| ToolName::parse(name).unwrap());
        let rule = Names { begins_with_letter: true };
        let names = mapped(&tools, &rule);
        assert_eq!(names.len(), tools.len());
        assert_eq!((names["_1a"].as_str(), names["_1a_2"].as_str(), names["_-x"].as_str()), ("_1a", "1a", "-x"));
        assert!(names.keys().all(|name| name.len() <= 64 && !name.starts_with(|c: char| c.is_ascii_digit())));
        assert_eq!(mapped(&tools, &Names { begins_with_letter: false })["1a"].as_str(), "1a");
    }
}
