//! Parses one text: its definitions, and the ranges of its comments and strings.

use std::cell::RefCell;
use std::ops::{ControlFlow, Range};
use std::thread;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tree_sitter::{ParseOptions, Parser, QueryCursor, QueryCursorOptions, StreamingIterator as _, Tree};

use crate::languages::{Capture, Language};

/// Time limit for one file, in processor time of the thread, so that a busy machine does not hide
/// definitions. A file that takes longer is searched by its words alone.
const PATIENCE: Duration = Duration::from_millis(500);
/// Stack bytes reserved per byte of text. Each byte may add a level of nesting, which needs a third
/// of this.
const DEPTH: usize = 256;
/// Stack bytes that every thread has.
const SHALLOW: usize = 1 << 20;
/// Maximum number of definitions in one file: a file with more is generated.
const MAX_SYMBOLS: usize = 20_000;
/// Maximum length of a signature in characters.
const SIGNATURE: usize = 160;
/// Maximum number of lines above a definition that belong to it.
const LEADING: usize = 60;

/// One definition in a text. Lines are counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Symbol {
    pub(crate) name: Box<str>,
    pub(crate) kind: &'static str,
    /// Whether the symbol only contains definitions and is none itself.
    pub(crate) is_container: bool,
    /// The line of its name.
    pub(crate) line: u32,
    /// Offset of its name in the line, in bytes.
    pub(crate) column: u32,
    /// Its first line, with the comments and attributes above it.
    pub(crate) lead: u32,
    /// Its first line without them.
    pub(crate) start: u32,
    /// Its last line.
    pub(crate) end: u32,
    /// Number of definitions around it.
    pub(crate) depth: u16,
    /// Its head, on one line.
    pub(crate) signature: Box<str>,
}

/// The result of parsing a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Parsed {
    /// Definitions in the order of the text.
    pub(crate) symbols: Vec<Symbol>,
    /// Byte ranges of comments and strings, in order and without overlap.
    pub(crate) quiet: Vec<Range<u32>>,
    /// Whether parsing exceeded the time limit.
    pub(crate) gave_up: bool,
}

thread_local! {
    static PARSER: RefCell<(Parser, QueryCursor)> = RefCell::new((Parser::new(), QueryCursor::new()));
}

/// Parses a text. A text that exceeds the time limit has no definitions.
pub(crate) fn parse(text: &[u8], language: &Language) -> Parsed {
    parse_within(text, language, PATIENCE)
}

/// Parses on a thread whose stack the text cannot overflow. The parser frees its state recursively,
/// so 20,000 open brackets or prefix operators would otherwise end the process.
fn parse_within(text: &[u8], language: &Language, patience: Duration) -> Parsed {
    if text.len() * DEPTH <= SHALLOW {
        return parse_here(text, language, patience);
    }
    thread::scope(|scope| {
        let deep = thread::Builder::new().stack_size(SHALLOW + text.len() * DEPTH);
        let parsed =
            deep.spawn_scoped(scope, || parse_here(text, language, patience)).map(thread::ScopedJoinHandle::join);
        match parsed {
            Ok(Ok(parsed)) => parsed,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            // The system cannot provide such a stack.
            Err(_) => Parsed { gave_up: true, ..Parsed::default() },
        }
    })
}

fn parse_here(text: &[u8], language: &Language, patience: Duration) -> Parsed {
    let Some(compiled) = language.compiled() else { return Parsed::default() };
    let gave_up = Parsed { gave_up: true, ..Parsed::default() };
    if u32::try_from(text.len()).is_err() {
        return gave_up;
    }
    let until = computed() + patience;
    PARSER.with_borrow_mut(|(parser, cursor)| {
        if parser.set_language(&compiled.grammar).is_err() {
            return gave_up;
        }
        // Discards the state of a text whose parsing was stopped.
        parser.reset();
        let Some(tree) = tree_of(parser, text, until) else { return Parsed { gave_up: true, ..Parsed::default() } };
        let lines = Lines::of(text);
        let mut parsed = Parsed::default();
        let mut in_time = |_: &_| in_time(until);
        cursor.set_match_limit(10_000);
        let options = QueryCursorOptions::new().progress_callback(&mut in_time);
        let mut matches = cursor.matches_with_options(&compiled.query, tree.root_node(), text, options);
        while let Some(found) = matches.next() {
            let (mut name, mut definition) = (None, None);
            for capture in found.captures() {
                match compiled.captures.get(capture.index as usize) {
                    Some(Capture::Name) => name = Some(capture.node),
                    Some(Capture::Definition(kind)) => definition = Some((capture.node, *kind, false)),
                    Some(Capture::Container(kind)) => definition = Some((capture.node, *kind, true)),
                    Some(Capture::Quiet) => push_quiet(&mut parsed.quiet, capture.node.byte_range()),
                    _ => {}
                }
            }
            if let (Some(name), Some((node, kind, is_container))) = (name, definition)
                && parsed.symbols.len() < MAX_SYMBOLS
                && let Some(symbol) = symbol(text, &lines, name, node, (kind, is_container), language)
            {
                parsed.symbols.push(symbol);
            }
        }
        drop(matches);
        parsed.gave_up = computed() > until;
        arrange(&mut parsed);
        parsed
    })
}

/// Processor time of this thread.
fn computed() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

