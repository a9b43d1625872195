//! Groups one-line findings: a message once with all its places, or a file name once with all
//! findings in it, whichever is shorter. Nothing is left out.

use std::collections::HashMap;

use tools_core::FilterConfidence;

use super::{Reducer, places::joined};
use crate::{
    emit::{Emitter, mark, marked},
    table::{FRAME, NUMBERED_FILE},
};

/// Maximum bytes held; a full group is written.
const MAX_HELD: usize = 256 << 10;
/// Minimum number of findings to group.
const MIN_FINDINGS: usize = 3;

#[derive(Default)]
pub(crate) struct Findings {
    /// A line with only a file name, which the lines below may belong to. It follows everything
    /// held, unless it is held itself.
    file: Option<String>,
    is_file_held: bool,
    /// Whether all held findings were below file names.
    has_files: bool,
    held: Vec<Finding>,
    /// The original lines.
    lines: Vec<String>,
    bytes: usize,
    /// Number of lines that marks between them stand for.
    hidden: u64,
    found: bool,
}

struct Finding {
    file: String,
    place: String,
    text: String,
    /// The original line, unless other lines continue it.
    line: Option<String>,
}

impl Findings {
    fn add(&mut self, finding: Finding, line: &str, is_row: bool, out: &mut Emitter<'_>) {
        if self.has_files != is_row && !self.held.is_empty() {
            self.flush(out);
        }
        self.has_files = is_row;
        self.held.push(finding);
        self.hold(line);
        if self.bytes > MAX_HELD {
            self.flush(out);
        }
    }

    /// Emits a file name that no finding followed.
    fn end_file(&mut self, out: &mut Emitter<'_>) {
        if let Some(file) = self.file.take().filter(|_| !self.is_file_held) {
            self.flush(out);
            out.keep(&file);
        }
    }

    fn hold(&mut self, line: &str) {
        self.bytes += line.len() + 1;
        self.lines.push(line.to_owned());
    }

    fn flush(&mut self, out: &mut Emitter<'_>) {
        let (held, lines) = (std::mem::take(&mut self.held), std::mem::take(&mut self.lines));
        let bytes = std::mem::take(&mut self.bytes);
        let hidden = std::mem::take(&mut self.hidden);
        self.is_file_held = false;
        let length = |lines: &[String]| lines.iter().map(|line| line.len() + 1).sum::<usize>();
        let by_text = by_text(&held);
        let is_printed_so = std::mem::take(&mut self.has_files);
        let by_file = if is_printed_so || can_stand_under_files(&held) { by_file(&held) } else { Vec::new() };
        let is_by_file = !by_file.is_empty() && length(&by_file) <= length(&by_text);
        let shortest = if is_by_file { by_file } else { by_text };
        let rest = if hidden > 0 { mark(hidden).len() + 1 } else { 0 };
        if held.len() < MIN_FINDINGS || length(&shortest) + rest >= bytes {
            return lines.iter().for_each(|line| out.keep(line));
        }
        self.found = true;
        for line in &lines {
            out.forget(line);
        }
        for line in &shortest {
            out.write(line);
        }
        if hidden > 0 {
            out.keep(&mark(hidden));
        }
    }
}

/// Groups in the order of their first member.
fn grouped<'a>(findings: &'a [Finding], key: impl Fn(&'a Finding) -> &'a str) -> Vec<Vec<&'a Finding>> {
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    for finding in findings {
        let at = *known.entry(key(finding)).or_insert(groups.len());
        if at == groups.len() {
            groups.push(Vec::new());
        }
        groups[at].push(finding);
    }
    groups
}

fn by_text(findings: &[Finding]) -> Vec<String> {
    let line = |group: Vec<&Finding>| {
        let text = group.first().map_or("", |finding| finding.text.trim());
        let places: Vec<String> = group.iter().map(|finding| format!("{}:{}", finding.file, finding.place)).collect();
        match places.as_slice() {
            // A single finding stays as it was printed.
            [place] => match group.first().and_then(|finding| finding.line.as_deref()) {
                Some(line) => line.to_owned(),
                None => format!("{place} {text}"),
            },
            places => format!("{text} [×{}]: {}", places.len(), joined(places)),
        }
    };
    grouped(findings, |finding| &finding.text).into_iter().map(line).collect()
}

fn by_file(findings: &[Finding]) -> Vec<String> {
    let mut lines = Vec::new();
    for of_file in findings.chunk_by(|a, b| a.file == b.file) {
        let [first, ..] = of_file else { continue };
        lines.push(first.file.clone());
        for group in grouped(of_file, |finding| &finding.text) {
            let places: Vec<&str> = group.iter().map(|finding| finding.place.as_str()).collect();
            lines.push(format!("  {} {}", places.join(","), first_of(&group).trim_end()));
        }
    }
    lines
}

