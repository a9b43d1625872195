//! A bounded queue between a command with long output and the sink that takes it, so that neither
//! waits longer than necessary.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tokio::{sync::Notify, task::JoinHandle};
use tools_core::{Digest, Intake, LineSelection, SkippedPart, TextSink};

use crate::capture::HeadTail;

/// Size in bytes of a block handed on.
const BLOCK: usize = 128 << 10;
/// Number of queued bytes at which the command has to wait.
const FULL: usize = 2 << 20;
/// Maximum number of bytes kept from the end of a text that exceeds the sink's limit.
const TAIL: usize = 1 << 20;

/// A text on its way to a sink on a separate thread. A drop before the end drops the sink.
#[derive(Debug)]
pub(crate) struct Spool {
    queue: Arc<Queue>,
    worker: JoinHandle<Option<Digest>>,
    block: Vec<u8>,
    /// Number of bytes that may still be pushed, not counting the kept end.
    left: u64,
    /// Maximum number of bytes kept from the end.
    tail: usize,
    /// The text beyond the limit.
    beyond: Option<HeadTail>,
}

#[derive(Debug, Default)]
struct Queue {
    state: Mutex<State>,
    /// Notified about a new item or the end.
    came: Condvar,
    /// Notified when an item was taken.
    went: Notify,
}

#[derive(Debug, Default)]
struct State {
    items: VecDeque<Item>,
    bytes: usize,
    end: Option<End>,
    /// Empty blocks for reuse.
    taken: Vec<Vec<u8>>,
}

#[derive(Debug)]
enum Item {
    Block(Vec<u8>),
    Skip(SkippedPart),
}

#[derive(Debug, Clone, Copy)]
enum End {
    /// The text is complete; the exit code of its command.
    Finished(Option<i32>),
    /// The text is no longer wanted.
    Dropped,
}

