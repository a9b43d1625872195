//! Output of a call.

use std::{borrow::Cow, path::PathBuf, sync::Arc};

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::{CommandEnd, Digest, Window};

/// Result of a call: text for the model, and structured data for others.
///
/// Its serialized form is for logs and front ends: absent values are left out, and so are
/// `complete` and `digest`. Bytes of media are replaced by their number.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ToolOutput {
    /// The text for the model, without the end of a command.
    pub summary: String,
    /// The original text, if the summary differs: for those who store it, never for a model. `None`
    /// if the summary is all there is.
    #[serde(skip)]
    pub complete: Option<OriginalText>,
    /// Digest of a text that was too long to be held ([`crate::Intake`]); the summary is then only
    /// for consumers that cannot use this. `None` for every other text.
    #[serde(skip)]
    pub digest: Option<Digest>,
    /// The structured result, an object; `None` if there is only text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_response: Option<Value>,
    /// Images and other media for the model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub media: Vec<Media>,
    /// Places that this call read or changed, for an editor to follow.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
    /// Changes of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<FileDiff>,
    /// Source of the content.
    pub source: ClaimSource,
    /// Whether part of the result was lost or moved to storage.
    pub truncated: bool,
    /// Report of the filter; `None` if none ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<FilterStats>,
    /// End of the command that printed this output; `None` if there was no command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<CommandEnd>,
    /// The part of a longer whole that the summary shows; `None` if there are no parts. Such a
    /// summary is not cut further: the tool already knew how much fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
}

impl ToolOutput {
    /// An output with only text.
    pub fn text(summary: impl Into<String>) -> Self {
        Self { summary: summary.into(), ..Self::default() }
    }

    /// The original text: all of it even if the summary shows a part, except for
    /// [`OriginalText::gap`].
    pub fn whole(&self) -> &str {
        self.complete.as_ref().map_or(&self.summary, |complete| &complete.text)
    }

    /// Shows `summary` in place of the text; `shown` is its relation to the text.
    pub fn showing(self, summary: String, shown: SummaryKind) -> Self {
        if summary == self.summary {
            return self;
        }
        let complete = self.complete.unwrap_or_else(|| OriginalText { text: self.summary.into(), shown, gap: None });
        Self { summary, complete: Some(OriginalText { shown, ..complete }), ..self }
    }

    /// The output for channels with only text: the summary, and below it the end of a command.
    pub fn to_text(&self) -> Cow<'_, str> {
        let Some(sentence) = self.ended.as_ref().and_then(CommandEnd::sentence) else {
            return Cow::Borrowed(&self.summary);
        };
        let line_end = if self.summary.is_empty() || self.summary.ends_with('\n') { "" } else { "\n" };
        Cow::Owned(format!("{}{line_end}{sentence}", self.summary))
    }

    /// Sets the end of the command.
    pub fn ending(self, ended: CommandEnd) -> Self {
        Self { ended: Some(ended), ..self }
    }

    /// Takes the summary out, to be reformatted.
    pub fn take_summary(&mut self) -> Arc<str> {
        std::mem::take(&mut self.summary).into()
    }

    /// Sets the structured result.
    pub fn with_raw_response(self, value: Value) -> Self {
        Self { raw_response: Some(value), ..self }
    }

    /// Adds a place.
    pub fn at(mut self, location: Location) -> Self {
        self.locations.push(location);
        self
    }

    /// Sets the source.
    pub fn from_source(self, source: ClaimSource) -> Self {
        Self { source, ..self }
    }
}

/// The original text of an output whose summary differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginalText {
    /// The whole text, except for the gap.
    pub text: Arc<str>,
    /// Relation of the summary to the whole.
    pub shown: SummaryKind,
    /// The gap in the middle; `None` if there is none.
    pub gap: Option<Gap>,
}

impl OriginalText {
    /// Reformats the text; the gap stays between the parts before and after it.
    pub fn map_text<'a>(&'a self, mut form: impl FnMut(&'a str) -> Cow<'a, str>) -> Cow<'a, Self> {
        let Some(gap) = self.gap else {
            return match form(&self.text) {
                Cow::Borrowed(_) => Cow::Borrowed(self),
                Cow::Owned(text) => Cow::Owned(Self { text: text.into(), ..self.clone() }),
            };
        };
        let (before, behind) = self.text.split_at(gap.at);
        let (before, behind) = (form(before), form(behind));
        let gap = Some(Gap { at: before.len(), ..gap });
        Cow::Owned(Self { text: format!("{before}{behind}").into(), gap, ..self.clone() })
    }
}

