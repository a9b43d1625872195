//! The compiled rules of one tool: which is the first that matches a command, a path, an address.

use std::path::Path;

use tools_core::Verdict;

use super::{
    config::{RuleConfig, RuleError, check_length},
    defaults::DefaultRule,
};
use crate::{
    RuleRef,
    matching::{Crossing, Forms, PathForms, Patterns, command_glob, literal, parse, path_glob, upwards},
};

/// The rules of one tool, in order, the default ones last.
#[derive(Debug)]
pub(super) struct RuleList {
    tool: String,
    rules: Vec<Rule>,
    texts: Matchers,
    paths: Matchers,
    /// Rules about writing alone.
    writes: Matchers,
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
    /// The text that the pattern stands for, when it has no wildcards.
    literal: Option<String>,
}

/// Allow rules apart from those that tighten: these are compared with more forms of a subject.
#[derive(Debug)]
struct Matchers {
    allowing: Patterns,
    tightening: Patterns,
}

impl Matchers {
    fn compile(globs: &[(usize, Verdict, String)], crossing: Crossing) -> Result<Self, globset::Error> {
        let of = |allow: bool| -> Vec<_> {
            globs
                .iter()
                .filter(|(_, action, _)| (*action == Verdict::Allow) == allow)
                .map(|(number, _, glob)| (*number, glob.clone()))
                .collect()
        };
        Ok(Self {
            allowing: Patterns::compile(&of(true), crossing)?,
            tightening: Patterns::compile(&of(false), crossing)?,
        })
    }

    /// The first that matches a path, or, where it tightens, a folder that the path lies in.
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
    ) -> Result<Self, RuleError> {
        let mut rules = Vec::with_capacity(typed.len() + defaults.len());
        let mut texts = Vec::with_capacity(rules.capacity());
        let mut paths = Vec::with_capacity(rules.capacity());
        let mut writes = Vec::new();
        for (index, rule) in typed.iter().enumerate() {
            let failed =
                |problem: String| RuleError { path: format!("tools.permissions.{tool}[{index}].pattern"), problem };
            check_length(&rule.pattern).map_err(failed)?;
            if let Some(written) = written(&rule.pattern) {
                check_length(written).map_err(failed)?;
                let glob = write_glob(written, rule.action, home);
                parse(&glob, Crossing::Folders).map_err(|error| failed(error.kind().to_string()))?;
                writes.push((rules.len(), rule.action, glob));
                rules.push(Rule::new(rule, index, None));
                continue;
            }
            let text = command_glob(&rule.pattern);
            let path = path_glob(&rule.pattern, rule.action, home);
            texts.push((rules.len(), rule.action, text));
            paths.push((rules.len(), rule.action, path));
            rules.push(Rule::new(rule, index, None));
        }
        for (index, default) in defaults.iter().enumerate() {
            let rule = RuleConfig::from(default);
            texts.push((rules.len(), rule.action, command_glob(&rule.pattern)));
            rules.push(Rule::new(&rule, index, Some(default)));
        }
        let compiled = Matchers::compile(&texts, Crossing::Everything)
            .and_then(|texts| Ok((texts, Matchers::compile(&paths, Crossing::Folders)?)))
            .and_then(|(texts, paths)| Ok((texts, paths, Matchers::compile(&writes, Crossing::Folders)?)));
        let (texts, paths, writes) = compiled.map_err(|error| {
            // Which one it was is looked for only now: parsing each twice would double the time of a start.
            let globs = texts.iter().map(|glob| (glob, Crossing::Everything));
            let globs = globs.chain(paths.iter().map(|glob| (glob, Crossing::Folders)));
            let wrong = globs.filter_map(|((number, _, glob), crossing)| Some((*number, parse(glob, crossing).err()?)));
            match wrong.min_by_key(|(number, _)| *number) {
                Some((number, error)) => RuleError {
                    path: format!("tools.permissions.{tool}[{number}].pattern"),
                    problem: error.kind().to_string(),
                },
                None => RuleError { path: format!("tools.permissions.{tool}"), problem: error.kind().to_string() },
            }
        })?;
        Ok(Self {
            tool: tool.to_owned(),
            everything: rules.iter().position(Rule::is_everything),
            rules,
            texts,
            paths,
            writes,
        })
    }

    /// The first rule for a command or an address.
    pub(super) fn first_text(&self, forms: &Forms) -> Option<usize> {
        let bare = forms.bare.as_ref().and_then(|bare| self.texts.allowing.first(bare));
        lower(lower(self.texts.allowing.first(&forms.typed), bare), self.tightening(forms))
    }

    /// The first rule for the whole line of several commands. Allow rules with wildcards are passed over: what they
    /// match of the commands behind the first may be anything.
    pub(super) fn first_line(&self, forms: &Forms) -> Option<usize> {
        lower(self.texts.allowing.literally(&forms.typed), self.tightening(forms))
    }

    fn tightening(&self, forms: &Forms) -> Option<usize> {
        std::iter::once(&forms.typed)
            .chain(&forms.bare)
            .chain(&forms.others)
            .filter_map(|form| self.texts.tightening.first(form))
            .min()
    }

    /// The first rule for a path.
    pub(super) fn first_path(&self, forms: &PathForms) -> Option<usize> {
        lower(self.paths.first(forms), self.everything)
    }

    /// The first rule about writing a path.
    pub(super) fn first_write(&self, forms: &PathForms) -> Option<usize> {
        self.writes.first(forms)
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
        self.rules[rule].literal.is_some()
    }

    /// Whether a command that this rule allows may write plain outputs into the working directory by redirection.
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

    /// The rules that were configured.
    pub(super) fn configured(&self) -> impl Iterator<Item = (&str, Verdict)> {
        self.rules.iter().filter(|rule| !rule.is_default).map(|rule| (rule.pattern.as_str(), rule.action))
    }

    /// Whether a rule that denies everything stands before every other.
    pub(super) fn denies_always(&self) -> bool {
        let before = |rule: &&Rule| rule.action == Verdict::Deny;
        self.everything.is_some_and(|at| self.rules[..=at].iter().take_while(before).count() > at)
    }
}

impl Rule {
    fn new(rule: &RuleConfig, index: usize, default: Option<&DefaultRule>) -> Self {
        Self {
            literal: literal(&rule.pattern),
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

/// The path pattern of a rule that is about writing alone: `> build/**`.
pub(super) fn written(pattern: &str) -> Option<&str> {
    pattern.trim().strip_prefix('>').filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t'])).map(str::trim)
}

/// The glob of such a pattern; `*` alone is every path.
pub(super) fn write_glob(pattern: &str, action: Verdict, home: Option<&Path>) -> String {
    if matches!(pattern, "*" | "**") { "/**".to_owned() } else { path_glob(pattern, action, home) }
}

pub(super) fn lower(a: Option<usize>, b: Option<usize>) -> Option<usize> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
