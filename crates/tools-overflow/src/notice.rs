//! What a result says of the text that was stored, or could not be.

use crate::{MissingPart, StoredOutput};

/// The one line by which the rest can be had.
pub(crate) fn notice(stored: &StoredOutput) -> String {
    let (lines, reference) = (stored.facts.lines, stored.reference);
    let unit = if lines == 1 { "line" } else { "lines" };
    match stored.missing {
        None => format!("[{lines} {unit} stored whole: read_overflow, ref {reference}]"),
        Some(MissingPart { bytes, first, last }) => {
            format!("[stored but for lines {first} to {last} ({bytes} bytes): read_overflow, ref {reference}]")
        }
    }
}

/// An error with its causes.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
