//! One session of an editor: an agent that is told what the person says, and an editor that is told
//! what it does.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use tokio::{
    sync::mpsc,
    time::{MissedTickBehavior, interval},
};
use tokio_util::sync::CancellationToken;
use tools_acp::{Conversation, Modes, PromptEnd, SessionEvent, TerminalUse, Watch};
use tools_agent::{Agent, AgentEvent, AgentEvents, CompressDesk, Stop};
use tools_core::SessionId;
use tools_providers::Provider;

use super::{
    desk::{AcpDesk, PendingQuestion, RunningCalls},
    telling::SessionNotifier,
};
use crate::{HeldSession, KeptSession, Toolbox, agent_builder};

/// Events that wait to be told.
const EVENTS: usize = 4096;
/// How often what commands print is told.
const PRINTED: Duration = Duration::from_millis(250);

/// An agent in an editor.
pub(super) struct Talk {
    toolbox: Toolbox,
    agent: Agent,
    events: mpsc::Receiver<AgentEvent>,
    questions: mpsc::Receiver<PendingQuestion>,
    running: RunningCalls,
    telling: SessionNotifier,
    title: String,
    held: HeldSession,
    /// The turn whose end is not saved.
    unsaved: Option<String>,
    #[cfg(feature = "watch")]
    _watch: Option<crate::ConfigWatch>,
}

impl Talk {
    /// The agent of a session, and the modes it works in.
    ///
    /// # Errors
    /// A sentence for a person, when it cannot be put together.
    pub(super) fn new(
        toolbox: Toolbox,
        provider: &Arc<dyn Provider>,
        desk: CompressDesk,
        kept: Option<KeptSession>,
        held: HeldSession,
    ) -> Result<(Self, Modes), String> {
        let redactor = toolbox.config().tools.filters.security.redactor().map_err(|error| error.to_string())?;
        let modes = Modes::usual();
        let (sender, events) = AgentEvents::channel(EVENTS);
        let (host, beside, questions) = AcpDesk::new(toolbox.clone(), toolbox.config().acp.patience());
        let running = host.running();
        let builder = agent_builder(&toolbox, provider, Arc::new(host), desk)?;
        let mut builder = builder.phase_of(modes.phase()).events(sender);
        let mut title = String::new();
        if let Some(kept) = kept {
            title.clone_from(&kept.title);
            builder = kept.resumed(builder)?;
        }
        let agent = builder.build();
        let telling = SessionNotifier::new(toolbox.clone(), redactor, beside);
        #[cfg(feature = "watch")]
        let watch = toolbox.watch(|name| std::env::var(name).ok());
        let talk = Self {
            toolbox,
            agent,
            events,
            questions,
            running,
            telling,
            title,
            held,
            unsaved: None,
            #[cfg(feature = "watch")]
            _watch: watch,
        };
        Ok((talk, modes))
    }

    pub(super) fn session(&self) -> SessionId {
        self.toolbox.context().session().clone()
    }

    pub(super) fn patience(&self) -> Duration {
        self.toolbox.config().acp.patience()
    }

    pub(super) fn terminal_use(&self) -> TerminalUse {
        self.toolbox.config().acp.terminal
    }

    /// Keeps the conversation, so that it can go on later; the reason where that failed and the
    /// conversation may not go on unsaved.
    async fn keep(&mut self, task: &str, watch: &Watch) -> Result<(), String> {
        if self.title.is_empty() {
            self.title = KeptSession::title_of(task);
            watch.tell(SessionEvent::Titled { title: self.title.clone() }).await;
        }
        let kept = self.held.keep(&KeptSession::of(&self.toolbox, &self.agent, &self.title)).await;
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
impl Conversation for Talk {
    async fn prompt(&mut self, task: &str, watch: &Watch, cancel: &CancellationToken) -> PromptEnd {
        if let Some(before) = self.unsaved.clone()
            && let Err(problem) = self.keep(&before, watch).await
        {
            return PromptEnd::Failed(problem);
        }
        let Self { agent, events, questions, running: calls, telling, .. } = self;
        // The agent works on while a slow editor is told: what it started is still called off in
        // time.
        let over = CancellationToken::new();
        let running = async {
            let turn = agent.run_until(task, cancel).await;
            over.cancel();
            turn
        };
        let told = tell(events, questions, calls, telling, watch, &over);
        let (turn, ()) = tokio::join!(running, told);
        let notice = match &turn.stop {
            Stop::Cancelled | Stop::Provider { .. } => String::new(),
            stop => stop.notice(),
        };
        for happening in telling.ended(&turn.text, &notice) {
            watch.tell(happening).await;
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
        let session = self.session();
        self.toolbox.end_jobs(&session).await;
        self.toolbox.end_session(&session);
        self.held.release().await;
    }
}

/// Tells what happens until the turn is over and nothing is left to tell. Questions come after what
/// was told before them.
async fn tell(
    events: &mut mpsc::Receiver<AgentEvent>,
    questions: &mut mpsc::Receiver<PendingQuestion>,
    calls: &RunningCalls,
    telling: &mut SessionNotifier,
    watch: &Watch,
    over: &CancellationToken,
) {
    let mut printed = interval(PRINTED);
    printed.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            Some(event) = events.recv() => {
                for happening in telling.happenings(event) {
                    watch.tell(happening).await;
                }
            }
            Some(asked) = questions.recv() => ask(asked, watch),
            call = watch.was_closed() => calls.cancel(&call),
            () = over.cancelled() => return,
            _ = printed.tick() => watch.flush().await,
        }
    }
}

/// Puts a question to the editor. It is withdrawn when nobody waits for the answer any more.
fn ask(asked: PendingQuestion, watch: &Watch) {
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
