//! The decision on one call. Pure: definition, inspection, trust and compiled rules in, verdict and
//! reasons out.

use std::path::Path;

use tools_command::carried_commands;
use tools_core::{Access, ConfiguredFiles, Inspection, NamedBy, Subject, ToolDef, TrustLevel, Verdict};

use super::compiled::Permissions;
use super::compiled_rule::JudgedCall;
use super::list::{RuleList, lower};
use super::obeyed::Obeyed;
use super::outputs::is_plain_output;
use super::session::SessionView;
use crate::matching::{Forms, PartialCommand, PathForms};
use crate::{Decision, DecisionReason, Part, trust};

/// Input of a decision.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The tool.
    pub definition: &'a ToolDef,
    /// Subjects of the call.
    pub inspection: &'a Inspection,
    /// Trust in its origin.
    pub trust: TrustLevel,
    /// Base of relative patterns, canonical and absolute.
    pub workdir: &'a Path,
    /// Approvals of this session.
    pub session: &'a SessionView,
    /// Files that git obeys because of the configuration of repositories around the changed paths.
    pub configured: &'a ConfiguredFiles,
}

impl<'a> Question<'a> {
    fn obeyed(&self) -> Obeyed<'a> {
        Obeyed { workdir: self.workdir, configured: self.configured }
    }

    fn call(&self) -> JudgedCall<'a> {
        JudgedCall { tool: self.definition.name.as_str(), inspection: self.inspection, workdir: self.workdir }
    }
}

/// Decides about a call: the strictest verdict of the rules or defaults on each subject, of the
/// trust in its origin, and of the tool's own wish for a person.
pub fn decide<'a>(permissions: &'a Permissions, question: &Question<'a>) -> Decision<'a> {
    let parts = match permissions.of(question.definition.name.as_str()) {
        Some(list) => Judge { list, question }.parts(),
        None => by_traits(question),
    };
    let parts = with_rejections(parts, question);
    // `max_by_key` would return the last of the strictest; the first is needed.
    let strictest = parts.iter().reduce(|first, next| if next.verdict > first.verdict { next } else { first });
    let strictest = strictest.map(|part| (part.verdict, part.because.clone()));
    let is_named = names_command(permissions, question, &parts) || names_file(question, &parts);
    let wish = confirm(question).filter(|_| !is_named);
    let beside = [of_nothing(permissions, question), rejected_whole(question), wish, floor(question)];
    let opinions = strictest.into_iter().chain(beside.into_iter().flatten());
    let strictest = opinions.reduce(|first, next| if next.0 > first.0 { next } else { first });
    let (verdict, decided_by) = strictest.unwrap_or((Verdict::Ask, DecisionReason::Traits));
    let decided_by = match verdict {
        Verdict::Allow => configured_first(&parts).unwrap_or(decided_by),
        _ => decided_by,
    };
    Decision { verdict, decided_by, parts, is_named }
}

/// Whether the commands are allowed without a wildcard: the line as typed, or each of its commands.
/// Checked only if the tool has a wish that this would answer.
fn names_command(permissions: &Permissions, question: &Question<'_>, parts: &[Part<'_>]) -> bool {
    if question.inspection.confirm.is_none() {
        return false;
    }
    let list = permissions.of(question.definition.name.as_str());
    let is_named = |part: &Part<'_>| {
        let Subject::Command { line, .. } = part.subject else { return false };
        let by_rule = || list.is_some_and(|list| list.names(line));
        part.verdict == Verdict::Allow && (by_rule() || question.session.names(question.call(), part.subject))
    };
    let commands = || parts.iter().filter(|part| matches!(part.subject, Subject::Command { .. }));
    let simple = || commands().filter(|part| is_simple(part.subject));
    let is_line = commands().any(|part| !is_simple(part.subject) && is_named(part));
    is_line || (simple().next().is_some() && simple().all(is_named))
}

