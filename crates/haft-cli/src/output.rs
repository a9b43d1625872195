//! Writing to a terminal or pipe that may be gone at any moment.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

/// Prints a tool's text, with a line end that is its own or added. On a terminal, what could steer it is shown instead
/// of sent; a program behind a pipe gets the text as it is.
pub(crate) fn text(text: &str) {
    let text = text.strip_suffix('\n').unwrap_or(text);
    if io::stdout().is_terminal() { line(&printable(text)) } else { line(text) }
}

/// Prints a text and a line end. A reader that is gone (`| head`) ends the program quietly, as it does other commands.
pub(crate) fn line(text: &str) {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
    if let Err(error) = written {
        let is_gone = error.kind() == io::ErrorKind::BrokenPipe;
        if !is_gone {
            note(&format!("haft: standard output: {error}"));
        }
        std::process::exit(i32::from(!is_gone));
    }
}

/// Prints one JSON object on one line.
pub(crate) fn json(value: &impl Serialize) {
    line(&serde_json::to_string(value).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}")));
}

/// Prints a note for a person; never mixed with the result, and not a reason to end when nobody reads it.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Makes text of a tool safe for a terminal: control characters other than tab and line end are shown, not sent.
pub(crate) fn printable(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' | '\t' => c.to_string(),
        c if c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c) || ('\u{2066}'..='\u{2069}').contains(&c) => {
            c.escape_unicode().to_string()
        }
        c => c.to_string(),
    };
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_not_sent() {
        assert_eq!(printable("a\tb\nc"), "a\tb\nc");
        assert_eq!(printable("\u{1b}[2J\u{202e}x\r"), "\\u{1b}[2J\\u{202e}x\\u{d}");
    }
}
