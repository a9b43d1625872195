//! A question as rows of text: first all that asks, uncut, then the change, the reasons, and what
//! is allowed anyway. Every channel that shows text to a person shows these rows.

use super::change::total;
use super::refusal::RefusalReason;
use super::rows::{CONTINUED, Row, RowKind, Width, wrapped};
use super::{Change, ConfirmPrompt, PromptPart, Verdict};
use crate::{FileDiff, Subject, VisibleText};

/// Maximum number of characters that ask: two or three screens.
const MAX_ASKING_CHARS: usize = 6_000;
/// Maximum number of parts that ask.
const MAX_ASKING_PARTS: usize = 60;
/// Maximum number of rows for the asking parts in a dialog before they share rows: some clients
/// show no more.
const DIALOG_ROWS: usize = 3;
/// Maximum number of lines shown of a change.
const MAX_CHANGE_LINES: usize = 40;
/// Maximum length in characters of a shown line of a change.
const MAX_CHANGE_LINE: usize = 240;
/// Maximum number of allowed parts shown, and maximum length in characters of each.
const MAX_ALLOWED_PARTS: usize = 20;
const MAX_ALLOWED_CHARS: usize = 160;
/// Maximum length in characters of the whole command line, where it does not ask itself.
const MAX_LINE_CHARS: usize = 400;
/// Maximum length in characters of a reason or a rule.
const MAX_REASON_CHARS: usize = 400;
/// Maximum length in characters of a pattern to store; a longer one is not offered.
const MAX_STORED_CHARS: usize = 400;

/// Mark in front of a denied part.
const DENIED: &str = "DENIED";

/// A question, ready to be shown: escaped, in order, and within the size limits.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    tool: String,
    asking: Vec<Part>,
    line: Option<VisibleText>,
    allowed: Vec<VisibleText>,
    allowed_more: usize,
    change: Vec<VisibleText>,
    change_more: Option<String>,
    reason: VisibleText,
    by_tool: bool,
    stores: Option<VisibleText>,
}

#[derive(Debug, Clone, PartialEq)]
struct Part {
    mark: &'static str,
    /// Size of the change, if it is about this part.
    extent: Option<String>,
    text: VisibleText,
    rule: VisibleText,
    via: Option<VisibleText>,
}

impl Part {
    fn kind(&self) -> RowKind {
        if self.mark == DENIED { RowKind::Denied } else { RowKind::Asks }
    }
}

impl Question {
    /// Formats a prompt.
    ///
    /// # Errors
    /// [`RefusalReason::TooLong`] if the asking parts do not fit: they are never cut.
    pub fn of(prompt: &ConfirmPrompt) -> Result<Self, RefusalReason> {
        let asking = asking(prompt);
        let chars = asking.iter().map(|part| part.text.chars()).sum();
        if chars > MAX_ASKING_CHARS || asking.len() > MAX_ASKING_PARTS {
            return Err(RefusalReason::TooLong { chars, parts: asking.len() });
        }
        let shown = prompt.asking().next().is_some();
        let line = prompt.allowed().find(|part| shown && is_whole_line(part) && !brings_its_input(prompt));
        let allowed = || prompt.allowed().filter(|part| shown && !is_whole_line(part));
        let change: Vec<String> = prompt.change.as_ref().map(lines).unwrap_or_default();
        let pattern = prompt.would_store.as_ref().map(|rule| VisibleText::of(&rule.pattern));
        Ok(Self {
            tool: prompt.tool.to_string(),
            line: line.map(|part| text(part).shortened(MAX_LINE_CHARS)),
            allowed: allowed().take(MAX_ALLOWED_PARTS).map(|part| text(part).shortened(MAX_ALLOWED_CHARS)).collect(),
            allowed_more: allowed().count().saturating_sub(MAX_ALLOWED_PARTS),
            change_more: prompt.change.as_ref().and_then(|foreseen| left_out(foreseen, &change)),
            change: change.iter().map(|line| VisibleText::of(line).shortened(MAX_CHANGE_LINE)).collect(),
            reason: VisibleText::of(&prompt.reason).shortened(MAX_REASON_CHARS),
            by_tool: prompt.by_tool,
            stores: pattern.filter(|pattern| pattern.chars() <= MAX_STORED_CHARS),
            asking,
        })
    }