/// Whether the tool's wish is about changing one file that outside programs obey, and that file is
/// allowed: only a rule that names it, or a person, allows it.
fn names_file(question: &Question<'_>, parts: &[Part<'_>]) -> bool {
    let Some(about) = question.inspection.confirm.as_ref().and_then(|confirm| confirm.about.as_ref()) else {
        return false;
    };
    parts.iter().any(|part| match part.subject {
        Subject::Path { path, access: Access::Write | Access::Delete, .. } => {
            part.verdict == Verdict::Allow && path.to_str() == Some(about) && question.obeyed().by(path).is_some()
        }
        _ => false,
    })
}

/// The rule to report for a call that may run: the first configured one.
fn configured_first<'a>(parts: &[Part<'a>]) -> Option<DecisionReason<'a>> {
    let mut rules = parts.iter().map(|part| &part.because);
    rules
        .find(|because| match because {
            DecisionReason::Rule(rule) => !rule.is_default,
            DecisionReason::Session { .. } | DecisionReason::Approved { .. } => true,
            _ => false,
        })
        .cloned()
}

/// The verdict on a call without subjects.
fn of_nothing<'a>(permissions: &'a Permissions, question: &Question<'a>) -> Option<(Verdict, DecisionReason<'a>)> {
    if !question.inspection.subjects.is_empty() {
        return None;
    }
    let tool = question.definition.name.as_str();
    let (verdict, because) = match permissions.of(tool).map(|list| (list, list.first_of_nothing())) {
        None => (default_of(question), DecisionReason::Traits),
        Some((list, Some(rule))) => (list.action(rule), DecisionReason::Rule(list.reference(rule))),
        Some((list, None)) => (Verdict::Ask, DecisionReason::NoRule { tool: list.tool() }),
    };
    if verdict == Verdict::Ask
        && let Some(because) = question.session.allows_nothing_particular(tool, question.workdir)
    {
        return Some((Verdict::Allow, because));
    }
    Some((verdict, because))
}

fn confirm<'a>(question: &Question<'a>) -> Option<(Verdict, DecisionReason<'a>)> {
    let reason = question.inspection.confirm.as_ref()?;
    Some((Verdict::Ask, DecisionReason::Confirm { rule: &reason.rule }))
}

fn floor<'a>(question: &Question<'a>) -> Option<(Verdict, DecisionReason<'a>)> {
    let verdict = trust::floor(question.trust, question.definition);
    (verdict > Verdict::Allow).then_some((verdict, DecisionReason::Trust(question.trust)))
}

fn only_reads_here(question: &Question<'_>) -> bool {
    let traits = question.definition.trusted_traits();
    traits.read_only && !traits.open_world
}

fn default_of(question: &Question<'_>) -> Verdict {
    if only_reads_here(question) { Verdict::Allow } else { Verdict::Ask }
}

/// The verdicts for a tool without rules.
fn by_traits<'a>(question: &Question<'a>) -> Vec<Part<'a>> {
    let judged = |subject: &'a Subject| match subject {
        Subject::Port { .. } => Part { subject, verdict: Verdict::Ask, because: DecisionReason::Port },
        Subject::Opaque { .. } => Part { subject, verdict: Verdict::Ask, because: DecisionReason::Opaque },
        Subject::Script { .. } => Part { subject, verdict: Verdict::Allow, because: DecisionReason::Commands },
        _ => with_session(Part { subject, verdict: default_of(question), because: DecisionReason::Traits }, question),
    };
    question.inspection.subjects.iter().map(judged).collect()
}

/// Lets approvals of the session answer questions; they lift no denial.
fn with_session<'a>(part: Part<'a>, question: &Question<'a>) -> Part<'a> {
    if part.verdict != Verdict::Ask || part.because.asks_always() {
        return part;
    }
    match question.session.allows(question.call(), part.subject) {
        Some(because) => Part { verdict: Verdict::Allow, because, ..part },
        None => match question.session.allowed_before(question.call(), part.subject) {
            Some(because) => Part { because, ..part },
            None => part,
        },
    }
}

