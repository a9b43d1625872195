//! The sections `[tools.policy]` and `[tools.authorization]`, and what they compile to.

use std::path::{Path, PathBuf};

use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_core::{KeyFault, Verdict, todays_name};
use tools_sandbox::CompiledGlob;

use crate::matching::{Patterns, SeparatorRule, compiled, literal, parse, path_glob};

/// Rules about calls, in the order in which they are asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PolicyConfig {
    /// Whether the rules in `tools.policy.rules` apply.
    #[schemars(extend("x-overlay" = true))]
    pub enabled: bool,
    /// Rules that deny calls. The first rule that matches a call denies it or ends the list. An
    /// `allow` rule does not override any other gate.
    #[schemars(extend("x-overlay" = "deny"))]
    pub rules: Vec<PolicyRuleConfig>,
}

impl Default for PolicyConfig {
    fn default() -> Self {
        Self { enabled: true, rules: vec![] }
    }
}

/// A second list of the same rules: it is asked after `[tools.policy]` and lifts none of its
/// denials.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AuthorizationConfig {
    /// Whether the rules in `tools.authorization.rules` apply.
    #[schemars(extend("x-overlay" = true))]
    pub enabled: bool,
    /// A second list of rules like `tools.policy.rules`, checked after it. It cannot allow what the
    /// first list denies.
    #[schemars(extend("x-overlay" = "deny"))]
    pub rules: Vec<PolicyRuleConfig>,
}

/// One rule: it matches a call that fits all it names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyRuleConfig {
    /// `"deny"` refuses the call, `"allow"` ends the list.
    pub effect: PolicyEffect,
    /// A glob on the name of the tool; `*` for every tool.
    #[serde(default = "every_tool")]
    pub tool: String,
    /// A regular expression on the parameters, at any depth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args_match: Option<String>,
    /// Globs on the canonical paths that the call touches: both ends of a copy or move.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Capabilities that the call needs: `read`, `write`, `delete`, `execute`, `network`. A call
    /// that may change something needs `write`, and `delete` as well where it removes something.
    /// Other words are reserved: every call is taken to need what a denial names by one, and none
    /// to be covered by an allowance that does.
    #[serde(default)]
    pub capabilities: Vec<String>,
}

fn every_tool() -> String {
    "*".to_owned()
}

/// Effect of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PolicyEffect {
    /// Ends the list.
    Allow,
    /// Refuses the call.
    Deny,
}

/// Compiled rules.
#[derive(Debug, Default)]
pub struct PolicyEnforcer {
    pub(super) lists: Vec<PolicyList>,
    /// Lists that have rules and are switched off, one sentence each.
    pub(super) uncounted: Vec<String>,
}

/// One compiled list.
#[derive(Debug)]
pub(super) struct PolicyList {
    /// Its name in a trace: `policy` or `authorization`.
    pub(super) name: &'static str,
    pub(super) rules: Vec<PolicyRule>,
}

#[derive(Debug)]
pub(super) struct PolicyRule {
    pub(super) effect: PolicyEffect,
    pub(super) tool: ToolGlob,
    pub(super) args_match: Option<Regex>,
    pub(super) paths: Option<PathRule>,
    pub(super) capabilities: Option<Vec<Option<Capability>>>,
    /// The rule as a person finds it in the configuration.
    pub(super) text: String,
}

#[derive(Debug)]
pub(super) enum ToolGlob {
    Every,
    Named(String),
    Glob(CompiledGlob),
}

#[derive(Debug)]
pub(super) struct PathRule {
    pub(super) globs: Patterns,
    /// The folders at the beginning of the globs: removing one of them or a parent folder matches
    /// too.
    pub(super) folders: Vec<String>,
    /// The absolute places that patterns name without a wildcard, below the folders that every
    /// program needs.
    pub(super) places: Vec<PathBuf>,
    /// Patterns outside the working directory that name no single place: their paths are closed to
    /// a command only if the command names them.
    pub(super) unplaced: Vec<String>,
}

/// A capability that a call may need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Capability {
    Read,
    Write,
    Delete,
    Execute,
    Network,
}

impl Capability {
    fn parse(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "read" => Some(Self::Read),
            "write" => Some(Self::Write),
            "delete" => Some(Self::Delete),
            "execute" => Some(Self::Execute),
            "network" => Some(Self::Network),
            _ => None,
        }
    }
}

impl PolicyEnforcer {
    /// Compiles both lists. `home` replaces `~` in paths.
    ///
    /// # Errors
    /// The first rule with an invalid glob or regular expression; such rules are never skipped.
    pub fn compile(
        policy: &PolicyConfig,
        authorization: &AuthorizationConfig,
        home: Option<&Path>,
    ) -> Result<Self, KeyFault> {
        let lists =
            [("policy", policy.enabled, &policy.rules), ("authorization", authorization.enabled, &authorization.rules)];
        let (mut compiled, mut uncounted) = (Vec::new(), Vec::new());
        for (name, is_enabled, rules) in lists {
            // Disabled rules must be valid, too, since they may be enabled later.
            let rules = rules.iter().enumerate().map(|(index, rule)| PolicyRule::compile(name, index, rule, home));
            let rules = rules.collect::<Result<Vec<_>, _>>()?;
            match (is_enabled, rules.is_empty()) {
                (true, false) => compiled.push(PolicyList { name, rules }),
                (false, false) => {
                    uncounted.push(format!("`tools.{name}.rules` do not count: `tools.{name}.enabled` is false"));
                }
                (_, true) => {}
            }
        }
        Ok(Self { lists: compiled, uncounted })
    }