    /// Whether an answer may store a rule.
    pub fn stores(&self) -> bool {
        self.stores.is_some()
    }

    /// The rows that show the rule to store, after `front`, which is the channel's text; empty if
    /// there is no such rule.
    pub fn stored_rows(&self, front: &str, width: Width) -> Vec<String> {
        self.stores.as_ref().map(|pattern| wrapped(front, pattern, width)).unwrap_or_default()
    }

    /// All rows; each part that asks has at least one of its own.
    pub fn rows(&self, width: Width) -> Vec<String> {
        texts(self.screen(width, usize::MAX))
    }

    /// The rows for a terminal of `height` rows: rows that do not ask are dropped to keep the
    /// asking parts in sight. If they still do not fit, the last row says how far above they begin.
    pub fn screen(&self, width: Width, height: usize) -> Vec<Row> {
        let mut rows = self.asking_rows(width);
        let asking = rows.len();
        self.add_the_rest(&mut rows, width, height);
        if rows.len() > height {
            let above = rows.len() - asking;
            let text = format!("  what asks are the first {asking} rows, which end {above} rows above this one");
            rows.push(Row { kind: RowKind::Plain, text });
        }
        rows
    }

    /// The rows for a dialog that may show only its first rows: many asking parts share rows.
    pub fn dialog(&self) -> Vec<String> {
        let mut rows = self.dialog_rows();
        self.add_the_rest(&mut rows, Width::DIALOG, usize::MAX);
        texts(rows)
    }

    /// Whether a dialog of three rows shows all asking parts.
    pub fn fits_dialog(&self) -> bool {
        self.dialog_rows().len() <= DIALOG_ROWS
    }

    /// The question and its reason on one line: for channels that show no rows.
    pub fn line(&self) -> String {
        let parts = self.asking.iter().map(|part| format!("{}: {}", part.text, part.rule));
        parts.collect::<Vec<_>>().join("; ")
    }

    /// Details of each asking part: its rule, and the commands that run it.
    pub fn details(&self, width: Width) -> Vec<String> {
        let mut rows = wrapped("Why it asks: ", &self.reason, width);
        for part in &self.asking {
            rows.extend(wrapped(&format!("  {}: ", part.mark), &part.text, width));
            rows.extend(wrapped("      by: ", &part.rule, width));
            if let Some(via) = &part.via {
                rows.extend(wrapped("      run through: ", via, width));
            }
        }
        rows
    }

    fn asking_rows(&self, width: Width) -> Vec<Row> {
        let count = self.asking.len();
        let mut rows = vec![];
        for (at, part) in self.asking.iter().enumerate() {
            let start = if at == 0 { format!("{} ", self.tool) } else { "  ".to_owned() };
            let number = if count > 1 { format!(" {}/{count}", at + 1) } else { String::new() };
            let extent = part.extent.as_ref().map(|extent| format!(" ({extent})")).unwrap_or_default();
            let front = format!("{start}{}{number}{extent}: ", part.mark);
            rows.extend(part.kind().rows(wrapped(&front, &part.text, width)));
        }
        rows
    }

    /// The asking parts, for a dialog.
    fn dialog_rows(&self) -> Vec<Row> {
        let rows = self.asking_rows(Width::DIALOG);
        if rows.len() <= DIALOG_ROWS || self.asking.len() == 1 {
            return rows;
        }
        let texts = self.asking.iter().map(|part| part.text.clone());
        let front = format!("{} ASKS about {} parts: ", self.tool, self.asking.len());
        RowKind::Asks.rows(wrapped(&front, &VisibleText::numbered(texts), Width::DIALOG)).collect()
    }

