//! What happens in a turn, as one ordered stream: terminals, editors and protocols show what they
//! take from it.

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
    /// A turn began; the first is 1.
    TurnStarted { turn: u64 },
    /// A request goes to the model.
    Requested {
        /// Number of the iteration in the turn, from 1.
        iteration: u32,
        /// Number of its tokens, as far as it is known.
        tokens: u64,
        /// Maximum number of tokens; `None` for no limit.
        limit: Option<u64>,
    },
    /// A part of the text of an answer. The parts of an answer together are its text.
    Text { text: String },
    /// A part of the thoughts before an answer.
    Thinking { text: String },
    /// A request failed and is repeated.
    Retrying { problem: String },
    /// The model answered.
    Replied {
        /// Usage of the request.
        usage: Usage,
        /// Its price in money, in millionths; `None` where no prices are known.
        millionths: Option<u64>,
        /// Number of requested calls.
        calls: usize,
    },
    /// The model wants a call made. `id` pairs it with its result in the conversation; `params` are
    /// `None` where what the model wrote are none.
    Called { call: CallId, id: String, tool: String, params: Option<Value> },
    /// Something happened to a call that goes through the layers.
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
    /// Old results were taken out of the conversation.
    Cleared { results: usize, bytes: u64 },
    /// A part of the conversation, so many messages, became a summary. `before` and `after` are the
    /// tokens of the whole, as far as is known.
    Compacted { strategy: CompressionStrategy, messages: usize, before: u64, after: u64 },
    /// Something a person should hear of, although the turn goes on.
    Warned { text: String },
    /// The turn ended.
    TurnEnded { stop: Stop },
}

/// Receiver of an agent's events. Clones share one stream.
#[derive(Clone, Default)]
pub struct AgentEvents(Option<Arc<Stream>>);

struct Stream {
    sender: mpsc::Sender<AgentEvent>,
    /// Text that found no room yet: it goes with the next.
    waiting: Mutex<String>,
}

impl AgentEvents {
    /// Drops everything.
    pub fn none() -> Self {
        Self::default()
    }

    /// A stream of at most `capacity` events that wait, and its other end. Whoever holds that takes
    /// the events while the turn runs: the turn waits for room. Output and progress of tools do not
    /// wait; what finds no room is dropped and counted.
    pub fn channel(capacity: usize) -> (Self, mpsc::Receiver<AgentEvent>) {
        let (sender, receiver) = mpsc::channel(capacity.max(1));
        (Self(Some(Arc::new(Stream { sender, waiting: Mutex::default() }))), receiver)
    }

    /// Sends an event, waiting for room.
    pub(crate) async fn send(&self, event: AgentEvent) {
        if let Some(stream) = &self.0 {
            let waiting = std::mem::take(&mut *stream.waiting());
            if !waiting.is_empty() {
                let _ = stream.sender.send(AgentEvent::Text { text: waiting }).await;
            }
            // An error means that nobody listens any more.
            let _ = stream.sender.send(event).await;
        }
    }

    /// Sends a part of an answer, as soon as there is room.
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

    /// A sink for the events of calls: they come in the same stream.
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
