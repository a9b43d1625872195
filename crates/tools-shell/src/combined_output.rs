//! The combined output of a command, with the lines of both streams in order: kept in memory while
//! it is short, else passed to an intake for long text. Each line stays whole, even if the other
//! stream prints before it ends.

use std::sync::Arc;

use tools_core::{Digest, Gap, Intake, OutputStream};

use crate::capture::HeadTail;
use crate::spool::Spool;

/// Maximum number of bytes held in memory.
const HELD: usize = 1 << 20;
/// Maximum length in bytes of an incomplete line that is waited for.
const MAX_OPEN_LINE: usize = 64 << 10;

/// The output of a command.
pub(crate) struct CombinedOutput {
    /// Its beginning and end; the whole output while it is held.
    ends: HeadTail,
    /// Number of bytes for the model if nobody takes the output.
    shown: usize,
    intake: Option<Arc<dyn Intake>>,
    spool: Option<Spool>,
    /// The incomplete line of each stream, in the order in which they began.
    open: Vec<(OutputStream, Vec<u8>)>,
}

/// The output of a command that has ended.
#[derive(Debug)]
pub(crate) enum CommandOutput {
    /// Held in memory: the whole output, or its ends if nobody takes long text.
    Held(HeadTail),
    /// Taken by the intake, with the ends.
    Taken(HeadTail, Box<Digest>),
}

impl CombinedOutput {
    /// Creates an empty output. Without an intake, `shown` bytes are kept.
    pub(crate) fn new(shown: usize, intake: Option<Arc<dyn Intake>>) -> Self {
        let most = if intake.is_some() { shown.max(HELD) } else { shown };
        Self { ends: HeadTail::new(most), shown, intake, spool: None, open: Vec::new() }
    }

    /// Takes bytes of a stream.
    pub(crate) fn push(&mut self, stream: OutputStream, bytes: &[u8]) {
        let end = memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1);
        let (lines, rest) = bytes.split_at(end);
        let at = self.open.iter().position(|(of, _)| *of == stream);
        if let Some(at) = at
            && (!lines.is_empty() || self.open[at].1.len() + rest.len() > MAX_OPEN_LINE)
        {
            let (_, begun) = self.open.remove(at);
            self.add(&begun);
        }
        if !lines.is_empty() {
            self.add(lines);
        }
        if rest.is_empty() {
            return;
        }
        match self.open.iter_mut().find(|(of, _)| *of == stream) {
            Some((_, begun)) => begun.extend_from_slice(rest),
            None if rest.len() > MAX_OPEN_LINE => self.add(rest),
            None => self.open.push((stream, rest.to_vec())),
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        if self.spool.is_none()
            && let Some(intake) = self.intake.as_ref().filter(|_| !self.ends.has_room(bytes.len()))
        {
            let mut spool = Spool::open(intake.as_ref());
            let (head, tail) = self.ends.slices();
            spool.push(head);
            for part in tail {
                spool.push(part);
            }
            self.ends = self.ends.narrowed(self.shown);
            self.spool = Some(spool);
        }
        if let Some(spool) = &mut self.spool {
            spool.push(bytes);
        }
        self.ends.push(bytes);
    }

    /// Whether the command should wait.
    pub(crate) fn is_full(&self) -> bool {
        self.spool.as_ref().is_some_and(Spool::is_full)
    }

    /// Waits until there is room. Can be dropped.
    pub(crate) async fn room(&self) {
        if let Some(spool) = &self.spool {
            spool.room().await;
        }
    }

    /// The complete output, once the command has ended with this code.
    pub(crate) async fn finish(mut self, exit: Option<i32>) -> CommandOutput {
        for (_, begun) in std::mem::take(&mut self.open) {
            self.add(&begun);
        }
        match self.spool {
            None => CommandOutput::Held(self.ends),
            Some(spool) => match spool.finish(exit).await {
                Some(digest) => CommandOutput::Taken(self.ends, Box::new(digest)),
                // The intake failed, so only the ends remain.
                None => CommandOutput::Held(self.ends),
            },
        }
    }
}

impl CommandOutput {
    /// Approximate number of bytes in memory.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Self::Held(kept) => kept.total() - kept.lost(),
            Self::Taken(_, digest) => (digest.head.len() + digest.tail.len()) as u64,
        }
    }

    /// The held text, and the gap in it.
    pub(crate) fn into_parts(self) -> (String, Option<Gap>) {
        match self {
            Self::Held(kept) | Self::Taken(kept, _) => kept.into_parts(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn printed(chunks: &[(OutputStream, &[u8])]) -> String {
        let mut whole = CombinedOutput::new(1 << 20, None);
        for (stream, bytes) in chunks {
            whole.push(*stream, bytes);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime starts");
        runtime.block_on(whole.finish(Some(0))).into_parts().0
    }

    #[test]
    fn a_line_is_not_cut_by_the_other_stream() {
        use OutputStream::{Stderr, Stdout};
        assert_eq!(
            printed(&[(Stdout, b"out"), (Stderr, b"warning: x\nand "), (Stdout, b" 1\nout 2"), (Stderr, b"y\n")]),
            "warning: x\nout 1\nand y\nout 2"
        );
        let long = vec![b'x'; MAX_OPEN_LINE];
        assert!(printed(&[(Stdout, &long), (Stdout, b"y"), (Stderr, b"z\n")]).starts_with('x'));
        assert_eq!(printed(&[(Stderr, b"a"), (Stdout, b"b")]), "ab");
    }

    proptest! {
        /// For any interleaving of the streams, each line is a printed one, and the lines of a
        /// stream keep their order.
        #[test]
        fn lines_stay_whole(
            lines in prop::collection::vec((any::<bool>(), "[a-z]{0,12}"), 0..30),
            order in prop::collection::vec((any::<bool>(), 1_usize..20), 0..80),
        ) {
            let of = |stream: bool| lines.iter().filter(move |(at, _)| *at == stream);
            let text = |stream: bool| of(stream).flat_map(|(at, line)| [if *at { "E" } else { "O" }, line, "\n"]).collect::<String>();
            let texts = [text(false), text(true)];
            let mut rest = [texts[0].as_bytes(), texts[1].as_bytes()];
            let mut chunks = Vec::new();
            for (stream, size) in order.iter().copied().chain([(false, usize::MAX), (true, usize::MAX)]) {
                let (chunk, left) = rest[usize::from(stream)].split_at(size.min(rest[usize::from(stream)].len()));
                rest[usize::from(stream)] = left;
                chunks.push((if stream { OutputStream::Stderr } else { OutputStream::Stdout }, chunk));
            }
            let all = printed(&chunks);
            for (stream, sign) in [(0, 'O'), (1, 'E')] {
                let shown: String = all.lines().filter(|line| line.starts_with(sign)).flat_map(|line| [line, "\n"]).collect();
                prop_assert_eq!(&shown, &texts[stream]);
            }
            prop_assert_eq!(all.len(), texts[0].len() + texts[1].len());
        }
    }
}
