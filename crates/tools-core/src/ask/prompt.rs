//! The question to a person as data: the parts of the call, its changes, and the rule that an
//! answer would store.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::Change;
use crate::{ConfirmReason, Inspection, Script, Subject, ToolName, tools::ScriptStates};

/// Decision of a gate about a call or one of its subjects. Verdicts combine with `max`: a further
/// one can only be stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Runs without a question.
    Allow,
    /// A person is asked first.
    Ask,
    /// Does not run, even if a person agrees.
    Deny,
}

/// Everything a person needs to decide: the call, the reason of the question, its subjects and
/// changes, and the rule that "always" would store.
///
/// It can be serialized for a question in another process. The code files stay with the process
/// that runs the call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConfirmPrompt {
    /// The tool that wants to run.
    pub tool: ToolName,
    /// Reason in one sentence.
    pub reason: String,
    /// The parts of the call, each with its verdict. Parts that ask come first, regardless of their
    /// order in the call.
    pub parts: Vec<PromptPart>,
    /// Whether the tool itself asks although rules cover every part.
    pub by_tool: bool,
    /// Predicted changes of files; `None` if they cannot be predicted.
    pub change: Option<Change>,
    /// The rule that "this session" or "always" would add; `None` if no sensible rule exists.
    pub would_store: Option<StoredRule>,
    /// The code files that the call runs: consent is to their present content.
    #[serde(skip)]
    pub scripts: Option<ScriptStates>,
}

impl ConfirmPrompt {
    /// A question about these parts: denied parts first, then those that ask, then allowed ones.
    /// Within each group opaque parts and published ports come first; otherwise the given order is
    /// kept.
    pub fn new(tool: ToolName, reason: impl Into<String>, mut parts: Vec<PromptPart>) -> Self {
        let is_first = |part: &PromptPart| matches!(part.subject, Subject::Opaque { .. } | Subject::Port { .. });
        parts.sort_by_key(|part| (Reverse(part.verdict), !is_first(part)));
        Self { tool, reason: reason.into(), parts, by_tool: false, change: None, would_store: None, scripts: None }
    }

    /// The question of a tool that asks by itself: the part named in its reason asks, and comes
    /// first among those that do. If the reason names none, every part asks.
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

    /// Sets the rule that an answer would store.
    #[must_use]
    pub fn storing(self, rule: Option<StoredRule>) -> Self {
        Self { would_store: rule, ..self }
    }

    /// Sets the code files that the call runs.
    pub(crate) fn about_scripts(self, scripts: ScriptStates) -> Self {
        Self { scripts: Some(scripts), ..self }
    }

    /// Adds the predicted changes, computed now.
    #[must_use]
    pub async fn with_predicted_changes(self, inspection: &Inspection) -> Self {
        match &inspection.change {
            Some(preview) if self.change.is_none() => Self { change: preview.look().await, ..self },
            _ => self,
        }
    }

    /// The parts that do not run without a person, in display order.
    pub fn asking(&self) -> impl Iterator<Item = &PromptPart> {
        let order = [Verdict::Deny, Verdict::Ask].into_iter();
        order.flat_map(|verdict| self.parts.iter().filter(move |part| part.verdict == verdict))
    }

    /// The parts that would run without a question.
    pub fn allowed(&self) -> impl Iterator<Item = &PromptPart> {
        self.parts.iter().filter(|part| part.verdict == Verdict::Allow)
    }

    /// Changes every text of the question; the stored rule is dropped if its text would change.
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

/// One part of a call, with its verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromptPart {
    /// The subject.
    pub subject: Subject,
    /// The decision.
    pub verdict: Verdict,
    /// The rule or default that decided, as written in the configuration.
    pub rule: String,
}

/// A permission rule that an answer would add, shown before it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredRule {
    /// The tool whose rule list it joins.
    pub tool: ToolName,
    /// The glob it matches.
    pub pattern: String,
    /// The code files that an allowed call runs, in their present state: the rule does not allow
    /// calls that run others. `None` if their content does not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scripts: Option<Vec<Script>>,
}

impl StoredRule {
    /// A rule about calls, regardless of the content of the code files that they run.
    pub fn new(tool: ToolName, pattern: impl Into<String>) -> Self {
        Self { tool, pattern: pattern.into(), scripts: None }
    }

    /// Restricts the rule to calls that run exactly these code files.
    #[must_use]
    pub fn running(self, scripts: Vec<Script>) -> Self {
        Self { scripts: Some(scripts), ..self }
    }
}
