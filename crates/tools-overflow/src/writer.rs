//! Stores a text while it arrives: splits it and passes the pieces to a task that compresses and
//! stores them. Only a bounded part is in memory.

use tokio::sync::{mpsc, oneshot};
use tools_core::SkippedPart;

use crate::{
    Archive, Facts, Key, LineGap, MissingPart, OverflowError, Reference, StoredOutput,
    archive::mark,
    chunk::{Chunker, Piece, packed},
};

/// Number of pieces stored at once.
const BATCH: usize = 8;
/// Number of batches waiting to be stored before the writer blocks.
const WAITING: usize = 1;

/// Stores one text. Blocks while the store is behind, so it must not run on a runtime's thread. If
/// dropped before its end, it removes what it stored.
#[derive(Debug)]
pub(crate) struct Writer {
    reference: Reference,
    sender: mpsc::Sender<Message>,
    chunker: Chunker,
    batch: Vec<Piece>,
    facts: Facts,
    missing: Option<MissingPart>,
    ends_line: bool,
}

#[derive(Debug)]
enum Message {
    Pieces(Vec<Piece>),
    End(Facts, oneshot::Sender<Result<(), OverflowError>>),
}

impl Writer {
    /// Starts a text of a conversation. Must be called within a runtime, which does the storing.
    pub(crate) fn begin(archive: &Archive, conversation: &str) -> Self {
        let reference = Reference::generate();
        let (sender, receiver) = mpsc::channel(WAITING);
        let task = Task { archive: archive.clone(), conversation: conversation.to_owned(), reference };
        tokio::spawn(task.run(receiver));
        Self {
            reference,
            sender,
            chunker: Chunker::default(),
            batch: Vec::with_capacity(BATCH),
            facts: Facts::default(),
            missing: None,
            ends_line: true,
        }
    }

    /// Stores more of the text.
    pub(crate) fn push(&mut self, text: &str) {
        let Some(last) = text.as_bytes().last() else { return };
        self.ends_line = *last == b'\n';
        self.facts.bytes += text.len() as u64;
        let Self { chunker, batch, sender, .. } = self;
        chunker.push(text.as_bytes(), &mut |piece| {
            batch.push(piece);
            if batch.len() == BATCH {
                // If the receiver is gone, the end reports the error.
                let _ = sender.blocking_send(Message::Pieces(std::mem::take(batch)));
            }
        });
    }

    /// Stores a line that replaces a missing part of the original.
    pub(crate) fn skip(&mut self, part: SkippedPart) {
        if !self.ends_line {
            self.push("\n");
        }
        let first = self.chunker.lines() + 1;
        let last = first + part.lines.max(1) - 1;
        self.push(&mark(first, last, part.bytes));
        self.facts.lost += part.bytes;
        self.facts.gap = Some(LineGap { first, last });
        self.missing = Some(MissingPart { bytes: part.bytes, first, last });
    }

    /// Ends the text. It can be read once this returns.
    ///
    /// # Errors
    /// When the store failed at any time; nothing is stored then.
    pub(crate) fn finish(mut self) -> Result<StoredOutput, OverflowError> {
        let gone = || OverflowError::store("the runtime has ended");
        self.facts.lines = self.chunker.lines() + u64::from(!self.ends_line);
        self.batch.extend(self.chunker.rest());
        let batch = std::mem::take(&mut self.batch);
        self.sender.blocking_send(Message::Pieces(batch)).map_err(|_| gone())?;
        let (sender, receiver) = oneshot::channel();
        self.sender.blocking_send(Message::End(self.facts, sender)).map_err(|_| gone())?;
        receiver.blocking_recv().map_err(|_| gone())??;
        Ok(StoredOutput { reference: self.reference, facts: self.facts, missing: self.missing })
    }
}

struct Task {
    archive: Archive,
    conversation: String,
    reference: Reference,
}

impl Task {
    async fn run(self, mut messages: mpsc::Receiver<Message>) {
        let key = Key { conversation: &self.conversation, reference: self.reference };
        let mut state = self.archive.begin(key).await;
        let mut number = 0;
        while let Some(message) = messages.recv().await {
            match message {
                Message::Pieces(pieces) if state.is_ok() && !pieces.is_empty() => {
                    let count = pieces.len() as u64;
                    state = match tokio::task::spawn_blocking(move || packed(&pieces)).await {
                        Ok(chunks) => self.archive.append(key, number, chunks).await,
                        Err(error) => Err(OverflowError::store(error)),
                    };
                    number += count;
                }
                Message::Pieces(_) => {}
                Message::End(facts, answer) => {
                    if state.is_ok() {
                        state = self.archive.seal(key, facts).await;
                    }
                    if state.is_err() {
                        self.archive.discard(key).await;
                    }
                    let _ = answer.send(state);
                    return;
                }
            }
        }
        // Dropped before its end, so the name was never returned.
        self.archive.discard(key).await;
    }
}
