//! Keeps the beginning and the end of a run of lines. Cuts the middle, except lines that report
//! something or that a program prints with its name in front.

use std::collections::VecDeque;

use crate::emit::Emitter;

/// Maximum bytes held for the end, however long its lines are.
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
            if is_said_by_program(&oldest) {
                out.keep(&oldest);
            } else {
                out.cut(&oldest);
            }
        }
    }

    /// Emits the end.
    pub(crate) fn finish(&mut self, out: &mut Emitter<'_>) {
        for line in self.held.drain(..) {
            out.keep(&line);
        }
        self.seen = 0;
        self.bytes = 0;
    }
}

/// Whether a line is `program: message`, as programs write to the standard error. It may explain
/// the output even without a word of failure.
fn is_said_by_program(line: &str) -> bool {
    let Some((program, message)) = line.trim_start().split_once(": ") else { return false };
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"+-._/".contains(&byte);
    !message.is_empty()
        && program.starts_with(|c: char| c.is_ascii_lowercase() || c == '/')
        && program.bytes().all(is_name)
}

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    #[test]
    fn what_a_program_says_in_the_middle_stands() {
        let printed = (0..40).map(|row| format!("row {row} is read\n")).collect::<Vec<_>>().concat();
        let text = format!(
            "running 1 test\ntest a ... FAILED\n\nfailures:\n\n---- a stdout ----\n{printed}\
             ledger: seq 9 came late by 44 ms\n{printed}thread 'a' panicked at src/lib.rs:3:5:\nno\n\n\
             failures:\n    a\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n"
        );
        let filtered = FilterPipeline::builtin().filter("cargo test", Exit::Code(101), text.as_bytes()).text;
        assert!(filtered.contains("ledger: seq 9 came late by 44 ms") && !filtered.contains("row 20 "), "{filtered}");
    }
}
