//! Long texts that are taken piece by piece, so that nobody has to hold all of them. Layers add
//! their processing; the tool that reads the text only pushes.

use std::fmt;

use super::{FilterStats, SummaryKind};

/// Takes text of a call that is too long to be held. A layer puts one into the call context
/// ([`crate::CallContext::with_intake`]), around the existing one; the tool opens it at the first
/// byte that it does not hold itself.
pub trait Intake: Send + Sync {
    /// Maximum number of bytes of one text worth pushing. The middle of a longer text is skipped
    /// ([`TextSink::skip`]).
    fn capacity(&self) -> u64;

    /// Begins a text. Called within a runtime; the sink may be used outside it.
    fn open(&self, showing: LineSelection) -> Box<dyn TextSink>;
}

/// Selection of the lines to show of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineSelection {
    /// The lines of the text itself.
    Text,
    /// The lines passed to [`TextSink::show`], which are selected or reformatted.
    Lines,
}

/// Takes one text. May block, which also blocks the writer; not called on a runtime's own threads.
/// If dropped before [`TextSink::finish`], nobody wants the text any more.
pub trait TextSink: Send {
    /// Takes more of the text, split anywhere.
    fn push(&mut self, bytes: &[u8]);

    /// Takes a line to show, without its line feed. Only for [`LineSelection::Lines`].
    fn show(&mut self, line: &str);

    /// Notes a part that nobody stores. The text before it and the part itself both end with a
    /// line.
    fn skip(&mut self, part: SkippedPart);

    /// Ends the text; `exit` is the exit code of the command, `None` if there is none.
    fn finish(self: Box<Self>, exit: Option<i32>) -> Digest;
}

/// A part of a text that was only counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SkippedPart {
    /// Bytes.
    pub bytes: u64,
    /// Lines.
    pub lines: u64,
}

/// Digest of a text taken by an intake: enough to show any part that fits an answer, and the place
/// of the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// Bytes of the text.
    pub bytes: u64,
    /// Relation of the shown lines to the text: all of it, or an extract.
    pub shown: SummaryKind,
    /// The first shown lines.
    pub head: String,
    /// The last shown lines.
    pub tail: String,
    /// The part between the two; `None` if there is none.
    pub middle: Option<Middle>,
    /// Place where the text is stored; `None` if nobody stores it.
    pub kept: Option<KeptText>,
    /// Reason why storing failed, for the operator; `None` if it is stored, or nobody tried.
    pub fault: Option<String>,
    /// Report of the filter.
    pub filter: Option<FilterStats>,
    /// Number of redacted credentials, by kind.
    pub credentials: Vec<(&'static str, usize)>,
}

impl Digest {
    /// Changes each shown text.
    pub fn map_text(self, mut form: impl FnMut(String) -> String) -> Self {
        let middle = self.middle.map(|middle| Middle {
            failures: middle.failures.into_iter().map(|(number, line)| (number, form(line))).collect(),
            ..middle
        });
        Self { head: form(self.head), tail: form(self.tail), middle, ..self }
    }
}

/// The part of the shown lines between the first and the last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Middle {
    /// Number of bytes.
    pub bytes: u64,
    /// Number of lines.
    pub lines: u64,
    /// The first lines that report failures, each with its number.
    pub failures: Vec<(u64, String)>,
    /// Number of further lines that report failures.
    pub more_failures: u64,
    /// Number of skipped bytes, which were not searched for failures.
    pub unsearched: u64,
}

/// Place where a text is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptText {
    /// The name to read it by.
    pub reference: String,
    /// The line that tells a model how to read it, and which parts are not stored.
    pub notice: String,
}

impl fmt::Debug for dyn Intake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Intake")
    }
}
