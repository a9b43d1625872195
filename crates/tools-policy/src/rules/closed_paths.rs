//! Finds the paths that a tool may not read in any call: for searches and commands, which reach
//! paths that no parameter names. Pure.

use std::{path::Path, sync::Arc};

use tools_core::Access;

use super::config::{Capability, PolicyEffect, PolicyEnforcer, PolicyRule};
use super::decide::is_denied;
use crate::{gate::ReadRestriction, matching::PathForms};

/// The paths that the rules close to a tool; `None` if no rule is about paths alone.
pub(super) fn closes(policy: &Arc<PolicyEnforcer>, tool: &str, workdir: &Path) -> Option<ReadRestriction> {
    let rules = || policy.lists.iter().flat_map(|list| &list.rules).filter(|rule| rule.tool.matches(tool));
    if !rules().any(closes_paths) {
        return None;
    }
    let paths = rules().filter(|rule| closes_paths(rule)).filter_map(|rule| rule.paths.as_ref());
    let places = paths.flat_map(|paths| paths.places.iter().cloned()).collect();
    let (policy, tool, workdir) = (Arc::clone(policy), tool.to_owned(), workdir.to_owned());
    Some(ReadRestriction {
        denies: Box::new(move |path| is_closed(&policy, &tool, &PathForms::new(path, &workdir))),
        places,
    })
}

/// Whether a rule denies reading paths regardless of other parameters.
pub(super) fn closes_paths(rule: &PolicyRule) -> bool {
    rule.effect == PolicyEffect::Deny && rule.paths.is_some() && rule.args_match.is_none() && is_about_reading(rule)
}

/// Whether a rule is about reading. A denial with an unknown capability word is about everything.
pub(super) fn is_about_reading(rule: &PolicyRule) -> bool {
    let denies = rule.effect == PolicyEffect::Deny;
    let is_named = |word: &Option<Capability>| word.map_or(denies, |word| word == Capability::Read);
    rule.capabilities.as_ref().is_none_or(|named| named.iter().any(is_named))
}

/// Parameters are not known here, so an allowance that depends on them does not match.
fn is_closed(policy: &PolicyEnforcer, tool: &str, path: &PathForms) -> bool {
    let fits = |rule: &PolicyRule| match &rule.paths {
        Some(paths) if rule.effect == PolicyEffect::Deny => is_denied(paths, path, Access::Read),
        Some(paths) => path.matches(&paths.globs),
        None => rule.effect == PolicyEffect::Allow,
    };
    policy.lists.iter().any(|list| {
        let mut rules = list.rules.iter().filter(|rule| rule.tool.matches(tool) && rule.args_match.is_none());
        let first = rules.find(|rule| is_about_reading(rule) && fits(rule));
        first.is_some_and(|rule| rule.effect == PolicyEffect::Deny)
    })
}
