//! Replaces alternative names of tools in a configuration by the current ones: a rule about `shell`
//! is one about `bash`, unless the host has a tool named `shell`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use tools_core::{ToolName, built_in_tool};

use super::HaftConfig;

/// The configuration with current tool names; `hosts` are the names of the host's own tools.
pub(crate) fn named<'a>(config: &'a HaftConfig, hosts: &BTreeSet<ToolName>) -> Cow<'a, HaftConfig> {
    let today = |name: &str| match built_in_tool(name) {
        Some(tool) if !hosts.contains(name) => tool.to_owned(),
        _ => name.to_owned(),
    };
    let is_other = |name: &str| today(name) != name;
    let tools = &config.tools;
    let ruled = tools.policy.rules.iter().chain(&tools.authorization.rules).map(|rule| &rule.tool);
    let keyed = tools.permissions.tools.keys().chain(tools.trust.tools.keys());
    let listed = tools.utility.exempt_tools.iter().chain(&tools.adversarial_policy.exempt_tools);
    if !ruled.chain(keyed).chain(listed).any(|name| is_other(name)) {
        return Cow::Borrowed(config);
    }
    let mut config = config.clone();
    let tools = &mut config.tools;
    let mut renamed = BTreeMap::new();
    let (mine, others): (Vec<_>, Vec<_>) =
        std::mem::take(&mut tools.permissions.tools).into_iter().partition(|(name, _)| today(name) == *name);
    // Rules under the current name come first: if both match, they decide.
    for (name, list) in mine.into_iter().chain(others) {
        renamed.entry(today(&name)).or_insert_with(Vec::new).extend(list);
    }
    tools.permissions.tools = renamed;
    for rule in tools.policy.rules.iter_mut().chain(&mut tools.authorization.rules) {
        rule.tool = today(&rule.tool);
    }
    let mut levels = BTreeMap::new();
    for (name, level) in std::mem::take(&mut tools.trust.tools) {
        // If one tool has two levels, the lower one applies.
        let level = levels.get(&today(&name)).map_or(level, |before| level.min(*before));
        levels.insert(today(&name), level);
    }
    tools.trust.tools = levels;
    let lists = [&mut tools.utility.exempt_tools, &mut tools.adversarial_policy.exempt_tools];
    for name in lists.into_iter().flatten() {
        *name = today(name);
    }
    Cow::Owned(config)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::LoadedConfig;

    #[test]
    fn other_names_are_those_of_tools_unless_the_host_has_them() {
        let text = r#"
            [[tools.permissions.shell]]
            pattern = "ls"
            action = "deny"
            [[tools.permissions.bash]]
            pattern = "*"
            action = "ask"
            [[tools.policy.rules]]
            effect = "deny"
            tool = "Glob"
            [tools.trust.tools]
            search = "untrusted"
            grep = "trusted"
            [tools.utility]
            exempt_tools = ["find"]
        "#;
        let config: HaftConfig = LoadedConfig::parse(text, &|_| None).unwrap().config;
        let renamed = named(&config, &BTreeSet::new()).into_owned().tools;
        let patterns: Vec<&str> = renamed.permissions.tools["bash"].iter().map(|rule| rule.pattern.as_str()).collect();
        assert_eq!((renamed.permissions.tools.len(), patterns), (1, vec!["*", "ls"]));
        assert_eq!(renamed.policy.rules[0].tool, "find_path");
        assert_eq!(renamed.trust.tools["grep"], tools_core::TrustLevel::Untrusted, "the lower of both");
        assert_eq!(renamed.utility.exempt_tools, ["find_path"]);
        let hosts: BTreeSet<ToolName> =
            ["shell", "Glob", "search", "find"].map(|name| ToolName::parse(name).unwrap()).into();
        assert!(matches!(named(&config, &hosts), Cow::Borrowed(_)));
    }
}
