//! Where a conversation tells what happens and asks the person: in one order, whatever it tells
//! from.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tools_core::{Absence, Answer, CallId, ConfirmPrompt, Locked as _};

use crate::{SessionEvent, Viewer, calls::Calls, permission::Permission, rpc::Peer, terminal::Displays, wire::Update};

/// The client's view of one session. Clones are the same view.
#[derive(Clone)]
pub struct ClientView {
    peer: Peer,
    session: Arc<str>,
    patience: Duration,
    calls: Arc<Mutex<Calls>>,
    displays: Arc<Displays>,
}

impl ClientView {
    /// The view of a client that shows notices where `notices` says so, and commands in terminals
    /// where there is a `viewer`.
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

    /// Tells what happened, waiting for a client that is slow. To be called from one place after
    /// the other: the order in which things are told is the order in which the client hears of
    /// them. What calls print is held back until [`ClientView::flush`].
    pub async fn tell(&self, happening: SessionEvent) {
        let terminal = self.displays.before(&happening).await;
        let update = self.calls.locked().update(happening);
        if let Some(update) = update {
            self.send(&update).await;
        }
        drop(terminal);
    }

    /// The next call whose terminal the person closed while the call ran: it is to be cancelled.
    /// Waits for as long as there is none.
    pub async fn was_closed(&self) -> CallId {
        self.displays.was_closed().await
    }

    /// Tells what calls printed since the last time: to be called a few times a second while calls
    /// run.
    pub async fn flush(&self) {
        let printed = self.calls.locked().printed();
        for update in printed {
            self.send(&update).await;
        }
    }

    /// Asks the person about a call, which has to be told of before. Returns within the configured
    /// time; an answer that comes later, or none, is a refusal.
    pub async fn ask(&self, call: &CallId, prompt: &ConfirmPrompt) -> Answer {
        // What cannot be shown whole was refused before anybody was asked.
        let Some(permission) = Permission::new(&self.session, call, prompt) else {
            return Answer::Nobody(Absence::CannotAsk);
        };
        permission.read(self.peer.ask("session/request_permission", permission.params(), self.patience).await)
    }

    /// Tells the end of every call that was told of and has none.
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
