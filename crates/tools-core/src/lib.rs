//! Vocabulary of the Haft tool system: what a call, a tool, an executor, a layer and an error are.
//!
//! A [`Tool`] is one file: typed arguments, a definition, `inspect`, `run`. [`Typed`] turns it into a
//! [`ToolExecutor`], [`CompositeExecutor`] joins executors, and a [`Stack`] puts an ordered list of [`Layer`]s around
//! them. Identity and limits travel in [`CallContext`]; consent is an [`Approval`], bound to one call. [`settle`] runs a
//! call with a person at hand.
//!
//! ```
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use tools_core::{
//!     CallContext, Inspection, Stack, Tool, ToolCall, ToolDef, ToolError, ToolKind, ToolOutput, ToolTraits, Typed,
//! };
//!
//! /// Says hello.
//! #[derive(Deserialize, JsonSchema)]
//! #[serde(deny_unknown_fields)]
//! struct Greet {
//!     /// Whom to greet.
//!     name: String,
//! }
//!
//! struct Greeter;
//!
//! impl Tool for Greeter {
//!     type Args = Greet;
//!     fn definition(&self) -> ToolDef {
//!         ToolDef::of::<Greet>("greet", ToolKind::Other, ToolTraits::READ_ONLY)
//!     }
//!     async fn inspect(&self, _: &Greet, _: &CallContext) -> Result<Inspection, ToolError> {
//!         Ok(Inspection::read_only())
//!     }
//!     async fn run(&self, args: Greet, _: &CallContext) -> Result<ToolOutput, ToolError> {
//!         Ok(ToolOutput::text(format!("hello, {}", args.name)))
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let stack = Stack::new(vec![], Typed::new(Greeter));
//! let call = ToolCall::new("greet", serde_json::json!({"name": "world"})).expect("a name and an object");
//! let output = stack.dispatch(call, &CallContext::new("/")).await.expect("greets");
//! assert_eq!(output.summary, "hello, world");
//! # }
//! ```

mod globs;
mod name;

mod call;
mod canonical;
mod parameters;

mod basis;
mod context;

mod definition;
mod inspection;
mod obeyed;
mod output;
mod traits;

mod category;
mod classify;
mod error;
mod feedback;

mod announce;
mod event;
mod journal;

mod composite;
mod erased;
mod executor;
mod tool;
mod typed;

mod layer;
mod stack;

mod ask;

#[cfg(doctest)]
mod guides;

mod clock;
mod credential;
mod judge;
mod nearest;
mod redact;
mod schema;
mod shared;
mod tokens;
mod visible;

pub use announce::Announce;
pub use ask::{
    Absence, Answer, Approval, Asked, Asking, Change, ChangePreview, ConfirmPrompt, Confirmer, Decisions, Lasting,
    NobodyToAsk, PromptPart, Question, Refusal, Settled, StoredRule, Unanswered, Verdict, Width, announce, refusal,
    settle,
};
pub use basis::{Basis, BasisSlot};
pub use call::{CallDigest, JsonObject, ToolCall};
pub use canonical::{canonical_json, sha256_hex};
pub use category::{
    CategoryRow, ErrorDomain, ErrorKind, ErrorPhase, ErrorPhase as ToolInvocationPhase, ToolErrorCategory,
};
pub use classify::{classify_http_status, classify_io_error};
pub use clock::{Clock, SystemClock};
pub use composite::CompositeExecutor;
pub use context::{CallContext, CallPhase, EnvOverlay, ModelHints, TrustLevel};
pub use credential::{is_credential_key, is_credential_name};
pub use definition::{InvocationHint, ToolDef, ToolDefs, ToolKind, ToolOrigin};
pub use erased::{DynExecutor, ErasedToolExecutor, is_tool_retryable, requires_confirmation};
pub use error::{ErrorDetail, ToolError};
pub use event::{CallStatus, EventConsumer, EventKind, EventSink, OutputStream, ToolEvent};
pub use executor::{Executed, ToolExecutor};
pub use feedback::{ToolErrorFeedback, text_for_model};
pub use globs::by_characters;
pub use inspection::{Access, ConfirmReason, FileState, Findings, Inspection, NamedBy, Subject};
pub use journal::{GateNote, Journal, Runs, keys};
pub use judge::{Judge, JudgeError, JudgeRequest};
pub use layer::{Invocation, Layer, Next, Outcome};
pub use name::{BatchId, CallId, CallerId, ConversationId, InvalidName, SessionId, ToolName};
pub use nearest::nearest;
pub use obeyed::{FoundObeyed, Obeyed, ObeyedClass, find_obeyed, is_guarded, leads_to_guarded, was_agreed_since};
pub use output::{ClaimSource, Complete, FileDiff, FilterConfidence, FilterStats, Location, Media, Shown, ToolOutput};
pub use redact::{NoRedaction, Redactor};
pub use schema::{SchemaFault, SchemaProblem, inline_schema, schema_problems};
pub use shared::Shared;
pub use stack::{Recorded, Stack};
pub use tokens::estimate_tokens;
pub use tool::Tool;
pub use traits::{ToolTraits, TraitConflict};
pub use typed::Typed;
pub use visible::{Visible, is_hidden, visible_json, visible_lines};
