//! `haft overflow show`: prints stored output of any session, for an operator.

use std::io::{self, Write as _};

use haft::overflow_archive;
use haft::overflow_store::{Entry, OverflowError, Reference, SearchLimit, SearchResult};
use serde_json::json;

use crate::args::{CommonArgs, OverflowVerb};
use crate::commands::open::load;
use crate::exit::Exit;
use crate::output::{self, with_causes};

/// Number of bytes read at once.
const PIECE: u64 = 1 << 20;

pub(crate) async fn run(common: &CommonArgs, verb: &OverflowVerb) -> Result<Exit, String> {
    let OverflowVerb::Show { reference, grep, lines } = verb;
    let reference: Reference = reference.parse().map_err(|error| format!("`{reference}`: {error}"))?;
    let wanted = lines.as_deref().map_or(Ok(Lines::ALL), Lines::parse)?;
    let archive = overflow_archive(&load(common)?).map_err(|error| error.to_string())?;
    let archive = archive.ok_or("output is not stored: `tools.overflow.enabled` is false")?;
    let Some(session) = archive.conversation_of(reference).await.map_err(|error| with_causes(&error))? else {
        return Ok(output::failed(common, &format!("there is no stored output `{reference}`")));
    };
    let entry = archive.open(&session, reference).await.map_err(|error| with_causes(&error))?;
    let shown = EntryView { common, session: &session, reference, entry: &entry };
    match grep {
        Some(pattern) => shown.matches(pattern, wanted).await,
        None => shown.lines(wanted).await,
    }
    .map_err(|error| with_causes(&error))
}

struct EntryView<'a> {
    common: &'a CommonArgs,
    session: &'a str,
    reference: Reference,
    entry: &'a Entry<'a>,
}

impl EntryView<'_> {
    async fn matches(&self, pattern: &str, wanted: Lines) -> Result<Exit, OverflowError> {
        let start = self.entry.line_start(wanted.first).await?;
        let end = self.end(wanted).await?;
        let most = SearchLimit { lines: u64::MAX, bytes: usize::MAX, context: 0 };
        let SearchResult { text, total, .. } = self.entry.matches(pattern, start..end, wanted.first, most).await?;
        if self.common.json {
            self.json(&text, Some(total));
        } else {
            print(text.as_bytes());
        }
        Ok(if total > 0 { Exit::Ok } else { Exit::ToolFailed })
    }

    async fn lines(&self, wanted: Lines) -> Result<Exit, OverflowError> {
        let (mut at, end) = (self.entry.line_start(wanted.first).await?, self.end(wanted).await?);
        if self.common.json {
            self.json(&String::from_utf8_lossy(&self.entry.bytes(at..end).await?), None);
            return Ok(Exit::Ok);
        }
        while at < end {
            let next = end.min(at.saturating_add(PIECE));
            print(&self.entry.bytes(at..next).await?);
            at = next;
        }
        Ok(Exit::Ok)
    }

    /// Offset of the byte after the last wanted line.
    async fn end(&self, wanted: Lines) -> Result<u64, OverflowError> {
        self.entry.line_end(wanted.last).await
    }

    fn json(&self, text: &str, matching: Option<u64>) {
        let facts = self.entry.facts();
        output::json(&json!({
            "ref": self.reference.to_string(),
            "session": self.session,
            "bytes": facts.bytes,
            "lines": facts.original_lines(),
            "lost": facts.lost,
            "matching": matching,
            "text": text,
        }));
    }
}

/// Prints bytes unchanged; made safe if a person reads them.
fn print(bytes: &[u8]) {
    use io::IsTerminal as _;
    let mut out = io::stdout().lock();
    let written = if out.is_terminal() {
        out.write_all(output::printable(&String::from_utf8_lossy(bytes)).as_bytes())
    } else {
        out.write_all(bytes)
    };
    if written.and_then(|()| out.flush()).is_err() {
        // The reader is gone (`| head`).
        std::process::exit(0);
    }
}

/// Range of lines, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Lines {
    first: u64,
    last: u64,
}

impl Lines {
    const ALL: Self = Self { first: 1, last: u64::MAX };

    fn parse(text: &str) -> Result<Self, String> {
        let number = |text: &str, missing| if text.is_empty() { Some(missing) } else { text.parse().ok() };
        let lines = match text.split_once('-') {
            Some((first, last)) if !(first.is_empty() && last.is_empty()) => {
                number(first, 1).zip(number(last, u64::MAX))
            }
            Some(_) => None,
            None => text.parse().ok().map(|line| (line, line)),
        };
        let lines = lines.filter(|(first, last)| *first > 0 && first <= last);
        let (first, last) =
            lines.ok_or_else(|| format!("`--lines {text}`: expected `A-B`, `A-`, `-B` or `A`, from 1"))?;
        Ok(Self { first, last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_lines() {
        let table = [
            ("3-5", Some((3, 5))),
            ("3-", Some((3, u64::MAX))),
            ("-5", Some((1, 5))),
            ("7", Some((7, 7))),
            ("5-3", None),
            ("0-3", None),
            ("-", None),
            ("", None),
            ("a-b", None),
        ];
        for (text, expected) in table {
            assert_eq!(Lines::parse(text).ok(), expected.map(|(first, last)| Lines { first, last }), "{text}");
        }
    }
}
