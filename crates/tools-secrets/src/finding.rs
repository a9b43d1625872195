//! A credential that was found, and a heading that describes the lines below it.

use std::ops::Range;

/// A credential in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    /// Start of the value, in bytes.
    pub start: usize,
    /// End of the value.
    pub end: usize,
    /// Its kind, in a word for placeholders and reports (`github`, `password`, `private-key`).
    pub kind: &'static str,
    /// Rule that found it: the prefix of a token, or the kind of place (`assignment`, `address`,
    /// `header`).
    pub rule: &'static str,
}

/// A line that describes the lines below it: the names of a table's columns, the name of a mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Heading {
    /// The line, with its end.
    pub(crate) line: Range<usize>,
    /// The end of the last line below it.
    pub(crate) end: usize,
}
