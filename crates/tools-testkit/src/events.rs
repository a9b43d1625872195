//! Records the events of a call, in order.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use tools_core::{Clock, EventConsumer, EventKind, EventSink, Locked as _, ToolEvent};

use crate::FakeClock;

/// A sink that keeps every event and never closes. Clones share the list.
#[derive(Debug, Clone, Default)]
pub struct EventLog(Arc<Mutex<Vec<ToolEvent>>>);

impl EventLog {
    /// A sink that writes here with the time of `clock`.
    pub fn sink(&self, clock: &FakeClock) -> EventSink {
        EventSink::with_clock(Arc::new(self.clone()), Arc::new(clock.clone()) as Arc<dyn Clock>)
    }

    /// The events so far.
    pub fn events(&self) -> Vec<ToolEvent> {
        self.0.locked().clone()
    }

    /// One word per event, for comparing lifecycles: `started`, `output`, `finished completed` …
    pub fn words(&self) -> Vec<String> {
        self.events().iter().map(|event| word(&event.kind)).collect()
    }
}

fn word(kind: &EventKind) -> String {
    match kind {
        EventKind::Started { .. } => "started".to_owned(),
        EventKind::Output { .. } => "output".to_owned(),
        EventKind::Progress { .. } => "progress".to_owned(),
        EventKind::ConfirmationRequested(_) => "confirmation_requested".to_owned(),
        EventKind::Rollback { .. } => "rollback".to_owned(),
        EventKind::Finished { status, .. } => format!("finished {status:?}").to_lowercase(),
        _ => "other".to_owned(),
    }
}

#[async_trait]
impl EventConsumer for EventLog {
    fn offer(&self, event: ToolEvent) -> bool {
        self.0.locked().push(event);
        true
    }

    async fn deliver(&self, event: ToolEvent) {
        self.offer(event);
    }
}
