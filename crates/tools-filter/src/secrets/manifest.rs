//! Values of a Kubernetes `Secret`: below `data` in base64, below `stringData` as they are, whatever their names say.

use super::{scan::Finding, value};

/// How far below its beginning an entry may begin.
pub(super) const REACH: usize = 3 << 10;
/// How long a value is read.
const LONGEST: usize = 8192;
/// No encoded value is shorter.
const SHORTEST: usize = 8;

/// How values are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    Encoded,
    Plain,
}

/// The values of the `data` that begins at `start` and whose colon stands before `end`.
pub(super) fn entries(text: &str, start: usize, end: usize, done: &mut usize, findings: &mut Vec<Finding>) {
    let before = &text.as_bytes()[..start];
    let written = if before.ends_with(b"string") && !before.ends_with(b"astring") {
        Written::Plain
    } else if before.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')) {
        return;
    } else {
        Written::Encoded
    };
    let rest = &text[end..];
    let rest = &rest[..rest.floor_char_boundary(REACH + LONGEST)];
    *done = match rest.trim_start_matches([' ', '\t', '\r', '\n']).strip_prefix('{') {
        Some(members) => json(text, text.len() - text[end..].len() + (rest.len() - members.len()), written, findings),
        None => yaml(text, start, end, written, findings).unwrap_or(*done),
    };
}

/// Lines that are further in than the one that `data:` stands on; where they end.
fn yaml(text: &str, start: usize, end: usize, written: Written, findings: &mut Vec<Finding>) -> Option<usize> {
    let line_start = memchr::memrchr(b'\n', &text.as_bytes()[..start]).map_or(0, |at| at + 1);
    let outer = indentation(text.get(line_start..)?);
    let mut at = end + memchr::memchr(b'\n', text.as_bytes().get(end..(end + 8).min(text.len()))?)?;
    if !text[end..at].trim().is_empty() {
        return None;
    }
    at += 1;
    while at < text.len() && at - end <= REACH {
        let rest = &text[at..];
        let rest = &rest[..rest.floor_char_boundary(LONGEST)];
        let line_end = memchr::memchr(b'\n', rest.as_bytes());
        let line = &rest[..line_end.unwrap_or(rest.len())];
        if !line.trim().is_empty() && indentation(line) <= outer {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && is_name(name.trim_start_matches(['+', '-']).trim())
        {
            let bare = value.trim().trim_matches(['"', '\'']);
            let from = at + name.len() + 1 + value.find(bare).unwrap_or_default();
            take(text, (from, from + bare.len()), written, findings);
        }
        // A line that goes on is longer than any value, or the last one.
        let Some(length) = line_end else { break };
        at += length + 1;
    }
    Some(at.min(text.len()))
}

/// Members of an object, whose quotes may be escaped; where they end.
fn json(text: &str, mut at: usize, written: Written, findings: &mut Vec<Finding>) -> usize {
    let limit = at + REACH;
    let blank = |character: char| matches!(character, ' ' | '\t' | '\r' | '\n' | ',');
    while at < limit {
        let rest = text[at..].trim_start_matches(blank);
        let Some((_, rest)) = quoted(rest).filter(|(name, _)| is_name(name)) else { break };
        let Some(rest) = rest.trim_start_matches(' ').strip_prefix(':') else { break };
        let Some((value, rest)) = quoted(rest.trim_start_matches(' ')) else { break };
        let end = text.len() - rest.len();
        let start = value.as_ptr() as usize - text.as_ptr() as usize;
        take(text, (start, start + value.len()), written, findings);
        at = end;
    }
    at
}

/// What stands between quotes at the beginning of a text, and what follows.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches('\\').strip_prefix('"')?;
    let text_end = text.floor_char_boundary(LONGEST);
    let end = text[..text_end].find(['"', '\\', '\n'])?;
    let rest = text[end..].trim_start_matches('\\').strip_prefix('"')?;
    Some((&text[..end], rest))
}

/// How far in a line begins, without the mark of a diff.
fn indentation(line: &str) -> usize {
    let line = line.strip_prefix(['+', '-']).unwrap_or(line);
    line.len() - line.trim_start_matches(' ').len()
}

fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    !name.is_empty() && name.len() <= 253 && name.bytes().all(is_part)
}

fn take(text: &str, (start, end): (usize, usize), written: Written, findings: &mut Vec<Finding>) {
    let value = &text[start..end];
    let is_found = match written {
        Written::Encoded => is_encoded(value),
        Written::Plain => value::is_secret(value),
    };
    if is_found {
        findings.push(Finding { start, end, kind: "secret", rule: "manifest" });
    }
}

/// Whether a value is base64 of a text, or of bytes as random as a key. A certificate is public.
fn is_encoded(value: &str) -> bool {
    let Some(bytes) = (value.len() >= SHORTEST).then(|| decoded(value)).flatten() else { return false };
    if bytes.starts_with(b"-----BEGIN CERT") || bytes.starts_with(b"-----BEGIN PUB") {
        return false;
    }
    let is_text = bytes.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t'));
    is_text || value.len() >= 24 && value::is_random(value)
}

/// The bytes of whole groups of base64, padded at the end; `None` for anything else.
fn decoded(value: &str) -> Option<Vec<u8>> {
    let bare = value.trim_end_matches('=');
    if !value.len().is_multiple_of(4) || value.len() - bare.len() > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(bare.len());
    let (mut bits, mut count) = (0_u32, 0);
    for byte in bare.bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(digit);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    Some(bytes)
}