    /// Whether there are no rules.
    pub fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// Whether a tool is denied with any parameters, so that a model need not see it.
    pub(crate) fn denies_always(&self, tool: &str) -> bool {
        let first = |list: &PolicyList| {
            list.rules.iter().find(|rule| rule.tool.matches(tool)).is_some_and(|rule| {
                let is_unconditional = rule.args_match.is_none() && rule.paths.is_none() && rule.capabilities.is_none();
                rule.effect == PolicyEffect::Deny && is_unconditional
            })
        };
        self.lists.iter().any(first)
    }
}

impl PolicyRule {
    fn compile(list: &str, index: usize, rule: &PolicyRuleConfig, home: Option<&Path>) -> Result<Self, KeyFault> {
        let failed = |key: &str, problem: String| KeyFault::new(format!("tools.{list}.rules[{index}].{key}"), problem);
        let args_match = rule.args_match.as_deref().map(Regex::new).transpose();
        let args_match = args_match.map_err(|error| failed("args_match", last_line(&error.to_string())))?;
        let tool = ToolGlob::compile(&rule.tool).map_err(|problem| failed("tool", problem))?;
        let mut globs = Vec::new();
        for (number, pattern) in rule.paths.iter().enumerate() {
            let key = format!("paths[{number}]");
            if pattern.trim().is_empty() {
                return Err(failed(&key, "an empty pattern matches nothing; `*` matches everything".to_owned()));
            }
            let glob = path_pattern(pattern, rule.effect, home);
            parse(&glob, SeparatorRule::Folders).map_err(|error| failed(&key, error.kind().to_string()))?;
            globs.push((number, glob));
        }
        let folders = globs.iter().map(|(_, glob)| fixed_folder(glob)).collect();
        let places = globs.iter().filter_map(|(_, glob)| place(glob)).collect();
        let is_unplaced = |glob: &str| glob.starts_with('/') && !glob.starts_with("/**/") && place(glob).is_none();
        let unplaced = globs.iter().filter(|(_, glob)| is_unplaced(glob));
        let unplaced = unplaced.map(|(number, _)| rule.paths[*number].clone()).collect();
        let compiled = Patterns::compile(&globs, SeparatorRule::Folders);
        let compiled = compiled.map_err(|error| failed("paths", error.kind().to_string()))?;
        let capabilities: Vec<_> = rule.capabilities.iter().map(|word| Capability::parse(word)).collect();
        Ok(Self {
            effect: rule.effect,
            tool,
            args_match,
            paths: (!globs.is_empty()).then_some(PathRule { globs: compiled, folders, places, unplaced }),
            capabilities: (!capabilities.is_empty()).then_some(capabilities),
            text: described(rule),
        })
    }
}

impl ToolGlob {
    fn compile(pattern: &str) -> Result<Self, String> {
        let pattern = pattern.trim().to_ascii_lowercase();
        if pattern.is_empty() {
            return Err("an empty pattern matches nothing; `*` matches every tool".to_owned());
        }
        if pattern == "*" {
            return Ok(Self::Every);
        }
        if !pattern.contains(['*', '?', '[', '{', '\\']) {
            return Ok(Self::Named(todays_name(&pattern).to_owned()));
        }
        let glob = parse(&pattern, SeparatorRule::Everything).map_err(|error| error.kind().to_string())?;
        Ok(Self::Glob(compiled(&glob)))
    }

    pub(super) fn matches(&self, tool: &str) -> bool {
        match self {
            Self::Every => true,
            Self::Named(name) => name.eq_ignore_ascii_case(tool),
            Self::Glob(glob) => glob.is_match(tool.to_ascii_lowercase()),
        }
    }
}

/// The glob of a path pattern. `*` alone matches every path; otherwise as in the permissions.
fn path_pattern(pattern: &str, effect: PolicyEffect, home: Option<&Path>) -> String {
    if matches!(pattern.trim(), "*" | "**") {
        return "/**".to_owned();
    }
    let action = if effect == PolicyEffect::Allow { Verdict::Allow } else { Verdict::Deny };
    path_glob(pattern, action, home)
}

/// The folder of a glob before its first wildcard, up to the last `/`.
fn fixed_folder(glob: &str) -> String {
    let end = glob.find(['*', '?', '[', '{', '\\']);
    let fixed = &glob[..end.unwrap_or(glob.len())];
    let folder = if end.is_some() { fixed.rsplit_once('/').map_or("", |(folder, _)| folder) } else { fixed };
    folder.to_owned()
}

/// The single place that a glob names. A folder directly below the root is excluded: programs need
/// it to run.
fn place(glob: &str) -> Option<PathBuf> {
    let path = PathBuf::from(literal(glob)?);
    (path.is_absolute() && path.components().count() > 2).then_some(path)
}

fn described(rule: &PolicyRuleConfig) -> String {
    let effect = if rule.effect == PolicyEffect::Allow { "allow" } else { "deny" };
    let mut text = format!("{effect} {}", rule.tool);
    if let Some(args) = &rule.args_match {
        text = format!("{text} args_match {args:?}");
    }
    if !rule.paths.is_empty() {
        text = format!("{text} paths {:?}", rule.paths);
    }
    if !rule.capabilities.is_empty() {
        text = format!("{text} capabilities {:?}", rule.capabilities);
    }
    text
}

/// The last line of a regular expression's error, without the drawing of its position.
fn last_line(text: &str) -> String {
    text.lines().last().unwrap_or(text).trim().trim_start_matches("error: ").to_owned()
}
