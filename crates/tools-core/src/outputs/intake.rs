//! A long text that is taken piece by piece while it comes, so that nobody has to hold all of it.
//! Layers add what they do with a text; the tool that reads it only pushes.

use std::fmt;

use super::{FilterStats, SummaryKind};

/// Takes the text of a call that is too long to be held. A layer puts one into the call context
/// ([`crate::CallContext::taken_by`]), around the one that is there already; the tool opens it at
/// the first byte that it does not hold itself.
pub trait Intake: Send + Sync {
    /// How many bytes of one text are worth pushing. Of a longer one the middle is skipped
    /// ([`TextSink::skip`]).
    fn capacity(&self) -> u64;

    /// Begins a text. Called within a runtime; the sink may be used outside of it.
    fn open(&self, showing: LineSelection) -> Box<dyn TextSink>;
}

/// Selection of the lines of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineSelection {
    /// Those of the text itself.
    Text,
    /// Those that come by [`TextSink::show`]: something chooses them, or gives them another form.
    Lines,
}

/// Takes one text. May block, which holds up whoever writes it; is not called on a runtime's own
/// threads. A drop before [`TextSink::finish`] means that nobody wants the text any more.
pub trait TextSink: Send {
    /// Takes more of the text, cut anywhere.
    fn push(&mut self, bytes: &[u8]);

    /// Takes a line that is shown, without its line feed. Only for [`LineSelection::Lines`].
    fn show(&mut self, line: &str);

    /// Takes note of a part that nobody keeps. What came before it ends with a line, and so does
    /// the part.
    fn skip(&mut self, part: SkippedPart);

    /// Ends the text of a command that ended with this code; `None` where there is none.
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

/// Digest of a text that was taken by an intake: enough to show any part of it that fits an answer,
/// and where the rest is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// Bytes of the text.
    pub bytes: u64,
    /// Relation of the lines below to the text: all of them, or an extract.
    pub shown: SummaryKind,
    /// The first of the lines that are shown.
    pub head: String,
    /// The last of them.
    pub tail: String,
    /// The part between the two; `None` when nothing does.
    pub middle: Option<Middle>,
    /// Place where the text is stored; `None` when nobody keeps it.
    pub kept: Option<KeptText>,
    /// Reason why it is not stored, for the operator; `None` when it is, or nobody wanted to.
    pub fault: Option<String>,
    /// Report of the filter.
    pub filter: Option<FilterStats>,
    /// Credentials that were taken out, by kind.
    pub credentials: Vec<(&'static str, usize)>,
}

impl Digest {
    /// The same digest with another form of each text that is shown.
    pub fn map_text(self, mut form: impl FnMut(String) -> String) -> Self {
        let middle = self.middle.map(|middle| Middle {
            failures: middle.failures.into_iter().map(|(number, line)| (number, form(line))).collect(),
            ..middle
        });
        Self { head: form(self.head), tail: form(self.tail), middle, ..self }
    }
}

/// The part of the shown lines between the first and the last of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Middle {
    /// Its bytes.
    pub bytes: u64,
    /// Its lines.
    pub lines: u64,
    /// The first of its lines that report failures, each with its number.
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
    /// The line that tells a model how to read it, and what of it is not kept.
    pub notice: String,
}

impl fmt::Debug for dyn Intake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Intake")
    }
}
