//! How a stage gives lines on. The law of failure is held here: no stage can drop a line that
//! reports something, it can only say that it shows the line elsewhere.

use crate::signal::reports;

/// The mark of a hole: so many lines stood here.
pub(crate) fn mark(lines: u64) -> String {
    format!("[… {lines} {}]", if lines == 1 { "line" } else { "lines" })
}

/// How many lines a mark of a hole stands for; `None` for every other line.
pub(crate) fn marked(line: &str) -> Option<u64> {
    let count = line.strip_prefix("[… ")?.strip_suffix(']')?;
    let number = count.strip_suffix(" lines").or_else(|| count.strip_suffix(" line"))?;
    // As `mark` writes it: no sign, no zeros in front.
    let lines = number.parse().ok().filter(|lines| *lines > 0)?;
    (mark(lines) == line).then_some(lines)
}

/// Decision about a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterEvent<'a> {
    /// It is given on as it is.
    Kept(&'a str),
    /// This was written instead of lines that were dropped.
    Written(&'a str),
    /// It is not given on.
    Dropped(&'a str),
}

/// A hole in the text that has not been closed yet.
#[derive(Debug)]
pub(crate) struct EmitState {
    lines: u64,
    bytes: usize,
    /// The lines themselves, as long as a note would be no shorter than they are.
    held: Vec<String>,
    /// Whether runs of blank lines collapse.
    collapse: bool,
    after_blank: bool,
}

impl EmitState {
    pub(crate) fn new(collapse: bool) -> Self {
        // Nothing begins with a blank line.
        Self { lines: 0, bytes: 0, held: Vec::new(), collapse, after_blank: true }
    }
}

/// What tools write before each line of a message: alone in a line it says nothing.
const MARGINS: &[&str] =
    &["npm error", "npm ERR!", "npm warn", "npm WARN", "npm notice", "remote:", "[INFO]", "[ERROR]"];

/// Whether a line is blank, a ruler, or the margin of a blank line.
fn says_nothing(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'-' | b'=' | b'_' | b'*')) || MARGINS.contains(&line.trim())
}

/// About as long as the mark that stands for a hole.
const NOTE: usize = 18;

/// Where a stage gives its lines on to.
pub(crate) struct Emitter<'a> {
    pub(crate) state: &'a mut EmitState,
    pub(crate) sink: &'a mut dyn FnMut(FilterEvent<'_>),
}

impl Emitter<'_> {
    /// Gives the line on as it is.
    pub(crate) fn keep(&mut self, line: &str) {
        if self.joins_hole(line) {
            return;
        }
        self.close();
        // What only looks blank is so, but where content is shown.
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

    /// Writes something that stands for lines given to [`Emitter::fold`].
    pub(crate) fn write(&mut self, text: &str) {
        self.close();
        self.state.after_blank = false;
        (self.sink)(FilterEvent::Written(text));
    }

    /// Drops a line that tells nobody anything; the mark where it stood counts it. A line that
    /// reports something is kept nevertheless.
    pub(crate) fn noise(&mut self, line: &str) {
        self.cut(line);
    }

    /// Takes the mark of an earlier stage into the hole that is open here, so that holes beside one
    /// another have one mark.
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

    /// Drops a line for want of room; a note says how many were. A line that reports something is
    /// kept nevertheless.
    pub(crate) fn cut(&mut self, line: &str) {
        if reports(line) {
            self.keep(line);
        } else {
            self.omit(line);
        }
    }

    /// Drops a line whose content is shown, or counted, elsewhere.
    pub(crate) fn fold(&mut self, line: &str) {
        if !self.joins_hole(line) {
            (self.sink)(FilterEvent::Dropped(line));
        }
    }

    /// Drops a line that the caller counts itself.
    pub(crate) fn forget(&mut self, line: &str) {
        (self.sink)(FilterEvent::Dropped(line));
    }

    /// Drops a line and counts it in the mark, whatever it says: for strategies that judged it
    /// themselves.
    pub(crate) fn omit(&mut self, line: &str) {
        if self.joins_hole(line) {
            return;
        }
        // Blank lines and rulers are no content: they are not counted, and never all of a hole.
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

    /// Counts lines in the mark that were dropped before, each for what it is: the hole is open
    /// already.
    pub(crate) fn omit_more(&mut self, lines: usize) {
        self.state.lines += lines as u64;
    }

    /// Says what was left out, unless saying so takes more room than it.
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
