//! Host of an agent in an editor. It also collects what the editor shows besides a result's text,
//! and the questions about calls, each with its call.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tools_core::{
    Absence, Answer, CallContext, CallId, ConfirmPrompt, Confirmer, FileDiff, Invocation, Location, Locked as _, Media,
    RecordedResult, ToolCall, ToolDef, ToolDefs, ToolError, ToolName,
};

use crate::ToolHost;

/// Maximum number of waiting questions.
const MAX_WAITING: usize = 16;

/// A question about a call.
pub(super) struct PendingQuestion {
    pub(super) call: CallId,
    pub(super) prompt: ConfirmPrompt,
    pub(super) answer: oneshot::Sender<Answer>,
}

/// What an editor shows of a result besides its text.
#[derive(Debug, Default)]
pub(super) struct ResultExtras {
    pub(super) diff: Option<FileDiff>,
    pub(super) media: Vec<Media>,
    pub(super) locations: Vec<Location>,
}

/// Extras of results, stored until the results are sent. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct PendingExtras(Arc<Mutex<HashMap<CallId, ResultExtras>>>);

/// Running calls, so that each can be cancelled. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct RunningCalls(Arc<Mutex<HashMap<CallId, CancellationToken>>>);

/// A host whose questions go to an editor.
pub(super) struct AcpDesk {
    host: Arc<dyn ToolHost>,
    extras: PendingExtras,
    running: RunningCalls,
    questions: mpsc::Sender<PendingQuestion>,
    /// Questions are asked one after the other: a person reads one at a time, and each has its full
    /// time limit.
    turn: tokio::sync::Mutex<()>,
    patience: Duration,
}

impl AcpDesk {
    /// Creates the desk of a session, and the receiver of its questions.
    pub(super) fn new(
        host: Arc<dyn ToolHost>,
        patience: Duration,
    ) -> (Self, PendingExtras, mpsc::Receiver<PendingQuestion>) {
        let (questions, asked) = mpsc::channel(MAX_WAITING);
        let extras = PendingExtras::default();
        let turn = tokio::sync::Mutex::default();
        let running = RunningCalls::default();
        (Self { host, extras: extras.clone(), running, questions, turn, patience }, extras, asked)
    }

    /// The running calls of this desk.
    pub(super) fn running(&self) -> RunningCalls {
        self.running.clone()
    }
}

impl RunningCalls {
    /// Cancels a call; does nothing if it is not running.
    pub(super) fn cancel(&self, call: &CallId) {
        if let Some(token) = self.0.locked().get(call) {
            token.cancel();
        }
    }

    /// The same context, in which this call can be cancelled separately while the second value
    /// lives.
    fn enter(&self, call: &CallId, cx: &CallContext) -> (CallContext, RunningCall<'_>) {
        let token = cx.cancel().child_token();
        self.0.locked().insert(call.clone(), token.clone());
        (cx.clone().with_cancel(token), RunningCall { running: self, call: call.clone() })
    }
}

/// One entry of [`RunningCalls`].
struct RunningCall<'a> {
    running: &'a RunningCalls,
    call: CallId,
}

impl Drop for RunningCall<'_> {
    fn drop(&mut self) {
        self.running.0.locked().remove(&self.call);
    }
}

impl PendingExtras {
    pub(super) fn take(&self, call: &CallId) -> ResultExtras {
        self.0.locked().remove(call).unwrap_or_default()
    }

    /// Drops all extras that were not taken.
    pub(super) fn clear(&self) {
        self.0.locked().clear();
    }

    fn put(&self, call: CallId, recorded: &RecordedResult) {
        let output = match &recorded.outcome {
            Ok(output) => Some(output),
            Err(error) => error.output(),
        };
        if let Some(output) = output {
            let (diff, media, locations) = (output.diff.clone(), output.media.clone(), output.locations.clone());
            self.0.locked().insert(call, ResultExtras { diff, media, locations });
        }
    }
}

/// Asks about one call.
struct CallConfirmer<'a> {
    desk: &'a AcpDesk,
    call: CallId,
}

#[async_trait]
impl Confirmer for CallConfirmer<'_> {
    async fn confirm(&self, prompt: &ConfirmPrompt) -> Answer {
        let _turn = self.desk.turn.lock().await;
        let (answer, answered) = oneshot::channel();
        let asked = PendingQuestion { call: self.call.clone(), prompt: prompt.clone(), answer };
        if self.desk.questions.send(asked).await.is_err() {
            return Answer::Nobody(Absence::CannotAsk);
        }
        // The time limit includes the time until the client reads the question.
        match tokio::time::timeout(self.desk.patience, answered).await {
            Ok(answered) => answered.unwrap_or(Answer::Nobody(Absence::CannotAsk)),
            Err(_) => Answer::Nobody(Absence::NoAnswer),
        }
    }
}

#[async_trait]
impl ToolHost for AcpDesk {
    fn context(&self) -> CallContext {
        self.host.context()
    }

    fn offered(&self, cx: &CallContext, text: &str, used: &[ToolName]) -> ToolDefs {
        self.host.offered(cx, text, used)
    }

    fn definition(&self, tool: &ToolName) -> Arc<ToolDef> {
        self.host.definition(tool)
    }

    async fn inspect(&self, call: ToolCall, cx: &CallContext) -> Invocation {
        self.host.inspect(call, cx).await
    }

    async fn call(&self, call: ToolCall, cx: &CallContext, _: &dyn Confirmer) -> RecordedResult {
        let asking = CallConfirmer { desk: self, call: call.id.clone() };
        let (cx, _running) = self.running.enter(&call.id, cx);
        let recorded = self.host.call(call, &cx, &asking).await;
        self.extras.put(asking.call, &recorded);
        recorded
    }

    fn reserve(&self, cx: &CallContext, calls: u64) -> bool {
        self.host.reserve(cx, calls)
    }

    async fn refuse(&self, call: ToolCall, cx: &CallContext, error: ToolError) -> ToolError {
        self.host.refuse(call, cx, error).await
    }

    fn heard(&self, cx: &CallContext, text: &str) {
        self.host.heard(cx, text);
    }
}
