//! Events of a running call.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::{CallId, Clock, ConfirmPrompt, Location, SystemClock, ToolKind, ToolName};

/// Something that happened to a call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolEvent {
    /// The call it happened to.
    pub call: CallId,
    /// When.
    pub at: Timestamp,
    /// What.
    pub kind: EventKind,
}

/// Event of a call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum EventKind {
    /// The call was accepted and goes through the layers.
    Started {
        /// The tool.
        tool: ToolName,
        /// Kind of the tool.
        kind: ToolKind,
        /// Title for a person.
        title: String,
        /// Places that the call is about.
        locations: Vec<Location>,
    },
    /// The call printed something.
    Output {
        /// Stream that it printed to.
        stream: OutputStream,
        /// The printed text.
        text: String,
        /// Number of earlier events that were dropped because the consumer was too slow.
        dropped_before: u64,
    },
    /// The call made progress.
    Progress {
        /// Progress so far.
        done: u64,
        /// Amount at completion; `None` if unknown.
        total: Option<u64>,
        /// A few words for a person.
        message: String,
    },
    /// A person is asked.
    ConfirmationRequested(Box<ConfirmPrompt>),
    /// The changes of the call were undone.
    Rollback {
        /// Files restored.
        restored: u64,
        /// New files removed.
        deleted: u64,
    },
    /// Something about the call is unusual, although it continued. Sent before `Finished`, once for
    /// each warning.
    Warned {
        /// Message for the model and a person.
        text: String,
    },
    /// The result is recorded and returned to the caller.
    Finished {
        /// Status at the end.
        status: CallStatus,
        /// The text the model gets.
        display: String,
        /// Places that the call was about.
        locations: Vec<Location>,
        /// The structured result.
        raw_response: Option<Value>,
    },
}

/// One of a command's two streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Status of a call at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// With an output.
    Completed,
    /// With an error.
    Failed,
    /// Nobody waited for the result any more.
    Cancelled,
}

/// Takes events. Called by [`EventSink`]; implemented by channels and by layers that redact a
/// stream.
#[async_trait]
pub trait EventConsumer: Send + Sync {
    /// Takes an event if possible at once; `false` if it was dropped.
    fn offer(&self, event: ToolEvent) -> bool;
    /// Takes an event, waiting for room; returns at once if nobody listens any more.
    async fn deliver(&self, event: ToolEvent);
}

#[async_trait]
impl EventConsumer for mpsc::Sender<ToolEvent> {
    fn offer(&self, event: ToolEvent) -> bool {
        self.try_send(event).is_ok()
    }

    async fn deliver(&self, event: ToolEvent) {
        // An error means that the receiver is gone.
        let _ = self.send(event).await;
    }
}

/// Receiver of the events of a call.
///
/// Output and progress never block a tool: what is not taken in time is dropped and counted.
#[derive(Clone)]
pub struct EventSink(Option<BoundSink>);

#[derive(Clone)]
struct BoundSink {
    consumer: Arc<dyn EventConsumer>,
    clock: Arc<dyn Clock>,
    call: Option<CallId>,
    dropped: Arc<AtomicU64>,
}

impl EventSink {
    /// Drops everything, at no cost.
    pub fn none() -> Self {
        Self(None)
    }

    /// Sends to `consumer` with the machine's time.
    pub fn new(consumer: impl EventConsumer + 'static) -> Self {
        Self::with_clock(Arc::new(consumer), Arc::new(SystemClock))
    }

    /// Sends to `consumer` with the time of `clock`.
    pub fn with_clock(consumer: Arc<dyn EventConsumer>, clock: Arc<dyn Clock>) -> Self {
        Self(Some(BoundSink { consumer, clock, call: None, dropped: Arc::default() }))
    }

    /// A sink into a bounded channel of `capacity` events, and its other end.
    pub fn channel(capacity: usize) -> (Self, mpsc::Receiver<ToolEvent>) {
        let (sender, receiver) = mpsc::channel(capacity.max(1));
        (Self::new(sender), receiver)
    }

    /// Whether anyone listens: for tools that have to do extra work for an event.
    pub fn is_live(&self) -> bool {
        self.0.is_some()
    }

    /// Puts another consumer in front: for layers that watch or redact the events of a call.
    pub fn through(&self, front: impl FnOnce(Arc<dyn EventConsumer>) -> Arc<dyn EventConsumer>) -> Self {
        Self(self.0.clone().map(|bound| BoundSink { consumer: front(Arc::clone(&bound.consumer)), ..bound }))
    }

    /// Reports output of the call.
    pub fn output(&self, stream: OutputStream, text: impl Into<String>) {
        let Some(bound) = &self.0 else { return };
        let dropped_before = bound.dropped.swap(0, Ordering::Relaxed);
        let kind = EventKind::Output { stream, text: text.into(), dropped_before };
        if !bound.offer(kind) {
            bound.dropped.fetch_add(dropped_before + 1, Ordering::Relaxed);
        }
    }

    /// Reports progress of the call.
    pub fn progress(&self, done: u64, total: Option<u64>, message: impl Into<String>) {
        let Some(bound) = &self.0 else { return };
        if !bound.offer(EventKind::Progress { done, total, message: message.into() }) {
            bound.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Sends an event that must not be lost, waiting for room.
    pub async fn send(&self, kind: EventKind) {
        if let Some(bound) = &self.0
            && let Some(event) = bound.event(kind)
        {
            bound.consumer.deliver(event).await;
        }
    }

    /// Sends an event that must not be lost where awaiting is impossible (a destructor); best
    /// effort.
    pub(crate) fn send_now(&self, kind: EventKind) {
        if let Some(bound) = &self.0 {
            bound.offer(kind);
        }
    }

    pub(crate) fn bound_to(&self, call: &CallId) -> Self {
        Self(self.0.as_ref().map(|bound| BoundSink {
            call: Some(call.clone()),
            dropped: Arc::default(),
            ..bound.clone()
        }))
    }
}

impl BoundSink {
    /// `None` outside a call, since every event belongs to one.
    fn event(&self, kind: EventKind) -> Option<ToolEvent> {
        self.call.clone().map(|call| ToolEvent { call, at: self.clock.now(), kind })
    }

    fn offer(&self, kind: EventKind) -> bool {
        self.event(kind).is_none_or(|event| self.consumer.offer(event))
    }
}

impl fmt::Debug for EventSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EventSink").field(&self.is_live()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_full_channel_drops_output_and_says_how_much() {
        let (sink, mut events) = EventSink::channel(1);
        let sink = sink.bound_to(&CallId::generate());
        for text in ["one", "two", "three"] {
            sink.output(OutputStream::Stdout, text);
        }
        let seen = |event: ToolEvent| match event.kind {
            EventKind::Output { text, dropped_before, .. } => (text, dropped_before),
            other => (format!("{other:?}"), 0),
        };
        assert_eq!(seen(events.recv().await.unwrap()), ("one".to_owned(), 0));
        sink.output(OutputStream::Stdout, "four");
        assert_eq!(seen(events.recv().await.unwrap()), ("four".to_owned(), 2));
    }

    #[tokio::test]
    async fn a_receiver_that_is_gone_holds_nobody_up() {
        let (sink, events) = EventSink::channel(1);
        drop(events);
        let sink = sink.bound_to(&CallId::generate());
        sink.output(OutputStream::Stderr, "x");
        sink.send(EventKind::Rollback { restored: 1, deleted: 0 }).await;
    }
}
