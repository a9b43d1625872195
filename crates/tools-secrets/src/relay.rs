//! A sink on its own thread, so that searching a text and processing the result run in parallel.

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use tools_core::{Digest, SkippedPart, TextSink};

/// Number of bytes passed on together.
const BLOCK: usize = 128 << 10;
/// Maximum number of waiting messages before the sender blocks.
const WAITING: usize = 4;

enum Message {
    Bytes(Vec<u8>),
    Line(String),
    Skip(SkippedPart),
    End(Option<i32>),
}

/// Passes on its input in order. Dropping it before the end drops the sink.
struct Relay {
    sender: SyncSender<Message>,
    worker: JoinHandle<Option<Digest>>,
    block: Vec<u8>,
    /// Used blocks, to be filled again.
    taken: Receiver<Vec<u8>>,
}

/// A sink that passes to `sink` on another thread; `sink` itself if no thread can be started.
pub(crate) fn relayed(sink: Box<dyn TextSink>) -> Box<dyn TextSink> {
    let slot = Arc::new(Mutex::new(Some(sink)));
    let taken_from = |slot: &Mutex<Option<_>>| slot.lock().unwrap_or_else(PoisonError::into_inner).take();
    let (sender, receiver) = sync_channel(WAITING);
    let (given, taken) = channel();
    let its_slot = Arc::clone(&slot);
    let work = move || work(taken_from(&its_slot)?, &receiver, &given);
    match thread::Builder::new().name("output".to_owned()).spawn(work) {
        Ok(worker) => Box::new(Relay { sender, worker, block: Vec::with_capacity(BLOCK), taken }),
        Err(_) => taken_from(&slot).expect("no thread was there to take it"),
    }
}

/// Passes messages to the sink until the end.
fn work(mut sink: Box<dyn TextSink>, messages: &Receiver<Message>, given: &Sender<Vec<u8>>) -> Option<Digest> {
    loop {
        match messages.recv().ok()? {
            Message::Bytes(mut block) => {
                sink.push(&block);
                block.clear();
                // After the end the block is not reused.
                let _ = given.send(block);
            }
            Message::Line(line) => sink.show(&line),
            Message::Skip(part) => sink.skip(part),
            Message::End(exit) => return Some(sink.finish(exit)),
        }
    }
}

impl Relay {
    /// Passes on the collected bytes.
    fn flush(&mut self) {
        if !self.block.is_empty() {
            let room = self.taken.try_recv().unwrap_or_else(|_| Vec::with_capacity(BLOCK));
            let block = std::mem::replace(&mut self.block, room);
            self.send(Message::Bytes(block));
        }
    }

    fn send(&self, message: Message) {
        // If the receiver is gone, the sink has panicked; the end reports it.
        let _ = self.sender.send(message);
    }
}

impl TextSink for Relay {
    fn push(&mut self, mut bytes: &[u8]) {
        while self.block.len() + bytes.len() >= BLOCK {
            let (now, rest) = bytes.split_at(BLOCK - self.block.len());
            self.block.extend_from_slice(now);
            bytes = rest;
            self.flush();
        }
        self.block.extend_from_slice(bytes);
    }

    fn show(&mut self, line: &str) {
        self.flush();
        self.send(Message::Line(line.to_owned()));
    }

    fn skip(&mut self, part: SkippedPart) {
        self.flush();
        self.send(Message::Skip(part));
    }

    fn finish(mut self: Box<Self>, exit: Option<i32>) -> Digest {
        self.flush();
        self.send(Message::End(exit));
        match self.worker.join() {
            Ok(digest) => digest.expect("the end was sent"),
            Err(panic) => resume_unwind(panic),
        }
    }
}

#[cfg(test)]
mod tests {
    use tools_core::SummaryKind;

    use super::*;

    struct Notes(Arc<Mutex<Vec<String>>>, String);

    impl Notes {
        fn note(&mut self, text: String) {
            let bytes = std::mem::take(&mut self.1);
            self.0.lock().unwrap().extend([bytes, text]);
        }
    }

    impl TextSink for Notes {
        fn push(&mut self, bytes: &[u8]) {
            assert!(!bytes.starts_with(b"panic"), "as it was told to");
            self.1.push_str(std::str::from_utf8(bytes).unwrap());
        }

        fn show(&mut self, line: &str) {
            self.note(format!("line {line}"));
        }

        fn skip(&mut self, part: SkippedPart) {
            self.note(format!("skip {}", part.bytes));
        }

        fn finish(mut self: Box<Self>, exit: Option<i32>) -> Digest {
            self.note(format!("end {exit:?}"));
            Digest {
                bytes: 0,
                shown: SummaryKind::All,
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

    impl Drop for Notes {
        fn drop(&mut self) {
            self.0.lock().unwrap().push("gone".to_owned());
        }
    }

    fn relay() -> (Box<dyn TextSink>, Arc<Mutex<Vec<String>>>) {
        let notes = Arc::default();
        (relayed(Box::new(Notes(Arc::clone(&notes), String::new()))), notes)
    }

    #[test]
    fn all_arrives_in_order() {
        let (mut relay, notes) = relay();
        let text: String = (0..100_000).map(|number| format!("{number}\n")).collect::<Vec<_>>().concat();
        text.as_bytes().chunks(777).for_each(|chunk| relay.push(chunk));
        relay.show("one");
        relay.push(b"more");
        relay.skip(SkippedPart { bytes: 7, lines: 1 });
        relay.push(b"rest");
        relay.finish(Some(3));
        let notes = notes.lock().unwrap();
        assert_eq!(*notes, [&text, "line one", "more", "skip 7", "rest", "end Some(3)", "gone"]);
    }

    #[test]
    fn a_sink_that_nobody_ends_goes() {
        let (mut relay, notes) = relay();
        relay.push(b"text");
        drop(relay);
        while notes.lock().unwrap().is_empty() {
            thread::yield_now();
        }
        assert_eq!(*notes.lock().unwrap(), ["gone"]);
    }

    #[test]
    fn the_panic_of_a_sink_is_that_of_the_end() {
        let (mut relay, _) = relay();
        relay.push(b"panic");
        relay.skip(SkippedPart::default());
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| relay.finish(None)));
        assert!(ended.is_err());
    }
}
