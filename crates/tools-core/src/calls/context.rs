//! Identity, origin and limits of a call. Consent is not part of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{
    AnswerBudget, BasisSlot, BatchId, ByteTap, CallId, CallOrigin, CallerId, ConversationId, EventSink, InputSource,
    Intake, Journal, Questions, SessionId, StartedCall, ToolCall, WriteLog, tools::ScriptStates,
};

/// Level of trust in the origin of a call. Effective trust is the minimum of everything that has a
/// say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrustLevel {
    /// Only reading inside the workspace, and even that after a question.
    Untrusted,
    /// Reading runs, everything else asks.
    Provisional,
    /// The rules alone decide.
    Trusted,
}

/// In which role the model made a call; set where the call is made and inferred from nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallPhase {
    /// Working out what to do.
    Planner,
    /// Doing it.
    Executor,
    /// Checking what was done.
    Verifier,
    /// Without a person; only tools marked internal pass a question.
    Autonomous,
}

/// Facts about the model behind a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelHints {
    /// Whether the provider has native tool use; fenced blocks are read otherwise.
    pub supports_tool_use: bool,
    /// Whether the operator configured it as a reasoning model.
    pub reasoning: bool,
}

impl Default for ModelHints {
    fn default() -> Self {
        Self { supports_tool_use: true, reasoning: false }
    }
}

/// Environment variables laid over a child's environment for this call (the active skill's).
pub type EnvOverlay = BTreeMap<String, String>;

/// Session, place and limits of a call. Cheap to clone.
#[derive(Debug, Clone)]
pub struct CallContext {
    session: SessionId,
    conversation: ConversationId,
    batch: BatchId,
    parent: Option<CallId>,
    origin: Option<Arc<CallOrigin>>,
    caller: Option<CallerId>,
    phase: CallPhase,
    trust: TrustLevel,
    requested_by_user: bool,
    model: ModelHints,
    workdir: Arc<Path>,
    env: Arc<EnvOverlay>,
    deadline: Option<Instant>,
    intake: Option<Arc<dyn Intake>>,
    answer: AnswerBudget,
    tap: Option<Arc<dyn ByteTap>>,
    basis: Option<BasisSlot>,
    judged: Option<ScriptStates>,
    writes: Option<WriteLog>,
    started: Option<StartedCall>,
    cancel: CancellationToken,
    events: EventSink,
    questions: Option<Questions>,
    input: Option<Arc<dyn InputSource>>,
    journal: Journal,
}

impl CallContext {
    /// A trusted context of a fresh session whose relative paths start at `workdir` (an absolute
    /// path). Tools without configured folders are confined to this one; from `/` they refuse the
    /// call (`everything_allowed`).
    pub fn new(workdir: impl Into<PathBuf>) -> Self {
        Self {
            session: SessionId::generate(),
            conversation: ConversationId::generate(),
            batch: BatchId::generate(),
            parent: None,
            origin: None,
            caller: None,
            phase: CallPhase::Executor,
            trust: TrustLevel::Trusted,
            requested_by_user: false,
            model: ModelHints::default(),
            workdir: Arc::from(workdir.into()),
            env: Arc::default(),
            deadline: None,
            intake: None,
            answer: AnswerBudget::UNLIMITED,
            tap: None,
            basis: None,
            judged: None,
            writes: None,
            started: None,
            cancel: CancellationToken::new(),
            events: EventSink::none(),
            questions: None,
            input: None,
            journal: Journal::default(),
        }
    }

    /// Sets the session.
    pub fn in_session(self, session: SessionId) -> Self {
        Self { session, ..self }
    }

    /// Sets the conversation.
    pub fn in_conversation(self, conversation: ConversationId) -> Self {
        Self { conversation, ..self }
    }

    /// Sets the batch of calls.
    pub fn in_batch(self, batch: BatchId) -> Self {
        Self { batch, ..self }
    }

    /// Sets the parent call, as for a sub-agent.
    pub fn below(self, parent: CallId) -> Self {
        Self { parent: Some(parent), ..self }
    }

    /// Sets the position of the call in the work of an agent.
    pub fn from_origin(self, origin: CallOrigin) -> Self {
        Self { origin: Some(Arc::new(origin)), ..self }
    }

    /// Sets the phase.
    pub fn in_phase(self, phase: CallPhase) -> Self {
        Self { phase, ..self }
    }

    /// Lowers trust to at most `level`; it cannot be raised.
    pub fn capped(self, level: TrustLevel) -> Self {
        Self { trust: self.trust.min(level), ..self }
    }

