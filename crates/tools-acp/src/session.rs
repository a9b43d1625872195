//! An open session: runs its prompts one after the other, each until it ends or is cancelled.

use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tools_core::Locked as _;

use crate::rpc::{RequestId, RpcError};
use crate::{ClientView, Conversation, Modes, PromptEnd};

/// A queued prompt.
pub(crate) struct QueuedPrompt {
    pub(crate) id: RequestId,
    pub(crate) text: String,
    pub(crate) cancel: CancellationToken,
}

/// An open session, as the connection sees it.
#[derive(Clone)]
pub(crate) struct Session {
    prompts: mpsc::UnboundedSender<QueuedPrompt>,
    /// Cancellation of the running turn; `None` between turns.
    running: Arc<Mutex<Option<CancellationToken>>>,
    pub(crate) modes: Modes,
    /// Cancelled to end the session.
    closing: CancellationToken,
    /// Cancelled when nothing of it is left.
    pub(crate) closed: CancellationToken,
}

/// Runs the turns of a session.
pub(crate) struct Turns {
    prompts: mpsc::UnboundedReceiver<QueuedPrompt>,
    session: Session,
    conversation: Box<dyn Conversation>,
    watch: ClientView,
}

impl Session {
    /// Creates a session and its runner.
    pub(crate) fn new(conversation: Box<dyn Conversation>, modes: Modes, watch: ClientView) -> (Self, Turns) {
        let (sender, prompts) = mpsc::unbounded_channel();
        let session = Self {
            prompts: sender,
            running: Arc::default(),
            modes,
            closing: CancellationToken::new(),
            closed: CancellationToken::new(),
        };
        (session.clone(), Turns { prompts, session, conversation, watch })
    }

    /// Begins a turn.
    ///
    /// # Errors
    /// If a turn is already running.
    pub(crate) fn prompt(&self, id: RequestId, text: String) -> Result<(), RpcError> {
        let mut running = self.running();
        if running.is_some() {
            return Err(RpcError::invalid_request("this session answers another prompt; `session/cancel` ends it"));
        }
        let cancel = self.closing.child_token();
        let gone = |_| RpcError::not_found("this session has ended");
        self.prompts.send(QueuedPrompt { id, text, cancel: cancel.clone() }).map_err(gone)?;
        *running = Some(cancel);
        Ok(())
    }

    /// Cancels the running turn, if any.
    pub(crate) fn cancel(&self) {
        if let Some(cancel) = &*self.running() {
            cancel.cancel();
        }
    }

    /// Ends the session and cancels its turn.
    pub(crate) fn close(&self) {
        self.closing.cancel();
    }

    fn running(&self) -> MutexGuard<'_, Option<CancellationToken>> {
        self.running.locked()
    }
}

impl Turns {
    /// Runs turns until the session ends. `answer` receives the result of each prompt.
    pub(crate) async fn run(mut self, answer: impl Fn(&RequestId, Result<serde_json::Value, RpcError>)) {
        loop {
            let prompted = tokio::select! {
                biased;
                Some(prompted) = self.prompts.recv() => prompted,
                () = self.session.closing.cancelled() => break,
            };
            let ended = self.conversation.prompt(&prompted.text, &self.watch, &prompted.cancel).await;
            self.watch.close().await;
            // The client may send the next prompt as soon as this one is answered.
            *self.session.running() = None;
            // The protocol requires this reason for every cancelled turn, whatever its result.
            let ended = if prompted.cancel.is_cancelled() { PromptEnd::Cancelled } else { ended };
            answer(&prompted.id, result(ended));
        }
        self.conversation.close().await;
        self.session.closed.cancel();
    }
}

fn result(ended: PromptEnd) -> Result<serde_json::Value, RpcError> {
    let reason = match ended {
        PromptEnd::Done => "end_turn",
        PromptEnd::ContextFull => "max_tokens",
        PromptEnd::Limit => "max_turn_requests",
        PromptEnd::Cancelled => "cancelled",
        PromptEnd::Failed(problem) => return Err(RpcError::internal(problem)),
    };
    Ok(json!({"stopReason": reason}))
}
