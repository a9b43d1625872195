//! How a call gets to its tool: executors, layers around them, and the stack of both.

mod activity;
mod announce;
mod composite;
mod erased;
mod executor;
mod layer;
mod stack;
mod stand_in;
mod unlisted;

pub use activity::{Activity, ActivityBoard, OptionalBoard};
pub use announce::Announce;
pub use composite::CompositeExecutor;
pub use erased::{DynExecutor, ErasedToolExecutor, is_tool_retryable, requires_confirmation};
pub use executor::{ExecuteResult, ToolExecutor};
pub use layer::{Invocation, Layer, Next, Outcome};
pub use stack::{RecordedResult, Stack};
pub use stand_in::StandIns;
pub use unlisted::UnlistedLayer;
