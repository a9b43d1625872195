//! Notes of gates and tools about a call, from which the audit line is made.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::{Locked as _, Verdict};

/// Names of the notes. Each becomes a field of the audit line; names are permanent.
pub mod keys {
    /// Rule or person that let the call run: `rule`, `default`, `person`, `autonomous`.
    pub const APPROVED_BY: &str = "approved_by";
    /// The rule that decided, as written in the configuration.
    pub const POLICY_MATCH: &str = "policy_match";
    /// Strictness of the confinement of a child process.
    pub const SANDBOX: &str = "sandbox";
    /// Exit code of a command.
    pub const EXIT_CODE: &str = "exit_code";
    /// The signal a command died of.
    pub const SIGNAL: &str = "signal";
    /// Decision of the adversarial gate.
    pub const ADVERSARIAL_POLICY_DECISION: &str = "adversarial_policy_decision";
    /// Whether the result came from the cache: `hit` or `miss`.
    pub const CACHE: &str = "cache";
    /// Number of runs of the tool.
    pub const ATTEMPTS: &str = "attempts";
    /// Bytes of the output before anything was filtered or moved to storage.
    pub const RAW_BYTES: &str = "raw_bytes";
    /// Changes that were undone after a command failed.
    pub const ROLLBACK: &str = "rollback";
    /// The number of the call for `haft undo`, and how much it changed.
    pub const CHECKPOINT: &str = "checkpoint";
    /// Files that a command changed and that programs outside obey.
    pub const OBEYED: &str = "obeyed";
    /// Names in a call that neither exist nor were given to the model: field, value and kind of
    /// each.
    pub const HALLUCINATION: &str = "hallucination";
    /// Source of the paths and hosts named in a call: the least trusted one, by its
    /// [label](crate::ClaimSource::label).
    pub const CLAIM_SOURCE: &str = "claim_source";
    /// The reference under which the complete output is stored.
    pub const OVERFLOW: &str = "overflow";
    /// Number of credentials in the result, by kind.
    pub const SECRETS: &str = "secrets";
    /// The MCP server that was called, and its name for the tool.
    pub const MCP: &str = "mcp";
    /// The skill whose tool the call stands for, and the name of that tool.
    pub const SKILL: &str = "skill";
}

/// One gate's opinion of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GateNote {
    /// The layer.
    pub gate: &'static str,
    /// Its decision.
    pub verdict: Verdict,
    /// Its duration in microseconds.
    pub us: u64,
}

/// Number of runs of the executor for a call, and the time of the first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Runs {
    /// Number of runs; 0 if the call was answered or refused before it reached the executor.
    pub count: u32,
    /// Start of the first run.
    pub since: Option<Instant>,
}

/// Notes on one call. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Journal(Arc<Mutex<Notes>>);

#[derive(Debug, Default)]
struct Notes {
    values: Map<String, Value>,
    gates: Vec<GateNote>,
    warnings: Vec<Warning>,
    runs: Runs,
    /// Time at which the current layer was entered.
    entered: Option<Instant>,
}

#[derive(Debug)]
struct Warning {
    text: String,
    /// Whether the warning also applies to later calls.
    holds_on: bool,
}

impl Journal {
    /// Notes a value under one of [`keys`]; a later note replaces an earlier one.
    pub fn note(&self, key: &'static str, value: impl Into<Value>) {
        self.notes().values.insert(key.to_owned(), value.into());
    }

    /// Notes a gate's opinion.
    pub fn gate(&self, gate: &'static str, verdict: Verdict) {
        let mut notes = self.notes();
        let took = notes.entered.map(|entered| entered.elapsed().as_micros()).unwrap_or_default();
        notes.gates.push(GateNote { gate, verdict, us: u64::try_from(took).unwrap_or(u64::MAX) });
    }

    /// Notes a warning about this call for a person and the model, although the call continued.
    pub fn warn(&self, warning: impl Into<String>) {
        self.add_warning(warning.into(), false);
    }

