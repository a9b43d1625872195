//! Writing to a terminal or pipe that may be gone at any moment.

use std::borrow::Cow;
use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use haft::core::{Visible, visible_json, visible_lines};
use serde::Serialize;

use crate::{args::CommonArgs, exit::Exit};

/// Prints a tool's text, with a line end that is its own or added. On a terminal, what could steer
/// it is shown instead of sent; a program behind a pipe gets the text as it is.
pub(crate) fn text(text: &str) {
    let text = text.strip_suffix('\n').unwrap_or(text);
    if io::stdout().is_terminal() { line(&printable(text)) } else { line(text) }
}

/// Set once a write to standard output has failed because the pipe is closed.
static UNREAD: AtomicBool = AtomicBool::new(false);

/// Whether the reader of standard output is gone (`| head`). Verbs that run until they are stopped,
/// and verbs that make a call for each line of input, end then.
pub(crate) fn is_unread() -> bool {
    UNREAD.load(Ordering::Relaxed)
}

/// Prints a text and a line end. For a reader that is gone nothing more is printed; the program
/// does the rest of its work, and its exit code is that of the result.
pub(crate) fn line(text: &str) {
    if is_unread() {
        return;
    }
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
    if let Err(error) = written {
        if error.kind() != io::ErrorKind::BrokenPipe {
            note(&format!("haft: standard output: {error}"));
            std::process::exit(1);
        }
        UNREAD.store(true, Ordering::Relaxed);
    }
}

/// Prints one JSON object on one line. What could steer a terminal or hide is written as `\uXXXX`,
/// also behind a pipe.
pub(crate) fn json(value: &impl Serialize) {
    let text = serde_json::to_string(value).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"));
    line(&visible_json(&text));
}

/// Prints a note for a person; never mixed with the result, and not a reason to end when nobody
/// reads it.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", printable(text));
}

/// Says what a verb did: a line, with `--json` an object instead.
pub(crate) fn done(common: &CommonArgs, object: &impl Serialize, text: &str) {
    if common.json {
        json(object);
    } else if !common.quiet {
        line(text);
    }
}

/// Says why a verb did nothing: a note, and with `--json` also an object.
pub(crate) fn failed(common: &CommonArgs, why: &str) -> Exit {
    note(&format!("haft: {why}"));
    if common.json {
        json(&serde_json::json!({"ok": false, "error": {"category": "permanent_failure", "message": why}}));
    }
    Exit::ToolFailed
}

/// An error with its causes, each said once: an operator may know where files are.
pub(crate) fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.ends_with(&said) {
            text = format!("{text}: {said}");
        }
        cause = error.source();
    }
    text
}

/// Makes text of a tool safe for a terminal: what steers, hides or reorders is shown, not sent.
/// Line breaks and tabs stay.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    visible_lines(text)
}

/// Makes text of a tool safe to stand in a row of ours: also its line breaks are shown.
pub(crate) fn one_line(text: &str) -> String {
    Visible::of(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_not_sent() {
        assert_eq!(printable("a\tb\nc"), "a\tb\nc");
        assert_eq!(printable("\u{1b}[2J\u{202e}x\r"), "\\u{1b}[2J\\u{202e}x\\u{d}");
        assert_eq!(one_line("a\nb\u{200b}"), "a⏎b\\u{200b}");
    }
}
