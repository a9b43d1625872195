//! The marks of holes in the text that is given out: small holes near one another have one mark,
//! and marks behind the first are short.

use crate::emit::{mark, marked};

/// A larger hole has its mark where it is.
const MAX_SMALL: u64 = 3;
/// So many lines may be shown between a small hole and the mark that counts it; where the next is
/// indented, as what belongs together is, so many more.
const LATE: u32 = 10;
const MAX_LATE: u32 = 20;

/// What is known of the holes so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Marks {
    /// Lines of small holes that no mark counts yet.
    waiting: u64,
    /// Lines shown since the first of them.
    shown: u32,
    /// Whether a mark in full stands above.
    is_explained: bool,
    /// Whether each mark is written as it comes: where content is shown it may be a line of it.
    is_content: bool,
}

impl Marks {
    pub(crate) fn new(is_content: bool) -> Self {
        Self { is_content, ..Self::default() }
    }

    /// Takes the mark of a hole of so many lines; the mark to write here, if one is due.
    pub(crate) fn hole(&mut self, lines: u64) -> Option<String> {
        if self.is_content {
            return Some(mark(lines));
        }
        self.waiting += lines;
        if self.waiting <= MAX_SMALL && self.is_explained { None } else { self.due() }
    }

    /// Takes a line that is shown; the mark to write before it, if one is due.
    pub(crate) fn line(&mut self, line: &str) -> Option<String> {
        if self.waiting == 0 {
            return None;
        }
        self.shown += 1;
        let is_time = self.shown > LATE && !line.starts_with([' ', '\t']);
        if is_time || self.shown > MAX_LATE { self.due() } else { None }
    }

    /// The mark of all that no mark counts yet. The first says what it counts.
    pub(crate) fn due(&mut self) -> Option<String> {
        self.shown = 0;
        let lines = std::mem::take(&mut self.waiting);
        if lines == 0 {
            return None;
        }
        let text = if self.is_explained { format!("[… {lines}]") } else { mark(lines) };
        self.is_explained = true;
        Some(text)
    }

    /// Bytes of a text that is given out next, with its marks.
    pub(crate) fn length<'a>(mut self, lines: impl Iterator<Item = &'a str>) -> usize {
        let marks = &mut self;
        let mut bytes = 0;
        for line in lines {
            let (text, own) = match marked(line) {
                Some(hidden) => (marks.hole(hidden), 0),
                None => (marks.line(line), line.len() + 1),
            };
            bytes += own + text.map_or(0, |text| text.len() + 1);
        }
        bytes + marks.due().map_or(0, |text| text.len() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(lines: &[&str]) -> Vec<String> {
        let mut marks = Marks::default();
        let mut text = Vec::new();
        for line in lines {
            match marked(line) {
                Some(hidden) => text.extend(marks.hole(hidden)),
                None => {
                    text.extend(marks.line(line));
                    text.push((*line).to_owned());
                }
            }
        }
        text.extend(marks.due());
        let bytes: usize = text.iter().map(|line| line.len() + 1).sum();
        assert_eq!(Marks::default().length(lines.iter().copied()), bytes);
        text
    }

    #[test]
    fn small_holes_near_one_another_have_one_mark() {
        let lines = ["[… 2 lines]", "a", "[… 1 line]", "b", "[… 1 line]", "c", "[… 9 lines]", "d", "[… 1 line]"];
        assert_eq!(written(&lines), ["[… 2 lines]", "a", "b", "c", "[… 11]", "d", "[… 1]"]);
    }

    #[test]
    fn a_small_hole_is_counted_soon() {
        let mut lines = vec!["[… 7 lines]", "a", "[… 1 line]"];
        lines.extend(["b"; 12]);
        let at = |lines: &[&str]| written(lines).iter().position(|line| line == "[… 1]");
        assert_eq!(at(&lines), Some(12));
        lines.truncate(3);
        lines.extend([" b"; 16]);
        lines.push("c");
        assert_eq!(at(&lines), Some(18));
        lines.truncate(3);
        lines.extend([" b"; 40]);
        assert_eq!(at(&lines), Some(22));
    }
}
