//! Events of a turn as one ordered stream. Terminals, editors and protocols display what they need
//! of it.

use std::fmt;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::mpsc;
use tools_core::{CallId, EventConsumer, EventSink, Locked as _, ToolEvent};
use tools_providers::{Delta, Usage};

use crate::{CompressionStrategy, Stop};

/// Something that happened in a turn.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of a variant says what its only fields are")]
pub enum AgentEvent {
    /// A turn began. The first has number 1.
    TurnStarted { turn: u64 },
    /// A request is sent to the model.
    Requested {
        /// Number of the iteration in the turn, from 1.
        iteration: u32,
        /// Number of its tokens, as far as known.
        tokens: u64,
        /// Maximum number of tokens; `None` for no limit.
        limit: Option<u64>,
    },
    /// A part of the text of an answer. All parts together are the text.
    Text { text: String },
    /// A part of the thoughts before an answer.
    Thinking { text: String },
    /// A request failed and is repeated.
    Retrying { problem: String },
    /// The model answered.
    Replied {
        /// Usage of the request.
        usage: Usage,
        /// Its price in millionths; `None` if prices are unknown.
        millionths: Option<u64>,
        /// Number of requested calls.
        calls: usize,
    },
    /// The model requested a call. `id` pairs it with its result in the conversation; `params` is
    /// `None` if what the model wrote is invalid.
    Called { call: CallId, id: String, tool: String, params: Option<Value> },
    /// An event of a call that runs through the layers.
    Tool(ToolEvent),
    /// A call has its result.
    Answered {
        /// The call.
        call: CallId,
        /// Identifier that pairs it with its result in the conversation.
        id: String,
        /// The tool.
        tool: String,
        /// Whether it failed.
        is_error: bool,
        /// The code of the failure.
        code: Option<&'static str>,
        /// The text that the model reads.
        text: String,
    },
    /// Old results were removed from the conversation.
    Cleared { results: usize, bytes: u64 },
    /// A number of messages was replaced by a summary. `before` and `after` are the tokens of the
    /// whole conversation, as far as known.
    Compacted { strategy: CompressionStrategy, messages: usize, before: u64, after: u64 },
    /// A warning for a person; the turn continues.
    Warned { text: String },
    /// The turn ended.
    TurnEnded { stop: Stop },
}

/// Receiver of an agent's events. Clones share one stream.
#[derive(Clone, Default)]
pub struct AgentEvents(Option<Arc<Stream>>);

struct Stream {
    sender: mpsc::Sender<AgentEvent>,
    /// Text that did not fit into the queue yet: it is sent with the next part.
    waiting: Mutex<String>,
}

impl AgentEvents {
    /// Drops everything.
    pub fn none() -> Self {
        Self::default()
    }

    /// Creates a stream with a queue of at most `capacity` events, and its receiver. The receiver
    /// must be read while the turn runs: the turn waits for space. Output and progress of tools do
    /// not wait; what does not fit is dropped and counted.
    pub fn channel(capacity: usize) -> (Self, mpsc::Receiver<AgentEvent>) {
        let (sender, receiver) = mpsc::channel(capacity.max(1));
        (Self(Some(Arc::new(Stream { sender, waiting: Mutex::default() }))), receiver)
    }

    /// Sends an event, waiting for space.
    pub(crate) async fn send(&self, event: AgentEvent) {
        if let Some(stream) = &self.0 {
            let waiting = std::mem::take(&mut *stream.waiting());
            if !waiting.is_empty() {
                let _ = stream.sender.send(AgentEvent::Text { text: waiting }).await;
            }
            // An error means that the receiver is gone.
            let _ = stream.sender.send(event).await;
        }
    }

    /// Sends a part of an answer, as soon as there is space.
    pub(crate) fn delta(&self, delta: Delta<'_>) {
        let Some(stream) = &self.0 else { return };
        match delta {
            Delta::Text(text) => {
                let mut waiting = stream.waiting();
                waiting.push_str(text);
                match stream.sender.try_reserve() {
                    Ok(room) => room.send(AgentEvent::Text { text: std::mem::take(&mut *waiting) }),
                    Err(mpsc::error::TrySendError::Closed(())) => waiting.clear(),
                    Err(mpsc::error::TrySendError::Full(())) => {}
                }
            }
            Delta::Thinking(text) => {
                let _ = stream.sender.try_send(AgentEvent::Thinking { text: text.to_owned() });
            }
            _ => {}
        }
    }

    /// A sink for events of calls; they are added to the same stream.
    pub(crate) fn tools(&self) -> EventSink {
        match &self.0 {
            Some(stream) => EventSink::new(Forward(Arc::clone(stream))),
            None => EventSink::none(),
        }
    }
}

impl Stream {
    fn waiting(&self) -> std::sync::MutexGuard<'_, String> {
        self.waiting.locked()
    }
}

impl fmt::Debug for AgentEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AgentEvents").field(&self.0.is_some()).finish()
    }
}

struct Forward(Arc<Stream>);

#[async_trait]
impl EventConsumer for Forward {
    fn offer(&self, event: ToolEvent) -> bool {
        self.0.sender.try_send(AgentEvent::Tool(event)).is_ok()
    }

    async fn deliver(&self, event: ToolEvent) {
        let _ = self.0.sender.send(AgentEvent::Tool(event)).await;
    }
}