/// Whether a line is a row below a file name: `  12:5 text`, with one place or several.
pub(super) fn is_row_below_file(line: &str) -> bool {
    let text = line.strip_prefix("  ").unwrap_or_default();
    let is_place = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b':' | b',');
    let places = text.bytes().take_while(|byte| is_place(byte)).count();
    digits(text) > 0 && text[places..].starts_with(' ')
}

/// Whether a file name above its findings is unambiguous: nothing else in them is one.
fn can_stand_under_files(findings: &[Finding]) -> bool {
    findings.iter().all(|finding| is_source(&finding.file) && !names_source(&finding.text))
}

/// Extensions of source files. A word with one of them is always a file name.
const SOURCES: &[&str] = &[
    "rs", "py", "pyi", "js", "mjs", "cjs", "ts", "tsx", "jsx", "c", "cc", "cpp", "h", "hpp", "java", "go", "toml",
    "md", "json", "yml", "yaml", "tf", "ps1",
];

/// Whether a word of the text is the name of a source file.
pub(super) fn names_source(text: &str) -> bool {
    text.split([' ', '\'', '"', '`', '(', ':', ',']).any(is_source)
}

fn is_source(name: &str) -> bool {
    let name = name.trim_end_matches(['\'', '"', '`', ')', ']', '.', ';']);
    name.rsplit_once('.').is_some_and(|(before, ending)| !before.is_empty() && SOURCES.contains(&ending))
}

fn first_of<'a>(group: &[&'a Finding]) -> &'a str {
    group.first().map_or("", |finding| finding.text.as_str())
}

impl Reducer for Findings {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if let Some(finding) = finding(line) {
            if self.file.as_ref().is_some_and(|file| *file == finding.file) && !self.has_files {
                // The heading only repeats its findings.
                if !std::mem::replace(&mut self.is_file_held, true) {
                    self.hold(&finding.file);
                }
            } else {
                self.end_file(out);
            }
            return self.add(finding, line, false, out);
        }
        if !self.has_files
            && let Some(last) = self.held.last_mut()
            && goes_on(line, self.lines.last())
        {
            // The message continues on a line of its own.
            last.line = None;
            last.text.push_str(" / ");
            last.text.push_str(line.trim());
            return self.hold(line);
        }
        if let Some(file) = &self.file
            && let Some((place, text)) = row(line)
        {
            let file = file.clone();
            let name = file.strip_suffix(':').unwrap_or(&file).to_owned();
            if !self.is_file_held {
                if !self.has_files {
                    self.flush(out);
                }
                self.is_file_held = true;
                self.hold(&file);
            }
            return self.add(Finding { file: name, place, text, line: None }, line, true, out);
        }
        if let Some(lines) =
            marked(line).filter(|_| !self.held.is_empty() && self.file.as_ref().is_none_or(|_| self.is_file_held))
        {
            // Lines below a finding that are not shown.
            self.hidden += lines;
            return self.hold(line);
        }
        if line.is_empty() && self.file.is_some() && self.is_file_held {
            // Between the findings of two files.
            self.file = None;
            return self.hold(line);
        }
        self.end_file(out);
        if is_file(line) {
            self.is_file_held = false;
            self.file = Some(line.to_owned());
            return;
        }
        self.flush(out);
        out.keep(line);
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.end_file(out);
        self.flush(out);
        self.found.then_some(FilterConfidence::Full)
    }
}

/// Whether this is a file name: one word with an extension, or with a slash before its last part.
pub(super) fn is_name(text: &str) -> bool {
    let is_word =
        text.bytes().all(|byte| byte >= 0x80 || byte.is_ascii_alphanumeric() || b"._-/\\@+~[]".contains(&byte));
    let name = text.rsplit(['/', '\\']).next().unwrap_or(text);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_ending =
        (1..=8).contains(&ending.len()) && ending.starts_with(|c: char| c.is_ascii_alphabetic()) && ending.is_ascii();
    is_word && text.len() > 2 && (is_ending || (text.len() > name.len() && name.len() > 2))
}

/// Whether a line is or contains a file path with a number in its name. In a list of such files
/// somebody may look for each one. A progress step (`[3/310]`) is not part of a list.
pub(super) fn names_numbered_file(line: &str) -> bool {
    let is_step = |word: &str| {
        let share = word.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')?.split_once('/'));
        share
            .is_some_and(|(done, all)| done != all && done.bytes().chain(all.bytes()).all(|byte| byte.is_ascii_digit()))
    };
    NUMBERED_FILE.is_match(line) && !line.split(' ').any(is_step)
}

