//! Finds rules that can never decide: they match no tool, or an earlier rule takes all of their
//! calls.

use std::sync::Arc;

use tools_core::{ToolDef, ToolKind, quoted};

use super::closed_paths::is_about_reading;
use super::config::{PolicyEffect, PolicyEnforcer, PolicyRule, ToolGlob};
use crate::names::unknown;

/// Names each rule that can never decide; `tools` are the existing tools.
pub fn lint(enforcer: &PolicyEnforcer, tools: &[Arc<ToolDef>]) -> Vec<String> {
    let mut found = enforcer.uncounted.clone();
    for list in &enforcer.lists {
        for (index, rule) in list.rules.iter().enumerate() {
            let key = format!("tools.{}.rules[{index}]", list.name);
            found.extend(no_tool(&format!("{key}.tool"), &rule.tool, tools));
            found.extend(unbound(&key, rule, tools));
        }
        for (index, rule) in list.rules.iter().enumerate() {
            let before = list.rules[..index].iter().position(|other| takes_all_of(other, rule));
            if let Some(by) = before {
                let other = &list.rules[by].text;
                found.push(format!(
                    "`tools.{name}.rules[{index}]` ({}) can never decide: {name}.rules[{by}] ({other}) takes every such call before it",
                    rule.text,
                    name = list.name,
                ));
            }
        }
    }
    found
}

/// Warns that paths are closed only to calls that name them.
fn unbound(key: &str, rule: &PolicyRule, tools: &[Arc<ToolDef>]) -> Option<String> {
    let paths = rule.paths.as_ref().filter(|_| rule.effect == PolicyEffect::Deny && is_about_reading(rule))?;
    let of = |is_one: &dyn Fn(&ToolDef) -> bool| {
        tools.iter().any(|tool| is_one(tool) && rule.tool.matches(tool.name.as_str()))
    };
    let runs = |tool: &ToolDef| tool.kind == ToolKind::Execute;
    let reads = |tool: &ToolDef| matches!(tool.kind, ToolKind::Read | ToolKind::Search);
    let use_instead = "close it with `tools.file.deny_read`";
    if rule.args_match.is_some() && (of(&reads) || of(&runs)) {
        return Some(format!(
            "`{key}.paths`: with `args_match` they hold where a call names them, not for searches from above and commands that reach them otherwise; {use_instead}"
        ));
    }
    if of(&reads) && !of(&runs) && tools.iter().any(|tool| runs(tool)) {
        return Some(format!(
            "`{key}.paths` do not hold for commands, which may read the same files; leave `tool` out, or {use_instead}"
        ));
    }
    if of(&runs) && !paths.unplaced.is_empty() {
        let patterns = quoted(&paths.unplaced);
        return Some(format!(
            "`{key}.paths`: outside the workspace {patterns} holds for commands only where they name such a path; name the folder itself to close it"
        ));
    }
    None
}

/// Warns that a rule matches no existing tool.
fn no_tool(key: &str, glob: &ToolGlob, tools: &[Arc<ToolDef>]) -> Option<String> {
    match glob {
        ToolGlob::Named(name) => unknown(key, name, tools),
        glob if tools.iter().any(|tool| glob.matches(tool.name.as_str())) => None,
        _ => Some(format!("`{key}`: there is no tool whose name matches")),
    }
}

/// Whether every call that `later` matches is matched by `earlier`. Detected if `earlier` names
/// only a tool, or if both have the same conditions.
fn takes_all_of(earlier: &PolicyRule, later: &PolicyRule) -> bool {
    let is_unconditional = earlier.args_match.is_none() && earlier.paths.is_none() && earlier.capabilities.is_none();
    let is_same = || conditions(earlier) == conditions(later);
    match (&earlier.tool, &later.tool) {
        (ToolGlob::Every, _) if is_unconditional => true,
        (ToolGlob::Named(earlier), ToolGlob::Named(later)) if is_unconditional => earlier == later,
        // The paths of a denial match more than those of an allowance.
        _ => is_same() && (earlier.effect == later.effect || earlier.paths.is_none()),
    }
}

/// The conditions of a rule, without its effect.
fn conditions(rule: &PolicyRule) -> &str {
    rule.text.split_once(' ').map_or("", |(_, conditions)| conditions)
}

#[cfg(test)]
mod tests {
    use super::super::config::PolicyEffect::{Allow, Deny};
    use super::super::config::{AuthorizationConfig, PolicyConfig, PolicyRuleConfig};
    use super::*;

    #[test]
    fn rules_behind_one_that_takes_everything_are_named() {
        let rule = |effect, tool: &str, args: Option<&str>| PolicyRuleConfig {
            effect,
            tool: tool.to_owned(),
            args_match: args.map(str::to_owned),
            paths: vec![],
            capabilities: vec![],
        };
        let rules = vec![
            rule(Deny, "bash", Some("x")),
            rule(Allow, "bash", Some("x")),
            rule(Allow, "write", None),
            rule(Deny, "write", Some("y")),
            rule(Deny, "edit", None),
            rule(Allow, "*", None),
            rule(Deny, "read", None),
        ];
        let policy = PolicyConfig { enabled: true, rules };
        let enforcer = PolicyEnforcer::compile(&policy, &AuthorizationConfig::default(), None).unwrap();
        let tool = |name: &str| {
            let schema = schemars::json_schema!({"type": "object"});
            let name = tools_core::ToolName::parse(name).unwrap();
            Arc::new(ToolDef::new(name, "", schema, ToolKind::Other, tools_core::ToolTraits::CAUTIOUS))
        };
        let found = lint(&enforcer, &["bash", "edit", "read", "write"].map(tool));
        let named = |text: &str| found.iter().filter(|finding| finding.contains(text)).count();
        assert_eq!(
            (found.len(), named("`tools.policy.rules[1]`"), named("`tools.policy.rules[3]`"), named("rules[6]")),
            (3, 1, 1, 1),
            "{found:?}"
        );
        assert!(found[2].ends_with("policy.rules[5] (allow *) takes every such call before it"), "{found:?}");
    }
}
