//! Runs a program and measures its duration.

#![expect(clippy::disallowed_methods, reason = "programs are measured as a shell would start them")]

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Duration of a program, with `input` as its standard input. Its output is discarded.
///
/// # Panics
/// The program cannot be started, or `input` cannot be read.
pub fn run(command: &[&str], input: &Path) -> Duration {
    let input = File::open(input).expect("the input is there");
    let begun = Instant::now();
    let status =
        Command::new(command[0]).args(&command[1..]).stdin(input).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let took = begun.elapsed();
    assert!(status.is_ok(), "{command:?} cannot be started");
    took
}
