//! Values of a Kubernetes `Secret`: base64 below `data`, plain text below `stringData`, whatever
//! their names are.

use crate::finding::{Finding, Heading};
use crate::margin::Margin;
use crate::provider::is_inside_word;
use crate::value;

/// Maximum bytes of a value.
const MAX_VALUE_BYTES: usize = 32 << 10;
/// Maximum bytes after `data:` on its line.
const MAX_REST_LEN: usize = 256;
/// Minimum bytes of an encoded value.
const MIN_ENCODED_BYTES: usize = 8;

/// How values are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ManifestFormat {
    Encoded,
    Plain,
}

/// The values of the `data` that begins at `start` and whose colon is before `end`.
pub(crate) fn entries(
    text: &str,
    (start, end): (usize, usize),
    done: &mut usize,
    findings: &mut Vec<Finding>,
    tell: &mut dyn FnMut(Heading),
) {
    let before = &text.as_bytes()[..start];
    let is_text = before.ends_with(b"string") && !is_inside_word(before, start - "string".len());
    let written = if is_text {
        ManifestFormat::Plain
    } else if before.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
        && !is_behind_margin(text, start)
    {
        return;
    } else {
        ManifestFormat::Encoded
    };
    let name = start - if written == ManifestFormat::Plain { "string".len() } else { 0 };
    let name = name - usize::from(matches!(text.as_bytes()[..name].last(), Some(b'"' | b'\'')));
    let (margin, line) = Margin::around(text, name);
    let rest = &text[end..];
    let line_end = memchr::memchr(b'\n', &rest.as_bytes()[..rest.len().min(MAX_REST_LEN)]).map(|at| end + at + 1);
    let below = match rest[skipped(rest, &margin)..].strip_prefix('{') {
        Some(members) => map(text, text.len() - members.len(), &margin, written, findings),
        None => match line_end.filter(|line_end| is_bare(&text[end..*line_end])) {
            Some(below) => {
                let lead = &text[line..name];
                let outer = outer(lead.get(margin.length(lead).unwrap_or_default()..).unwrap_or(lead));
                Block { text, margin, outer, written }.read(below, findings, tell)
            }
            None => return,
        },
    };
    *done = below;
    if let Some(line_end) = line_end.filter(|line_end| *line_end < below) {
        tell(Heading { line: line..line_end, end: below });
    }
}

/// Whether a word is first on its line after a margin, which may end like a longer word.
fn is_behind_margin(text: &str, at: usize) -> bool {
    let (margin, line) = Margin::around(text, at);
    text.as_bytes()[..at].ends_with(b"-") && margin.length(&text[line..at]) == Some(at - line)
}

/// Whether no value follows a colon: nothing, a comment, an anchor or a tag.
fn is_bare(rest: &str) -> bool {
    let rest = rest.trim();
    rest.is_empty() || rest.starts_with(['#', '&', '!']) && !rest.contains(['|', '>'])
}

/// The indentation of the name at the beginning of a line.
fn outer(lead: &str) -> usize {
    let lead = lead.strip_prefix(['+', '-']).unwrap_or(lead);
    if lead.bytes().all(|byte| matches!(byte, b' ' | b'-')) { lead.len() } else { indentation(lead) }
}

/// Lines that are indented further than the line of `data:`.
struct Block<'a> {
    text: &'a str,
    margin: Margin<'a>,
    outer: usize,
    written: ManifestFormat,
}

/// A value that may continue below its name.
struct Open<'a> {
    /// The line of the name.
    line: std::ops::Range<usize>,
    /// The indentation of the name.
    inner: usize,
    /// Whether all lines below are text, regardless of their form.
    is_literal: bool,
    parts: Vec<&'a str>,
}