    /// Marks the call as requested by the user explicitly.
    pub fn requested_by_user(self) -> Self {
        Self { requested_by_user: true, ..self }
    }

    /// Sets the facts about the model.
    pub fn with_model(self, model: ModelHints) -> Self {
        Self { model, ..self }
    }

    /// Sets the base of relative paths.
    pub fn with_workdir(self, workdir: impl Into<PathBuf>) -> Self {
        Self { workdir: Arc::from(workdir.into()), ..self }
    }

    /// Sets variables laid over the environment of child processes.
    pub fn with_env(self, env: EnvOverlay) -> Self {
        Self { env: Arc::new(env), ..self }
    }

    /// Ends the call after `limit`, or at its earlier deadline; has the same requirement as
    /// [`CallContext::until`].
    pub fn within(self, limit: Duration) -> Self {
        let now = Instant::now();
        // A time too far away to be represented sets no deadline.
        match now.checked_add(limit) {
            Some(deadline) => self.until(deadline),
            None => self,
        }
    }

    /// Ends the call at `deadline`, or at its earlier deadline. This needs a tokio runtime with
    /// timers; without one the call is refused (`no_runtime`).
    pub fn until(self, deadline: Instant) -> Self {
        let deadline = self.deadline.map_or(deadline, |earlier| earlier.min(deadline));
        Self { deadline: Some(deadline), ..self }
    }

    /// Sets the receiver of text that is too long to be held in memory. A layer that changes text
    /// wraps the existing one.
    pub fn with_intake(self, intake: Arc<dyn Intake>) -> Self {
        Self { intake: Some(intake), ..self }
    }

    /// Limits the answer to `budget`, or to the smaller existing budget.
    pub fn answering(self, budget: AnswerBudget) -> Self {
        Self { answer: self.answer.and(budget), ..self }
    }

    /// Sends the output of commands to `tap` as it comes. The result then holds only its beginning
    /// and end.
    ///
    /// # Security
    /// No layer sees the bytes of a tap: credentials in them are not redacted.
    pub fn tapped(self, tap: Arc<dyn ByteTap>) -> Self {
        Self { tap: Some(tap), ..self }
    }

    /// Sets the slot for the basis of the result.
    pub fn with_basis_slot(self, slot: &BasisSlot) -> Self {
        Self { basis: Some(slot.clone()), ..self }
    }

    /// Sets the log of writes by processes of the call.
    pub fn with_write_log(self, log: &WriteLog) -> Self {
        Self { writes: Some(log.clone()), ..self }
    }

    /// Sets the run that was started before the model had finished requesting the call.
    pub fn started_early(self, run: impl Into<StartedCall>) -> Self {
        Self { started: Some(run.into()), ..self }
    }

    /// Ends the call when `cancel` is cancelled.
    pub fn with_cancel(self, cancel: CancellationToken) -> Self {
        Self { cancel, ..self }
    }

    /// Sends events to `sink`: for hosts, and for layers that watch or redact the stream.
    pub fn with_events(self, sink: EventSink) -> Self {
        Self { events: sink, ..self }
    }

    /// Lets the call ask a person while it runs.
    pub fn with_questions(self, questions: Questions) -> Self {
        Self { questions: Some(questions), ..self }
    }

    /// Lets tools ask the client of the call for input.
    pub fn with_input(self, source: Arc<dyn InputSource>) -> Self {
        Self { input: Some(source), ..self }
    }

    /// Sets the code files with which the call was judged.
    pub(crate) fn judged_with(self, scripts: ScriptStates) -> Self {
        Self { judged: Some(scripts), ..self }
    }

    /// The code files that the call runs, in their state when it was judged; `None` if that was not
    /// recorded.
    pub(crate) fn judged_scripts(&self) -> Option<&ScriptStates> {
        self.judged.as_ref()
    }

    /// The context of one call: its caller, a fresh journal, a child token, and events under the
    /// call's identifier.
    pub(crate) fn for_call(&self, call: &ToolCall) -> Self {
        Self {
            caller: call.caller_id.clone().or_else(|| self.caller.clone()),
            cancel: self.cancel.child_token(),
            events: self.events.bound_to(&call.id),
            journal: Journal::default(),
            ..self.clone()
        }
    }

    /// Connection to a person while the call runs; `None` if there is none.
    pub fn questions(&self) -> Option<&Questions> {
        self.questions.as_ref()
    }

