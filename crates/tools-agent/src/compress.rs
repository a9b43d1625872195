//! The tool `compress_context`: a model requests a summary of its own conversation. The tool has no
//! access to the conversation; the agent that made the call serves the request while the call runs,
//! and inserts the summary when all calls of the answer have ended.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};
use tools_core::{
    CallContext, CallId, Inspection, Locked as _, Tool, ToolDef, ToolError, ToolErrorCategory, ToolKind, ToolOutput,
    ToolTraits,
};
use tools_providers::{Message, Provider};

use crate::{Compression, CompressionStrategy, MessageSelection, history::render, summarize};

/// Default number of latest messages that a compression keeps.
const USUAL: usize = 6;

/// Summarises the older part of this conversation to make room. The latest messages stay as they
/// are, and so do references to stored output and loaded skills.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompressContextArgs {
    /// What must not be lost.
    focus: Option<String>,
    /// How many of the latest messages stay as they are: 2 to 50, otherwise 6.
    #[schemars(range(min = 2, max = 50))]
    keep_last: Option<usize>,
}

/// Result of the compression.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CompressContextReport {
    /// Names the summary; null where nothing was summarised.
    pub summary_id: Option<String>,
    /// Number of messages that it replaces.
    pub messages_removed: usize,
    /// Tokens of the conversation before, as far as is known.
    pub tokens_before: u64,
    /// Tokens after.
    pub tokens_after: u64,
}

/// Connection between calls of `compress_context` and their agent. Clones share one desk: one
/// belongs to the tool, one to each agent.
#[derive(Debug, Clone, Default)]
pub struct CompressDesk(Arc<Mutex<HashMap<Agent, mpsc::Sender<CompressRequest>>>>);

/// The session and the path of an agent.
type Agent = (String, Arc<str>);

/// The tool `compress_context`.
#[derive(Debug, Clone)]
pub struct CompressContext(CompressDesk);

/// Request of a call of the tool.
#[derive(Debug)]
pub(crate) struct CompressRequest {
    focus: Option<String>,
    pub(crate) keep_last: usize,
    reply: oneshot::Sender<Result<CompressContextReport, ToolError>>,
}

/// Requests of running calls.
pub(crate) struct CompressRequests {
    desk: CompressDesk,
    agent: Agent,
    receiver: mpsc::Receiver<CompressRequest>,
}

impl CompressDesk {
    /// The tool whose calls use this desk.
    pub fn tool(&self) -> CompressContext {
        CompressContext(self.clone())
    }

    /// Receives the requests of an agent's calls from now on.
    pub(crate) fn open(&self, path: &Arc<str>, cx: &CallContext) -> CompressRequests {
        let (sender, receiver) = mpsc::channel(1);
        let agent = (cx.session().as_str().to_owned(), Arc::clone(path));
        self.agents().insert(agent.clone(), sender);
        CompressRequests { desk: self.clone(), agent, receiver }
    }

    fn of(&self, cx: &CallContext) -> Option<mpsc::Sender<CompressRequest>> {
        let path = Arc::clone(&cx.origin()?.agent_path);
        self.agents().get(&(cx.session().as_str().to_owned(), path)).cloned()
    }

    fn agents(&self) -> std::sync::MutexGuard<'_, HashMap<Agent, mpsc::Sender<CompressRequest>>> {
        self.0.locked()
    }
}

impl CompressRequests {
    /// The next request. Waits for ever if there is none.
    pub(crate) async fn next(&mut self) -> CompressRequest {
        match self.receiver.recv().await {
            Some(wish) => wish,
            None => std::future::pending().await,
        }
    }
}

impl Drop for CompressRequests {
    fn drop(&mut self) {
        self.desk.agents().remove(&self.agent);
    }
}

impl Tool for CompressContext {
    type Args = CompressContextArgs;

    fn definition(&self) -> ToolDef {
        let traits = ToolTraits { cacheable: false, idempotent: false, ..ToolTraits::READ_ONLY };
        ToolDef::of::<CompressContextArgs>("compress_context", ToolKind::Think, traits)
            .with_output::<CompressContextReport>()
    }

    async fn inspect(&self, args: &CompressContextArgs, _: &CallContext) -> Result<Inspection, ToolError> {
        keep_last(args)?;
        Ok(Inspection::read_only())
    }

    async fn run(&self, args: CompressContextArgs, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        let keep_last = keep_last(&args)?;
        let (reply, replied) = oneshot::channel();
        let busy = || {
            ToolError::new(
                ToolErrorCategory::PolicyBlocked,
                "compressing",
                "a compression of this conversation is under way",
            )
        };
        let desk = self.0.of(cx).ok_or_else(nobody)?;
        desk.try_send(CompressRequest { focus: args.focus, keep_last, reply }).map_err(|_| busy())?;
        let report = replied.await.map_err(|_| busy())??;
        let text = match &report.summary_id {
            Some(id) => format!(
                "{} messages became the summary {id}: about {} tokens instead of {}",
                report.messages_removed, report.tokens_after, report.tokens_before
            ),
            None => "nothing was removed: the conversation is short already".to_owned(),
        };
        let raw = serde_json::to_value(&report).unwrap_or_default();
        Ok(ToolOutput { raw_response: Some(raw), ..ToolOutput::text(text) })
    }
}

fn keep_last(args: &CompressContextArgs) -> Result<usize, ToolError> {
    match args.keep_last {
        None => Ok(USUAL),
        Some(keep) if (2..=50).contains(&keep) => Ok(keep),
        Some(keep) => Err(ToolError::new(
            ToolErrorCategory::InvalidParameters,
            "keep_last_range",
            format!("`keep_last`: expected 2 to 50, found {keep}"),
        )),
    }
}

fn nobody() -> ToolError {
    ToolError::new(
        ToolErrorCategory::PermanentFailure,
        "no_conversation",
        "there is no conversation of an agent here that could be summarised",
    )
}

impl CompressRequest {
    /// Writes the summary and answers the call. The returned compression is applied later; `None`
    /// if nothing changes.
    pub(crate) async fn serve(
        self,
        provider: Arc<dyn Provider>,
        selected: Option<(MessageSelection, Vec<Arc<Message>>)>,
        tokens: u64,
        cx: CallContext,
    ) -> Option<Compression> {
        let Some((selection, messages)) = selected else {
            let nothing = CompressContextReport {
                summary_id: None,
                messages_removed: 0,
                tokens_before: tokens,
                tokens_after: tokens,
            };
            let _ = self.reply.send(Ok(nothing));
            return None;
        };
        let record = render(&messages, selection.knowledge);
        let written = summarize::conversation(&*provider, &cx, &record, self.focus.as_deref()).await;
        let compressed = written.and_then(|written| {
            let id = CallId::generate().to_string();
            selection
                .summarised(&messages, &written, id, CompressionStrategy::Autonomous)
                .map_err(|none| ToolError::new(ToolErrorCategory::PermanentFailure, "no_gain", none.to_string()))
        });
        let (answer, compression) = match compressed {
            Ok(compression) => {
                let saved = selection.bytes(&messages).saturating_sub(compression.summary.text.len() as u64) / 6;
                let report = CompressContextReport {
                    summary_id: Some(compression.summary.id.clone()),
                    messages_removed: selection.end,
                    tokens_before: tokens,
                    tokens_after: tokens.saturating_sub(saved),
                };
                (Ok(report), Some(compression))
            }
            Err(error) => (Err(error), None),
        };
        // If the call was cancelled, nobody receives the answer, and nothing changes.
        self.reply.send(answer).is_ok().then_some(compression).flatten()
    }
}
