//! Sends the events and questions of a conversation to the client, in one order.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tools_core::{Absence, Answer, CallId, ConfirmPrompt, Locked as _};

use crate::{SessionEvent, Viewer, calls::Calls, permission::Permission, rpc::Peer, terminal::Displays, wire::Update};

/// The client's view of one session. Clones share it.
#[derive(Clone)]
pub struct ClientView {
    peer: Peer,
    session: Arc<str>,
    patience: Duration,
    calls: Arc<Mutex<Calls>>,
    displays: Arc<Displays>,
}

impl ClientView {
    /// Creates a view. `notices` says whether the client supports them; with a `viewer`, commands
    /// are shown in terminals.
    pub(crate) fn new(
        peer: Peer,
        session: &str,
        workdir: &Path,
        notices: bool,
        viewer: Option<Viewer>,
        patience: Duration,
    ) -> Self {
        let calls = Arc::new(Mutex::new(Calls::new(workdir.to_owned(), notices)));
        let session: Arc<str> = Arc::from(session);
        let displays = Displays::new(peer.clone(), Arc::clone(&session), workdir, Arc::clone(&calls), viewer);
        Self { peer, session, patience, calls, displays: Arc::new(displays) }
    }

    /// Sends an event, waiting for a slow client. Must be called from one task at a time: the
    /// client gets events in the order of the calls. Output of calls is held back until
    /// [`ClientView::flush`].
    pub async fn tell(&self, event: SessionEvent) {
        let terminal = self.displays.before(&event).await;
        let update = self.calls.locked().update(event);
        if let Some(update) = update {
            self.send(&update).await;
        }
        drop(terminal);
    }

    /// The next call whose terminal the person closed while it ran: it must be cancelled. Waits
    /// while there is none.
    pub async fn was_closed(&self) -> CallId {
        self.displays.was_closed().await
    }

    /// Sends output of calls since the last time. To be called a few times a second while calls
    /// run.
    pub async fn flush(&self) {
        let printed = self.calls.locked().printed();
        for update in printed {
            self.send(&update).await;
        }
    }

    /// Asks the person about a call, whose beginning must have been sent. Returns within the time
    /// limit; a late or missing answer is a refusal.
    pub async fn ask(&self, call: &CallId, prompt: &ConfirmPrompt) -> Answer {
        // A question that cannot be shown completely was refused before.
        let Some(permission) = Permission::new(&self.session, call, prompt) else {
            return Answer::Nobody(Absence::CannotAsk);
        };
        permission.read(self.peer.ask("session/request_permission", permission.params(), self.patience).await)
    }

    /// Sends the end of every call that has none.
    pub(crate) async fn close(&self) {
        self.displays.close();
        let ended = self.calls.locked().close();
        for update in ended {
            self.send(&update).await;
        }
    }

    async fn send(&self, update: &Update) {
        self.peer.notify("session/update", json!({"sessionId": &*self.session, "update": update})).await;
    }
}

tools_core::partial_debug!(ClientView { session });
