//! How a stage gives lines on. The law of failure is held here: no stage can drop a line that reports something, it
//! can only say that it shows the line elsewhere.

use crate::signal::reports;

/// What becomes of a line.
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

/// About as long as the note that stands for a hole.
const NOTE: usize = 28;

/// Where a stage gives its lines on to.
pub(crate) struct Emitter<'a> {
    pub(crate) state: &'a mut EmitState,
    pub(crate) sink: &'a mut dyn FnMut(FilterEvent<'_>),
}

impl Emitter<'_> {
    /// Gives the line on as it is.
    pub(crate) fn keep(&mut self, line: &str) {
        self.close();
        if line.is_empty() {
            if std::mem::replace(&mut self.state.after_blank, true) && self.state.collapse {
                (self.sink)(FilterEvent::Dropped(line));
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

    /// Drops a line that tells nobody anything. A line that reports something is kept nevertheless.
    pub(crate) fn noise(&mut self, line: &str) {
        if reports(line) {
            self.keep(line);
        } else {
            (self.sink)(FilterEvent::Dropped(line));
        }
    }

    /// Drops a line for want of room; a note says how many were. A line that reports something is kept nevertheless.
    pub(crate) fn cut(&mut self, line: &str) {
        if reports(line) {
            self.keep(line);
        } else {
            self.omit(line);
        }
    }

    /// Drops a line whose content is shown, or counted, elsewhere.
    pub(crate) fn fold(&mut self, line: &str) {
        (self.sink)(FilterEvent::Dropped(line));
    }

    /// Drops a line and counts it in the note, whatever it says: for strategies that judged it themselves.
    pub(crate) fn omit(&mut self, line: &str) {
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

    /// Says what was left out, unless saying so takes more room than it.
    pub(crate) fn close(&mut self) {
        if self.state.lines == 0 {
            return;
        }
        for held in self.state.held.drain(..) {
            (self.sink)(FilterEvent::Kept(&held));
        }
        if self.state.bytes > NOTE {
            let lines = if self.state.lines == 1 { "line" } else { "lines" };
            (self.sink)(FilterEvent::Written(&format!("[… {} {lines} omitted]", self.state.lines)));
        }
        self.state.lines = 0;
        self.state.bytes = 0;
        self.state.after_blank = false;
    }
}
