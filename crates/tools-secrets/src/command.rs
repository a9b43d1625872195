//! Passwords among the arguments of commands that take them.

use crate::commands::Flag::{self, Apart, Argument, Attached, Beside, Cookie, Next, Pair, Percent, Source};
use crate::finding::Finding;
use crate::value;

/// Maximum bytes of a command line that are read.
const MAX_LINE_BYTES: usize = 2048;

/// Finds the passwords of a command whose name ends at `from`.
pub(crate) fn find(text: &str, from: usize, flags: &[Flag], done: &mut usize, findings: &mut Vec<Finding>) {
    let rest = &text[from..];
    let rest = &rest[..rest.floor_char_boundary(MAX_LINE_BYTES)];
    let line = &rest[..memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len())];
    let (words, length) = words(line);
    *done = from + length;
    // The rest of combined options.
    let mut arguments = 0_usize;
    let mut words = words.into_iter().peekable();
    let mut is_first = true;
    while let Some(word) = words.next() {
        let is_glued = std::mem::take(&mut is_first) && !text[..from].ends_with(' ') && !text[from..].starts_with(' ');
        for flag in flags {
            let found = match flag {
                Argument(index) => (*index == arguments && !word.text.starts_with('-') && !is_glued).then_some(word),
                Attached(name) => word.after(name),
                Apart(name) => (word.text == *name).then(|| words.peek().copied()).flatten(),
                Beside(word, _) if !line[..length].contains(word) => None,
                Next(name) | Beside(_, name) | Pair(name) | Percent(name) | Source(name) | Cookie(name) => {
                    let is_whole = word.text.eq_ignore_ascii_case(name);
                    let attached = if name.starts_with("--") {
                        word.after(name).and_then(|word| word.after("="))
                    } else {
                        word.after(name)
                    };
                    if is_whole { words.peek().copied() } else { attached }
                }
            };
            findings.extend(found.and_then(|word| password(word, *flag)).map(|(start, end)| Finding {
                start: from + start,
                end: from + end,
                kind: "password",
                rule: "command",
            }));
        }
        arguments += usize::from(!word.text.starts_with('-') && !is_glued);
    }
}

/// A word of a command line without quotes, and its position.
#[derive(Debug, Clone, Copy)]
struct Word<'a> {
    start: usize,
    text: &'a str,
}

impl Word<'_> {
    fn after(self, prefix: &str) -> Option<Self> {
        let text = self.text.strip_prefix(prefix).filter(|rest| !rest.is_empty())?;
        let bare = text.trim_start_matches(['"', '\'']);
        let start = self.start + prefix.len() + (text.len() - bare.len());
        Some(Self { start, text: bare.trim_end_matches(['"', '\'']) })
    }
}

/// The words up to the end of the command, and its length.
fn words(line: &str) -> (Vec<Word<'_>>, usize) {
    let bare = |start: usize, end: usize| {
        let word = line[start..end].trim_end_matches(['"', '\'']);
        let text = word.trim_start_matches(['"', '\'']);
        Word { start: start + (word.len() - text.len()), text }
    };
    let mut words = Vec::new();
    let mut start = None;
    let mut quote = None;
    let mut end = line.len();
    for (at, byte) in line.bytes().enumerate() {
        match (byte, quote) {
            (_, Some(open)) if byte == open => quote = None,
            (_, Some(_)) => {}
            (b'"' | b'\'', None) => {
                quote = Some(byte);
                start.get_or_insert(at);
            }
            (b' ' | b'\t', None) => words.extend(start.take().map(|start| bare(start, at))),
            (b';' | b'|' | b'&', None) => {
                end = at;
                break;
            }
            _ => {
                start.get_or_insert(at);
            }
        }
    }
    words.extend(start.map(|start| bare(start, end)));
    (words, end)
}

fn password(word: Word<'_>, flag: Flag) -> Option<(usize, usize)> {
    let after = |mark: char| word.text.split_once(mark).map(|(before, value)| (before.len() + 1, value));
    let (skipped, value) = match flag {
        Pair(_) => after(':')?,
        Percent(_) => after('%')?,
        Cookie(_) => after('=')?,
        Source(_) => (5, word.text.strip_prefix("pass:")?),
        Attached(_) | Next(_) | Apart(_) | Beside(..) | Argument(_) if word.text.starts_with('-') => return None,
        Attached(_) | Next(_) | Apart(_) | Beside(..) | Argument(_) => (0, word.text),
    };
    let is_code = value.starts_with(':') || value.contains("(\"") || value.contains("()");
    let is_literal = value::is_password(value) && !is_code;
    // Without a preceding option a word may be prose.
    let is_meant = !matches!(flag, Argument(_) | Cookie(_)) || value::is_secret(value);
    let start = word.start + skipped;
    (is_literal && is_meant).then_some((start, start + value.len()))
}
