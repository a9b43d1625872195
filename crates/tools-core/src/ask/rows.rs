//! Rows of bounded width. Text of others never starts a row: each row begins with one of our own
//! marks.

use crate::VisibleText;

/// Mark in front of every row that continues the text of the row above.
pub(super) const CONTINUED: &str = "      │ ";

/// Maximum number of columns of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Width(usize);

impl Width {
    /// A dialog of an MCP client: the narrowest known.
    pub const DIALOG: Self = Self(72);
    /// One row of any length.
    pub const UNBOUNDED: Self = Self(usize::MAX);

    /// A terminal with this many columns; rows are 40 to 200 columns wide.
    pub fn columns(columns: usize) -> Self {
        Self(columns.saturating_sub(1).clamp(40, 200))
    }
}

/// One row of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Kind of its content.
    pub kind: RowKind,
    /// The row itself: escaped, and within the width.
    pub text: String,
}

/// Kind of a row, for channels that tell rows apart by colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// A part that asks.
    Asks,
    /// A part that is denied.
    Denied,
    /// Text that a change adds.
    Added,
    /// Text that a change removes.
    Removed,
    /// The reason, and other text to read.
    Plain,
    /// A part that is allowed anyway.
    Aside,
}

impl RowKind {
    /// Rows of this kind.
    pub(super) fn rows(self, texts: Vec<String>) -> impl Iterator<Item = Row> {
        texts.into_iter().map(move |text| Row { kind: self, text })
    }

    pub(super) fn of_change(line: &VisibleText) -> Self {
        match line.as_str().chars().next() {
            Some('+') => Self::Added,
            Some('-') => Self::Removed,
            _ => Self::Plain,
        }
    }
}

/// `text` after `front`, wrapped to as many rows as it needs. Nothing is left out.
pub(super) fn wrapped(front: &str, text: &VisibleText, Width(width): Width) -> Vec<String> {
    let mut rows = vec![];
    let (mut row, mut used) = (front.to_owned(), columns(front));
    for c in text.as_str().chars() {
        let wide = column(c);
        if used + wide > width {
            rows.push(std::mem::replace(&mut row, CONTINUED.to_owned()));
            used = columns(CONTINUED);
        }
        row.push(c);
        used += wide;
    }
    rows.push(row);
    rows
}

fn columns(text: &str) -> usize {
    text.chars().map(column).sum()
}

/// Maximum number of columns of a character. An overestimate only makes a row shorter; an
/// underestimate would make the terminal wrap it and start a row without a mark.
fn column(c: char) -> usize {
    if c.is_ascii() || matches!(c, '│' | '…' | '⏎' | '⏐' | '«' | '»') { 1 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_bounded_and_lose_nothing() {
        let text = VisibleText::of(&format!("{}日本{}", "a".repeat(50), " ASK x".repeat(5)));
        let rows = wrapped("bash ASK: ", &text, Width::columns(41));
        assert!(rows.iter().all(|row| columns(row) <= 40), "{rows:?}");
        assert!(rows[1..].iter().all(|row| row.starts_with(CONTINUED)), "{rows:?}");
        let whole: String =
            rows.iter().map(|row| row.trim_start_matches(CONTINUED).trim_start_matches("bash ASK: ")).collect();
        assert_eq!(whole.replace(' ', ""), text.as_str().replace(' ', ""));
    }
}
