//! The terminals of a session: which calls are shown, and their output.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tools_core::{CallId, Locked as _, ToolKind, visible_lines};

use super::Viewer;
use super::display::{Script, Terminal};
use crate::{SessionEvent, calls::Calls, rpc::Peer};

/// Maximum number of texts queued for one viewer.
const MAX_WAITING_TEXTS: usize = 512;
/// Time limit for the viewer of an ended call to print the rest.
const SHOWING: Duration = Duration::from_secs(2);

/// The terminals of a session.
pub(crate) struct Displays {
    peer: Peer,
    session: Arc<str>,
    workdir: Arc<Path>,
    calls: Arc<Mutex<Calls>>,
    /// `None` if terminals are not used.
    viewer: Option<Arc<Viewer>>,
    state: Mutex<State>,
    closed: mpsc::UnboundedSender<CallId>,
    /// Calls whose terminal the person closed.
    was_closed: tokio::sync::Mutex<mpsc::UnboundedReceiver<CallId>>,
}

#[derive(Default)]
struct State {
    /// Running calls of commands.
    commands: HashSet<CallId>,
    displays: HashMap<CallId, Display>,
}

/// A call's terminal, as used by the sender of events.
struct Display {
    text: mpsc::Sender<String>,
    /// Number of texts dropped because the viewer was too slow.
    missing: usize,
    end: oneshot::Sender<u8>,
    shown: oneshot::Receiver<()>,
    told: oneshot::Sender<()>,
}

impl Displays {
    pub(crate) fn new(
        peer: Peer,
        session: Arc<str>,
        workdir: &Path,
        calls: Arc<Mutex<Calls>>,
        viewer: Option<Viewer>,
    ) -> Self {
        let (closed, was_closed) = mpsc::unbounded_channel();
        Self {
            peer,
            session,
            workdir: Arc::from(workdir),
            calls,
            viewer: viewer.map(Arc::new),
            state: Mutex::default(),
            closed,
            was_closed: tokio::sync::Mutex::new(was_closed),
        }
    }

    /// Handles an event before it is sent to the client. At the end of a call this waits briefly
    /// for its viewer to print the rest; the terminal is released when the returned value is
    /// dropped.
    pub(crate) async fn before(&self, event: &SessionEvent) -> Option<oneshot::Sender<()>> {
        self.viewer.as_ref()?;
        match event {
            SessionEvent::Started { call, kind: ToolKind::Execute, .. } => {
                self.state.locked().commands.insert(call.clone());
            }
            SessionEvent::Printed { call, text } => self.print(call, text),
            SessionEvent::Answered { call, is_error, .. } => return self.end(call, u8::from(*is_error)).await,
            _ => {}
        }
        None
    }

    /// Ends the displays of calls whose end was not sent.
    pub(crate) fn close(&self) {
        // Dropping them ends their viewers.
        *self.state.locked() = State::default();
    }

    /// The next call whose terminal the person closed.
    pub(crate) async fn was_closed(&self) -> CallId {
        match self.was_closed.lock().await.recv().await {
            Some(call) => call,
            None => std::future::pending().await,
        }
    }

    fn print(&self, call: &CallId, text: &str) {
        let mut state = self.state.locked();
        if !state.displays.contains_key(call) {
            if !state.commands.remove(call) {
                return;
            }
            let Some(viewer) = self.viewer.clone() else { return };
            state.displays.insert(call.clone(), self.open(call, viewer));
        }
        if let Some(display) = state.displays.get_mut(call) {
            display.print(text);
        }
    }

    fn open(&self, call: &CallId, viewer: Arc<Viewer>) -> Display {
        let (text, texts) = mpsc::channel(MAX_WAITING_TEXTS);
        let ((end, ended), (shown, was_shown), (told, was_told)) =
            (oneshot::channel(), oneshot::channel(), oneshot::channel());
        let terminal = Terminal {
            peer: self.peer.clone(),
            session: Arc::clone(&self.session),
            calls: Arc::clone(&self.calls),
            viewer,
            workdir: Arc::clone(&self.workdir),
            call: call.clone(),
            closed: self.closed.clone(),
        };
        let script = Script { text: texts, end: ended, shown, told: was_told };
        tokio::spawn(terminal.run(script));
        Display { text, missing: 0, end, shown: was_shown, told }
    }

    async fn end(&self, call: &CallId, code: u8) -> Option<oneshot::Sender<()>> {
        let display = {
            let mut state = self.state.locked();
            state.commands.remove(call);
            state.displays.remove(call)?
        };
        let Display { end, shown, told, .. } = display;
        let _ = end.send(code);
        let _ = timeout(SHOWING, shown).await;
        Some(told)
    }
}

impl Display {
    fn print(&mut self, text: &str) {
        // Output of a command must not control the client's terminal.
        let mut text = visible_lines(text).into_owned();
        if self.missing > 0 {
            text.insert_str(0, &format!("\n[{} pieces of output are not shown here]\n", self.missing));
        }
        match self.text.try_send(text) {
            Ok(()) => self.missing = 0,
            Err(_) => self.missing += 1,
        }
    }
}
