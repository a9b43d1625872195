//! How a stage emits lines. This module guarantees that failures are not lost: a stage cannot drop
//! a line that reports something, unless it declares that it shows the line elsewhere.

use crate::signal::reports;

/// The mark of a hole: the number of lines left out.
pub(crate) fn mark(lines: u64) -> String {
    format!("[… {lines} {}]", if lines == 1 { "line" } else { "lines" })
}

/// The number of lines that a mark stands for; `None` for any other line.
pub(crate) fn marked(line: &str) -> Option<u64> {
    let count = line.strip_prefix("[… ")?.strip_suffix(']')?;
    let number = count.strip_suffix(" lines").or_else(|| count.strip_suffix(" line"))?;
    // Only the form that `mark` writes: no sign, no leading zeros.
    let lines = number.parse().ok().filter(|lines| *lines > 0)?;
    (mark(lines) == line).then_some(lines)
}

/// Decision of a stage about a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterEvent<'a> {
    /// The line is emitted unchanged.
    Kept(&'a str),
    /// This text replaces dropped lines.
    Written(&'a str),
    /// The line is not emitted.
    Dropped(&'a str),
}

/// A hole in the text that is still open.
#[derive(Debug)]
pub(crate) struct EmitState {
    lines: u64,
    bytes: usize,
    /// The dropped lines, while a mark would not be shorter than they are.
    held: Vec<String>,
    /// Whether runs of blank lines collapse.
    collapse: bool,
    after_blank: bool,
}

impl EmitState {
    pub(crate) fn new(collapse: bool) -> Self {
        // An output does not begin with a blank line.
        Self { lines: 0, bytes: 0, held: Vec::new(), collapse, after_blank: true }
    }
}

/// Prefixes that tools write before each line of a message; alone they have no content.
const MARGINS: &[&str] =
    &["npm error", "npm ERR!", "npm warn", "npm WARN", "npm notice", "remote:", "[INFO]", "[ERROR]"];

/// Whether a line is blank, a ruler, or only a prefix.
fn says_nothing(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'-' | b'=' | b'_' | b'*')) || MARGINS.contains(&line.trim())
}

/// Approximate length in bytes of the mark of a hole.
const NOTE: usize = 18;

/// Where a stage emits its lines.
pub(crate) struct Emitter<'a> {
    pub(crate) state: &'a mut EmitState,
    pub(crate) sink: &'a mut dyn FnMut(FilterEvent<'_>),
}

impl Emitter<'_> {
    /// Emits the lines unchanged.
    pub(crate) fn keep_all(&mut self, lines: &[String]) {
        for line in lines {
            self.keep(line);
        }
    }

    /// Emits the line unchanged.
    pub(crate) fn keep(&mut self, line: &str) {
        if self.joins_hole(line) {
            return;
        }
        self.close();
        // A line of only blanks counts as empty, except where content is shown.
        if line.is_empty() || (self.state.collapse && line.bytes().all(|byte| matches!(byte, b'\t' | b' '))) {
            if std::mem::replace(&mut self.state.after_blank, true) && self.state.collapse {
                (self.sink)(FilterEvent::Dropped(line));
                return;
            }
            if !line.is_empty() {
                (self.sink)(FilterEvent::Dropped(line));
                (self.sink)(FilterEvent::Written(""));
                return;
            }
        } else {
            self.state.after_blank = false;
        }
        (self.sink)(FilterEvent::Kept(line));
    }

    /// Writes text that replaces lines given to [`Emitter::fold`].
    pub(crate) fn write(&mut self, text: &str) {
        self.close();
        self.state.after_blank = false;
        (self.sink)(FilterEvent::Written(text));
    }

    /// Drops a useless line and counts it in the mark. A line that reports something is kept.
    pub(crate) fn noise(&mut self, line: &str) {
        self.cut(line);
    }

    /// Merges the mark of an earlier stage into the open hole, so that adjacent holes share one
    /// mark.
    fn joins_hole(&mut self, line: &str) -> bool {
        let Some(lines) = marked(line) else { return false };
        for held in self.state.held.drain(..) {
            (self.sink)(FilterEvent::Dropped(&held));
        }
        (self.sink)(FilterEvent::Dropped(line));
        self.state.lines += lines;
        self.state.bytes = self.state.bytes.max(NOTE + 1);
        true
    }

    /// Drops a line to save room and counts it in the mark. A line that reports something is kept.
    pub(crate) fn cut(&mut self, line: &str) {
        if reports(line) {
            self.keep(line);
        } else {
            self.omit(line);
        }
    }

    /// Drops a line whose content is shown or counted elsewhere.
    pub(crate) fn fold(&mut self, line: &str) {
        if !self.joins_hole(line) {
            (self.sink)(FilterEvent::Dropped(line));
        }
    }

    /// Drops a line that the caller counts itself.
    pub(crate) fn forget(&mut self, line: &str) {
        (self.sink)(FilterEvent::Dropped(line));
    }

    /// Drops a line and counts it in the mark, even if it reports something: for strategies that
    /// checked it themselves.
    pub(crate) fn omit(&mut self, line: &str) {
        if self.joins_hole(line) {
            return;
        }
        // Blank lines and rulers have no content: they are not counted and never form a hole alone.
        if says_nothing(line) {
            (self.sink)(FilterEvent::Dropped(line));
            return;
        }
        self.state.lines += 1;
        self.state.bytes += line.len() + 1;
        if self.state.bytes > NOTE {
            for held in self.state.held.drain(..) {
                (self.sink)(FilterEvent::Dropped(&held));
            }
            (self.sink)(FilterEvent::Dropped(line));
        } else {
            self.state.held.push(line.to_owned());
        }
    }

    /// Adds lines that were dropped one by one before to the open hole's count.
    pub(crate) fn omit_more(&mut self, lines: usize) {
        self.state.lines += lines as u64;
    }

    /// Writes the mark, or the lines themselves if they are not longer.
    pub(crate) fn close(&mut self) {
        if self.state.lines == 0 {
            return;
        }
        for held in self.state.held.drain(..) {
            (self.sink)(FilterEvent::Kept(&held));
        }
        if self.state.bytes > NOTE {
            (self.sink)(FilterEvent::Written(&mark(self.state.lines)));
        }
        self.state.lines = 0;
        self.state.bytes = 0;
        self.state.after_blank = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_of_a_blank_line_says_nothing() {
        for (line, expected) in [
            ("npm error", true),
            ("remote: ", true),
            ("====", true),
            ("", true),
            ("npm error code 1", false),
            ("x", false),
        ] {
            assert_eq!(says_nothing(line), expected, "{line}");
        }
    }
}
