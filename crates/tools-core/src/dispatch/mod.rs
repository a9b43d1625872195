//! Dispatch of calls to tools: executors, layers around them, and the stack of both.

mod activity;
mod announce;
mod composite;
mod early;
mod erased;
mod executor;
mod invocation;
mod layer;
mod panics;
mod published;
mod read_only;
mod replaceable;
mod runtime;
mod stack;
mod stand_in;
mod unlisted;

pub use activity::{Activity, ActivityBoard, OptionalBoard};
pub use announce::Announce;
pub use composite::CompositeExecutor;
pub use early::EarlyRun;
pub use erased::{DynExecutor, ErasedToolExecutor, is_tool_retryable, requires_confirmation};
pub use executor::{ExecuteResult, ToolExecutor};
pub use invocation::Invocation;
pub use layer::{Explain, Layer, LayerInfo, Next, Outcome};
pub use published::ToolListCache;
pub use read_only::ReadOnlyTools;
pub use replaceable::ReplaceableLayer;
pub use runtime::{NoRuntime, in_runtime};
pub use stack::{RecordedResult, Stack};
pub use stand_in::StandIns;
pub use unlisted::UnlistedLayer;