fn in_time(until: Duration) -> ControlFlow<()> {
    if computed() > until { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

fn tree_of(parser: &mut Parser, text: &[u8], until: Duration) -> Option<Tree> {
    let mut in_time = |_: &_| in_time(until);
    let options = ParseOptions::new().progress_callback(&mut in_time);
    parser.parse_with_options(&mut |at, _| text.get(at..).unwrap_or_default(), None, Some(options))
}

fn push_quiet(quiet: &mut Vec<Range<u32>>, range: Range<usize>) {
    let to = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    quiet.push(to(range.start)..to(range.end));
}

/// Sorts the definitions, removes duplicates, and sets the depth of each.
fn arrange(parsed: &mut Parsed) {
    // A variable that holds a function is a function.
    let is_variable = |symbol: &Symbol| symbol.kind == "variable";
    parsed.symbols.sort_by_key(|symbol| (symbol.line, symbol.column, is_variable(symbol)));
    parsed.symbols.dedup_by(|later, first| (later.line, later.column) == (first.line, first.column));
    parsed.symbols.sort_by(|a, b| (a.start, b.end, a.line, a.column).cmp(&(b.start, a.end, b.line, b.column)));
    let mut open: Vec<u32> = Vec::new();
    for symbol in &mut parsed.symbols {
        while open.last().is_some_and(|end| *end < symbol.start || *end < symbol.end) {
            open.pop();
        }
        symbol.depth = u16::try_from(open.len()).unwrap_or(u16::MAX);
        open.push(symbol.end);
    }
    parsed.quiet.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let mut reached = 0;
    parsed.quiet.retain(|range| {
        let is_new = range.end > reached;
        reached = reached.max(range.end);
        is_new
    });
}

fn symbol(
    text: &[u8],
    lines: &Lines,
    name: tree_sitter::Node<'_>,
    node: tree_sitter::Node<'_>,
    (kind, is_container): (&'static str, bool),
    language: &Language,
) -> Option<Symbol> {
    let to = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let bytes = text.get(name.byte_range())?;
    // `Scope::name` is indexed as `name`.
    let skipped = bytes.windows(2).rposition(|pair| pair == b"::").map_or(0, |at| at + 2);
    let bytes = if is_container { bytes } else { &bytes[skipped..] };
    let spelled = std::str::from_utf8(bytes).ok()?.trim();
    if spelled.is_empty() || spelled.len() > 200 || (!is_container && spelled.contains([' ', '(', '\n', '"', '['])) {
        return None;
    }
    let (line, start, end) = (name.start_position().row, node.start_position().row, node.end_position().row);
    let first = start.min(line);
    let end = if node.end_position().column == 0 && end > start { end - 1 } else { end };
    Some(Symbol {
        name: spelled.into(),
        kind,
        is_container,
        line: to(line),
        column: to(name.start_position().column + if is_container { 0 } else { skipped }),
        lead: to(lead(text, lines, first, language)),
        start: to(first),
        end: to(end.max(line)),
        depth: 0,
        signature: signature(text, lines, node).into(),
    })
}

/// The head of a definition: from the beginning of its line to its body.
fn signature(text: &[u8], lines: &Lines, node: tree_sitter::Node<'_>) -> String {
    let line = lines.range(node.start_position().row);
    let indented = text.get(line.start..node.start_byte()).unwrap_or_default();
    // Text before it on the line belongs to it (`export`), unless it is another definition.
    let from = if indented.len() > 40 || indented.iter().any(|byte| b"{};()".contains(byte)) {
        node.start_byte()
    } else {
        line.start
    };
    let body = ["body", "value"].iter().find_map(|field| node.child_by_field_name(field)).map(|body| body.start_byte());
    let has_block = body.is_some_and(|body| matches!(text.get(body), Some(b'{' | b'\n')) || body > node.start_byte());
    let to = body.filter(|_| has_block).unwrap_or(node.end_byte());
    let head = text.get(from..to.max(from)).unwrap_or_default();
    let head = String::from_utf8_lossy(&head[..head.len().min(4 * SIGNATURE)]);
    one_line(&head)
}

/// Text on one line, without the start of a body, cut at the length of a signature.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > SIGNATURE {
            break;
        }
    }
    let ends = line.trim_end_matches(['{', ' ', ':', '=']).len();
    line.truncate(ends);
    if line.len() > SIGNATURE {
        let cut = (0..=SIGNATURE).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
        line.truncate(cut);
        line.push('…');
    }
    line
}

/// The first of the lines above `first` that belong to the definition.
fn lead(text: &[u8], lines: &Lines, first: usize, language: &Language) -> usize {
    let belongs = |line: usize| {
        let line = text.get(lines.range(line)).unwrap_or_default().trim_ascii();
        language.leads.iter().any(|lead| line.starts_with(lead.as_bytes()))
            || (!line.is_empty() && line.ends_with(b"*/"))
    };
    (0..first).rev().take(LEADING).take_while(|line| belongs(*line)).last().unwrap_or(first)
}

/// Start offsets of lines.
pub(crate) struct Lines {
    starts: Vec<usize>,
    length: usize,
}

impl Lines {
    pub(crate) fn of(text: &[u8]) -> Self {
        let breaks = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        Self { starts: std::iter::once(0).chain(breaks).collect(), length: text.len() }
    }

    pub(crate) fn count(&self) -> usize {
        self.starts.len() - usize::from(self.starts.last() == Some(&self.length) && self.length > 0)
    }

    /// The byte range of a line with its line end; empty after the last line.
    pub(crate) fn range(&self, line: usize) -> Range<usize> {
        let start = self.starts.get(line).copied().unwrap_or(self.length);
        start..self.starts.get(line + 1).copied().unwrap_or(self.length)
    }

    /// The line that contains a byte.
    pub(crate) fn at(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte).saturating_sub(1)
    }
}

#[cfg(test)]
mod tests;