/// Denies subjects that a person rejected permanently, whatever else allows them; a subject that
/// may match only when it runs asks.
fn with_rejections<'a>(parts: Vec<Part<'a>>, question: &Question<'a>) -> Vec<Part<'a>> {
    let tool = question.definition.name.as_str();
    if question.session.rejections(tool, question.workdir).next().is_none() {
        return parts;
    }
    let is_command = |subject: &Subject| matches!(subject, Subject::Command { .. });
    let runs_commands = question.inspection.subjects.iter().any(is_command);
    let rejected = |part: Part<'a>| {
        let all = question.session.rejections(tool, question.workdir);
        let found = all.filter_map(|(pattern, list)| {
            let verdict = rejection(list, part.subject, question.workdir, runs_commands)?;
            Some((verdict, pattern))
        });
        match found.reduce(|first, next| if next.0 > first.0 { next } else { first }) {
            Some((verdict, pattern)) if verdict > part.verdict => {
                Part { verdict, because: DecisionReason::Rejected { pattern: pattern.to_owned() }, ..part }
            }
            _ => part,
        }
    };
    parts.into_iter().map(rejected).collect()
}

/// The verdict of a rejection on a subject; `None` if it does not match.
fn rejection(list: &RuleList, subject: &Subject, workdir: &Path, runs_commands: bool) -> Option<Verdict> {
    let path = |path: &Path, access: Access| {
        let forms = PathForms::new(path, workdir);
        let write = (access != Access::Read).then(|| list.first_write(&forms)).flatten();
        // A list of commands is compared with the path as text.
        let read = if runs_commands {
            list.first_text(&Forms::of_text(&path.to_string_lossy()))
        } else {
            list.first_path(&forms)
        };
        lower(read, write)
    };
    let unknown = |found: Option<usize>| found.map(|_| Verdict::Ask);
    let matched = match subject {
        Subject::Command { line, program, argv, .. } => {
            let forms = Forms::of_command(line, program, argv);
            let found = if program.is_empty() { list.first_line(&forms) } else { list.first_text(&forms) };
            if found.is_none() && !program.is_empty() {
                return unknown(PartialCommand::of(program, argv).and_then(|open| list.first_open(&open)));
            }
            found
        }
        Subject::Path { path: at, access, .. } => path(at, *access),
        Subject::Script { script, .. } => path(&script.path, Access::Read),
        Subject::Paths { pattern, access, .. } => {
            return unknown(list.first_open_path(&PartialCommand::of_paths(pattern, workdir), *access));
        }
        Subject::Host { host, .. } => list.first_text(&Forms::of_text(host)),
        Subject::Url { url } => list.first_address(url),
        Subject::Port { .. } | Subject::Opaque { .. } => list.first_of_nothing(),
    };
    matched.map(|_| Verdict::Deny)
}

/// A rejection of everything, for a call without subjects.
fn rejected_whole<'a>(question: &Question<'a>) -> Option<(Verdict, DecisionReason<'a>)> {
    if !question.inspection.subjects.is_empty() {
        return None;
    }
    let mut all = question.session.rejections(question.definition.name.as_str(), question.workdir);
    let (pattern, _) = all.find(|(_, list)| list.first_of_nothing().is_some())?;
    Some((Verdict::Deny, DecisionReason::Rejected { pattern: pattern.to_owned() }))
}

/// The verdict of a list's rules on a subject.
#[derive(Debug, Clone, Copy)]
struct Opinion {
    verdict: Verdict,
    rule: Option<usize>,
}

/// A subject, with its opinion if it is a command.
type SubjectOpinion<'a> = (&'a Subject, Option<Opinion>);

struct Judge<'q, 'a> {
    list: &'a RuleList,
    question: &'q Question<'a>,
}

