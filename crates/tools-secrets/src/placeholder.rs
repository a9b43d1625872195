//! Placeholders of credentials: `«secret:KIND#N·MARK»`, or `«secret:KIND#N·MARK·SERVER»` with
//! several servers. Creates them and distinguishes them from text that only looks like one. Their
//! form is defined in `tools-core`, for code that cuts text.
//!
//! A look-alike is shown with one more `literal:` after its first quotation mark than it has, so
//! that removing one restores the text.

use std::{borrow::Cow, ops::Range};

use thiserror::Error;
use tools_core::{ElsewhereError, PlaceholderMatch, ServerName, ToolError, ToolErrorCategory, placeholders};

const QUOTE: &str = "«";
const NAME: &str = "secret:";
const LITERAL: &str = "literal:";
const CLOSING: &str = "»";
/// Separates the mark, and the name of a server, from what comes before.
const MARKED: char = '·';

/// A placeholder in a text for a file that is unknown here.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the placeholder `{placeholder}` stands for nothing in this session")]
pub struct UnknownPlaceholder {
    /// The placeholder.
    pub placeholder: String,
    /// The other server that issued it; `None` for one of this server, or without a server.
    pub server: Option<ServerName>,
}

impl From<UnknownPlaceholder> for ToolError {
    fn from(error: UnknownPlaceholder) -> Self {
        if let UnknownPlaceholder { placeholder, server: Some(server) } = error {
            return ElsewhereError { what: format!("what the placeholder `{placeholder}` stands for"), server }.into();
        }
        ToolError::new(ToolErrorCategory::InvalidParameters, "unknown_placeholder", error.to_string()).with_suggestion(
            "Read the file again and use its placeholders exactly as they are shown; they hold for one session only. \
             To write such text itself put `literal:` in front of `secret:`.",
        )
    }
}

/// The placeholder of a kind with a number and a session's mark; without these it cannot be
/// restored.
pub(crate) fn of(kind: &str, number: Option<usize>, mark: &str) -> String {
    let number = number.map_or_else(String::new, |number| format!("#{number}"));
    let mark = if mark.is_empty() { String::new() } else { format!("{MARKED}{mark}") };
    format!("{QUOTE}{NAME}{kind}{number}{mark}{CLOSING}")
}

pub(crate) fn mark(session: &str, server: Option<&ServerName>) -> String {
    match server {
        Some(server) => format!("{session}{MARKED}{server}"),
        None => session.to_owned(),
    }
}

/// The server that a placeholder names, if any.
pub(crate) fn server_of(placeholder: &str) -> Option<ServerName> {
    let inner = placeholder.strip_suffix(CLOSING)?;
    let mut parts = inner.split(MARKED).skip(2);
    let server = parts.next()?.parse().ok()?;
    parts.next().is_none().then_some(server)
}

/// The ranges of placeholders and look-alikes.
pub(crate) fn ranges(text: &str) -> impl Iterator<Item = Range<usize>> {
    placeholders(text).filter(|found| found.literals == 0).map(|found| found.range)
}

/// The text with one more `literal:` in every look-alike that is not a placeholder according to
/// `is_own`.
pub(crate) fn escaped(text: &str, is_own: impl Fn(&str) -> bool) -> Cow<'_, str> {
    let foreign = |found: &PlaceholderMatch| found.literals > 0 || !is_own(&text[found.range.clone()]);
    rewritten(
        text,
        placeholders(text).filter(foreign).map(|found| {
            let behind = found.range.start + QUOTE.len();
            (behind..behind, LITERAL)
        }),
    )
}

/// The text with one `literal:` less in every look-alike.
pub(crate) fn unescaped(text: &str) -> Cow<'_, str> {
    rewritten(
        text,
        placeholders(text).filter(|found| found.literals > 0).map(|found| {
            let behind = found.range.start + QUOTE.len();
            (behind..behind + LITERAL.len(), "")
        }),
    )
}

/// A text with some of its parts, given in order, replaced by other texts.
pub(crate) fn rewritten(text: &str, parts: impl Iterator<Item = (Range<usize>, impl AsRef<str>)>) -> Cow<'_, str> {
    let mut changed = String::new();
    let mut copied = 0;
    let mut is_changed = false;
    for (range, replacement) in parts {
        is_changed = true;
        changed.push_str(&text[copied..range.start]);
        changed.push_str(replacement.as_ref());
        copied = range.end;
    }
    if !is_changed {
        return Cow::Borrowed(text);
    }
    changed.push_str(&text[copied..]);
    Cow::Owned(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_come_back() {
        let is_own = |text: &str| text == "«secret:key#1·zz»";
        for text in [
            "«secret:key#1·zz» stays",
            "«secret:key#1» and «literal:secret:key#1» and «literal:literal:secret:key#1·zz»",
            "««secret:key#1»»",
            "none «x»",
        ] {
            let shown = escaped(text, is_own);
            assert!(ranges(&shown).all(|range| is_own(&shown[range])), "{shown}");
            assert_eq!(unescaped(&shown), text);
        }
    }
}
