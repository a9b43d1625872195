//! `read_overflow`: reads a part of an output that was too long to show.

use std::{fmt::Write as _, ops::Range};

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::{
    AnswerBudget, CallContext, ClaimSource, Inspection, JsonObject, Tool, ToolCall, ToolDef, ToolError, ToolKind,
    ToolOutput, ToolTraits, Typed, Window,
};

use crate::{Archive, Entry, OverflowError, Reference, SearchLimit, SearchResult};

const NAME: &str = "read_overflow";
/// Bytes of text in one answer when no budget is given.
const PAGE: usize = 24_000;
/// Bytes reserved for the line about what follows.
const NOTES: usize = 300;
/// Minimum bytes of a page, however small the budget is.
const MIN_PAGE_BYTES: usize = 256;
/// Maximum number of lines around a match.
const MAX_CONTEXT: u64 = 50;
/// Maximum number of lines of a `grep` when the call gives none.
const GREP_LINES: u64 = 100;

/// Reads an output that was not shown whole: lines from `offset`, or the lines that match `grep`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// As in the shortened output: `overflow:` and a UUID.
    #[serde(rename = "ref")]
    reference: String,
    /// First line, from 1.
    #[serde(default)]
    offset: Option<u64>,
    /// Most lines to show.
    #[serde(default)]
    limit: Option<u64>,
    #[serde(default)]
    grep: Option<String>,
    /// Lines around each match, up to 50.
    #[serde(default)]
    context: Option<u64>,
    /// First byte, to go on inside a long line.
    #[serde(default)]
    byte: Option<u64>,
}

/// The tool `read_overflow`.
#[derive(Debug)]
pub struct ReadOverflow(Archive);

impl ReadOverflow {
    /// The tool for an archive.
    pub fn new(archive: Archive) -> Self {
        Self(archive)
    }

    /// A call of the tool; `numbers` are its parameters `offset`, `limit` and `byte`, with their
    /// values.
    ///
    /// # Errors
    /// As [`ToolCall::new`].
    pub fn call(reference: Reference, numbers: &[(&str, u64)]) -> Result<ToolCall, ToolError> {
        let mut parameters = JsonObject::new();
        parameters.insert("ref".to_owned(), reference.to_string().into());
        parameters.extend(numbers.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())));
        ToolCall::new(NAME, parameters.into())
    }

    /// The tool as an executor.
    pub fn into_executor(self) -> Typed<Self> {
        Typed::new(self)
    }
}

impl Tool for ReadOverflow {
    type Args = Args;

    fn definition(&self) -> ToolDef {
        // Not cacheable: each call reads the store.
        let traits = ToolTraits { cacheable: false, bounded_output: true, ..ToolTraits::READ_ONLY };
        ToolDef::of::<Args>(NAME, ToolKind::Read, traits).titled("Rest of an output")
    }

    async fn inspect(&self, _: &Args, _: &CallContext) -> Result<Inspection, ToolError> {
        Ok(Inspection::read_only())
    }

    async fn run(&self, args: Args, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        let reference: Reference = args.reference.parse().map_err(OverflowError::from)?;
        let (text, window) = self.answer(&args, reference, cx).await?;
        // Regardless of the original source, it is text from a command or a page.
        let output = ToolOutput::text(text).from_source(ClaimSource::Command);
        Ok(ToolOutput { window, ..output })
    }
}

impl ReadOverflow {
    async fn answer(
        &self,
        args: &Args,
        reference: Reference,
        cx: &CallContext,
    ) -> Result<(String, Option<Window>), OverflowError> {
        if args.byte.is_some() && (args.offset.is_some() || args.grep.is_some()) {
            return Err(OverflowError::Parameters("`byte` goes with neither `offset` nor `grep`"));
        }
        let entry = self.0.open(cx.session().as_str(), reference).await?;
        let first = args.offset.unwrap_or(1).max(1);
        let room = room(cx.answer());
        if let Some(pattern) = &args.grep {
            let start = entry.line_start(first).await?;
            let context = args.context.unwrap_or(0).min(MAX_CONTEXT);
            let most = SearchLimit { lines: args.limit.unwrap_or(GREP_LINES), bytes: room, context };
            let found = entry.matches(pattern, start..u64::MAX, first, most).await?;
            return Ok((found.text.clone() + &said(&found, &entry, first), None));
        }
        let (start, first) = match args.byte {
            Some(byte) => (byte, None),
            None => (entry.line_start(first).await?, Some(first)),
        };
        let limit = args.limit.unwrap_or(u64::MAX).min(cx.answer().lines.saturating_sub(1) as u64).max(1);
        page(&entry, start, first, limit, room).await
    }
}