impl<'a> Judge<'_, 'a> {
    fn parts(&self) -> Vec<Part<'a>> {
        let subjects = &self.question.inspection.subjects;
        // Each command is compared once; the whole line and files are judged by the opinions on all
        // commands.
        let judged: Vec<_> = subjects.iter().map(|subject| (subject, self.command(subject))).collect();
        let covered = self.covered(&judged);
        let allowed_line = judged.iter().find_map(|judged| self.allowed_line(judged, &covered));
        let answered_line = subjects.iter().find_map(|subject| self.answered_line(subject));
        let changed_line = subjects.iter().find_map(|subject| self.changed_line(subject));
        judged
            .into_iter()
            .map(|(subject, opinion)| {
                let part = match (subject, opinion) {
                    (Subject::Command { program, .. }, Some(opinion)) if program.is_empty() => {
                        self.line(subject, opinion, &covered)
                    }
                    (Subject::Path { path, access, by }, _) => {
                        self.guarded(self.path(subject, path, (*access, *by), &covered), path, *access)
                    }
                    (Subject::Paths { pattern, access, .. }, _) => self.paths(subject, pattern, *access),
                    (Subject::Script { script, .. }, _) => {
                        self.path(subject, &script.path, (Access::Read, NamedBy::Program), &covered)
                    }
                    (Subject::Host { host, by }, _) => self.host(subject, host, *by, &covered),
                    (Subject::Port { .. }, _) => self.always_asked(subject, DecisionReason::Port),
                    (Subject::Opaque { .. }, _) => self.always_asked(subject, DecisionReason::Opaque),
                    (Subject::Url { url }, _) => self.part(subject, self.opinion(self.list.first_address(url))),
                    (_, Some(opinion)) => self.part(subject, opinion),
                    (_, None) => self.part(subject, self.opinion_on(&Forms::of_text(&subject.text()))),
                };
                let part = self.under_line(with_session(part, self.question), allowed_line);
                match &answered_line {
                    Some(because) if part.verdict == Verdict::Ask && !part.because.asks_always() => {
                        Part { verdict: Verdict::Allow, because: because.clone(), ..part }
                    }
                    None if part.verdict == Verdict::Ask && is_simple(subject) => {
                        Part { because: changed_line.clone().unwrap_or(part.because), ..part }
                    }
                    _ => part,
                }
            })
            .collect()
    }

    /// The approval of the whole line, if files of code that the line runs have changed since.
    fn changed_line(&self, subject: &Subject) -> Option<DecisionReason<'static>> {
        let is_line = matches!(subject, Subject::Command { .. }) && !is_simple(subject);
        is_line.then(|| self.question.session.allowed_before(self.question.call(), subject)).flatten()
    }

    /// The literal approval of a whole line of several commands, which answers for all of them.
    fn answered_line(&self, subject: &Subject) -> Option<DecisionReason<'static>> {
        let (session, call) = (self.question.session, self.question.call());
        let is_line = matches!(subject, Subject::Command { .. }) && !is_simple(subject);
        (is_line && session.names(call, subject)).then(|| session.allows(call, subject)).flatten()
    }

    fn covered(&self, judged: &[SubjectOpinion<'_>]) -> LineOpinion {
        let commands = || {
            judged
                .iter()
                .filter(|(subject, _)| is_simple(subject))
                .filter_map(|(subject, opinion)| opinion.map(|opinion| (*subject, opinion)))
        };
        let allow = |(_, opinion): (&Subject, Opinion)| opinion.rule.filter(|_| opinion.verdict == Verdict::Allow);
        let (session, call) = (self.question.session, self.question.call());
        let answer = |(command, opinion): (&Subject, Opinion)| match opinion.verdict {
            Verdict::Allow => opinion.rule,
            Verdict::Ask => session.allows(call, command).map(|_| opinion.rule.unwrap_or(usize::MAX)),
            Verdict::Deny => None,
        };
        let writes = |opinion: (&Subject, Opinion)| allow(opinion).is_some_and(|rule| self.list.covers_writes(rule));
        LineOpinion {
            commands: commands().count(),
            writes: commands().all(writes),
            last_allow: last(commands().map(allow)),
            last_answer: last(commands().map(answer)),
        }
    }

    fn opinion(&self, rule: Option<usize>) -> Opinion {
        Opinion { verdict: rule.map_or(Verdict::Ask, |rule| self.list.action(rule)), rule }
    }

    fn opinion_on(&self, forms: &Forms<'_>) -> Opinion {
        self.opinion(self.list.first_text(forms))
    }

    /// The opinion on a command or a whole line; `None` for every other subject.
    fn command(&self, subject: &Subject) -> Option<Opinion> {
        let Subject::Command { line, program, argv, .. } = subject else {
            return None;
        };
        let forms = Forms::of_command(line, program, argv);
        if program.is_empty() {
            return Some(self.opinion(self.list.first_line(&forms)));
        }
        let opinion = self.with_unknown(self.opinion_on(&forms), program, argv);
        Some(self.with_carried(opinion, program, argv))
    }

    /// Makes a verdict stricter if an earlier rule asks about or denies a command that this one
    /// carries: one that it runs elsewhere, or that a program without a description may run.
    fn with_carried(&self, opinion: Opinion, program: &str, argv: &[String]) -> Opinion {
        if opinion.verdict != Verdict::Allow {
            return opinion;
        }
        let carried = carried_commands(program, argv);
        let is_before = |rule: &usize| opinion.rule.is_none_or(|first| *rule < first);
        let tightens = |rule: &usize| self.list.action(*rule) != Verdict::Allow;
        let rules = carried.commands.iter().filter_map(|words| {
            let (word, arguments) = words.split_first()?;
            let line = words.join(" ");
            self.list.first_text(&Forms::of_command(&line, word, arguments)).filter(is_before).filter(tightens)
        });
        let opinions = rules.map(|rule| {
            let verdict = if carried.is_certain { self.list.action(rule) } else { Verdict::Ask };
            Opinion { verdict, rule: Some(rule) }
        });
        opinions.reduce(|first, next| if next.verdict > first.verdict { next } else { first }).unwrap_or(opinion)
    }

    /// An allowed command asks if an earlier rule may forbid it with arguments known only at run
    /// time.
    fn with_unknown(&self, opinion: Opinion, program: &str, argv: &[String]) -> Opinion {
        if opinion.verdict == Verdict::Deny {
            return opinion;
        }
        let rule = PartialCommand::of(program, argv).and_then(|open| self.list.first_open(&open));
        match rule.filter(|rule| opinion.rule.is_none_or(|first| *rule < first)) {
            Some(rule) => Opinion { verdict: Verdict::Ask, rule: Some(rule) },
            None => opinion,
        }
    }

    fn part(&self, subject: &'a Subject, opinion: Opinion) -> Part<'a> {
        let because = match opinion.rule {
            Some(rule) => DecisionReason::Rule(self.list.reference(rule)),
            None => DecisionReason::NoRule { tool: self.list.tool() },
        };
        Part { subject, verdict: opinion.verdict, because }
    }

    /// Judges the whole line of several commands. An allow rule with wildcards does not apply,
    /// since the later commands may be anything. A rule that asks or denies applies, unless earlier
    /// rules allow every command.
    fn line(&self, subject: &'a Subject, opinion: Opinion, covered: &LineOpinion) -> Part<'a> {
        let judged_by_commands = Part { subject, verdict: Verdict::Allow, because: DecisionReason::Commands };
        match opinion.rule {
            Some(_) if opinion.verdict == Verdict::Allow => self.part(subject, opinion),
            Some(rule) if opinion.verdict == Verdict::Ask && covered.last_answer.is_none_or(|last| rule < last) => {
                self.part(subject, opinion)
            }
            Some(rule) if opinion.verdict == Verdict::Deny && covered.last_allow.is_none_or(|last| rule < last) => {
                self.part(subject, opinion)
            }
            // Without commands nothing else is judged, so only a rule for everything applies.
            _ if covered.commands == 0 => {
                let everything = self.list.first_of_nothing();
                if opinion.rule.is_none() && everything.is_some_and(|rule| self.list.action(rule) == Verdict::Allow) {
                    return self.part(subject, self.opinion(everything));
                }
                self.part(subject, Opinion { verdict: opinion.verdict.max(Verdict::Ask), rule: None })
            }
            _ => judged_by_commands,
        }
    }

    /// The rule that literally allows a whole line.
    fn allowed_line(&self, (subject, opinion): &SubjectOpinion<'_>, covered: &LineOpinion) -> Option<usize> {
        let opinion = (*opinion)?;
        let is_whole = !is_simple(subject) || covered.commands == 1;
        opinion.rule.filter(|rule| is_whole && opinion.verdict == Verdict::Allow && self.list.is_literal(*rule))
    }

    /// The part under a literally allowed line: questions are answered, denials stay.
    fn under_line(&self, part: Part<'a>, allowed_line: Option<usize>) -> Part<'a> {
        let Some(line) = allowed_line else { return part };
        let is_asked_before = match &part.because {
            DecisionReason::Rule(rule) => !rule.is_default && rule.index < line,
            because => because.asks_always(),
        };
        if part.verdict != Verdict::Ask || is_asked_before {
            return part;
        }
        Part { verdict: Verdict::Allow, because: DecisionReason::Rule(self.list.reference(line)), ..part }
    }

    /// Judges files whose names are partly known: a rule that may forbid one of them asks, and no
    /// other rule applies.
    fn paths(&self, subject: &'a Subject, pattern: &str, access: Access) -> Part<'a> {
        let open = PartialCommand::of_paths(pattern, self.question.workdir);
        if let Some(rule) = self.list.first_open_path(&open, access) {
            return self.part(subject, Opinion { verdict: Verdict::Ask, rule: Some(rule) });
        }
        let part = Part { subject, verdict: Verdict::Allow, because: DecisionReason::Commands };
        self.guarded(part, Path::new(pattern), access)
    }

    /// Judges a host that a command reaches: the command that names it is allowed, or no rule
    /// applies.
    fn host(&self, subject: &'a Subject, host: &str, by: NamedBy, covered: &LineOpinion) -> Part<'a> {
        let rule = self.list.first_text(&Forms::of_text(host));
        if rule.is_some() || covered.commands == 0 || by != NamedBy::Program {
            return self.part(subject, self.opinion(rule));
        }
        Part { subject, verdict: Verdict::Allow, because: DecisionReason::Commands }
    }

    fn path(
        &self,
        subject: &'a Subject,
        path: &Path,
        (access, by): (Access, NamedBy),
        covered: &LineOpinion,
    ) -> Part<'a> {
        let forms = PathForms::new(path, self.question.workdir);
        if covered.commands == 0 && !covered.has_line(self.question.inspection) {
            let rule = lower(self.list.first_path(&forms), self.write_rule(&forms, access));
            return self.part(subject, self.opinion(rule));
        }
        // The list has rules on commands: their globs are compared with the path as text.
        let rule = self.list.first_text(&Forms::of_text(&path.to_string_lossy()));
        let rule = lower(rule, self.write_rule(&forms, access));
        if rule.is_some() {
            return self.part(subject, self.opinion(rule));
        }
        let is_covered = by == NamedBy::Program || covered.writes && forms.relative().is_some_and(is_plain_output);
        let (verdict, because) = if access == Access::Read || is_sink(path) {
            (Verdict::Allow, DecisionReason::Commands)
        } else if !forms.is_inside() && !is_temporary(path) {
            (Verdict::Ask, DecisionReason::Outside)
        } else if is_covered || !forms.is_inside() {
            (Verdict::Allow, DecisionReason::Commands)
        } else {
            (Verdict::Ask, DecisionReason::Written { tool: self.list.tool() })
        };
        Part { subject, verdict, because }
    }

    /// Lets a file that programs outside of any sandbox obey be changed only if a rule names it.
    fn guarded(&self, part: Part<'a>, path: &Path, access: Access) -> Part<'a> {
        if access == Access::Read || part.verdict != Verdict::Allow {
            return part;
        }
        let (workdir, obeyed) = (self.question.workdir, self.question.obeyed());
        let Some(by) = obeyed.by(path) else { return part };
        // Changes by git to its own configuration are judged by the names of the settings; for
        // every other program that names the file, the shell itself asks.
        let is_own =
            matches!(part.subject, Subject::Path { by: NamedBy::Program, .. }) && path.ends_with(".git/config");
        if is_own && self.question.inspection.confirm.is_none() {
            return part;
        }
        if matches!(&part.because, DecisionReason::Rule(rule) if obeyed.is_named_by(rule.pattern)) {
            return part;
        }
        // A wider rule before the one that names the file does not apply here.
        let rule = self.list.first_write(&PathForms::new(path, workdir)).map(|rule| self.opinion(Some(rule)));
        match rule.filter(|opinion| opinion.verdict == Verdict::Allow).map(|opinion| self.part(part.subject, opinion)) {
            Some(named) if matches!(&named.because, DecisionReason::Rule(rule) if obeyed.is_named_by(rule.pattern)) => {
                named
            }
            _ => Part { verdict: Verdict::Ask, because: DecisionReason::Obeyed { by }, ..part },
        }
    }

    fn write_rule(&self, forms: &PathForms, access: Access) -> Option<usize> {
        if access == Access::Read { None } else { self.list.first_write(forms) }
    }

    /// Judges subjects that no rule can allow: only a rule against everything applies.
    fn always_asked(&self, subject: &'a Subject, because: DecisionReason<'a>) -> Part<'a> {
        match self.list.first_of_nothing() {
            Some(rule) if self.list.action(rule) == Verdict::Deny => self.part(subject, self.opinion(Some(rule))),
            _ => Part { subject, verdict: Verdict::Ask, because },
        }
    }
}

/// The verdict of the rules on all commands of a line together.
struct LineOpinion {
    commands: usize,
    /// The last of the rules that allow the commands; `None` if not all are allowed.
    last_allow: Option<usize>,
    /// Like `last_allow`, but an approval of the session replaces the rule that would ask.
    last_answer: Option<usize>,
    /// Whether all commands may write plain outputs into the working directory.
    writes: bool,
}

impl LineOpinion {
    fn has_line(&self, inspection: &Inspection) -> bool {
        self.commands > 0 || inspection.subjects.iter().any(|subject| matches!(subject, Subject::Command { .. }))
    }
}

/// The highest of some numbers; `None` if one is missing or there are none.
fn last(mut numbers: impl Iterator<Item = Option<usize>>) -> Option<usize> {
    let first = numbers.next()??;
    numbers.try_fold(first, |highest, number| number.map(|number| highest.max(number)))
}

/// Whether a subject is one command, not the whole line of several.
fn is_simple(subject: &Subject) -> bool {
    matches!(subject, Subject::Command { program, .. } if !program.is_empty())
}

/// Whether a path is in the command's own folder for temporary files, which is removed with it.
fn is_temporary(path: &Path) -> bool {
    path.starts_with("/tmp") && path != Path::new("/tmp")
}

/// Whether data written there is discarded, or goes where the output goes anyway.
fn is_sink(path: &Path) -> bool {
    ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"].iter().any(|sink| path == Path::new(sink))
        || path.starts_with("/dev/fd")
}
