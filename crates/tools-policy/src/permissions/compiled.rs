//! Compiles the section `[tools.permissions]` to a list of rules per tool.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use tools_core::{KeyFault, todays_name};

use super::config::{NETWORK, PermissionsConfig, RuleConfig};
use super::defaults;
use super::list::RuleList;

/// Compiled rules.
#[derive(Debug, Default)]
pub struct Permissions {
    lists: HashMap<String, RuleList>,
}

impl PermissionsConfig {
    /// Compiles all rules, followed by the default rules. `home` replaces `~` in patterns.
    ///
    /// # Errors
    /// The first rule with an invalid glob. It is never skipped, since an allow rule may follow a
    /// skipped deny rule.
    pub fn compile(&self, home: Option<&Path>) -> Result<Permissions, KeyFault> {
        let mut typed: BTreeMap<&str, Vec<&RuleConfig>> = BTreeMap::new();
        for (tool, rules) in &self.tools {
            if tool == NETWORK {
                continue;
            }
            if let Some(index) = rules.iter().position(|rule| rule.program.is_some() || rule.private) {
                let problem = "only rules of `network` have `program` and `private`";
                return Err(KeyFault::new(format!("tools.permissions.{tool}[{index}]"), problem));
            }
            typed.entry(todays_name(tool)).or_default().extend(rules);
        }
        let names = typed.keys().copied().chain(defaults::tools());
        let lists = names.map(|tool| {
            let rules = typed.get(tool).map(Vec::as_slice).unwrap_or_default();
            Ok((tool.to_owned(), RuleList::compile(tool, rules, defaults::of(tool), home)?))
        });
        Ok(Permissions { lists: lists.collect::<Result<_, _>>()? })
    }
}

impl Permissions {
    /// The rules of a tool; `None` if it has none.
    pub(super) fn of(&self, tool: &str) -> Option<&RuleList> {
        self.lists.get(tool)
    }

    /// Whether every call of a tool is denied, so that a model need not see the tool.
    pub fn denies_always(&self, tool: &str) -> bool {
        self.of(tool).is_some_and(RuleList::denies_always)
    }

    /// The tools with configured rules, sorted.
    pub(super) fn named(&self) -> impl Iterator<Item = &str> {
        let mut named: Vec<&str> =
            self.lists().filter(|list| list.configured().next().is_some()).map(RuleList::tool).collect();
        named.sort_unstable();
        named.into_iter()
    }

    pub(super) fn lists(&self) -> impl Iterator<Item = &RuleList> {
        self.lists.values()
    }
}