impl<'a> Block<'a> {
    /// Reads the values of the lines from `at` on; returns where they end.
    fn read(&self, mut at: usize, findings: &mut Vec<Finding>, tell: &mut dyn FnMut(Heading)) -> usize {
        let mut open: Option<Open<'a>> = None;
        while at < self.text.len() {
            let rest = &self.text[at..];
            let next = memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |end| end + 1);
            let line = &rest[..next];
            // A continuing line is longer than any value.
            if next > MAX_VALUE_BYTES {
                break;
            }
            let margin = self.margin.length(line);
            let body = margin.map_or("", |length| &line[length..]);
            if body.trim().is_empty() {
                // `grep` separates two places with `--`, which has no margin.
                if margin.is_none() && !matches!(line.trim(), "" | "--") {
                    break;
                }
                at += next;
                continue;
            }
            let inner = indentation(body);
            if inner <= self.outer {
                break;
            }
            let content = body.strip_prefix(['+', '-']).unwrap_or(body).trim();
            let literal = open.as_mut().filter(|open| open.is_literal && inner > open.inner);
            match (pair(content), literal) {
                (Some(value), Some(_)) => self.judge(&[scalar(value)], findings),
                (None, Some(open)) => open.parts.push(content),
                (None, None) if content.starts_with('#') => {}
                (None, None) => {
                    if let Some(open) = open.as_mut().filter(|open| inner > open.inner) {
                        open.parts.push(scalar(content.trim_end_matches(['"', '\'', '\\'])));
                    }
                }
                (Some(value), None) => {
                    if let Some(open) = open.take() {
                        self.judge(&open.parts, findings);
                    }
                    let is_literal = is_literal(value);
                    let parts = if is_literal { Vec::new() } else { vec![scalar(value)] };
                    open = Some(Open { line: at..at + next, inner, is_literal, parts });
                }
            }
            at += next;
        }
        if let Some(open) = open {
            self.judge(&open.parts, findings);
            tell(Heading { line: open.line, end: at });
        }
        at
    }

    /// Finds the credentials in a value on several lines.
    fn judge(&self, parts: &[&'a str], findings: &mut Vec<Finding>) {
        let offset = |part: &str| part.as_ptr() as usize - self.text.as_ptr() as usize;
        let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
        let mut take = |part: &str| take(offset(part), part.len(), findings);
        match (self.written, parts.as_slice()) {
            (_, []) => {}
            (ManifestFormat::Encoded, [part]) if is_encoded(part) => take(part),
            (ManifestFormat::Plain, [part]) if value::is_secret(part) => take(part),
            (ManifestFormat::Encoded, parts) if is_wrapped(parts) && is_encoded(&parts.concat()) => {
                for part in parts {
                    take(part);
                }
            }
            (ManifestFormat::Encoded, _) => {}
            (ManifestFormat::Plain, parts) => {
                // Armour is recognised by its own marks, and that of a certificate is public.
                let mut is_armour = false;
                for part in parts {
                    is_armour |= part.starts_with("-----BEGIN ");
                    let bare = assigned(part);
                    if !is_armour && !bare.contains(' ') && value::is_secret(bare) {
                        take(bare);
                    }
                    is_armour &= !part.starts_with("-----END ");
                }
            }
        }
    }
}

/// The text after the name at the beginning of a line, or the whole line.
fn assigned(line: &str) -> &str {
    let Some((name, value)) = line.split_once('=') else { return line };
    let value = value.trim().trim_matches(['"', '\'']);
    if is_name(name.trim()) && !value.trim_matches('=').is_empty() { value } else { line }
}

/// Whether all lines but the last have the same length, as an encoder breaks them.
fn is_wrapped(lines: &[&str]) -> bool {
    let Some(((last, lines), length)) = lines.split_last().zip(lines.first().map(|line| line.len())) else {
        return false;
    };
    length.is_multiple_of(4) && last.len() <= length && lines.iter().all(|line| line.len() == length)
}

/// The text after the name and colon at the beginning of a line.
fn pair(content: &str) -> Option<&str> {
    if let Some(value) = content.strip_prefix(": ") {
        return Some(value);
    }
    let bare = content.trim_start_matches(['+', '-', '?', ' ']);
    let (name, value) = bare.split_once(':')?;
    let name = name.trim();
    let quoted = |mark| name.strip_prefix(mark).and_then(|name| name.strip_suffix(mark));
    is_name(quoted('"').or_else(|| quoted('\'')).unwrap_or(name)).then_some(value)
}

/// A value without a preceding anchor or tag.
fn untagged(value: &str) -> &str {
    let mut value = value.trim();
    while value.starts_with(['&', '!'])
        && let Some((_, rest)) = value.split_once(' ')
    {
        value = rest.trim_start();
    }
    value
}

/// Whether a value is the mark of a block text on the lines below.
fn is_literal(value: &str) -> bool {
    let Some(rest) = untagged(value).strip_prefix(['|', '>']) else { return false };
    let rest = rest.trim_start_matches(['-', '+']).trim_start_matches(|mark: char| mark.is_ascii_digit());
    let rest = rest.trim_start_matches(['-', '+']);
    rest.is_empty() || rest.trim_start().starts_with('#') && rest.starts_with(' ')
}

