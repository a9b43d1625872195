//! Reports of a running call: events, and the journal of decisions.

mod event;
mod journal;

pub use event::{CallStatus, EventConsumer, EventKind, EventSink, OutputStream, ToolEvent};
pub use journal::{GateNote, Journal, Runs, keys};
