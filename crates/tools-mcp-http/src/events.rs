//! Keeps the last events of a session, so that a client whose connection broke can get what it
//! missed, even if its call has ended in the meantime.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures_util::stream;
use rmcp::{
    model::ServerJsonRpcMessage,
    transport::streamable_http_server::session::{EventId, EventStore, EventStoreError, EventStream, ServerSseMessage},
};
use tokio::sync::Notify;
use tools_core::Locked as _;

/// Time for which an event is kept; the next constant limits their number.
const KEPT: Duration = Duration::from_mins(1);
const MOST: usize = 64;

/// The events of one session, shared with the streams that read them.
#[derive(Debug, Clone, Default)]
pub(crate) struct SessionEvents(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    log: Mutex<Log>,
    more: Notify,
}

#[derive(Debug, Default)]
struct Log {
    /// The number of the last event.
    last: u64,
    events: VecDeque<LoggedEvent>,
    /// Streams whose answer is still to come.
    open: HashSet<String>,
}

#[derive(Debug)]
struct LoggedEvent {
    stream: String,
    number: u64,
    at: Instant,
    event: ServerSseMessage,
}

impl Log {
    fn add(&mut self, stream: &str, event: &ServerSseMessage, now: Instant) -> EventId {
        while self.events.len() >= MOST || self.events.front().is_some_and(|kept| now - kept.at > KEPT) {
            self.events.pop_front();
        }
        self.last += 1;
        let id = format!("{}/{stream}", self.last);
        let mut event = event.clone();
        event.event_id = Some(id.clone());
        if ends(&event) {
            self.open.remove(stream);
        } else {
            self.open.insert(stream.to_owned());
        }
        self.events.push_back(LoggedEvent { stream: stream.to_owned(), number: self.last, at: now, event });
        id
    }

    /// The next event of a stream after a number.
    fn after(&self, stream: &str, number: u64) -> Option<&LoggedEvent> {
        self.events.iter().find(|kept| kept.number > number && kept.stream == stream)
    }

    fn has(&self, stream: &str) -> bool {
        self.open.contains(stream) || self.after(stream, 0).is_some()
    }
}

/// Whether an event is the answer, after which its stream ends.
fn ends(event: &ServerSseMessage) -> bool {
    matches!(event.message.as_deref(), Some(ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_)))
}

/// The event is unknown, or no longer kept.
#[derive(Debug, thiserror::Error)]
#[error("there is no such event, or it was sent too long ago")]
struct UnknownEvent;

#[async_trait]
impl EventStore for SessionEvents {
    async fn store_event(&self, stream_id: &str, event: &ServerSseMessage) -> Result<EventId, EventStoreError> {
        let id = self.0.log.locked().add(stream_id, event, Instant::now());
        self.0.more.notify_waiters();
        Ok(id)
    }

    /// Events after the given one, including future ones, up to the answer.
    async fn replay_events_after(&self, last_event_id: &str) -> Result<EventStream, EventStoreError> {
        let (number, stream) = last_event_id.split_once('/').ok_or(UnknownEvent)?;
        let number: u64 = number.parse().map_err(|_| UnknownEvent)?;
        if !self.0.log.locked().has(stream) {
            return Err(UnknownEvent.into());
        }
        let from = (Arc::clone(&self.0), stream.to_owned(), number);
        Ok(Box::pin(stream::unfold(from, |(shared, stream, number)| async move {
            loop {
                let more = shared.more.notified();
                let next = {
                    let log = shared.log.locked();
                    let next = log.after(&stream, number).map(|kept| (kept.event.clone(), kept.number));
                    if next.is_none() && !log.open.contains(&stream) {
                        return None;
                    }
                    next
                };
                match next {
                    Some((event, number)) => {
                        drop(more);
                        return Some((event, (shared, stream, number)));
                    }
                    None => more.await,
                }
            }
        })))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt as _;
    use serde_json::{Value, json};

    use super::*;

    fn event(message: &Value) -> ServerSseMessage {
        ServerSseMessage::from_message(serde_json::from_value(message.clone()).unwrap())
    }

    fn note(text: &str) -> ServerSseMessage {
        event(&json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": text}}))
    }

    fn answer() -> ServerSseMessage {
        event(&json!({"jsonrpc": "2.0", "id": 1, "result": {}}))
    }

    fn number(event: &ServerSseMessage) -> Option<&str> {
        event.event_id.as_deref()?.split('/').next()
    }

    #[tokio::test]
    async fn what_was_missed_comes_and_what_is_still_to_come() {
        let events = SessionEvents::default();
        let first = events.store_event("a", &note("1")).await.unwrap();
        events.store_event("b", &note("2")).await.unwrap();
        events.store_event("a", &note("3")).await.unwrap();
        let mut again = events.replay_events_after(&first).await.unwrap();
        assert_eq!(number(&again.next().await.unwrap()), Some("3"), "the stream of the event alone");
        let (next, ()) = tokio::join!(again.next(), async {
            events.store_event("a", &answer()).await.unwrap();
        });
        assert_eq!(number(&next.unwrap()), Some("4"));
        assert!(again.next().await.is_none(), "the answer is the last");
        let late: Vec<_> = events.replay_events_after(&first).await.unwrap().collect().await;
        assert_eq!(late.iter().filter_map(number).collect::<Vec<_>>(), ["3", "4"], "also when it has come");
        for unknown in ["", "1", "x/a", "1/c", "1/"] {
            assert!(events.replay_events_after(unknown).await.is_err(), "{unknown}");
        }
    }

    #[test]
    fn events_are_kept_for_a_minute_and_only_so_many() {
        let mut log = Log::default();
        let begun = Instant::now();
        log.add("a", &answer(), begun);
        log.add("b", &note("1"), begun + KEPT);
        assert!(log.has("a"));
        log.add("b", &note("2"), begun + KEPT + Duration::from_millis(1));
        assert!(!log.has("a") && log.has("b"));
        for _ in 0..2 * MOST {
            log.add("c", &note("x"), begun + KEPT);
        }
        assert_eq!(log.events.len(), MOST);
        assert!(log.has("b"), "its answer is still to come");
    }
}
