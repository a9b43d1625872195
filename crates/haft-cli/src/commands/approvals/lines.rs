//! Lines from a person or a program, read on a separate thread, because reads from a terminal
//! block.

use std::fs::File;
use std::io::{BufRead, BufReader, stdin};
use std::thread;

use tokio::sync::mpsc;

/// Lines of a terminal, in order; the channel closes at the end of input.
pub(super) fn of_terminal(terminal: File) -> mpsc::Receiver<String> {
    read(move || BufReader::new(terminal))
}

/// Lines of standard input.
pub(super) fn of_stdin() -> mpsc::Receiver<String> {
    read(|| stdin().lock())
}

fn read<R: BufRead>(open: impl FnOnce() -> R + Send + 'static) -> mpsc::Receiver<String> {
    let (to, lines) = mpsc::channel(1);
    thread::spawn(move || {
        let mut reader = open();
        let mut line = String::new();
        while matches!(reader.read_line(&mut line), Ok(1..)) {
            if to.blocking_send(std::mem::take(&mut line)).is_err() {
                return;
            }
        }
    });
    lines
}
