//! The compiled rules of one tool: finds the first that matches a command, a path or an address.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tools_core::{Access, KeyFault, Verdict, WebUrl};

use super::config::{RuleConfig, check_length};
use super::defaults::DefaultRule;
use crate::RuleRef;
use crate::matching::{
    AddressPattern, Forms, PartialCommand, PathForms, Patterns, SeparatorRule, command_glob, glob_with_program_folded,
    is_literal, is_plain, parse, path_glob, upwards, with_program_folded,
};

/// The rules of one tool, in order, the default rules last.
#[derive(Debug)]
pub(super) struct RuleList {
    tool: String,
    rules: Vec<Rule>,
    home: Option<PathBuf>,
    /// Compiled on first use: a tool needs only one of the two, and a session uses few tools.
    texts: OnceLock<Matchers>,
    paths: OnceLock<Matchers>,
    /// Rules that match only writes.
    writes: OnceLock<Matchers>,
    addresses: OnceLock<Vec<(usize, AddressPattern)>>,
    /// The first rule that matches everything.
    everything: Option<usize>,
}

#[derive(Debug)]
struct Rule {
    pattern: String,
    action: Verdict,
    index: usize,
    is_default: bool,
    covers_writes: bool,
    /// Whether the pattern matches a single text.
    is_literal: bool,
}

/// Allow rules are separate from rules that ask or deny, which are compared with more forms of a
/// subject.
#[derive(Debug)]
struct Matchers {
    allowing: Patterns,
    tightening: Patterns,
}

impl Matchers {
    /// Compiles checked globs.
    fn compile(globs: impl Iterator<Item = (usize, Verdict, String)>, crossing: SeparatorRule) -> Self {
        let (mut allowing, mut tightening) = (Vec::new(), Vec::new());
        for (number, action, glob) in globs {
            let list = if action == Verdict::Allow { &mut allowing } else { &mut tightening };
            list.push((number, glob));
        }
        let compiled = |list: &[_]| Patterns::compile(list, crossing).expect("each glob was checked with its rule");
        Self { allowing: compiled(&allowing), tightening: compiled(&tightening) }
    }

    /// The first that matches a path or, for rules that ask or deny, a parent folder.
    fn first(&self, forms: &PathForms) -> Option<usize> {
        let allowing = forms.texts().filter_map(|text| self.allowing.first(text)).min();
        let tightening = forms.texts().flat_map(upwards).filter_map(|text| self.tightening.first(text)).min();
        lower(allowing, tightening)
    }
}

impl RuleList {
    pub(super) fn compile(
        tool: &str,
        typed: &[&RuleConfig],
        defaults: &[DefaultRule],
        home: Option<&Path>,
    ) -> Result<Self, KeyFault> {
        let mut rules = Vec::with_capacity(typed.len() + defaults.len());
        for (index, rule) in typed.iter().enumerate() {
            check(rule, home)
                .map_err(|problem| KeyFault::new(format!("tools.permissions.{tool}[{index}].pattern"), problem))?;
            rules.push(Rule::new(rule, index, None));
        }
        for (index, default) in defaults.iter().enumerate() {
            rules.push(Rule::new(&RuleConfig::from(default), index, Some(default)));
        }
        Ok(Self {
            tool: tool.to_owned(),
            everything: rules.iter().position(Rule::is_everything),
            rules,
            home: home.map(Path::to_owned),
            texts: OnceLock::new(),
            paths: OnceLock::new(),
            writes: OnceLock::new(),
            addresses: OnceLock::new(),
        })
    }

    fn texts(&self) -> &Matchers {
        self.texts.get_or_init(|| {
            let globs = self.numbered().filter(|(_, rule)| written(&rule.pattern).is_none());
            let globs = globs.flat_map(|(number, rule)| {
                let glob = command_glob(&rule.pattern);
                let folded = glob_with_program_folded(&glob).filter(|_| rule.action != Verdict::Allow);
                std::iter::once(glob).chain(folded).map(move |glob| (number, rule.action, glob))
            });
            Matchers::compile(globs, SeparatorRule::Everything)
        })
    }

    fn paths(&self) -> &Matchers {
        self.paths.get_or_init(|| {
            // Default rules match commands only.
            let globs = self.numbered().filter(|(_, rule)| !rule.is_default && written(&rule.pattern).is_none());
            let glob = |rule: &Rule| path_glob(&rule.pattern, rule.action, self.home.as_deref());
            Matchers::compile(globs.map(|(number, rule)| (number, rule.action, glob(rule))), SeparatorRule::Folders)
        })
    }

