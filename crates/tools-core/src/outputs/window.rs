//! Size limits of an answer, and the part of a longer whole that it shows.

use serde::Serialize;

/// Maximum size of an answer. Set where the call enters, before a tool renders anything; a text
/// fits if it exceeds none of the limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AnswerBudget {
    /// Number of bytes.
    pub bytes: usize,
    /// Number of characters.
    pub characters: usize,
    /// Number of lines.
    pub lines: usize,
}

impl AnswerBudget {
    /// No limit at all.
    pub const UNLIMITED: Self = Self { bytes: usize::MAX, characters: usize::MAX, lines: usize::MAX };

    /// A limit in bytes.
    pub fn of_bytes(bytes: usize) -> Self {
        Self { bytes, ..Self::UNLIMITED }
    }

    /// A limit in characters.
    pub fn of_characters(characters: usize) -> Self {
        Self { characters, ..Self::UNLIMITED }
    }

    /// The smaller of two budgets.
    pub fn and(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.min(other.bytes),
            characters: self.characters.min(other.characters),
            lines: self.lines.min(other.lines),
        }
    }

    /// The rest of the budget after `bytes` bytes, a line of their own, are used for something
    /// else.
    pub fn less(self, bytes: usize) -> Self {
        Self {
            bytes: self.bytes.saturating_sub(bytes),
            characters: self.characters.saturating_sub(bytes),
            lines: self.lines.saturating_sub(usize::from(bytes > 0)),
        }
    }

    /// Whether a text fits.
    pub fn holds(&self, text: &str) -> bool {
        // No character is shorter than a byte: most texts need no counting.
        text.len() <= self.bytes
            && (text.len() <= self.characters || text.chars().count() <= self.characters)
            && (self.lines == usize::MAX || text.lines().count() <= self.lines)
    }
}

impl Default for AnswerBudget {
    /// No limit.
    fn default() -> Self {
        Self::UNLIMITED
    }
}

/// Fills one answer line by line.
///
/// ```
/// use tools_core::{AnswerBudget, WindowWriter};
///
/// let mut filling = WindowWriter::new(AnswerBudget::of_bytes(10));
/// let taken: Vec<bool> = ["one\n", "two\n", "three\n"].map(|line| filling.takes(line)).into();
/// assert_eq!(taken, [true, true, false]);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct WindowWriter {
    left: AnswerBudget,
}

impl WindowWriter {
    /// An empty answer.
    pub fn new(budget: AnswerBudget) -> Self {
        Self { left: budget }
    }

    /// Whether the text fits; if so, subtracts it from the budget.
    pub fn takes(&mut self, text: &str) -> bool {
        if !self.left.holds(text) {
            return false;
        }
        self.left.bytes -= text.len();
        if self.left.characters != usize::MAX {
            self.left.characters -= text.chars().count();
        }
        if self.left.lines != usize::MAX {
            self.left.lines -= text.lines().count();
        }
        true
    }
}

/// The contiguous part of a longer whole that an answer shows. In the tool's own units (lines,
/// matches, entries, bytes), counted from 0 like the tool's offset parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Window {
    /// Index of the first shown item.
    pub from: u64,
    /// Index after the last shown item.
    pub to: u64,
    /// Total number of items; `None` if they were not all counted.
    pub total: Option<u64>,
    /// Offset of the next part; `None` if nothing follows.
    pub next: Option<u64>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_budget_only_gets_narrower() {
        let both = AnswerBudget::of_bytes(9).and(AnswerBudget::of_characters(5)).and(AnswerBudget::of_bytes(12));
        assert_eq!(both, AnswerBudget { bytes: 9, characters: 5, lines: usize::MAX });
        assert!(both.holds("ääää") && !both.holds("äääää") && !both.holds("abcdef"));
    }

    proptest! {
        #[test]
        fn what_was_taken_fits(texts: Vec<String>, bytes in 0_usize..60, characters in 0_usize..60, lines in 0_usize..9) {
            let budget = AnswerBudget { bytes, characters, lines };
            let mut filling = WindowWriter::new(budget);
            let texts = texts.into_iter().map(|text| text.replace(['\r', '\n'], "") + "\n");
            let all: String = texts.take_while(|text| filling.takes(text)).collect();
            prop_assert!(budget.holds(&all), "{all:?}");
        }
    }
}
