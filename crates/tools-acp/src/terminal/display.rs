//! One terminal, from the request for it to its release.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, timeout};
use tools_core::{CallId, Locked as _};

use super::{Viewer, frame, link::Link};
use crate::{calls::Calls, rpc::Peer, wire::Update};

/// Time that a command runs before it is shown in a terminal: most have ended by then.
const DELAY: Duration = Duration::from_millis(500);
/// Time limit for the client to create a terminal, and then for the viewer to connect.
const OPENING: Duration = Duration::from_secs(5);
/// Time limit for the viewer to print the rest and exit.
const ENDING: Duration = Duration::from_secs(1);
/// Time limit for the client to release a terminal.
const RELEASING: Duration = Duration::from_secs(5);

/// State of a terminal's task.
pub(super) struct Terminal {
    pub(super) peer: Peer,
    pub(super) session: Arc<str>,
    pub(super) calls: Arc<Mutex<Calls>>,
    pub(super) viewer: Arc<Viewer>,
    pub(super) workdir: Arc<Path>,
    pub(super) call: CallId,
    /// Receives the call whose terminal is closed before its end.
    pub(super) closed: mpsc::UnboundedSender<CallId>,
}

/// Input of a terminal.
pub(super) struct Script {
    /// Output of the call.
    pub(super) text: mpsc::Receiver<String>,
    /// The exit code of the viewer, once the call has ended.
    pub(super) end: oneshot::Receiver<u8>,
    /// Notified when the viewer has printed everything, or there is none.
    pub(super) shown: oneshot::Sender<()>,
    /// Completed when the end of the call was sent to the client.
    pub(super) told: oneshot::Receiver<()>,
}

/// Why the display ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// The call has ended.
    OfCall,
    /// The person closed the terminal, or stopped what runs in it.
    Closed,
}

impl Terminal {
    /// Shows the call in a terminal. If the client creates none in time, or no viewer connects, the
    /// call's content stays text.
    pub(super) async fn run(self, script: Script) {
        let Script { text, mut end, shown, told } = script;
        tokio::select! {
            _ = &mut end => return,
            () = sleep(DELAY) => {}
        }
        let created = {
            let creating = self.create_and_link();
            tokio::pin!(creating);
            tokio::select! {
                biased;
                created = &mut creating => created,
                _ = &mut end => {
                    // The end of the call does not wait for a terminal, which is released once it
                    // exists.
                    drop(shown);
                    return self.release(creating.await.map(|(terminal, _)| terminal), told).await;
                }
            }
        };
        let Some((terminal, viewer)) = created else { return };
        if let Some(viewer) = viewer
            && self.show(&terminal, viewer, text, end).await == Ending::Closed
        {
            // An ended session need not know.
            let _ = self.closed.send(self.call.clone());
        }
        let _ = shown.send(());
        self.release(Some(terminal), told).await;
    }

    async fn release(&self, terminal: Option<String>, told: oneshot::Receiver<()>) {
        let Some(terminal) = terminal else { return };
        // A terminal that a call embeds is released after the call's last update.
        let _ = told.await;
        let params = json!({"sessionId": &*self.session, "terminalId": terminal});
        let _ = self.peer.ask("terminal/release", params, RELEASING).await;
    }

    /// Creates the terminal, and waits for its viewer; `None` if there is no terminal.
    async fn create_and_link(&self) -> Option<(String, Option<UnixStream>)> {
        let link = Link::open().inspect_err(|error| tracing::debug!(%error, "no socket for a viewer")).ok()?;
        let mut arguments: Vec<Value> =
            self.viewer.arguments.iter().map(|argument| argument.to_string_lossy().into()).collect();
        arguments.push(link.name().into());
        let params = json!({
            "sessionId": &*self.session,
            "command": self.viewer.program,
            "args": arguments,
            "cwd": &*self.workdir,
        });
        let created = self.peer.ask("terminal/create", params, OPENING).await;
        let created = created.inspect_err(|error| tracing::debug!(?error, "the client makes no terminal")).ok()?;
        let terminal = created["terminalId"].as_str()?.to_owned();
        let viewer = timeout(OPENING, link.accept()).await.ok().and_then(Result::ok);
        Some((terminal, viewer))
    }

    /// Embeds the terminal in the call and prints to it until the call ends or it is closed.
    async fn show(
        &self,
        terminal: &str,
        mut viewer: UnixStream,
        mut text: mpsc::Receiver<String>,
        mut end: oneshot::Receiver<u8>,
    ) -> Ending {
        let attached = self.calls.locked().attach(&self.call, terminal);
        if let Some(update) = attached {
            self.send(&update).await;
        }
        let (mut from_viewer, mut to_viewer) = viewer.split();
        let mut nothing = [0; 1];
        let code = loop {
            tokio::select! {
                biased;
                Some(text) = text.recv() => {
                    if to_viewer.write_all(&frame::encode_text(&text)).await.is_err() {
                        return Ending::Closed;
                    }
                }
                // A call whose end is never reported counts as failed.
                code = &mut end => break code.unwrap_or(1),
                // A viewer sends nothing, so any event is its end.
                _ = from_viewer.read(&mut nothing) => return Ending::Closed,
            }
        };
        let printed = async {
            to_viewer.write_all(&frame::encode_end(code)).await?;
            // It sends nothing, so this is its end.
            from_viewer.read(&mut nothing).await
        };
        let _ = timeout(ENDING, printed).await;
        Ending::OfCall
    }

    async fn send(&self, update: &Update) {
        self.peer.notify("session/update", json!({"sessionId": &*self.session, "update": update})).await;
    }
}
