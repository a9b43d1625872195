//! Finds rules that can never match, because an earlier rule takes all of their calls.

use std::fmt;

use super::{compiled::Permissions, list::RuleList};
use crate::matching::{Patterns, SeparatorRule, command_glob, literal, path_glob};

/// A rule that can never match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShadowedRule {
    /// Its position: `tools.permissions.bash[2]`.
    pub path: String,
    /// Its pattern.
    pub pattern: String,
    /// The earlier rule that takes all of its calls.
    pub by: String,
    /// Whether the two rules have different actions, which is probably a mistake.
    pub is_conflict: bool,
}

impl fmt::Display for ShadowedRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ({:?}) can never match: {} takes everything before it", self.path, self.pattern, self.by)?;
        if self.is_conflict { f.write_str(", and does something else") } else { Ok(()) }
    }
}

/// Finds rules that can never match, list by list.
///
/// Examples decide whether one glob covers another: the wildcards of the later one are replaced by
/// nothing, by a word and by several. A rule is reported only if this holds for commands and for
/// paths.
pub fn lint(permissions: &Permissions) -> Vec<ShadowedRule> {
    let mut lists: Vec<_> = permissions.lists().collect();
    lists.sort_unstable_by_key(|list| list.tool().to_owned());
    lists.into_iter().flat_map(shadowed).collect()
}

fn shadowed(list: &RuleList) -> Vec<ShadowedRule> {
    let rules: Vec<_> = list.configured().collect();
    let numbered = |glob: &dyn Fn(&str) -> String| -> Vec<(usize, String)> {
        rules.iter().enumerate().map(|(number, (pattern, _))| (number, glob(pattern))).collect()
    };
    // All were compiled before, so no glob here is invalid.
    let texts =
        Patterns::compile(&numbered(&|pattern| command_glob(pattern)), SeparatorRule::Everything).unwrap_or_default();
    // Each is compiled like an allow rule, which matches least.
    let paths = Patterns::compile(
        &numbered(&|pattern| path_glob(pattern, tools_core::Verdict::Allow, None)),
        SeparatorRule::Folders,
    )
    .unwrap_or_default();
    let first = |number: usize, pattern: &str| {
        let by_text = examples(&command_glob(pattern), &TEXTS, &texts, number)?;
        let narrow = path_glob(pattern, tools_core::Verdict::Allow, None);
        let is_everything = matches!(rules[by_text].0.trim(), "*" | "**");
        (is_everything || examples(&narrow, &PATHS, &paths, number).is_some()).then_some(by_text)
    };
    let found = rules.iter().enumerate().filter_map(|(number, (pattern, action))| {
        let by = first(number, pattern)?;
        Some(ShadowedRule {
            path: format!("tools.permissions.{}[{number}]", list.tool()),
            pattern: (*pattern).to_owned(),
            by: list.reference(by).to_string(),
            is_conflict: rules[by].1 != *action,
        })
    });
    found.collect()
}

/// Replacements of `*` and `**` in texts and in paths.
const TEXTS: [(&str, &str); 3] = [("", ""), ("x", "x"), ("x/y z", "x/y z")];
const PATHS: [(&str, &str); 3] = [("", "x"), ("x", "x/y"), ("xyz", "x/y/z")];

/// The earlier glob that matches every example of a later one.
fn examples(glob: &str, fillings: &[(&str, &str)], patterns: &Patterns, number: usize) -> Option<usize> {
    let one = |text: &str| patterns.first(text).filter(|by| *by < number);
    if let Some(text) = literal(glob) {
        return one(&text);
    }
    // Classes and alternatives would need an example of each case.
    if glob.contains(['[', '{', '\\']) {
        return None;
    }
    let mut found =
        fillings.iter().map(|(star, stars)| one(&glob.replace("**", stars).replace('*', star).replace('?', "x")));
    let by = found.next()??;
    found.all(|other| other == Some(by)).then_some(by)
}
