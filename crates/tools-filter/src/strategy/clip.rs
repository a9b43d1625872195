//! Keeps the beginning and the end of a run of lines; what lies between is cut, except for what
//! reports something.

use std::collections::VecDeque;

use crate::emit::Emitter;

/// More is not held at the end, however long its lines are.
const MAX_TAIL_BYTES: usize = 1 << 20;

#[derive(Debug)]
pub(crate) struct Clip {
    head: usize,
    tail: usize,
    seen: usize,
    bytes: usize,
    held: VecDeque<String>,
}

impl Clip {
    pub(crate) fn new(head: usize, tail: usize) -> Self {
        Self { head, tail, seen: 0, bytes: 0, held: VecDeque::new() }
    }

    pub(crate) fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        self.seen += 1;
        if self.seen <= self.head {
            return out.keep(line);
        }
        self.bytes += line.len();
        self.held.push_back(line.to_owned());
        while self.held.len() > self.tail || self.bytes > MAX_TAIL_BYTES {
            let Some(oldest) = self.held.pop_front() else { break };
            self.bytes -= oldest.len();
            out.cut(&oldest);
        }
    }

    /// Gives the end on.
    pub(crate) fn finish(&mut self, out: &mut Emitter<'_>) {
        for line in self.held.drain(..) {
            out.keep(&line);
        }
        self.seen = 0;
        self.bytes = 0;
    }
}