    /// Adds the change, reasons, whole line and allowed parts, up to `height` rows.
    fn add_the_rest(&self, rows: &mut Vec<Row>, width: Width, height: usize) {
        let plain = |text: String| Row { kind: RowKind::Plain, text };
        let reasons = self.reasons(width);
        let room = |rows: &[Row], kept: usize| height.saturating_sub(rows.len() + kept + 1);
        let mut shown = 0;
        for line in &self.change {
            let more = wrapped(CONTINUED, line, width);
            if more.len() > room(rows, reasons.len()) {
                break;
            }
            rows.extend(RowKind::of_change(line).rows(more));
            shown += 1;
        }
        match (&self.change_more, self.change.len() - shown) {
            (Some(more), 0) => rows.push(plain(format!("  and {more}"))),
            (None, 0) => {}
            (_, left) => rows.push(plain(format!("  and {left} or more lines of the change that are not shown"))),
        }
        rows.extend(RowKind::Plain.rows(reasons));
        let line = self.line.iter().map(|line| wrapped("  whole line: ", line, width));
        let allowed = self.allowed.iter().map(|part| wrapped("  allowed: ", part, width));
        let mut left = self.allowed_more;
        for (at, more) in line.chain(allowed).enumerate() {
            if more.len() <= room(rows, 0) && left == self.allowed_more {
                rows.extend(RowKind::Aside.rows(more));
            } else if at > 0 || self.line.is_none() {
                left += 1;
            }
        }
        if left > 0 {
            let text = format!("  and {left} more parts that are allowed");
            rows.push(Row { kind: RowKind::Aside, text });
        }
    }

    fn reasons(&self, width: Width) -> Vec<String> {
        let mut rows = wrapped("Why it asks: ", &self.reason, width);
        if self.by_tool {
            rows.push("  asked by the tool itself; every part is covered by a rule".to_owned());
        }
        let mut rules: Vec<(&VisibleText, Vec<String>)> = vec![];
        for (at, part) in self.asking.iter().enumerate().filter(|(_, part)| part.rule != self.reason) {
            let number = (at + 1).to_string();
            match rules.iter_mut().find(|(rule, _)| *rule == &part.rule) {
                Some((_, parts)) => parts.push(number),
                None => rules.push((&part.rule, vec![number])),
            }
        }
        for (rule, parts) in rules {
            let parts = if self.asking.len() > 1 { format!(" {}", parts.join(", ")) } else { String::new() };
            rows.extend(wrapped(&format!("  rule{parts}: "), rule, width));
        }
        rows
    }
}

fn texts(rows: Vec<Row>) -> Vec<String> {
    rows.into_iter().map(|row| row.text).collect()
}

/// The parts that ask. If none does by itself, the call as a whole asks, and so do all its
/// subjects.
fn asking(prompt: &ConfirmPrompt) -> Vec<Part> {
    let mut extent = prompt.change.as_ref().map(Change::extent);
    let about = prompt.change.as_ref().and_then(Change::path);
    let mut part = |part: &PromptPart| {
        let is_about = match (&part.subject, about) {
            (Subject::Path { path, .. }, Some(about)) => path == about,
            _ => about.is_none(),
        };
        Part {
            mark: if part.verdict == Verdict::Deny { DENIED } else { "ASK" },
            extent: if is_about { extent.take() } else { None },
            text: text(part),
            rule: VisibleText::of(&part.rule).shortened(MAX_REASON_CHARS),
            via: via(&part.subject),
        }
    };
    let line = prompt.allowed().find(|part| is_whole_line(part) && brings_its_input(prompt));
    let asking: Vec<Part> = match prompt.asking().next() {
        Some(_) => prompt.asking().chain(line).map(&mut part).collect(),
        None => prompt.parts.iter().map(&mut part).collect(),
    };
    if asking.is_empty() {
        let text = VisibleText::of(&prompt.reason).shortened(MAX_REASON_CHARS);
        return vec![Part { mark: "ASK", extent, rule: text.clone(), text, via: None }];
    }
    asking
}

/// Whether the part is the whole command line, not a command in it.
fn is_whole_line(part: &PromptPart) -> bool {
    matches!(&part.subject, Subject::Command { program, .. } if program.is_empty())
}