/// Bytes of text that fit. A character has at least one byte, so what fits as bytes fits as
/// characters.
fn room(budget: AnswerBudget) -> usize {
    let budget = budget.less(NOTES);
    PAGE.min(budget.bytes).min(budget.characters).max(MIN_PAGE_BYTES)
}

/// The report of a search: how much of the output was searched, and what was found.
fn said(found: &SearchResult, entry: &Entry<'_>, first: u64) -> String {
    let facts = entry.facts();
    let searched = match (first, facts.lost) {
        (1, 0) => format!("{} lines", facts.lines),
        (_, 0) => format!("lines {first} to {}", facts.lines),
        (1, lost) => match facts.gap {
            Some(gap) => format!(
                "the {} of {} lines that are stored; lines {} to {} ({lost} bytes) are not",
                facts.lines.saturating_sub(1),
                facts.original_lines(),
                gap.first,
                gap.last
            ),
            None => format!("the {} bytes that are stored of {}", facts.bytes, facts.bytes + lost),
        },
        (_, lost) => match facts.gap {
            Some(gap) => format!(
                "lines {first} to {}, of which lines {} to {} ({lost} bytes) are not stored",
                facts.original_lines(),
                gap.first,
                gap.last
            ),
            None => format!("lines {first} to {} of what is stored; {lost} bytes of the original are not", facts.lines),
        },
    };
    match (found.shown, found.total) {
        (_, 0) => format!("[no match in {searched}]"),
        (shown, total) if shown == total => format!("[{total} matching lines in {searched}]"),
        (0, total) => {
            format!("[{total} matching lines in {searched}; the first is too long to be shown with its context]")
        }
        (shown, total) => {
            let next = found.last + 1;
            format!("[the first {shown} of {total} matching lines in {searched}; go on with offset {next}]")
        }
    }
}

async fn page(
    entry: &Entry<'_>,
    start: u64,
    first: Option<u64>,
    limit: u64,
    room: usize,
) -> Result<(String, Option<Window>), OverflowError> {
    let facts = entry.facts();
    let page = entry.page(start, limit, room).await?;
    let mut text = page.text;
    let whole_lines = text.ends_with('\n');
    if !whole_lines && !text.is_empty() {
        text.push('\n');
    }
    let at_end = page.bytes.end >= facts.bytes;
    let lines = facts.original_lines();
    // A line that is not stored is replaced by the line that stands for the whole gap.
    let first = first.map(|first| facts.original_line(facts.stored_line(first)));
    // The last line's number in the original, like the first.
    let last = |first: u64, line_feeds: u64| {
        facts.last_original_line(facts.stored_line(first) + (line_feeds + u64::from(!whole_lines)).max(1) - 1)
    };
    // Writing to a `String` cannot fail.
    let _ = match (at_end, first, whole_lines) {
        (true, Some(first), _) => {
            write!(text, "[lines {first} to {} of {lines}; nothing follows]", last(first, page.line_feeds))
        }
        (true, None, _) => {
            write!(text, "[bytes {} to {} of {}; nothing follows]", page.bytes.start, page.bytes.end, facts.bytes)
        }
        (false, Some(first), true) => {
            let shown = last(first, page.line_feeds);
            let next = facts.original_line(facts.stored_line(first) + page.line_feeds);
            write!(text, "[lines {first} to {shown} of {lines}; go on with offset {next}]")
        }
        (false, ..) => {
            let next = page.bytes.end;
            let place = if whole_lines { "the end of a line" } else { "in the middle of a line" };
            write!(text, "[to byte {next} of {}, {place}; go on with byte {next}]", facts.bytes)
        }
    };
    let _ = match facts.gap {
        Some(gap) => {
            write!(text, " [lines {} to {} ({} bytes) of the original are not stored]", gap.first, gap.last, facts.lost)
        }
        None if facts.lost > 0 => {
            write!(text, " [{} bytes of the original are not stored; a line in it says which]", facts.lost)
        }
        None => Ok(()),
    };
    let Range { start: from, end: to } = page.bytes;
    let window = Window { from, to, total: Some(facts.bytes), next: (!at_end).then_some(to) };
    Ok((text, Some(window)))
}
