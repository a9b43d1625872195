//! Parts of an agent that stay the same over all its turns.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use tools_core::{
    Answer, CallContext, CallId, CallOrigin, CallPhase, ConfirmPrompt, Confirmer, InvokedAs, Shared as Swapped, Taint,
};
use tools_providers::Provider;

use crate::{AgentEvents, AgentSettings, CompressDesk, Reformat, ToolHost, account::OpenAccounts};

/// A phase that can change during a turn: it applies from the next call on.
pub(crate) type Phases = Swapped<CallPhase>;

/// Parts of an agent.
pub(crate) struct Shared {
    pub(crate) provider: Arc<dyn Provider>,
    /// Model that writes summaries.
    pub(crate) compressor: Arc<dyn Provider>,
    pub(crate) host: Arc<dyn ToolHost>,
    pub(crate) confirmer: OneAtATime,
    pub(crate) settings: AgentSettings,
    pub(crate) reformat: Option<Arc<dyn Reformat>>,
    pub(crate) events: AgentEvents,
    /// Current phase in which the model makes its calls.
    pub(crate) phase: Phases,
    pub(crate) path: Arc<str>,
    pub(crate) desk: CompressDesk,
    /// Accounts of the agents that may work for this one.
    pub(crate) accounts: Vec<Arc<OpenAccounts>>,
    /// The operator's instructions for the model.
    pub(crate) system: String,
    /// Context of the call that this agent works for; `None` for the outermost.
    pub(crate) below: Option<(CallContext, CallId)>,
}

impl Shared {
    /// The context of the calls of a turn.
    pub(crate) fn context(&self, cancel: &CancellationToken) -> CallContext {
        let cx = self.host.context().in_phase(*self.phase.load()).with_cancel(cancel.clone());
        match &self.below {
            Some((parent, call)) => cx
                .in_session(parent.session().clone())
                .in_conversation(parent.conversation().clone())
                .with_workdir(parent.workdir())
                .with_env(parent.env().clone())
                .capped(parent.trust())
                .with_events(parent.events().clone())
                .below(call.clone()),
            None => cx.with_events(self.events.tools()),
        }
    }

    /// Origin of a call within the work of this agent.
    pub(crate) fn origin(&self, turn: u64, invocation: InvokedAs, is_tainted: bool) -> CallOrigin {
        CallOrigin {
            turn,
            agent_path: Arc::clone(&self.path),
            invocation,
            taint: is_tainted.then_some(Taint::Untrusted),
            speculative: None,
            asked: tokio::time::Instant::now(),
        }
    }
}

/// Asks one question after the other: concurrent calls do not ask at once.
pub(crate) struct OneAtATime {
    confirmer: Arc<dyn Confirmer>,
    turn: Mutex<()>,
}

impl OneAtATime {
    pub(crate) fn new(confirmer: Arc<dyn Confirmer>) -> Self {
        Self { confirmer, turn: Mutex::default() }
    }
}

#[async_trait]
impl Confirmer for OneAtATime {
    async fn confirm(&self, prompt: &ConfirmPrompt) -> Answer {
        let _turn = self.turn.lock().await;
        self.confirmer.confirm(prompt).await
    }
}