    /// Connection to the client of the call; `None` if there is none. Tools use
    /// [`CallContext::input`].
    pub fn input_source(&self) -> Option<&Arc<dyn InputSource>> {
        self.input.as_ref()
    }

    /// The session this call belongs to.
    pub fn session(&self) -> &SessionId {
        &self.session
    }

    /// The conversation this call belongs to.
    pub fn conversation(&self) -> &ConversationId {
        &self.conversation
    }

    /// The batch this call belongs to.
    pub fn batch(&self) -> &BatchId {
        &self.batch
    }

    /// The call that caused this one; `None` for a top-level call.
    pub fn parent(&self) -> Option<&CallId> {
        self.parent.as_ref()
    }

    /// Position of the call in the work of an agent; `None` if no agent made it.
    pub fn origin(&self) -> Option<&CallOrigin> {
        self.origin.as_deref()
    }

    /// The caller of the call ([`crate::ToolCall::with_caller`]); `None` if unknown.
    pub fn caller(&self) -> Option<&CallerId> {
        self.caller.as_ref()
    }

    /// Role in which the model made the call.
    pub fn phase(&self) -> CallPhase {
        self.phase
    }

    /// Trust in the origin.
    pub fn trust(&self) -> TrustLevel {
        self.trust
    }

    /// Whether the user requested this explicitly.
    pub fn is_requested_by_user(&self) -> bool {
        self.requested_by_user
    }

    /// Facts about the model.
    pub fn model(&self) -> ModelHints {
        self.model
    }

    /// Base of relative paths.
    pub fn workdir(&self) -> &Path {
        &self.workdir
    }

    /// Variables laid over the environment of child processes.
    pub fn env(&self) -> &EnvOverlay {
        &self.env
    }

    /// Deadline of the call; `None` for no limit beyond the tool's own.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Receiver of text that is too long to be held in memory; `None` if there is none. Then only
    /// what the model sees needs to be kept.
    pub fn intake(&self) -> Option<&Arc<dyn Intake>> {
        self.intake.as_ref()
    }

    /// Budget of the answer.
    pub fn answer(&self) -> AnswerBudget {
        self.answer
    }

    /// Receiver of the bytes of a command.
    pub fn tap(&self) -> Option<&dyn ByteTap> {
        self.tap.as_deref()
    }

    /// Slot for the basis of the result; `None` if nobody needs it, and it need not be recorded.
    pub fn basis(&self) -> Option<&BasisSlot> {
        self.basis.as_ref()
    }

    /// Log of writes by processes; `None` if nobody needs it.
    pub fn writes(&self) -> Option<&WriteLog> {
        self.writes.as_ref()
    }

    /// The run that was started before the model had finished requesting the call.
    pub(crate) fn started(&self) -> Option<&StartedCall> {
        self.started.as_ref()
    }

    /// Token that is cancelled when nobody waits for the result any more.
    pub fn cancel(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Receiver of output and progress while the call runs.
    pub fn events(&self) -> &EventSink {
        &self.events
    }

    /// Notes of gates and tools about this call.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_only_sinks() {
        let cx = CallContext::new("/").capped(TrustLevel::Provisional);
        assert_eq!(cx.clone().capped(TrustLevel::Trusted).trust(), TrustLevel::Provisional);
        assert_eq!(cx.capped(TrustLevel::Untrusted).trust(), TrustLevel::Untrusted);
    }

    #[test]
    fn a_deadline_only_moves_closer() {
        let now = Instant::now();
        let later = now + Duration::from_secs(5);
        assert_eq!(CallContext::new("/").until(now).until(later).deadline(), Some(now));
        assert_eq!(CallContext::new("/").until(later).until(now).deadline(), Some(now));
        assert_eq!(CallContext::new("/").until(now).within(Duration::MAX).deadline(), Some(now));
        assert!(CallContext::new("/").until(later).within(Duration::ZERO).deadline() < Some(later));
    }

    #[test]
    fn a_call_has_its_own_journal_and_a_child_token() {
        let cx = CallContext::new("/");
        let call = cx.for_call(&ToolCall::new("read", serde_json::json!({})).unwrap());
        call.journal().warn("only here");
        assert!(cx.journal().warnings().is_empty());
        call.cancel().cancel();
        assert!(!cx.cancel().is_cancelled());
        let call = cx.for_call(&ToolCall::new("read", serde_json::json!({})).unwrap());
        cx.cancel().cancel();
        assert!(call.cancel().is_cancelled());
    }
}
