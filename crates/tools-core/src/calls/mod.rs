//! Names, calls with their parameters, and the context of a call.

mod alias;
mod call;
mod canonical;
mod clock;
mod context;
mod lenient;
mod name;
mod origin;
mod parameters;
mod server_name;
mod started;
mod thought;
mod writes;

pub use alias::{built_in_tool, resolve_alias, todays_name};
pub use call::{CallDigest, ToolCall};
pub use canonical::{canonical_json, hex, sha256_hex};
pub use clock::{Clock, SystemClock};
pub use context::{CallContext, CallPhase, EnvOverlay, ModelHints, TrustLevel};
pub use name::{BatchId, CallId, CallerId, ConversationId, InvalidName, SessionId, ToolName};
pub use origin::{CallOrigin, InvokedAs, SpeculationOutcome, Taint};
pub use parameters::{JsonObject, invalid_parameters};
pub use server_name::{ServerName, ServerNameError};
pub use started::StartedCall;
pub use thought::{THOUGHT_PREFIX, remove_thoughts};
pub use writes::{WriteKeeper, WriteLog, Writes, WrittenPath};
