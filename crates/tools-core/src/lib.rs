//! Vocabulary of the Haft tool system: what a call, a tool, an executor, a layer and an error are.
//!
//! A [`Tool`] is one file: typed arguments, a definition, `inspect`, `run`. [`Typed`] turns it into
//! a [`ToolExecutor`], [`CompositeExecutor`] joins executors, and a [`Stack`] puts an ordered list
//! of [`Layer`]s around them. Identity and limits travel in [`CallContext`]; consent is an
//! [`Approval`], bound to one call. [`settle`] runs a call with a person at hand.
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

mod calls;

mod tools;

mod outputs;

mod errors;

mod events;

mod dispatch;
mod embedder;

mod ask;

mod obeyed;

mod globs;
mod judge;
mod lines;
mod locked;
mod made_by_others;
mod partial_debug;
mod process_notes;
mod session_ends;
mod shared;
mod weak_list;

#[cfg(doctest)]
mod guides;

pub use ask::{
    Absence, Answer, Approval, ApprovalContext, ApprovalRequest, Change, ChangePreview, ConfirmPrompt, Confirmer,
    Decisions, Desk, InputAnswer, InputError, InputKind, InputRequest, InputSource, NobodyToAsk, PromptPart, Question,
    Questions, Refusal, RefusalReason, Row, RowKind, RuleLifetime, Settlement, StoredRule, Verdict, Width, announce,
    is_unanswered, refusal, settle,
};
pub use calls::{
    BatchId, CallContext, CallDigest, CallId, CallOrigin, CallPhase, CallerId, Clock, ConversationId, EnvOverlay,
    InvalidName, InvokedAs, JsonObject, ModelHints, ServerName, ServerNameError, SessionId, SpeculationOutcome,
    StartedCall, SystemClock, THOUGHT_PREFIX, Taint, ToolCall, ToolName, TrustLevel, WriteKeeper, WriteLog, Writes,
    WrittenPath, built_in_tool, canonical_json, hex, invalid_parameters, remove_thoughts, resolve_alias, sha256_hex,
    todays_name,
};
pub use dispatch::{
    Activity, ActivityBoard, Announce, CompositeExecutor, DynExecutor, EarlyRun, ErasedToolExecutor, ExecuteResult,
    Explain, Invocation, Layer, LayerInfo, Next, NoRuntime, OptionalBoard, Outcome, ReadOnlyTools, RecordedResult,
    ReplaceableLayer, Stack, StandIns, ToolExecutor, ToolListCache, UnlistedLayer, in_runtime, is_tool_retryable,
    requires_confirmation,
};
pub use embedder::{Embedder, EmbedderError, cosine};
pub use errors::{
    CategoryRow, ElsewhereError, ErrorDetail, ErrorDomain, ErrorKind, ErrorPhase, KeyFault, ToolError,
    ToolErrorCategory, ToolErrorFeedback, ToolInvocationPhase, classify_http_status, classify_io_error, did_you_mean,
    either, nearest, quoted, text_for_model,
};
pub use events::{
    CallStatus, EventConsumer, EventKind, EventSink, GateNote, Journal, OutputStream, Runs, ToolEvent, keys,
};
pub use globs::by_characters;
pub use judge::{Judge, JudgeError, JudgeRequest};
pub use lines::{BoundedLine, BoundedLines};
pub use locked::Locked;
pub use made_by_others::is_made_by_others;
pub use obeyed::{
    ConfiguredFiles, ObeyedClass, ObeyedFile, ObeyedMatch, find_obeyed, is_guarded, is_plan, is_repository,
    leads_to_guarded, leads_to_own_repository, obeyed_by, plan_runs_commands, was_agreed_since,
};
pub use outputs::{
    AnswerBudget, Basis, BasisSlot, ByteTap, CallReport, ClaimSource, CommandEnd, ConfirmationReport, Digest,
    ErrorReport, FileDiff, FilterConfidence, FilterStats, Gap, Intake, KeptText, LineSelection, Location, Media,
    Middle, NoRedaction, OriginalText, PlaceholderMatch, Redactor, SkippedPart, StopReason, SummaryKind, TextSink,
    ToolOutput, VisibleText, Window, WindowWriter, estimate_tokens, is_credential_key, is_credential_name, is_hidden,
    placeholders, redacted_lines, utf8_lossy, visible_json, visible_lines, with_texts,
};
pub use process_notes::{ProcessNotes, take_notes_left_behind};
pub use session_ends::SessionEnds;
pub use shared::Shared;
pub use tokio_util::sync::CancellationToken;
pub use tools::{
    Access, ConfirmReason, ContentDigest, FileState, Findings, Inspection, InvocationHint, NamedBy, SchemaFault,
    SchemaProblem, Script, ScriptStates, Subject, Tool, ToolDef, ToolDefs, ToolDescription, ToolKind, ToolOrigin,
    ToolSchema, ToolTraits, TraitConflict, Typed, WebUrl, inline_schema, schema_problems,
};
pub use weak_list::WeakList;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
