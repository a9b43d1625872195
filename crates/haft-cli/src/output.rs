//! Output to a terminal or pipe that may close at any moment.

use std::borrow::Cow;
use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use haft::core::{VisibleText, visible_json, visible_lines};
use serde::Serialize;

use crate::{args::CommonArgs, exit::Exit};

/// Prints a tool's text and adds a line end if it has none. On a terminal, control characters are
/// shown instead of sent; a pipe receives the text unchanged.
pub(crate) fn text(text: &str) {
    let text = text.strip_suffix('\n').unwrap_or(text);
    if io::stdout().is_terminal() { line(&printable(text)) } else { line(text) }
}

/// Set once a write to standard output has failed because the pipe is closed.
static UNREAD: AtomicBool = AtomicBool::new(false);

/// Whether the reader of standard output is gone (`| head`). Long-running verbs, and verbs that
/// make one call per input line, end then.
pub(crate) fn is_unread() -> bool {
    UNREAD.load(Ordering::Relaxed)
}

/// Prints a text and a line end. If the reader is gone, nothing is printed, but the program
/// finishes its work and its exit code is that of the result.
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

/// Prints one JSON object on one line. Control and invisible characters are written as `\uXXXX`,
/// also to a pipe.
pub(crate) fn json(value: &impl Serialize) {
    let text = serde_json::to_string(value).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"));
    line(&visible_json(&text));
}

/// Prints a note for a person on standard error. A closed standard error is ignored.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", printable(text));
}

/// Reports what a verb did: a line, or an object with `--json`.
pub(crate) fn done(common: &CommonArgs, object: &impl Serialize, text: &str) {
    if common.json {
        json(object);
    } else if !common.quiet {
        line(text);
    }
}

/// Reports why a verb did nothing: a note, and with `--json` also an object.
pub(crate) fn failed(common: &CommonArgs, why: &str) -> Exit {
    note(&format!("haft: {why}"));
    if common.json {
        json(&serde_json::json!({"ok": false, "error": {"category": "permanent_failure", "message": why}}));
    }
    Exit::ToolFailed
}

/// Formats an error with its causes, each once. Operators may see host paths.
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

/// Makes a tool's text safe for a terminal: control, invisible and reordering characters are shown,
/// not sent. Line breaks and tabs stay.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    visible_lines(text)
}

/// Makes a tool's text safe for a row of our own output: line breaks are shown too.
pub(crate) fn one_line(text: &str) -> String {
    VisibleText::of(text).to_string()
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
