//! Where in the work of an agent a call stands: for the record, and for nothing that decides.

use std::sync::Arc;

use serde::Serialize;
use tokio::time::Instant;

/// Position of a call in the work of an agent. Gates do not read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallOrigin {
    /// The turn of the conversation, from 1.
    pub turn: u64,
    /// The agents from the outermost to the one that made the call, joined by `/`: `main`,
    /// `main/reviewer`.
    pub agent_path: Arc<str>,
    /// Form of the call in the model's answer.
    pub invocation: InvokedAs,
    /// Whether the model had read text from outside before it made the call.
    pub taint: Option<Taint>,
    /// Whether the call was started before the model had asked for it; `None` for every other call.
    pub speculative: Option<SpeculationOutcome>,
    /// When the model asked for it: from then on it waited for its turn.
    pub asked: Instant,
}

impl CallOrigin {
    /// The same place, of a call that was started before the model had asked for it.
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
    /// By a sub-agent or another program on its behalf.
    Delegated,
}

/// Kind of text that a model had read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Taint {
    /// Text of the web, of an MCP server or of a memory that came from there.
    Untrusted,
}

/// Result of a call that was started early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SpeculationOutcome {
    /// It was started before the answer of the model was complete.
    Early,
    /// The model did not ask for it in the end: nobody saw its result.
    Discarded,
}
