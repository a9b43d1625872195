//! The decision on one call by policy rules. Pure.

use std::path::Path;

use serde_json::Value;
use tools_core::{Access, Inspection, JsonObject, Subject, ToolDef};

use super::config::{Capability, PathRule, PolicyEffect, PolicyEnforcer, PolicyList, PolicyRule};
use crate::matching::{PathForms, upwards};

/// Input of a decision.
#[derive(Debug, Clone, Copy)]
pub struct PolicyQuestion<'a> {
    /// The tool.
    pub definition: &'a ToolDef,
    /// Parameters of the call.
    pub params: &'a JsonObject,
    /// Subjects of the call.
    pub inspection: &'a Inspection,
    /// Base of relative patterns, canonical and absolute.
    pub workdir: &'a Path,
}

/// Decision of the rules about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyDecision {
    /// Effect of the rule that decided; `None` when no rule matched.
    pub effect: Option<PolicyEffect>,
    /// The rule that decided, as written in the configuration: for the audit, never for the model.
    pub trace: Option<String>,
}

impl PolicyDecision {
    /// Whether the call is refused.
    pub fn is_denied(&self) -> bool {
        self.effect == Some(PolicyEffect::Deny)
    }
}

/// Decides about a call by the first matching rule of each list; a denial overrides an allowance.
pub fn decide(enforcer: &PolicyEnforcer, question: &PolicyQuestion<'_>) -> PolicyDecision {
    if enforcer.is_empty() {
        return PolicyDecision { effect: None, trace: None };
    }
    let facts = Facts::of(question);
    let found = |list| first(list, question.definition.name.as_str(), &facts);
    let mut matched: Vec<_> = enforcer.lists.iter().filter_map(found).collect();
    matched.sort_by_key(|(rule, _)| rule.effect != PolicyEffect::Deny);
    match matched.into_iter().next() {
        Some((rule, trace)) => PolicyDecision { effect: Some(rule.effect), trace: Some(trace) },
        None => PolicyDecision { effect: None, trace: None },
    }
}

fn first<'a>(list: &'a PolicyList, tool: &str, facts: &Facts<'_>) -> Option<(&'a PolicyRule, String)> {
    let mut rules = list.rules.iter().enumerate();
    let (index, rule) = rules.find(|(_, rule)| rule.tool.matches(tool) && facts.fit(rule))?;
    Some((rule, format!("{}.rules[{index}] {}", list.name, rule.text)))
}

/// Values that rules are compared with, computed once per call.
struct Facts<'a> {
    /// Texts of the parameters.
    strings: Vec<&'a str>,
    /// Everything else in the parameters, and the words of commands: for denials.
    others: Vec<String>,
    paths: Vec<(PathForms, Access)>,
    /// Files of code that the call runs: read, for denials.
    scripts: Vec<PathForms>,
    needs: Vec<Capability>,
}

impl<'a> Facts<'a> {
    fn of(question: &PolicyQuestion<'a>) -> Self {
        let subjects = &question.inspection.subjects;
        let (strings, mut others) = texts(question.params);
        let (mut paths, mut scripts) = (Vec::new(), Vec::new());
        for subject in subjects {
            match subject {
                Subject::Command { program, argv, .. } if !program.is_empty() => {
                    others.push(std::iter::once(program).chain(argv).map(String::as_str).collect::<Vec<_>>().join(" "));
                }
                Subject::Path { path, access, .. } => paths.push((PathForms::new(path, question.workdir), *access)),
                Subject::Script { script, .. } => scripts.push(PathForms::new(&script.path, question.workdir)),
                _ => {}
            }
        }
        Self { strings, others, paths, scripts, needs: needs(question) }
    }

    fn fit(&self, rule: &PolicyRule) -> bool {
        let allows = rule.effect == PolicyEffect::Allow;
        let text = rule.args_match.as_ref().is_none_or(|pattern| {
            if allows {
                !self.strings.is_empty() && self.strings.iter().all(|text| pattern.is_match(text))
            } else {
                let mut others = self.others.iter().map(String::as_str);
                self.strings.iter().any(|text| pattern.is_match(text)) || others.any(|text| pattern.is_match(text))
            }
        });
        let path = || {
            rule.paths.as_ref().is_none_or(|paths| {
                if allows {
                    !self.paths.is_empty() && self.paths.iter().all(|(path, _)| path.matches(&paths.globs))
                } else {
                    self.paths.iter().any(|(path, access)| is_denied(paths, path, *access))
                        || self.scripts.iter().any(|path| is_denied(paths, path, Access::Read))
                }
            })
        };
        let capability = || {
            rule.capabilities.as_ref().is_none_or(|named| {
                if allows {
                    self.needs.iter().all(|need| named.contains(&Some(*need)))
                } else {
                    named.iter().any(|word| word.is_none_or(|word| self.needs.contains(&word)))
                }
            })
        };
        text && path() && capability()
    }
}

/// Whether a denial matches a path: the path itself, a parent folder, or something in a folder that
/// would be removed.
pub(super) fn is_denied(rule: &PathRule, path: &PathForms, access: Access) -> bool {
    let covered = path.texts().flat_map(upwards).any(|text| rule.globs.first(text).is_some());
    let around = || {
        path.texts().any(|text| {
            rule.folders.iter().any(|folder| {
                let rest = folder.strip_prefix(text);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        })
    };
    covered || (access == Access::Delete && around())
}

/// All texts of the parameters: first the strings, then the names, numbers and booleans.
fn texts(params: &JsonObject) -> (Vec<&str>, Vec<String>) {
    let (mut strings, mut others) = (Vec::new(), Vec::new());
    let mut open: Vec<&Value> = Vec::new();
    let mut members = |object: &'_ JsonObject| others.extend(object.keys().cloned());
    members(params);
    open.extend(params.values());
    let mut numbers = Vec::new();
    // A work list instead of recursion, so that depth uses no stack.
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => strings.push(text.as_str()),
            Value::Array(items) => open.extend(items),
            Value::Object(object) => {
                members(object);
                open.extend(object.values());
            }
            Value::Number(number) => numbers.push(number.to_string()),
            Value::Bool(value) => numbers.push(value.to_string()),
            Value::Null => {}
        }
    }
    others.extend(numbers);
    (strings, others)
}

/// The capabilities that the call needs, by its subjects and its tool.
fn needs(question: &PolicyQuestion<'_>) -> Vec<Capability> {
    let traits = question.definition.trusted_traits();
    let mut needs: Vec<Capability> = question
        .inspection
        .subjects
        .iter()
        .map(|subject| match subject {
            Subject::Command { .. } | Subject::Script { .. } | Subject::Opaque { .. } => Capability::Execute,
            Subject::Path { access, .. } | Subject::Paths { access, .. } => match access {
                Access::Read => Capability::Read,
                Access::Write => Capability::Write,
                Access::Delete => Capability::Delete,
            },
            Subject::Url { .. } | Subject::Host { .. } | Subject::Port { .. } => Capability::Network,
        })
        .collect();
    if traits.open_world {
        needs.push(Capability::Network);
    }
    // This applies whatever the subjects are: otherwise one more subject could remove a need and
    // evade a denial of `write`.
    if !(question.inspection.read_only && traits.read_only) {
        needs.push(Capability::Write);
    }
    needs
}
