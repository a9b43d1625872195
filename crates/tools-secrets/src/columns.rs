//! Table columns whose header names a credential: text separated by commas, semicolons or tabs, and
//! tables that database clients draw with `|`.

use std::ops::Range;

use tools_core::is_credential_key;

use crate::assignment::kind;
use crate::finding::{Finding, Heading};
use crate::value;

/// Maximum length in bytes of a header or row.
const MAX_LINE_BYTES: usize = 4096;
/// Maximum length of a header field.
const MAX_NAME_LEN: usize = 40;

/// Checks whether the keyword at `start` names a column and, if so, reads all rows. Lines before
/// `done` were checked already.
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
    // Also set if the line is too long for a header, so that it is not checked again for each
    // keyword in it.
    *done = line_end.unwrap_or(limit);
    let (line_start, line_end) = (line_start?, line_end?);
    let header = text.get(line_start..line_end).filter(|line| line.len() <= MAX_LINE_BYTES)?;
    // A comma with a blank is from a sentence or a program.
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

/// Finds the credentials in all rows from `at` on; returns the end of the last row.
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

/// Whether a field of a credential column contains a credential.
fn is_given(field: &str, kind: &str) -> bool {
    // A table about passwords describes them in words.
    let is_words = field.contains(' ');
    // A password chosen by a person has no minimum length.
    value::is_secret(field) && (kind == "password" || !is_words)
        || kind == "password" && !is_words && field.len() >= 6 && value::is_password(field) && value::is_mixed(field)
}

/// The ranges of the fields of a line, without blanks, quotes and the outer bars of a drawn row.
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

/// Whether a byte may be part of a column name. A table lookup, since it runs after each keyword.
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

/// Whether a line separates the header of a drawn table from its rows.
fn is_ruler(line: &str) -> bool {
    let line = line.trim();
    line.contains("--") && line.bytes().all(|byte| matches!(byte, b'-' | b'+' | b'|' | b' ' | b':' | b'='))
}
