//! One session of an editor: passes the person's messages to an agent, and the agent's events to
//! the editor.

use std::{pin::Pin, sync::Arc, time::Duration};

use async_trait::async_trait;
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use tools_acp::{ClientView, Conversation, Modes, PromptEnd, SessionEvent};
use tools_core::Redactor;

use super::desk::{AcpDesk, PendingQuestion, RunningCalls};
use super::notifier::SessionNotifier;
use crate::sessions::{HeldSession, SavedSession};
use crate::{Agent, AgentBuilder, AgentEvent, AgentEvents, Stop, ToolHost};

/// Capacity of the queue of events to send.
const EVENTS: usize = 4096;
/// Interval at which output of commands is sent.
const PRINTED: Duration = Duration::from_millis(250);

/// The parts of a conversation with an editor.
pub struct ConversationParts {
    /// Host that makes the calls of the agent.
    pub host: Arc<dyn ToolHost>,
    /// Redacts credentials in what is sent to the editor.
    pub redactor: Arc<dyn Redactor>,
    /// Time limit of a question.
    pub patience: Duration,
    /// The conversation to resume; `None` for a new one.
    pub kept: Option<SavedSession>,
    /// Lock that permits saving the conversation.
    pub held: HeldSession,
    /// Ends what runs for the session when the editor closes it.
    pub closing: Closing,
}

/// Ends everything that runs for a session. Called when the conversation is closed; otherwise
/// dropped without a call.
pub type Closing = Box<dyn FnOnce() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

/// A conversation of an editor with an agent.
pub struct AgentConversation {
    host: Arc<dyn ToolHost>,
    agent: Agent,
    events: mpsc::Receiver<AgentEvent>,
    questions: mpsc::Receiver<PendingQuestion>,
    running: RunningCalls,
    notifier: SessionNotifier,
    title: String,
    held: HeldSession,
    closing: Option<Closing>,
    /// Task of a turn that is not saved yet.
    unsaved: Option<String>,
}

impl AgentConversation {
    /// Builds the agent of a session and its modes. `build` creates the agent over a host that asks
    /// the editor.
    ///
    /// # Errors
    /// A sentence for a person, if it cannot be built.
    pub fn new(
        parts: ConversationParts,
        build: impl FnOnce(Arc<dyn ToolHost>) -> Result<AgentBuilder, String>,
    ) -> Result<(Self, Modes), String> {
        let ConversationParts { host, redactor, patience, kept, held, closing } = parts;
        let modes = Modes::usual();
        let (sender, events) = AgentEvents::channel(EVENTS);
        let (desk, extras, questions) = AcpDesk::new(Arc::clone(&host), patience);
        let running = desk.running();
        let mut builder = build(Arc::new(desk))?.phase_of(modes.phase()).events(sender);
        let mut title = String::new();
        if let Some(kept) = kept {
            title.clone_from(&kept.title);
            builder = kept.resumed(builder)?;
        }
        let agent = builder.build();
        let notifier = SessionNotifier::new(Arc::clone(&host), redactor, extras);
        let closing = Some(closing);
        let talk = Self { host, agent, events, questions, running, notifier, title, held, closing, unsaved: None };
        Ok((talk, modes))
    }

    /// Saves the conversation so that it can be resumed; the error is the reason why saving failed,
    /// if the conversation may not continue unsaved.
    async fn keep(&mut self, task: &str, watch: &ClientView) -> Result<(), String> {
        if self.title.is_empty() {
            self.title = SavedSession::title_of(task);
            watch.tell(SessionEvent::Titled { title: self.title.clone() }).await;
        }
        let kept = self.held.keep(&SavedSession::of(&self.host.context(), &self.agent, &self.title)).await;
        let Err(error) = kept else {
            self.unsaved = None;
            return Ok(());
        };
        tracing::warn!(%error, "the session is not kept");
        if !self.held.must_keep() {
            return Ok(());
        }
        self.unsaved = Some(task.to_owned());
        Err(format!("the session cannot be saved, and does not go on: {error}"))
    }
}

#[async_trait]
impl Conversation for AgentConversation {
    async fn prompt(&mut self, task: &str, watch: &ClientView, cancel: &CancellationToken) -> PromptEnd {
        if let Some(before) = self.unsaved.clone()
            && let Err(problem) = self.keep(&before, watch).await
        {
            return PromptEnd::Failed(problem);
        }
        let Self { agent, events, questions, running: calls, notifier, .. } = self;
        // The agent continues while a slow editor receives events, so that it can still be
        // cancelled in time.
        let over = CancellationToken::new();
        let running = async {
            let turn = agent.run_until(task, cancel).await;
            over.cancel();
            turn
        };
        let told = tell(events, questions, calls, notifier, watch, &over);
        let (turn, ()) = tokio::join!(running, told);
        let notice = match &turn.stop {
            Stop::Cancelled | Stop::Provider { .. } => String::new(),
            stop => stop.notice(),
        };
        for session_event in notifier.ended(&turn.text, &notice) {
            watch.tell(session_event).await;
        }
        if let Err(problem) = self.keep(task, watch).await {
            return PromptEnd::Failed(problem);
        }
        match turn.stop {
            Stop::Done => PromptEnd::Done,
            Stop::Cancelled => PromptEnd::Cancelled,
            Stop::ContextBudget { .. } => PromptEnd::ContextFull,
            Stop::Provider { .. } => PromptEnd::Failed(turn.stop.notice()),
            _ => PromptEnd::Limit,
        }
    }

    async fn close(&mut self) {
        if let Some(closing) = self.closing.take() {
            closing().await;
        }
        self.held.release().await;
    }
}

/// Sends events until the turn is over and all are sent. Questions are sent after the events before
/// them.
async fn tell(
    events: &mut mpsc::Receiver<AgentEvent>,
    questions: &mut mpsc::Receiver<PendingQuestion>,
    calls: &RunningCalls,
    notifier: &mut SessionNotifier,
    watch: &ClientView,
    over: &CancellationToken,
) {
    let mut printed = interval(PRINTED);
    printed.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            Some(event) = events.recv() => {
                for session_event in notifier.session_events(event) {
                    watch.tell(session_event).await;
                }
            }
            Some(asked) = questions.recv() => ask(asked, watch),
            call = watch.was_closed() => calls.cancel(&call),
            () = over.cancelled() => return,
            _ = printed.tick() => watch.flush().await,
        }
    }
}

/// Sends a question to the editor, and withdraws it when the call stops waiting for the answer.
fn ask(asked: PendingQuestion, watch: &ClientView) {
    let watch = watch.clone();
    tokio::spawn(async move {
        let PendingQuestion { call, prompt, mut answer } = asked;
        let answered = tokio::select! {
            biased;
            () = answer.closed() => return,
            answered = watch.ask(&call, &prompt) => answered,
        };
        let _ = answer.send(answered);
    });
}