/// Whether an asking command gets its input from the line, after its own text: then the whole line
/// asks.
fn brings_its_input(prompt: &ConfirmPrompt) -> bool {
    prompt.asking().any(|part| matches!(&part.subject, Subject::Command { line, .. } if line.contains("<<")))
}

fn text(part: &PromptPart) -> VisibleText {
    let text = part.subject.text();
    VisibleText::of(&match &part.subject {
        Subject::Paths { access, pattern, .. } => {
            let file = match (pattern.strip_prefix("**/"), pattern.strip_suffix("/**")) {
                _ if pattern == "**" => "a file that is known only when it runs".to_owned(),
                (Some(name), _) => format!("`{name}` in a folder that is known only when it runs"),
                (_, Some(folder)) => format!("a file below `{folder}` that is known only when it runs"),
                _ => text,
            };
            format!("{} {file}", access.as_str())
        }
        Subject::Path { access, .. } => format!("{} {text}", access.as_str()),
        Subject::Host { .. } => format!("connect {text}"),
        Subject::Opaque { .. } => format!("opaque: {text}"),
        Subject::Script { script, .. } => match script.digest {
            Some(digest) => format!("run {text} ({digest})"),
            None => format!("run {text} (what it holds cannot be told)"),
        },
        Subject::Command { .. } | Subject::Url { .. } | Subject::Port { .. } => text,
    })
}

fn via(subject: &Subject) -> Option<VisibleText> {
    match subject {
        Subject::Command { via, .. } if !via.is_empty() => {
            Some(VisibleText::of(&via.join(", ")).shortened(MAX_REASON_CHARS))
        }
        _ => None,
    }
}

/// The first lines of a change: for a diff the lines that differ, and the positions of the hunks.
fn lines(change: &Change) -> Vec<String> {
    let lines: Vec<String> = match change {
        Change::Diff(diff) => differing(diff).map(str::to_owned).collect(),
        Change::Scripts { diffs } => {
            let named = |diff: &FileDiff| format!("{} has changed since it was approved:", diff.path.to_string_lossy());
            let of = |diff| std::iter::once(named(diff)).chain(differing(diff).map(str::to_owned));
            diffs.iter().flat_map(of).collect()
        }
        Change::Deletes { total: 1, .. } => vec![],
        Change::Deletes { paths, .. } => paths.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
        Change::Content { head, .. } => head.lines().map(str::to_owned).collect(),
    };
    lines.into_iter().take(MAX_CHANGE_LINES).collect()
}

/// The lines that differ, and the positions of the hunks.
fn differing(diff: &FileDiff) -> impl Iterator<Item = &str> {
    let differs = diff.unified.lines().filter(|line| !line.starts_with(' '));
    differs.skip_while(|line| line.starts_with("@@"))
}

/// The part of a change beyond the shown lines; `None` if all is shown.
fn left_out(change: &Change, shown: &[String]) -> Option<String> {
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let unseen = |diffs: &[FileDiff]| {
        let (added, removed) = total(diffs);
        let seen = shown.iter().filter(|line| line.starts_with(['+', '-'])).count();
        (added + removed).saturating_sub(count(seen))
    };
    let (left, what) = match change {
        Change::Diff(diff) => (unseen(std::slice::from_ref(diff)), "changed lines"),
        Change::Scripts { diffs } => (unseen(diffs), "changed lines"),
        Change::Deletes { total: 1, .. } => (0, ""),
        Change::Deletes { total, .. } => (total.saturating_sub(count(shown.len())), "entries"),
        Change::Content { bytes, head, .. } => {
            let whole = *bytes <= count(head.len()) && head.lines().count() <= shown.len();
            let bytes_shown: usize = shown.iter().map(|line| line.len() + 1).sum();
            (if whole { 0 } else { bytes.saturating_sub(count(bytes_shown)).max(1) }, "bytes")
        }
    };
    (left > 0).then(|| format!("{left} more {what} that are not shown"))
}
