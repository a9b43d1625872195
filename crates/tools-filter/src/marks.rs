//! The marks of holes in the emitted text: the first mark has the long form, which explains the
//! count; later ones are short (`[… 3 lines]`, then `[… 2]`).

use crate::emit::{mark, marked};

/// The state of the marks in one text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Marks {
    /// Whether a long mark was already written.
    is_explained: bool,
    /// Whether all marks are long: in shown content, a short one could be mistaken for a line of
    /// it.
    is_content: bool,
}

impl Marks {
    pub(crate) fn new(is_content: bool) -> Self {
        Self { is_content, ..Self::default() }
    }

    /// The mark for a hole of this many lines.
    pub(crate) fn hole(&mut self, lines: u64) -> String {
        if self.is_explained && !self.is_content {
            return format!("[… {lines}]");
        }
        self.is_explained = true;
        mark(lines)
    }

    /// Shortens a mark with additional text after the first mark, like others. `None` for any other
    /// line.
    pub(crate) fn shorten_annotated(&mut self, line: &str) -> Option<String> {
        let (count, told) = line.strip_prefix("[… ")?.split_once(" lines, ")?;
        let is_mark = line.ends_with(']') && count.bytes().all(|byte| byte.is_ascii_digit()) && !self.is_content;
        (is_mark && std::mem::replace(&mut self.is_explained, true)).then(|| format!("[… {count}, {told}"))
    }

    /// The length in bytes of these lines with their marks.
    pub(crate) fn length<'a>(mut self, lines: impl Iterator<Item = &'a str>) -> usize {
        let length = |line: &str| match marked(line) {
            Some(hidden) => self.hole(hidden).len(),
            None => self.shorten_annotated(line).map_or(line.len(), |told| told.len()),
        };
        lines.map(length).map(|length| length + 1).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_behind_the_first_are_short() {
        let mut marks = Marks::default();
        assert_eq!([2, 1, 9].map(|lines| marks.hole(lines)), ["[… 2 lines]", "[… 1]", "[… 9]"]);
        let mut content = Marks::new(true);
        assert_eq!([2, 1].map(|lines| content.hole(lines)), ["[… 2 lines]", "[… 1 line]"]);
    }

    #[test]
    fn the_length_is_that_of_what_is_written() {
        let lines = ["[… 2 lines]", "a", "[… 1 line]", "[… 4 lines, counting on]"];
        let expected = "[… 2 lines]\na\n[… 1]\n[… 4, counting on]\n";
        assert_eq!(Marks::default().length(lines.into_iter()), expected.len());
    }
}