/// A value without quotes or a trailing comment.
fn scalar(value: &str) -> &str {
    let value = untagged(value);
    let Some(mark @ (b'"' | b'\'')) = value.as_bytes().first().copied() else {
        return value.split_once(" #").map_or(value, |(bare, _)| bare.trim_end()).trim_end_matches(['"', '\'']);
    };
    let value = &value[1..];
    let mut is_escaped = false;
    let end = value.bytes().position(|byte| {
        let is_end = byte == mark && !is_escaped;
        is_escaped = byte == b'\\' && mark == b'"' && !is_escaped;
        is_end
    });
    end.map_or_else(|| value.trim_end_matches('\\'), |end| &value[..end])
}

/// Reads members of an object, with optional and possibly escaped quotes; returns where they end.
fn map(text: &str, mut at: usize, margin: &Margin<'_>, written: ManifestFormat, findings: &mut Vec<Finding>) -> usize {
    while at < text.len() {
        let rest = &text[at..];
        let rest = &rest[skipped(rest, margin)..];
        let Some((name, rest)) = quoted(rest).or_else(|| plain(rest, &[':'])) else { break };
        let Some(rest) = rest.trim_start_matches(' ').strip_prefix(':') else { break };
        let rest = rest.trim_start_matches(' ');
        let (Some((value, after)), is_plain) = (match quoted(rest) {
            None => (plain(rest, &[',', '}']), true),
            quoted => (quoted, false),
        }) else {
            break;
        };
        if !is_name(name) {
            break;
        }
        let end = text.len() - after.len();
        let start = value.as_ptr() as usize - text.as_ptr() as usize;
        let is_found = match written {
            // Code has names where data has values.
            ManifestFormat::Encoded => {
                is_encoded(value) && (!is_plain || value.contains(|mark: char| mark == '=' || mark.is_ascii_digit()))
            }
            ManifestFormat::Plain => value::is_secret(value),
        };
        if is_found {
            take(start, value.len(), findings);
        }
        at = end;
    }
    at
}

/// The length of the blanks between two members, including margins of their lines.
fn skipped(text: &str, margin: &Margin<'_>) -> usize {
    let mut at = 0;
    loop {
        at = text.len() - text[at..].trim_start_matches([' ', '\t', '\r', ',']).len();
        match text[at..].strip_prefix('\n') {
            Some(line) => at += 1 + margin.length(line).unwrap_or_default(),
            None => return at,
        }
    }
}

/// The quoted text at the beginning of a text, and what follows.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches('\\');
    let mark = text.chars().next().filter(|mark| matches!(mark, '"' | '\''))?;
    let text = &text[1..];
    let text_end = text.floor_char_boundary(MAX_VALUE_BYTES);
    let end = text[..text_end].find([mark, '\\', '\n'])?;
    let rest = text[end..].trim_start_matches('\\').strip_prefix(mark)?;
    Some((&text[..end], rest))
}

/// The unquoted text at the beginning of a text, up to one of these marks.
fn plain<'a>(text: &'a str, marks: &[char]) -> Option<(&'a str, &'a str)> {
    let near = &text[..text.floor_char_boundary(MAX_VALUE_BYTES)];
    let end = near.find(|character: char| character == '\n' || marks.contains(&character))?;
    let value = near[..end].trim();
    let is_one = !value.is_empty() && !value.contains([' ', '"', '\'', '{', '[', '(', '`']);
    is_one.then_some((value, &text[end..]))
}

/// The indentation of a line, without a diff mark.
fn indentation(line: &str) -> usize {
    let line = line.strip_prefix(['+', '-']).unwrap_or(line);
    line.len() - line.trim_start_matches(' ').len()
}

fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    !name.is_empty() && name.len() <= 253 && name.bytes().all(is_part)
}

fn take(start: usize, length: usize, findings: &mut Vec<Finding>) {
    findings.push(Finding { start, end: start + length, kind: "secret", rule: "manifest" });
}

/// Whether a value is base64 of a text, or of bytes as random as a key. A certificate is public.
fn is_encoded(value: &str) -> bool {
    let Some(bytes) = (value.len() >= MIN_ENCODED_BYTES).then(|| decoded(value)).flatten() else { return false };
    if bytes.starts_with(b"-----BEGIN CERT") || bytes.starts_with(b"-----BEGIN PUB") {
        return false;
    }
    let is_text = bytes.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t'));
    is_text || value.len() >= 24 && value::is_random(value)
}

/// The bytes of padded base64; `None` for anything else.
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