/// A gap in the middle of a text. If lines are short it lies between two of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// Byte offset of the gap in the text.
    pub at: usize,
    /// Number of missing bytes.
    pub bytes: u64,
    /// Number of missing lines, including partly missing ones.
    pub lines: u64,
}

/// Relation of a summary to the whole text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SummaryKind {
    /// All of it in another form, such as without terminal control sequences.
    All,
    /// Beginning and end: all that the tool keeps for the model. A consumer with more room may show
    /// more.
    Ends,
    /// A selected extract.
    Extract,
}

/// Something that is not text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Media {
    /// Its media type (`image/png`).
    pub mime: String,
    /// Its bytes.
    #[serde(rename = "bytes", serialize_with = "length")]
    pub data: Arc<[u8]>,
    /// Its address if it is a resource and not only a picture or a sound: over MCP it is then
    /// embedded. `None` otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
}

fn length<S: Serializer>(bytes: &Arc<[u8]>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u64(bytes.len() as u64)
}

impl Media {
    /// Media without an address.
    pub fn new(mime: impl Into<String>, data: impl Into<Arc<[u8]>>) -> Self {
        Self { mime: mime.into(), data: data.into(), uri: None }
    }

    /// Whether it is a picture.
    pub fn is_picture(&self) -> bool {
        self.mime.starts_with("image/")
    }

    /// Its text; `None` if its type is not textual, or it is not UTF-8.
    pub fn text(&self) -> Option<&str> {
        let is_text = self.mime.starts_with("text/") || self.mime.contains("json") || self.mime.contains("xml");
        std::str::from_utf8(&self.data).ok().filter(|_| is_text)
    }

    /// Makes it the content of a resource at `uri`.
    pub fn at(self, uri: impl Into<String>) -> Self {
        Self { uri: Some(uri.into()), ..self }
    }
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Location {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1; `None` for the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

/// Changes of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDiff {
    /// The file.
    pub path: PathBuf,
    /// A unified diff for reading; may be cut, while `added` and `removed` count everything.
    pub unified: String,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
    /// The text before, for editors; `None` if the file is new, not text or too large to carry.
    #[serde(skip)]
    pub before: Option<Arc<str>>,
    /// The text after; `None` if not text or too large to carry.
    #[serde(skip)]
    pub after: Option<Arc<str>>,
}

/// Source of a result's content, or of the names in a call, which determines its credibility:
/// ordered from the most to the least trusted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ClaimSource {
    /// The user of the session.
    User,
    /// Made by Haft itself.
    #[default]
    Internal,
    /// The model alone: it occurs in no source.
    Model,
    /// Files of the workspace.
    Workspace,
    /// The output of a command.
    Command,
    /// Stored memories.
    Memory,
    /// An MCP server.
    Mcp,
    /// The web.
    Web,
}

impl ClaimSource {
    /// The name of the source, as in the record.
    pub const fn label(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Internal => "internal",
            Self::Model => "model",
            Self::Workspace => "workspace",
            Self::Command => "command",
            Self::Memory => "memory",
            Self::Mcp => "mcp",
            Self::Web => "web",
        }
    }
}

/// Confidence of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilterConfidence {
    /// The output had the form that the filter knows.
    Full,
    /// Parts of it had that form.
    Partial,
    /// It did not have that form, and was left unchanged.
    Fallback,
}

/// Report of a filter about an output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FilterStats {
    /// The rule that matched.
    pub rule: String,
    /// Its confidence.
    pub confidence: FilterConfidence,
    /// Number of lines before.
    pub lines_in: u64,
    /// Number of lines after.
    pub lines_out: u64,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn serialized_it_has_what_is_there_and_no_bytes() {
        let check = |output: &ToolOutput, expected: Value| assert_eq!(json!(output), expected);
        let bare = json!({"summary": "done", "source": "internal", "truncated": false});
        check(&ToolOutput::text("done"), bare.clone());
        check(&ToolOutput::text("all of it").showing("done".to_owned(), SummaryKind::Extract), bare);
        let full = ToolOutput {
            media: vec![Media::new("image/png", *b"1234")],
            raw_response: Some(json!({"n": 1})),
            ..ToolOutput::text("done").ending(CommandEnd::with_exit(1)).from_source(ClaimSource::Command)
        };
        let expected = json!({
            "summary": "done", "source": "command", "truncated": false, "raw_response": {"n": 1},
            "media": [{"mime": "image/png", "bytes": 4}], "ended": {"exit": 1},
        });
        check(&full, expected);
    }
}