    /// Notes a warning that also applies to later calls, so that reporting it once is enough.
    pub fn warn_once(&self, warning: impl Into<String>) {
        self.add_warning(warning.into(), true);
    }

    fn add_warning(&self, text: String, holds_on: bool) {
        let mut notes = self.notes();
        match notes.warnings.iter_mut().find(|known| known.text == text) {
            Some(known) => known.holds_on &= holds_on,
            None => notes.warnings.push(Warning { text, holds_on }),
        }
    }

    /// Changes every warning: for layers that redact.
    pub fn map_warnings(&self, change: impl Fn(&str) -> String) {
        for warning in &mut self.notes().warnings {
            warning.text = change(&warning.text);
        }
    }

    /// The value noted under a key.
    pub fn value(&self, key: &str) -> Option<Value> {
        self.notes().values.get(key).cloned()
    }

    /// All values.
    pub fn values(&self) -> Map<String, Value> {
        self.notes().values.clone()
    }

    /// The gates' opinions, in the order in which they were asked.
    pub fn gates(&self) -> Vec<GateNote> {
        self.notes().gates.clone()
    }

    /// The strictest opinion so far; `None` when no gate was asked.
    pub fn verdict(&self) -> Option<Verdict> {
        self.notes().gates.iter().map(|note| note.verdict).max()
    }

    /// The warnings, without repetitions.
    pub fn warnings(&self) -> Vec<String> {
        self.notes().warnings.iter().map(|warning| warning.text.clone()).collect()
    }

    /// Whether reporting a warning once is enough.
    pub fn is_reported_once(&self, warning: &str) -> bool {
        self.notes().warnings.iter().any(|known| known.text == warning && known.holds_on)
    }

    /// The number of runs of the executor, and the time of the first.
    pub fn runs(&self) -> Runs {
        self.notes().runs
    }

    /// Adds values and warnings of another journal.
    pub(crate) fn absorb(&self, other: &Self) {
        let values = other.values();
        let warnings: Vec<_> =
            other.notes().warnings.iter().map(|warning| (warning.text.clone(), warning.holds_on)).collect();
        self.notes().values.extend(values);
        for (text, holds_on) in warnings {
            self.add_warning(text, holds_on);
        }
    }

    /// Notes that a layer is entered. Called by the stack only.
    pub(crate) fn entering(&self) {
        self.notes().entered = Some(Instant::now());
    }

    /// Notes that the executor is started. Called by the end of the stack only.
    pub(crate) fn executing(&self) {
        let mut notes = self.notes();
        notes.runs.count = notes.runs.count.saturating_add(1);
        notes.runs.since.get_or_insert_with(Instant::now);
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        // A panic while noting leaves the earlier notes intact, and they are worth recording.
        self.0.locked()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_shared_and_the_strictest_verdict_wins() {
        let journal = Journal::default();
        let twin = journal.clone();
        assert_eq!(journal.verdict(), None);
        twin.gate("policy", Verdict::Deny);
        twin.gate("permissions", Verdict::Allow);
        twin.note(keys::APPROVED_BY, "rule");
        twin.note(keys::APPROVED_BY, "person");
        twin.warn("w");
        twin.warn("w");
        assert_eq!(journal.verdict(), Some(Verdict::Deny));
        assert_eq!(journal.value(keys::APPROVED_BY), Some("person".into()));
        assert_eq!(journal.warnings(), ["w"]);
        twin.warn_once("of the machine");
        journal.warn_once("w");
        assert!(
            journal.is_reported_once("of the machine")
                && !journal.is_reported_once("w")
                && !journal.is_reported_once("x")
        );
    }

    #[test]
    fn every_start_of_the_executor_counts_and_the_first_is_timed() {
        let journal = Journal::default();
        assert_eq!(journal.runs(), Runs::default());
        journal.executing();
        let first = journal.runs();
        journal.executing();
        assert_eq!(journal.runs(), Runs { count: 2, since: first.since });
        assert!(first.since.is_some());
    }
}
