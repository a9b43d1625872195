//! The line of a result about text that was stored, or could not be.

use crate::{MissingPart, StoredOutput};

/// The line that names the stored output and how to read the rest.
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

/// The text of an error and its causes.
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
