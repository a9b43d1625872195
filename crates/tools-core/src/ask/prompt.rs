//! What a person is asked about, as data: the parts of the call, what it would change, what an
//! answer would store.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::Change;
use crate::{ConfirmReason, Inspection, Script, Subject, ToolName, tools::ScriptStates};

/// Decision of a gate about a call or one of its subjects. Opinions combine with `max`: one more
/// can only tighten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Runs without a question.
    Allow,
    /// A person is asked first.
    Ask,
    /// Does not run, whoever agrees.
    Deny,
}

/// Everything a person needs to decide: what, why it asks, what it touches and changes, what
/// "always" would store.
///
/// It can be written down and read elsewhere, for whoever shows the question in another process.
/// The files of code stay with the process that runs the call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConfirmPrompt {
    /// The tool that wants to run.
    pub tool: ToolName,
    /// Reason in one sentence.
    pub reason: String,
    /// The parts of the call with the verdict of each. What asks comes first, whatever the order in
    /// the call.
    pub parts: Vec<PromptPart>,
    /// Whether the tool itself asks although rules cover every part.
    pub by_tool: bool,
    /// Predicted changes of files; `None` when that cannot be told beforehand.
    pub change: Option<Change>,
    /// The rule that "this session" or "always" would add; `None` when nothing sensible can be
    /// stored.
    pub would_store: Option<StoredRule>,
    /// The files of code that the call runs: consent is to what they hold now.
    #[serde(skip)]
    pub scripts: Option<ScriptStates>,
}

impl ConfirmPrompt {
    /// A question about these parts: what is denied comes first, then what asks, then what is
    /// allowed. Of those what is opaque comes first, and the rest in the order in which it was
    /// given. A port that is published comes with what is opaque.
    pub fn new(tool: ToolName, reason: impl Into<String>, mut parts: Vec<PromptPart>) -> Self {
        let is_first = |part: &PromptPart| matches!(part.subject, Subject::Opaque { .. } | Subject::Port { .. });
        parts.sort_by_key(|part| (Reverse(part.verdict), !is_first(part)));
        Self { tool, reason: reason.into(), parts, by_tool: false, change: None, would_store: None, scripts: None }
    }

    /// The question of a tool that asks by itself: the part that its reason is about asks, and
    /// comes first of those that do. Where it names none, every part of what it touches asks.
    pub fn of_tool(tool: ToolName, why: &ConfirmReason, parts: Vec<PromptPart>) -> Self {
        let is_about = |part: &PromptPart| why.about.as_ref().is_some_and(|about| part.subject.text() == *about);
        let names_one = parts.iter().any(is_about);
        let asks = parts.iter().any(|part| part.verdict != Verdict::Allow);
        let (mut about, others): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|part| if names_one { is_about(part) } else { !asks });
        for part in about.iter_mut().filter(|part| part.verdict == Verdict::Allow) {
            part.verdict = Verdict::Ask;
            part.rule.clone_from(&why.rule);
        }
        about.extend(others);
        Self { by_tool: !asks, ..Self::new(tool, why.reason.clone(), about) }
    }

    /// The same question with the rule that an answer would store.
    #[must_use]
    pub fn storing(self, rule: Option<StoredRule>) -> Self {
        Self { would_store: rule, ..self }
    }

    /// The same question about a call that runs these files of code.
    pub(crate) fn about_scripts(self, scripts: ScriptStates) -> Self {
        Self { scripts: Some(scripts), ..self }
    }

    /// The same question with what the call would change, worked out now.
    #[must_use]
    pub async fn foreseeing(self, inspection: &Inspection) -> Self {
        match &inspection.change {
            Some(preview) if self.change.is_none() => Self { change: preview.look().await, ..self },
            _ => self,
        }
    }

    /// The parts that are not allowed without a person, in the order in which they are shown.
    pub fn asking(&self) -> impl Iterator<Item = &PromptPart> {
        let order = [Verdict::Deny, Verdict::Ask].into_iter();
        order.flat_map(|verdict| self.parts.iter().filter(move |part| part.verdict == verdict))
    }

    /// The parts that would run without a question.
    pub fn allowed(&self) -> impl Iterator<Item = &PromptPart> {
        self.parts.iter().filter(|part| part.verdict == Verdict::Allow)
    }

    /// The same question with every text changed; a rule that the change would alter is not
    /// offered.
    #[must_use]
    pub(crate) fn map_text(self, change: impl Fn(&str) -> String) -> Self {
        let part = |part: PromptPart| PromptPart {
            subject: part.subject.map_text(&change),
            rule: change(&part.rule),
            verdict: part.verdict,
        };
        Self {
            reason: change(&self.reason),
            parts: self.parts.into_iter().map(part).collect(),
            change: self.change.map(|foreseen| foreseen.map_text(&change)),
            would_store: self.would_store.filter(|rule| change(&rule.pattern) == rule.pattern),
            ..self
        }
    }
}

/// One part of a call, judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromptPart {
    /// The subject.
    pub subject: Subject,
    /// The decision.
    pub verdict: Verdict,
    /// The rule or default that decided, as a person would find it in the configuration.
    pub rule: String,
}

/// A permission rule that an answer would add, shown before it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredRule {
    /// The tool whose rule list it joins.
    pub tool: ToolName,
    /// The glob it matches.
    pub pattern: String,
    /// The files of code that what it allows runs, as they are now: it allows nothing that runs
    /// others. `None` where it allows them whatever they hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scripts: Option<Vec<Script>>,
}

impl StoredRule {
    /// A rule about calls whatever the files of code hold that they run.
    pub fn new(tool: ToolName, pattern: impl Into<String>) -> Self {
        Self { tool, pattern: pattern.into(), scripts: None }
    }

    /// The same rule, for calls that run these files of code and no others.
    #[must_use]
    pub fn running(self, scripts: Vec<Script>) -> Self {
        Self { scripts: Some(scripts), ..self }
    }
}
