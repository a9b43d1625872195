//! Shows a command's output while `haft call` runs, and keeps it for a call that is interrupted.

use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::sync::Mutex;

use async_trait::async_trait;
use haft::CallReport;
use haft::core::{CommandEnd, EventConsumer, EventKind, Locked as _, OutputStream, ToolErrorCategory, ToolEvent};
use rustix::fs::fstat;

use super::streams::write;
use crate::{args::CommonArgs, output};

/// Maximum number of bytes of output kept for an interrupted call.
const MAX_KEPT_BYTES: usize = 256 * 1024;

/// Where output appears while a call runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Each stream on our own; the result is then not printed again.
    OwnStreams,
    /// On standard error, since standard output belongs to the result.
    Stderr,
    /// Nowhere.
    Nowhere,
}

/// Shows the output of a call while it runs.
#[derive(Debug)]
pub(crate) struct Live {
    place: Place,
    shown: Mutex<OutputTail>,
}

/// Last part of the output so far.
#[derive(Debug, Default)]
struct OutputTail {
    text: String,
    /// Whether earlier output was dropped.
    is_cut: bool,
}

impl OutputTail {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        if self.text.len() > MAX_KEPT_BYTES {
            let start = self.text.ceil_char_boundary(self.text.len() - MAX_KEPT_BYTES);
            self.text.drain(..start);
            self.is_cut = true;
        }
    }
}

impl Live {
    /// Uses our own streams if standard output is a terminal or both streams lead to one place.
    /// Otherwise uses standard error, unless only the result was requested.
    pub(crate) fn new(common: &CommonArgs) -> Self {
        let place = if common.json || common.quiet {
            Place::Nowhere
        } else if io::stdout().is_terminal() || is_one_place() {
            Place::OwnStreams
        } else {
            Place::Stderr
        };
        Self { place, shown: Mutex::default() }
    }

    /// Adds the output so far to the text of a cancelled call, whose result does not contain it.
    pub(crate) fn keep(&self, report: &mut CallReport) {
        let is_cancelled = report.error.as_ref().is_some_and(|error| error.category == ToolErrorCategory::Cancelled);
        let shown = self.shown.locked();
        if !is_cancelled || shown.text.is_empty() {
            return;
        }
        let cut = if shown.is_cut { "[earlier output is left out]\n" } else { "" };
        report.text = format!("{}\n\n{cut}{}", report.text, shown.text);
    }

    /// Prints the result, or the part that was not shown during the call.
    pub(crate) fn finish(&self, report: &CallReport) {
        let shown = self.shown.locked();
        if self.place != Place::OwnStreams || shown.text.is_empty() {
            return output::text(&report.text);
        }
        if !shown.text.ends_with('\n') {
            output::line("");
        }
        if let Some(error) = &report.error {
            let advice = if error.suggestion.is_empty() { String::new() } else { format!("\n{}", error.suggestion) };
            return output::note(&format!("haft: {}{advice}", error.message));
        }
        if let Some(sentence) = report.ended.as_ref().and_then(CommandEnd::sentence) {
            output::line(&sentence);
        }
        if report.overflow.is_some() || report.filter.is_some() {
            output::note("[a model gets this output shortened; `--quiet` prints what it gets]");
        }
    }
}

/// Whether both of our streams lead to the same file, pipe or terminal.
fn is_one_place() -> bool {
    let (stdout, stderr) = (io::stdout(), io::stderr());
    match (fstat(stdout.as_fd()), fstat(stderr.as_fd())) {
        (Ok(stdout), Ok(stderr)) => (stdout.st_dev, stdout.st_ino) == (stderr.st_dev, stderr.st_ino),
        _ => false,
    }
}

#[async_trait]
impl EventConsumer for Live {
    fn offer(&self, event: ToolEvent) -> bool {
        let EventKind::Output { stream, text, .. } = event.kind else { return true };
        // A closed reader does not end the call: its result still goes into the record.
        let _ = match self.place {
            Place::OwnStreams => write(stream, &text),
            Place::Stderr => write(OutputStream::Stderr, &text),
            Place::Nowhere => Ok(()),
        };
        self.shown.locked().push(&text);
        true
    }

    async fn deliver(&self, event: ToolEvent) {
        self.offer(event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_long_output_is_kept_on_a_character_boundary() {
        let mut shown = OutputTail::default();
        shown.push("a");
        assert!(!shown.is_cut);
        for _ in 0..MAX_KEPT_BYTES {
            shown.push("é");
        }
        assert!(shown.is_cut && shown.text.len() <= MAX_KEPT_BYTES && shown.text.chars().all(|c| c == 'é'));
    }
}
