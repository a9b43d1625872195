//! Modes of a session: what a model may do in each, as a phase of the loop.

use std::sync::Arc;

use tools_core::{CallPhase, Shared};

/// A mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mode {
    /// Identifier that clients use. Permanent.
    pub id: &'static str,
    /// Name for a person.
    pub name: &'static str,
    /// Meaning in one sentence.
    pub description: &'static str,
    /// Phase of the model's calls.
    pub phase: CallPhase,
}

/// The modes of a session and the current one. Clones share it: a change applies from the next call
/// on.
#[derive(Debug, Clone)]
pub struct Modes {
    available: Arc<[Mode]>,
    phase: Shared<CallPhase>,
}

impl Modes {
    /// The modes of every session: ask, read only, verify. The first is the default.
    pub fn usual() -> Self {
        let mode = |id, name, description, phase| Mode { id, name, description, phase };
        let available = [
            mode(
                "ask",
                "Ask",
                "Calls run by the rules of the configuration; what they do not cover is asked",
                CallPhase::Executor,
            ),
            mode("read-only", "Read only", "Only calls that change nothing run", CallPhase::Planner),
            mode("verify", "Verify", "Commands run by the rules; no tool edits files", CallPhase::Verifier),
        ];
        Self { phase: Shared::new(available[0].phase), available: Arc::new(available) }
    }

    /// All modes, in display order.
    pub(crate) fn available(&self) -> &[Mode] {
        &self.available
    }

    /// The current mode.
    pub fn current(&self) -> &Mode {
        let phase = *self.phase.load();
        self.available.iter().find(|mode| mode.phase == phase).unwrap_or(&self.available[0])
    }

    /// Sets the mode by its id; `false` if there is none.
    pub fn set(&self, id: &str) -> bool {
        let found = self.available.iter().find(|mode| mode.id == id);
        found.inspect(|mode| self.phase.store(mode.phase)).is_some()
    }

    /// The current phase of calls, which follows changes.
    pub fn phase(&self) -> Shared<CallPhase> {
        self.phase.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_is_set_by_its_id_and_counts_for_all_clones() {
        let modes = Modes::usual();
        let (phase, twin) = (modes.phase(), modes.clone());
        assert_eq!((modes.current().id, *phase.load()), ("ask", CallPhase::Executor));
        assert!(twin.set("read-only"));
        assert_eq!((modes.current().id, *phase.load()), ("read-only", CallPhase::Planner));
        assert!(!twin.set("yolo") && !twin.set(""));
        assert_eq!(modes.current().id, "read-only");
    }
}