impl Item {
    fn length(&self) -> usize {
        match self {
            Self::Block(bytes) => bytes.len(),
            Self::Skip(_) => 0,
        }
    }
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, item: Item) {
        let mut state = self.state();
        state.bytes += item.length();
        state.items.push_back(item);
        drop(state);
        self.came.notify_one();
    }

    fn end(&self, end: End) {
        self.state().end = Some(end);
        self.came.notify_one();
    }

    /// The next item, or the end once all have been taken. Blocks.
    fn next(&self) -> Result<Item, End> {
        let mut state = self.state();
        loop {
            if let Some(end @ End::Dropped) = state.end {
                return Err(end);
            }
            if let Some(item) = state.items.pop_front() {
                state.bytes -= item.length();
                drop(state);
                self.went.notify_one();
                return Ok(item);
            }
            if let Some(end) = state.end {
                return Err(end);
            }
            state = self.came.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Passes items to the sink until the end.
fn work(queue: &Queue, mut sink: Box<dyn TextSink>) -> Option<Digest> {
    loop {
        match queue.next() {
            Ok(Item::Block(mut bytes)) => {
                sink.push(&bytes);
                bytes.clear();
                queue.state().taken.push(bytes);
            }
            Ok(Item::Skip(part)) => sink.skip(part),
            Err(End::Finished(exit)) => return Some(sink.finish(exit)),
            Err(End::Dropped) => return None,
        }
    }
}

impl Spool {
    pub(crate) fn open(intake: &dyn Intake) -> Self {
        let queue = Arc::new(Queue::default());
        let sink = intake.open(LineSelection::Text);
        let shared = Arc::clone(&queue);
        let worker = tokio::task::spawn_blocking(move || work(&shared, sink));
        let capacity = intake.capacity();
        let tail = usize::try_from(capacity / 4).unwrap_or(TAIL).min(TAIL);
        let left = capacity - 2 * tail as u64;
        Self { queue, worker, block: Vec::with_capacity(BLOCK), left, tail, beyond: None }
    }

    /// Takes more text. Callers that can wait for [`Spool::room`] first keep the queue short.
    pub(crate) fn push(&mut self, mut bytes: &[u8]) {
        if self.beyond.is_none() && bytes.len() as u64 > self.left {
            let most = usize::try_from(self.left).unwrap_or(usize::MAX);
            // The part beyond the limit begins at a line start, if there is one.
            let cut = memchr::memrchr(b'\n', &bytes[..most]).map_or(most, |at| at + 1);
            self.fill(&bytes[..cut]);
            bytes = &bytes[cut..];
            self.left = 0;
            self.beyond = Some(HeadTail::new(2 * self.tail));
        }
        if let Some(beyond) = &mut self.beyond {
            beyond.push(bytes);
        } else {
            self.left -= bytes.len() as u64;
            self.fill(bytes);
        }
    }

    /// Whether the queue is full for now.
    pub(crate) fn is_full(&self) -> bool {
        self.beyond.is_none() && self.queue.state().bytes >= FULL
    }

    /// Waits until the queue has room. Can be dropped.
    pub(crate) async fn room(&self) {
        while self.is_full() {
            self.queue.went.notified().await;
        }
    }

    /// Ends the text, and waits until the sink has taken it; `None` if the sink failed.
    pub(crate) async fn finish(mut self, exit: Option<i32>) -> Option<Digest> {
        if let Some(beyond) = self.beyond.take() {
            self.flush();
            let (head, skipped, tail) = beyond.into_bytes();
            self.fill(&head);
            self.flush();
            if skipped.bytes > 0 {
                self.queue.push(Item::Skip(skipped));
            }
            self.fill(&tail);
        }
        self.flush();
        self.queue.end(End::Finished(exit));
        (&mut self.worker).await.ok().flatten()
    }

    fn fill(&mut self, mut bytes: &[u8]) {
        while self.block.len() + bytes.len() >= BLOCK {
            let (taken, rest) = bytes.split_at(BLOCK - self.block.len());
            self.block.extend_from_slice(taken);
            bytes = rest;
            self.flush();
        }
        self.block.extend_from_slice(bytes);
    }

    /// Hands on the collected bytes.
    fn flush(&mut self) {
        if self.block.is_empty() {
            return;
        }
        let room = self.queue.state().taken.pop();
        let room = room.unwrap_or_else(|| Vec::with_capacity(BLOCK));
        self.queue.push(Item::Block(std::mem::replace(&mut self.block, room)));
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        self.queue.end(End::Dropped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records what it receives.
    struct Notes {
        capacity: u64,
        taken: Arc<Mutex<Vec<String>>>,
    }

    struct Note(Arc<Mutex<Vec<String>>>, Vec<u8>);

    impl Intake for Notes {
        fn capacity(&self) -> u64 {
            self.capacity
        }

        fn open(&self, _: LineSelection) -> Box<dyn TextSink> {
            Box::new(Note(Arc::clone(&self.taken), Vec::new()))
        }
    }

    impl Note {
        fn flush(&mut self) {
            let text = String::from_utf8(std::mem::take(&mut self.1)).unwrap();
            self.0.lock().unwrap().push(text);
        }
    }

    impl TextSink for Note {
        fn push(&mut self, bytes: &[u8]) {
            self.1.extend_from_slice(bytes);
        }

        fn show(&mut self, _: &str) {}

        fn skip(&mut self, part: SkippedPart) {
            self.flush();
            self.0.lock().unwrap().push(format!("{part:?}"));
        }

        fn finish(mut self: Box<Self>, exit: Option<i32>) -> Digest {
            self.flush();
            self.0.lock().unwrap().push(format!("{exit:?}"));
            Digest {
                bytes: 0,
                shown: tools_core::SummaryKind::All,
                head: String::new(),
                tail: String::new(),
                middle: None,
                kept: None,
                fault: None,
                filter: None,
                credentials: Vec::new(),
            }
        }
    }

    fn lines(count: usize) -> String {
        (1..=count).map(|number| format!("line {number}\n")).collect::<Vec<_>>().concat()
    }

    async fn taken(capacity: u64, text: &str, chunk: usize) -> Vec<String> {
        let notes = Notes { capacity, taken: Arc::default() };
        let mut spool = Spool::open(&notes);
        for bytes in text.as_bytes().chunks(chunk) {
            spool.room().await;
            spool.push(bytes);
        }
        assert!(spool.finish(Some(3)).await.is_some());
        let taken = notes.taken.lock().unwrap();
        taken.clone()
    }

    #[tokio::test]
    async fn all_of_a_text_arrives_in_order() {
        // Longer than the queue.
        let text = lines(900_000);
        assert_eq!(taken(u64::MAX, &text, 65_000).await, [text, "Some(3)".to_owned()]);
    }

    #[tokio::test]
    async fn of_what_nobody_takes_the_end_arrives_and_the_rest_is_counted() {
        let text = lines(800_000);
        let taken = taken(1_000_000, &text, 65_000).await;
        let [head, skipped, tail, _] = taken.as_slice() else { panic!("{} parts", taken.len()) };
        assert!(text.starts_with(head) && head.ends_with('\n') && text.ends_with(tail) && tail.starts_with("line "));
        let bytes = text.len() - head.len() - tail.len();
        let lines = 800_000 - head.lines().count() - tail.lines().count();
        assert_eq!(*skipped, format!("SkippedPart {{ bytes: {bytes}, lines: {lines} }}"));
    }

    #[tokio::test]
    async fn nothing_is_lost_of_what_fits() {
        let text = lines(1000);
        assert_eq!(taken(10_000, &text, 100).await, [text, "Some(3)".to_owned()]);
    }

    #[tokio::test]
    async fn a_dropped_spool_ends_its_worker() {
        let notes = Notes { capacity: u64::MAX, taken: Arc::default() };
        let mut spool = Spool::open(&notes);
        spool.push(b"text");
        let queue = Arc::downgrade(&spool.queue);
        drop(spool);
        while queue.strong_count() > 0 {
            tokio::task::yield_now().await;
        }
        assert!(notes.taken.lock().unwrap().is_empty());
    }
}
