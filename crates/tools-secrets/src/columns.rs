//! Columns of tables whose header names a credential: text separated by commas, semicolons or tabs,
//! and what database clients draw with `|`.

use std::ops::Range;

use tools_core::is_credential_key;

use crate::assignment::kind;
use crate::finding::{Finding, Heading};
use crate::value;

/// A longer line is no header, and no row.
const MAX_LINE_BYTES: usize = 4096;
/// A longer field of a header is none.
const MAX_NAME_LEN: usize = 40;

/// Looks whether the keyword at `start` names a column, and if so at all rows. Lines that begin
/// before `done` were looked at.
pub(crate) fn find(
    text: &str,
    (start, end): (usize, usize),
    done: &mut usize,
    findings: &mut Vec<Finding>,
) -> Option<Heading> {
    let bytes = text.as_bytes();
    if start < *done {
        return None;
    }
    let after = end + bytes[end..].iter().take(MAX_NAME_LEN).take_while(|byte| is_part(**byte)).count();
    let after = after + usize::from(matches!(bytes.get(after), Some(b'"')));
    if !bytes.get(after).is_none_or(|byte| matches!(byte, b',' | b';' | b'\t' | b'|' | b'\r' | b'\n')) {
        return None;
    }
    let before = start - bytes[..start].iter().rev().take(MAX_NAME_LEN).take_while(|byte| is_part(**byte)).count();
    let mark = [bytes.get(after), before.checked_sub(1).and_then(|at| bytes.get(at))];
    let mark = mark.into_iter().flatten().find(|byte| matches!(byte, b',' | b';' | b'\t' | b'|'));
    let quoted = (before >= 2 && bytes[before - 1] == b'"').then(|| bytes[before - 2]);
    let mark = char::from(mark.copied().or(quoted.filter(|byte| matches!(byte, b',' | b';' | b'\t' | b'|')))?);
    let from = start.saturating_sub(MAX_LINE_BYTES);
    let line_start = memchr::memrchr(b'\n', &bytes[from..start]).map(|at| from + at + 1).or((from == 0).then_some(0));
    let limit = (end + MAX_LINE_BYTES).min(bytes.len());
    let line_end = memchr::memchr(b'\n', &bytes[end..limit]).map(|at| end + at + 1);
    // Also where the line is too long for a header: it is not looked at again for each keyword in
    // it.
    *done = line_end.unwrap_or(limit);
    let (line_start, line_end) = (line_start?, line_end?);
    let header = text.get(line_start..line_end).filter(|line| line.len() <= MAX_LINE_BYTES)?;
    // A blank after a comma is that of a sentence, or of a program.
    if matches!(mark, ',' | ';') && header.contains([mark, ' '].iter().collect::<String>().as_str()) {
        return None;
    }
    let names = fields(header, mark);
    let names: Vec<&str> = names.into_iter().map(|field| &header[field]).collect();
    if names.len() < 2 || !names.iter().all(|name| is_name(name)) {
        return None;
    }
    let kinds: Vec<Option<&'static str>> =
        names.iter().map(|name| is_credential_key(name.trim_start_matches(['+', '-'])).then(|| kind(name))).collect();
    if kinds.iter().all(Option::is_none) {
        return None;
    }
    let end = rows(text, line_end, mark, &kinds, findings);
    *done = end;
    Some(Heading { line: line_start..line_end, end })
}

/// The credentials of all rows from `at` on; where the last one ends.
fn rows(text: &str, mut at: usize, mark: char, kinds: &[Option<&'static str>], findings: &mut Vec<Finding>) -> usize {
    while at < text.len() {
        let length = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len() - at, |length| length + 1);
        let line = &text[at..at + length];
        if !is_ruler(line) {
            let fields = if line.len() <= MAX_LINE_BYTES { fields(line, mark) } else { Vec::new() };
            if fields.len() != kinds.len() {
                break;
            }
            for (field, kind) in fields.into_iter().zip(kinds) {
                let Some(kind) = *kind else { continue };
                if is_given(&line[field.clone()], kind) {
                    findings.push(Finding { start: at + field.start, end: at + field.end, kind, rule: "column" });
                }
            }
        }
        at += length;
    }
    at
}

/// Whether a field of such a column has a value.
fn is_given(field: &str, kind: &str) -> bool {
    // What a table tells of passwords is told in words.
    let is_words = field.contains(' ');
    // A password that somebody chose has no length to speak of.
    value::is_secret(field) && (kind == "password" || !is_words)
        || kind == "password" && !is_words && field.len() >= 6 && value::is_password(field) && value::is_mixed(field)
}

/// Where the fields of a line stand, without blanks and quotes around them; without the bars at
/// both ends of a drawn row.
fn fields(line: &str, mark: char) -> Vec<Range<usize>> {
    let line = line.trim_end_matches(['\r', '\n']);
    let mut fields = Vec::new();
    let (mut start, mut is_quoted) = (0, false);
    for (at, character) in line.char_indices() {
        if character == '"' {
            is_quoted = !is_quoted;
        } else if character == mark && !is_quoted {
            fields.push(start..at);
            start = at + 1;
        }
    }
    fields.push(start..line.len());
    if mark == '|' {
        let is_blank = |field: &Range<usize>| line[field.clone()].trim().is_empty();
        if fields.last().is_some_and(is_blank) {
            fields.pop();
        }
        if fields.first().is_some_and(is_blank) {
            fields.remove(0);
        }
    }
    let bare = |field: Range<usize>| {
        let text = &line[field.clone()];
        let trimmed = text.trim_matches([' ', '"', '`']);
        let start = field.start + text.find(trimmed).unwrap_or_default();
        start..start + trimmed.len()
    };
    fields.into_iter().map(bare).collect()
}

/// Whether a byte may be one of a column's name. Looked up: it is asked behind each keyword.
fn is_part(byte: u8) -> bool {
    const PARTS: [bool; 256] = {
        let mut parts = [false; 256];
        let mut byte = 0_u8;
        while byte < 128 {
            parts[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b' ' | b'.');
            byte += 1;
        }
        parts
    };
    PARTS[usize::from(byte)]
}

fn is_name(name: &str) -> bool {
    let name = name.trim_start_matches(['+', '-']);
    !name.is_empty()
        && !name.starts_with('.')
        && name.len() <= MAX_NAME_LEN
        && name.bytes().all(is_part)
        && name.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// The line between the header of a drawn table and its rows.
fn is_ruler(line: &str) -> bool {
    let line = line.trim();
    line.contains("--") && line.bytes().all(|byte| matches!(byte, b'-' | b'+' | b'|' | b' ' | b':' | b'='))
}
