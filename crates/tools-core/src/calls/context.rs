//! Who asks, from where and for how long. Identity and limits travel here; consent does not.

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
    /// path). Tools that are kept in no other folders are kept in this one; from `/` they refuse
    /// the call (`everything_allowed`).
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

    /// The same context in another session.
    pub fn in_session(self, session: SessionId) -> Self {
        Self { session, ..self }
    }

    /// The same context in another conversation.
    pub fn in_conversation(self, conversation: ConversationId) -> Self {
        Self { conversation, ..self }
    }

    /// The same context for another batch of calls.
    pub fn in_batch(self, batch: BatchId) -> Self {
        Self { batch, ..self }
    }

    /// The same context below another call (a sub-agent's).
    pub fn below(self, parent: CallId) -> Self {
        Self { parent: Some(parent), ..self }
    }

    /// The same context of a call that stands there in the work of an agent.
    pub fn from_origin(self, origin: CallOrigin) -> Self {
        Self { origin: Some(Arc::new(origin)), ..self }
    }

    /// The same context in another phase.
    pub fn in_phase(self, phase: CallPhase) -> Self {
        Self { phase, ..self }
    }

    /// The same context with at most `level` of trust; there is no way up.
    pub fn capped(self, level: TrustLevel) -> Self {
        Self { trust: self.trust.min(level), ..self }
    }

    /// The same context, marked as something the user asked for in so many words.
    pub fn requested_by_user(self) -> Self {
        Self { requested_by_user: true, ..self }
    }

    /// The same context for another model.
    pub fn with_model(self, model: ModelHints) -> Self {
        Self { model, ..self }
    }

    /// The same context with relative paths starting at `workdir`.
    pub fn with_workdir(self, workdir: impl Into<PathBuf>) -> Self {
        Self { workdir: Arc::from(workdir.into()), ..self }
    }

    /// The same context with `env` laid over the environment of children.
    pub fn with_env(self, env: EnvOverlay) -> Self {
        Self { env: Arc::new(env), ..self }
    }

    /// The same context that ends when `limit` has passed, or earlier if it already would; needs
    /// what [`CallContext::until`] needs.
    pub fn within(self, limit: Duration) -> Self {
        let now = Instant::now();
        // What is too far away to be counted does not end.
        match now.checked_add(limit) {
            Some(deadline) => self.until(deadline),
            None => self,
        }
    }

    /// The same context that ends at `deadline`, or earlier if it already would. To keep it a call
    /// needs a tokio runtime with timers; elsewhere it is refused (`no_runtime`).
    pub fn until(self, deadline: Instant) -> Self {
        let deadline = self.deadline.map_or(deadline, |earlier| earlier.min(deadline));
        Self { deadline: Some(deadline), ..self }
    }

    /// The same context, in which `intake` takes text that is too long to be held. A layer that
    /// changes text puts its own around the one that is there.
    pub fn taken_by(self, intake: Arc<dyn Intake>) -> Self {
        Self { intake: Some(intake), ..self }
    }

    /// The same context whose answer may hold no more than `budget`, nor more than it might
    /// already.
    pub fn answering(self, budget: AnswerBudget) -> Self {
        Self { answer: self.answer.and(budget), ..self }
    }

    /// The same context, in which `tap` takes what a command prints as it comes. The result then
    /// holds the ends of it only.
    ///
    /// # Security
    /// No layer sees what goes through a tap: credentials in it stay as they are.
    pub fn tapped(self, tap: Arc<dyn ByteTap>) -> Self {
        Self { tap: Some(tap), ..self }
    }

    /// The same context, in which somebody wants to know what the result comes from.
    pub fn leaving_basis(self, slot: &BasisSlot) -> Self {
        Self { basis: Some(slot.clone()), ..self }
    }

    /// The same context, in which somebody wants to know what the processes of the call write.
    pub fn noting_writes(self, log: &WriteLog) -> Self {
        Self { writes: Some(log.clone()), ..self }
    }

    /// The same context, in which the call was started before the model had finished asking for
    /// it.
    pub fn started_early(self, run: impl Into<StartedCall>) -> Self {
        Self { started: Some(run.into()), ..self }
    }

    /// The same context that ends when `cancel` is cancelled.
    pub fn with_cancel(self, cancel: CancellationToken) -> Self {
        Self { cancel, ..self }
    }

    /// The same context with events going to `sink`: for hosts, and for layers that watch or redact
    /// the stream.
    pub fn with_events(self, sink: EventSink) -> Self {
        Self { events: sink, ..self }
    }

    /// The same context, whose calls can ask a person while they run.
    pub fn with_questions(self, questions: Questions) -> Self {
        Self { questions: Some(questions), ..self }
    }

    /// The same context, whose tools can ask the client of their call for more.
    pub fn with_input(self, source: Arc<dyn InputSource>) -> Self {
        Self { input: Some(source), ..self }
    }

    /// The same context for running what was judged with these files of code.
    pub(crate) fn judged_with(self, scripts: ScriptStates) -> Self {
        Self { judged: Some(scripts), ..self }
    }

    /// The files of code that the call runs, as they were when it was judged; `None` where nobody
    /// looked.
    pub(crate) fn judged_scripts(&self) -> Option<&ScriptStates> {
        self.judged.as_ref()
    }

    /// The context of one call: its caller, a fresh journal, a child token, events under the call's
    /// identifier.
    pub(crate) fn for_call(&self, call: &ToolCall) -> Self {
        Self {
            caller: call.caller_id.clone().or_else(|| self.caller.clone()),
            cancel: self.cancel.child_token(),
            events: self.events.bound_to(&call.id),
            journal: Journal::default(),
            ..self.clone()
        }
    }

    /// The way to a person while the call runs; `None` where there is none.
    pub fn questions(&self) -> Option<&Questions> {
        self.questions.as_ref()
    }

    /// The way to the client of the call; `None` where there is none. Tools ask by
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

    /// The call that caused this one; `None` at the top.
    pub fn parent(&self) -> Option<&CallId> {
        self.parent.as_ref()
    }

    /// Position of the call in the work of an agent; `None` when no agent made it.
    pub fn origin(&self) -> Option<&CallOrigin> {
        self.origin.as_deref()
    }

    /// The caller of the call ([`crate::ToolCall::with_caller`]); `None` when it is not known.
    pub fn caller(&self) -> Option<&CallerId> {
        self.caller.as_ref()
    }

    /// In which role the model made the call.
    pub fn phase(&self) -> CallPhase {
        self.phase
    }

    /// Trust in the origin.
    pub fn trust(&self) -> TrustLevel {
        self.trust
    }

    /// Whether the user asked for this in so many words.
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

    /// Variables to lay over a child's environment.
    pub fn env(&self) -> &EnvOverlay {
        &self.env
    }

    /// When the call ends whatever it has; `None` for no limit beyond the tool's own.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Receiver of text that is too long to be held; `None` when nobody does. Then nothing beyond
    /// what the model sees is worth keeping.
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

    /// Slot for the basis of the result; `None` when nobody wants to know, and it is not worth
    /// writing down.
    pub fn basis(&self) -> Option<&BasisSlot> {
        self.basis.as_ref()
    }

    /// Log for writes of processes; `None` when nobody wants to know.
    pub fn writes(&self) -> Option<&WriteLog> {
        self.writes.as_ref()
    }

    /// The run of this call that was started before the model had finished asking for it.
    pub(crate) fn started(&self) -> Option<&StartedCall> {
        self.started.as_ref()
    }

    /// Cancelled when nobody waits for the result any more.
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