    fn writes(&self) -> &Matchers {
        self.writes.get_or_init(|| {
            let globs = self.numbered().filter_map(|(number, rule)| {
                let glob = write_glob(written(&rule.pattern)?, rule.action, self.home.as_deref());
                Some((number, rule.action, glob))
            });
            Matchers::compile(globs, SeparatorRule::Folders)
        })
    }

    fn numbered(&self) -> impl Iterator<Item = (usize, &Rule)> {
        self.rules.iter().enumerate()
    }

    /// The first rule for a command or an address.
    pub(super) fn first_text(&self, forms: &Forms<'_>) -> Option<usize> {
        let texts = self.texts();
        let said = std::iter::once(&forms.typed).chain(&forms.same);
        let allowing = said.filter_map(|form| texts.allowing.first(form)).min();
        lower(allowing, self.tightening(forms))
    }

    /// The first rule for a web address.
    pub(super) fn first_address(&self, url: &WebUrl) -> Option<usize> {
        let addresses = self.addresses.get_or_init(|| {
            let rules = self.numbered().filter(|(_, rule)| written(&rule.pattern).is_none());
            rules.map(|(number, rule)| (number, AddressPattern::parse(&rule.pattern, rule.action))).collect()
        });
        addresses.iter().find(|(_, pattern)| pattern.matches(url)).map(|(number, _)| *number)
    }

    /// The first rule for the whole line of several commands. Allow rules with wildcards are
    /// skipped: in the later commands, the wildcard could match anything.
    pub(super) fn first_line(&self, forms: &Forms<'_>) -> Option<usize> {
        lower(self.texts().allowing.literally(&forms.typed), self.tightening(forms))
    }

    fn tightening(&self, forms: &Forms<'_>) -> Option<usize> {
        let tightening = &self.texts().tightening;
        let all = std::iter::once(&forms.typed).chain(&forms.same).chain(&forms.others);
        let first = |form: &std::borrow::Cow<'_, str>| {
            let folded = with_program_folded(form).and_then(|folded| tightening.first(&folded));
            lower(tightening.first(form), folded)
        };
        all.filter_map(first).min()
    }

    /// The first rule that asks or denies and may match a command with arguments known only at run
    /// time. A rule that asks applies only if it continues the known words: half of all such rules
    /// begin with `git *`.
    pub(super) fn first_open(&self, open: &PartialCommand) -> Option<usize> {
        let mut tightening =
            self.numbered().filter(|(_, rule)| rule.action != Verdict::Allow && written(&rule.pattern).is_none());
        let found = tightening.find(|(_, rule)| {
            let glob = command_glob(&rule.pattern);
            let glob = glob_with_program_folded(&glob).unwrap_or(glob);
            if rule.action == Verdict::Deny { open.may_match(&glob) } else { open.continues_to(&glob) }
        });
        found.map(|(number, _)| number)
    }

    /// The first rule that asks or denies and may match files with partly known names. Rules about
    /// commands do not apply to paths, so only rules about writing, or with the beginning of a
    /// path, are compared.
    pub(super) fn first_open_path(&self, open: &PartialCommand, access: Access) -> Option<usize> {
        let found = self.numbered().find(|(_, rule)| {
            let tightens = rule.action != Verdict::Allow;
            let glob = match written(&rule.pattern) {
                Some(pattern) if access != Access::Read => write_glob(pattern, rule.action, self.home.as_deref()),
                None if rule.pattern.trim_start().starts_with(['/', '~', '.', '*']) && !rule.is_everything() => {
                    path_glob(&rule.pattern, rule.action, self.home.as_deref())
                }
                _ => return false,
            };
            tightens && open.may_be(&glob)
        });
        found.map(|(number, _)| number)
    }

    /// The first rule for a path.
    pub(super) fn first_path(&self, forms: &PathForms) -> Option<usize> {
        lower(self.paths().first(forms), self.everything)
    }

    /// Whether rules deny paths. The rules of a tool with default rules are about commands.
    pub(super) fn denies_paths(&self) -> bool {
        let denies = |rule: &Rule| rule.action == Verdict::Deny && written(&rule.pattern).is_none();
        !self.rules.iter().any(|rule| rule.is_default) && self.rules.iter().any(denies)
    }

    /// Whether rules deny some paths, but not everything in the end.
    pub(super) fn denies_some_paths(&self) -> bool {
        let denies = |rule: &Rule| rule.action == Verdict::Deny && !rule.is_everything();
        self.denies_paths() && self.rules.iter().any(denies)
    }

    pub(super) fn denies_path(&self, forms: &PathForms) -> bool {
        self.first_path(forms).is_some_and(|rule| self.action(rule) == Verdict::Deny)
    }

    /// The first rule about writing a path.
    pub(super) fn first_write(&self, forms: &PathForms) -> Option<usize> {
        self.writes().first(forms)
    }

    /// The first rule for a call without subjects: one that matches everything.
    pub(super) fn first_of_nothing(&self) -> Option<usize> {
        self.everything
    }

    pub(super) fn action(&self, rule: usize) -> Verdict {
        self.rules[rule].action
    }

    /// Whether a rule allows exactly one text.
    pub(super) fn is_literal(&self, rule: usize) -> bool {
        self.rules[rule].is_literal
    }

    /// Whether a configured rule without wildcards allows exactly this line, as typed.
    pub(super) fn names(&self, line: &str) -> bool {
        let rule = self.texts().allowing.literally(&Forms::of_text(line).typed);
        rule.is_some_and(|rule| !self.rules[rule].is_default)
    }

    /// Whether a command that this rule allows may write plain outputs into the working directory
    /// by redirection.
    pub(super) fn covers_writes(&self, rule: usize) -> bool {
        self.rules[rule].covers_writes
    }

    pub(super) fn reference(&self, rule: usize) -> RuleRef<'_> {
        let Rule { pattern, index, is_default, .. } = &self.rules[rule];
        RuleRef { tool: &self.tool, index: *index, pattern, is_default: *is_default }
    }

    pub(super) fn tool(&self) -> &str {
        &self.tool
    }

    /// The configured rules.
    pub(super) fn configured(&self) -> impl Iterator<Item = (&str, Verdict)> {
        self.rules.iter().filter(|rule| !rule.is_default).map(|rule| (rule.pattern.as_str(), rule.action))
    }

    /// Whether the first rule denies everything.
    pub(super) fn denies_always(&self) -> bool {
        let before = |rule: &&Rule| rule.action == Verdict::Deny;
        self.everything.is_some_and(|at| self.rules[..=at].iter().take_while(before).count() > at)
    }
}

