//! `read_overflow`: a part of an output that was too long to be shown.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::{
    CallContext, ClaimSource, Inspection, Tool, ToolDef, ToolError, ToolKind, ToolOutput, ToolTraits, Typed,
};

use crate::{Archive, Entry, OverflowError, Reference, entry::Most};

/// Bytes of text in one answer; the line about what follows comes on top.
const PAGE: usize = 24_000;
/// Lines of a `grep` when the call does not say how many.
const GREP_LINES: u64 = 100;

/// Reads from an output that was not shown whole. Give `offset` and `limit` for a range of lines, or `grep` for the lines
/// that match.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// The reference as it stands in the shortened output: `overflow:` and a UUID.
    #[serde(rename = "ref")]
    reference: String,
    /// The first line to read, from 1.
    #[serde(default)]
    #[schemars(range(min = 1))]
    offset: Option<u64>,
    /// How many lines to read at most; as many as fit when missing.
    #[serde(default)]
    #[schemars(range(min = 1))]
    limit: Option<u64>,
    /// Only lines that this regular expression matches, each with its number.
    #[serde(default)]
    grep: Option<String>,
    /// The byte to begin at instead of a line: for going on inside a line that is longer than an answer.
    #[serde(default)]
    byte: Option<u64>,
}

/// The tool `read_overflow`.
#[derive(Debug)]
pub struct ReadOverflow(Archive);

impl ReadOverflow {
    /// Reads from an archive.
    pub fn new(archive: Archive) -> Self {
        Self(archive)
    }

    /// The tool as an executor.
    pub fn into_executor(self) -> Typed<Self> {
        Typed::new(self)
    }
}

impl Tool for ReadOverflow {
    type Args = Args;

    fn definition(&self) -> ToolDef {
        // Not from a cache: it is read when it is asked for and kept in no memory.
        let traits = ToolTraits { cacheable: false, bounded_output: true, ..ToolTraits::READ_ONLY };
        ToolDef::of::<Args>("read_overflow", ToolKind::Read, traits).titled("Rest of an output")
    }

    async fn inspect(&self, _: &Args, _: &CallContext) -> Result<Inspection, ToolError> {
        Ok(Inspection::read_only())
    }

    async fn run(&self, args: Args, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        let reference: Reference = args.reference.parse().map_err(OverflowError::from)?;
        let text = self.answer(&args, reference, cx).await?;
        // Whoever made it: it is what some command or page said.
        Ok(ToolOutput::text(text).from_source(ClaimSource::Command))
    }
}

impl ReadOverflow {
    async fn answer(&self, args: &Args, reference: Reference, cx: &CallContext) -> Result<String, OverflowError> {
        if args.byte.is_some() && (args.offset.is_some() || args.grep.is_some()) {
            return Err(OverflowError::Parameters("`byte` goes with neither `offset` nor `grep`"));
        }
        let entry = self.0.open(cx.session().as_str(), reference).await?;
        let first = args.offset.unwrap_or(1).max(1);
        if let Some(pattern) = &args.grep {
            let start = entry.line_start(first).await?;
            let most = Most { lines: args.limit.unwrap_or(GREP_LINES), bytes: PAGE };
            let found = entry.matches(pattern, start..u64::MAX, first, most).await?;
            return Ok(match (found.shown, found.total) {
                (_, 0) => format!("[no line of {} matches]", entry.facts().lines),
                (shown, total) if shown == total => format!("{}[{total} lines match]", found.text),
                (shown, total) => format!("{}[the first {shown} of {total} lines that match]", found.text),
            });
        }
        let (start, first) = match args.byte {
            Some(byte) => (byte, None),
            None => (entry.line_start(first).await?, Some(first)),
        };
        page(&entry, start, first, args.limit.unwrap_or(u64::MAX).max(1)).await
    }
}

async fn page(entry: &Entry<'_>, start: u64, first: Option<u64>, limit: u64) -> Result<String, OverflowError> {
    let facts = entry.facts();
    let page = entry.page(start, limit, PAGE).await?;
    let mut text = page.text;
    let whole_lines = text.ends_with('\n');
    if !whole_lines && !text.is_empty() {
        text.push('\n');
    }
    let at_end = page.bytes.end >= facts.bytes;
    // Writing to a `String` cannot fail.
    let _ = match (at_end, first, whole_lines) {
        (true, ..) => write!(text, "[end; {} lines, {} bytes in all]", facts.lines, facts.bytes),
        (false, Some(first), true) => {
            let next = first + page.line_feeds;
            write!(text, "[lines {first} to {} of {}; go on with offset {next}]", next - 1, facts.lines)
        }
        (false, ..) => {
            let next = page.bytes.end;
            write!(text, "[to byte {next} of {}, in the middle of a line; go on with byte {next}]", facts.bytes)
        }
    };
    if facts.lost > 0 {
        let _ = write!(text, " [{} bytes in the middle were too much to store]", facts.lost);
    }
    Ok(text)
}
