//! The side that answers: listens for questions, hands them to whoever shows them, and carries the
//! choices back.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tools_core::{ConfirmPrompt, Locked as _, Question, in_runtime};

use crate::folder::{Folder, is_ours};
use crate::lines;
use crate::message::{Asker, Choice, QuestionMessage, TakenAnswer, VERSION};

/// Questions that are open at once; further ones wait at the socket.
const MAX_OPEN: usize = 64;
/// How long an asker may take to say its question, or to take a choice.
const PATIENCE: Duration = Duration::from_secs(5);

/// Receives the questions of this user's processes. When it is dropped, it gets no more of them.
#[derive(Debug)]
pub struct QuestionWatch {
    socket: PathBuf,
    events: mpsc::Receiver<Event>,
    open: Open,
    listening: JoinHandle<()>,
}

/// An event of a [`QuestionWatch`].
#[derive(Debug)]
pub enum Event {
    /// A new question.
    Asked(Box<OpenQuestion>),
    /// A question is no longer open.
    Ended {
        /// Number of the question.
        id: u64,
        /// Reason of the end.
        how: EndReason,
    },
}

/// An open question.
#[derive(Debug)]
pub struct OpenQuestion {
    /// Number of the question, unique for this [`QuestionWatch`].
    pub id: u64,
    /// The process that asks.
    pub asker: Asker,
    /// The question. A [`Question`] can always be made of it.
    pub prompt: ConfirmPrompt,
    /// Remaining time for an answer.
    pub left: Duration,
}

/// Reason why a question is no longer open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// The answer given here was taken.
    Taken,
    /// No answer came in time.
    Late,
    /// It was answered elsewhere, its call was cancelled, or the process that asked ended.
    Withdrawn,
}

type Open = Arc<Mutex<HashMap<u64, oneshot::Sender<Choice>>>>;

impl QuestionWatch {
    /// Starts to listen in `folder`, which is created if it does not exist.
    ///
    /// # Errors
    /// If others have access to the folder, or no socket can be created in it;
    /// [`NoRuntime`](tools_core::NoRuntime) outside of a tokio runtime with timers and I/O.
    pub async fn open(folder: &Path) -> io::Result<Self> {
        in_runtime(UnixStream::pair)??;
        let folder = Folder::make(folder)?;
        folder.sweep().await;
        let (listener, socket) = folder.listen()?;
        let (to, events) = mpsc::channel(MAX_OPEN);
        let open = Open::default();
        let listening = tokio::spawn(listen(listener, to, Arc::clone(&open)));
        Ok(Self { socket, events, open, listening })
    }

    /// The next event. Cancel safe.
    pub async fn next(&mut self) -> Option<Event> {
        self.events.recv().await
    }

    /// Answers a question. [`Event::Ended`] reports whether the answer was taken. Does nothing if
    /// the question is no longer open.
    pub fn answer(&self, id: u64, choice: Choice) {
        let asker = self.open.locked().remove(&id);
        if let Some(asker) = asker {
            // An asker that is gone meanwhile has its own event.
            let _ = asker.send(choice);
        }
    }
}

impl Drop for QuestionWatch {
    fn drop(&mut self) {
        self.listening.abort();
        let _ = std::fs::remove_file(&self.socket);
    }
}

async fn listen(listener: UnixListener, events: mpsc::Sender<Event>, open: Open) {
    let (numbers, places) = (AtomicU64::new(0), Arc::new(Semaphore::new(MAX_OPEN)));
    // Dropped, and with it all connections, when the watch is.
    let mut connections = tokio::task::JoinSet::new();
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) if is_ours(&stream).is_ok() => {
                let id = numbers.fetch_add(1, Ordering::Relaxed) + 1;
                let (events, open) = (events.clone(), Arc::clone(&open));
                connections.spawn(async move {
                    carry(id, stream, &events, &open).await;
                    drop(place);
                });
            }
            Ok(_) => {}
            // No descriptors left, for instance: that passes.
            Err(_) => sleep(Duration::from_millis(100)).await,
        }
        while connections.try_join_next().is_some() {}
    }
}

/// One question from its coming to its end.
async fn carry(id: u64, stream: UnixStream, events: &mpsc::Sender<Event>, open: &Open) {
    let (mut read, mut write) = lines::halves(stream);
    let Ok(Ok(Some(asking))) = timeout(PATIENCE, lines::receive::<QuestionMessage>(&mut read)).await else { return };
    // Who asked for more than is shown whole would have been refused by its own question.
    if asking.version != VERSION || Question::of(&asking.prompt).is_err() {
        return;
    }
    let left = Duration::from_millis(asking.left_ms);
    let (to, choice) = oneshot::channel();
    open.locked().insert(id, to);
    let standing = OpenQuestion { id, asker: asking.asker, prompt: asking.prompt, left };
    if events.send(Event::Asked(Box::new(standing))).await.is_err() {
        return;
    }
    let how = tokio::select! {
        Ok(choice) = choice => {
            let said = async {
                lines::send(&mut write, &choice).await?;
                lines::receive::<TakenAnswer>(&mut read).await
            };
            match timeout(PATIENCE, said).await {
                Ok(Ok(Some(TakenAnswer { taken: true }))) => EndReason::Taken,
                _ => EndReason::Withdrawn,
            }
        }
        // The asker says nothing before it has a choice: whatever comes is the end.
        _ = lines::receive::<TakenAnswer>(&mut read) => EndReason::Withdrawn,
        () = sleep(left) => EndReason::Late,
    };
    open.locked().remove(&id);
    let _ = events.send(Event::Ended { id, how }).await;
}