pub(super) fn is_file(line: &str) -> bool {
    let name = line.strip_suffix(':').unwrap_or(line);
    line.len() < 400 && is_name(name) && name.contains('.')
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// `path:12:3: text`, `path:12: text`, `path:12:3 - text`, `path(12,3): text`.
fn finding(line: &str) -> Option<Finding> {
    let text = line.trim_start_matches(' ');
    if line.len() - text.len() > 4 || line.len() > 2000 {
        return None;
    }
    let end = text.find([':', '('])?;
    let (file, rest) = text.split_at(end);
    if !is_name(file) {
        return None;
    }
    let (open, rest) = rest.split_at(1);
    if let Some(rest) = rest.strip_prefix(" line ") {
        return spelled_out(file, rest);
    }
    let row = digits(rest);
    if !(1..=7).contains(&row) {
        return None;
    }
    let after = &rest[row..];
    let column = after.strip_prefix([':', ',']).map_or(0, digits);
    let end = if column > 0 { row + 1 + column } else { row };
    let place = rest[..end].replace(',', ":");
    let rest = &rest[end..];
    let rest = if open == "(" { rest.strip_prefix(')')? } else { rest };
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    // A place is followed by a separator; this is not a place: `a.b:12ab`.
    let rest = rest.strip_prefix(' ')?;
    Some(Finding { file: file.to_owned(), place, text: rest.to_owned(), line: Some(line.to_owned()) })
}

/// The finding `12, col 5, text` after `path: line `.
fn spelled_out(file: &str, rest: &str) -> Option<Finding> {
    let row = digits(rest);
    let after = rest[row..].strip_prefix(", col ")?;
    let column = digits(after);
    let text = after[column..].strip_prefix(", ")?;
    let is_place = (1..=7).contains(&row) && column > 0;
    is_place.then(|| Finding {
        file: file.to_owned(),
        place: format!("{}:{}", &rest[..row], &after[..column]),
        text: text.to_owned(),
        line: None,
    })
}

/// Whether a line continues the finding in the previous line: it is indented deeper and has words.
fn goes_on(line: &str, before: Option<&String>) -> bool {
    // Pyright indents with non-breaking spaces.
    let depth = |line: &str| line.chars().take_while(|c| matches!(c, ' ' | '\u{a0}')).count();
    let says = line.bytes().filter(u8::is_ascii_alphabetic).count() >= 3;
    let Some(before) = before.filter(|before| marked(before).is_none()) else { return false };
    let is_deeper =
        if finding(before).is_some() { depth(line) >= depth(before) + 2 } else { depth(line) == depth(before) };
    says && line.len() < 400
        && depth(line) > 3
        && is_deeper
        && row(line).is_none()
        && !line.contains(['|', '│'])
        && !FRAME.is_match(line)
}

/// A row `  12:5  error  text  rule` below a file name.
fn row(line: &str) -> Option<(String, String)> {
    let text = line.trim_start();
    let row = digits(text);
    if text.len() == line.len() || row == 0 || line.len() > 2000 {
        return None;
    }
    let column = digits(text[row..].strip_prefix(':')?);
    let (place, rest) = text.split_at(row + 1 + column);
    if column == 0 || !rest.starts_with(' ') {
        return None;
    }
    let words: Vec<&str> = rest.split("  ").map(str::trim).filter(|word| !word.is_empty()).collect();
    Some((place.to_owned(), words.join("  ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read() {
        let table = [
            ("a.sh:12:3: note: x [SC1]", Some(("a.sh", "12:3", "note: x [SC1]"))),
            ("src/a.py:7: unused (60%)", Some(("src/a.py", "7", "unused (60%)"))),
            ("src/a.ts(3,5): error TS1: x", Some(("src/a.ts", "3:5", "error TS1: x"))),
            ("  /w/a.py:1:2 - error: x", Some(("/w/a.py", "1:2", "- error: x"))),
            ("/w/a.js: line 3, col 5, Error - x (no-x)", Some(("/w/a.js", "3:5", "Error - x (no-x)"))),
            ("10:00:01 started", None),
            ("http://a.b:80/x", None),
            ("a.b:12ab", None),
            ("main: 3 files", None),
            ("some text a.c:1: x", None),
            ("a.c:1:", None),
            ("", None),
        ];
        for (line, expected) in table {
            let read = finding(line);
            let read = read.as_ref().map(|one| (one.file.as_str(), one.place.as_str(), one.text.as_str()));
            assert_eq!(read, expected, "{line}");
        }
        assert_eq!(row("  12:5   error  a b   no-x"), Some(("12:5".to_owned(), "error  a b  no-x".to_owned())));
        assert_eq!(row("12:5 error"), None);
        assert_eq!(row("  12:5:6 x"), None);
    }
}
