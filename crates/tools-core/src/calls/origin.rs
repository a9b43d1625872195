//! Position of a call in the work of an agent: for the record only, never for decisions.

use std::sync::Arc;

use serde::Serialize;
use tokio::time::Instant;

/// Position of a call in the work of an agent. Gates do not read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallOrigin {
    /// The turn of the conversation, from 1.
    pub turn: u64,
    /// The agents from the outermost to the caller, joined by `/`: `main`, `main/reviewer`.
    pub agent_path: Arc<str>,
    /// Form of the call in the model's answer.
    pub invocation: InvokedAs,
    /// Kind of outside text that the model had read before it made the call; `None` if there was
    /// none.
    pub taint: Option<Taint>,
    /// Result of an early start, before the model had requested the call; `None` for other calls.
    pub speculative: Option<SpeculationOutcome>,
    /// Time of the model's request; from then on the call waits for its turn.
    pub asked: Instant,
}

impl CallOrigin {
    /// The same origin, for a call that was started before the model had requested it.
    #[must_use]
    pub fn speculated(self, outcome: SpeculationOutcome) -> Self {
        Self { speculative: Some(outcome), ..self }
    }
}

/// Form of a call in the model's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InvokedAs {
    /// As a call of the provider's interface.
    Native,
    /// As a fenced block in its text.
    Fenced,
    /// By a sub-agent or another program on behalf of the model.
    Delegated,
}

/// Kind of outside text that a model had read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Taint {
    /// Text from the web, from an MCP server, or from a memory with such text.
    Untrusted,
}

/// Result of a call that was started early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SpeculationOutcome {
    /// It was started before the answer of the model was complete.
    Early,
    /// The model did not request it in the end: nobody saw its result.
    Discarded,
}
