//! What is told while a call runs: events, and the journal of what was decided.

mod event;
mod journal;

pub use event::{CallStatus, EventConsumer, EventKind, EventSink, OutputStream, ToolEvent};
pub use journal::{GateNote, Journal, Runs, keys};