impl Rule {
    fn new(rule: &RuleConfig, index: usize, default: Option<&DefaultRule>) -> Self {
        Self {
            is_literal: is_literal(&rule.pattern),
            pattern: rule.pattern.clone(),
            action: rule.action,
            index,
            is_default: default.is_some(),
            covers_writes: default.is_none_or(|default| default.is_mute),
        }
    }

    fn is_everything(&self) -> bool {
        matches!(self.pattern.trim(), "*" | "**")
    }
}

/// Checks a rule's pattern in each form in which it may be compared; the error describes the
/// problem.
fn check(rule: &RuleConfig, home: Option<&Path>) -> Result<(), String> {
    check_length(&rule.pattern)?;
    let right = |glob: &str, crossing| {
        if is_plain(glob) {
            return Ok(());
        }
        parse(glob, crossing).map(|_| ()).map_err(|error| error.kind().to_string())
    };
    if let Some(written) = written(&rule.pattern) {
        check_length(written)?;
        return right(&write_glob(written, rule.action, home), SeparatorRule::Folders);
    }
    if is_plain(&rule.pattern) && !rule.pattern.starts_with('~') {
        return Ok(());
    }
    right(&command_glob(&rule.pattern), SeparatorRule::Everything)?;
    right(&path_glob(&rule.pattern, rule.action, home), SeparatorRule::Folders)
}

/// The path pattern of a rule that matches only writes: `> build/**`.
pub(super) fn written(pattern: &str) -> Option<&str> {
    pattern.trim().strip_prefix('>').filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t'])).map(str::trim)
}

/// The glob of such a pattern; `*` alone matches every path.
pub(super) fn write_glob(pattern: &str, action: Verdict, home: Option<&Path>) -> String {
    if matches!(pattern, "*" | "**") { "/**".to_owned() } else { path_glob(pattern, action, home) }
}

pub(super) fn lower(a: Option<usize>, b: Option<usize>) -> Option<usize> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
