//! Private keys in armour, also indented, numbered, in a diff, escaped or cut off; password hashes.

use crate::{finding::Finding, margin::Margin, provider::is_inside_word};

/// The end mark of armour.
const END: &str = "-----END ";
/// Maximum bytes of a private key.
const MAX_KEY_BYTES: usize = 32 * 1024;
/// Minimum length of a run of armour; shorter ones may be words.
const RUN: usize = 16;

/// The start of the armour after a `-----BEGIN ` that ends at `from`.
fn body_start(text: &str, from: usize) -> Option<usize> {
    let label = text.get(from..)?;
    let label = &label[..label.floor_char_boundary(48)];
    let label = &label[..label.find("-----")?];
    let is_label = label.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ');
    (is_label && label.contains("PRIVATE KEY")).then_some(from + label.len() + "-----".len())
}

/// The body of a private key whose `-----BEGIN ` is at `begin` to `from`: one finding, or one on
/// each line if the lines name their file. Sets `done` to the end of the processed text.
pub(crate) fn pem(text: &str, (begin, from): (usize, usize), done: &mut usize, findings: &mut Vec<Finding>) {
    let Some(start) = body_start(text, from) else { return };
    let (margin, _) = Margin::around(text, begin);
    let rest = &text[start..];
    let rest = &rest[..rest.floor_char_boundary(MAX_KEY_BYTES)];
    // The next mark decides: an end, or the beginning of another key, before which this one was cut
    // off.
    let next = rest.find("-----");
    let ends = next.is_some_and(|next| rest[next..].trim_start_matches('-').starts_with("END"));
    let within = &rest[..next.unwrap_or(rest.len())];
    let end = start + if ends { within.len() } else { armoured(within, &margin) };
    *done = if ends { end + END.len() } else { end.max(from) };
    // Text before the mark on its line may be a number.
    let end = if ends && !margin.is_none() { start + within.rfind('\n').map_or(0, |at| at + 1) } else { end };
    if margin.has_path() {
        lines(text, (start, end), &margin, findings);
    } else {
        findings.extend(body(text, start, end));
    }
}

/// The body of a private key whose beginning is missing and whose `-----END ` is at `start` to
/// `from`.
pub(crate) fn tail(text: &str, (start, from): (usize, usize), done: usize, findings: &mut Vec<Finding>) {
    if body_start(text, from).is_none() {
        return;
    }
    let limit = done.max(start.saturating_sub(MAX_KEY_BYTES));
    let line_before = |end: usize| {
        let from = memchr::memrchr(b'\n', text.as_bytes().get(limit..end.checked_sub(1)?)?);
        from.map(|at| limit + at + 1).or((limit == 0).then_some(0))
    };
    let Some(last) = memchr::memrchr(b'\n', &text.as_bytes()[limit..start]).map(|at| limit + at + 1) else { return };
    let above = line_before(last).map_or("", |line| &text[line..last]);
    let margin = Margin::shared(&text[last..start], above);
    let mut first = last;
    while let Some(line) = line_before(first) {
        let Some(length) = margin.length(&text[line..first]) else { break };
        let line_text = &text[line + length..first];
        let content = &line_text[content(line_text)];
        // Only the last line is short.
        if !is_armour(content) || content.len() < if first == last { 2 } else { RUN } {
            break;
        }
        first = line;
    }
    lines(text, (first, last), &margin, findings);
}

/// The armour on each line of a part of a text.
fn lines(text: &str, (start, end): (usize, usize), margin: &Margin<'_>, findings: &mut Vec<Finding>) {
    if !has_armour(&text[start..end]) {
        return;
    }
    let mut at = start;
    for line in text[start..end].split_inclusive('\n') {
        // Directly after the begin mark nothing precedes the armour.
        let length = if at == start && at > 0 && !text[..at].ends_with('\n') { Some(0) } else { margin.length(line) };
        if let Some(length) = length {
            let content = content(&line[length..]);
            if !is_header(&line[length..][content.clone()]) {
                let (start, end) = (at + length + content.start, at + length + content.end);
                findings.push(Finding { start, end, kind: "private-key", rule: "key-material" });
            }
        }
        at += line.len();
    }
}

/// The armour between two positions, without surrounding text.
fn body(text: &str, start: usize, end: usize) -> Option<Finding> {
    // Line ends, indentation and diff marks around the body stay.
    let is_edge =
        |character: char| character.is_whitespace() || matches!(character, '\\' | '+' | '-' | '>' | '|' | '"' | '\'');
    let body = text[start..end].trim_end_matches(is_edge);
    let body = body.strip_suffix("\\n").or_else(|| body.strip_suffix("\\r\\n")).unwrap_or(body);
    let skipped = body.len() - body.trim_start_matches(is_edge).len();
    let skipped = match body[skipped..].strip_prefix('n') {
        Some(_) if body[..skipped].ends_with('\\') => skipped + 1,
        _ => skipped,
    };
    has_armour(body.get(skipped..)?).then_some(Finding {
        start: start + skipped,
        end: start + body.len(),
        kind: "private-key",
        rule: "key-material",
    })
}

/// The start of a private key that continues to the end of the text, so that more may follow.
pub(crate) fn open(text: &str) -> Option<usize> {
    // No key is long enough to begin earlier.
    let near = &text[text.ceil_char_boundary(text.len().saturating_sub(MAX_KEY_BYTES))..];
    let begin = text.len() - near.len() + memchr::memmem::rfind(near.as_bytes(), b"-----BEGIN ")?;
    // The line with the mark may be incomplete itself.
    let from = begin + "-----BEGIN ".len();
    let Some(start) = body_start(text, from) else {
        return (!text[from..].contains("-----") && text.len() - from <= 48 && !text[from..].contains('\n'))
            .then_some(begin);
    };
    let rest = &text[start..];
    let (margin, _) = Margin::around(text, begin);
    (!rest.contains("-----END") && armoured(rest, &margin) == rest.len()).then_some(begin)
}

/// Whether there is a run of letters and digits that no sentence has.
fn has_armour(body: &str) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    body.as_bytes()
        .split(|byte| !is_part(byte))
        .any(|run| run.len() >= RUN && run.iter().any(|byte| Some(byte) != run.first()))
}

/// The length of armour without an end mark: lines of its alphabet and its headers.
fn armoured(text: &str, margin: &Margin<'_>) -> usize {
    let mut end = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let margin = if number == 0 { Some(0) } else { margin.length(line) };
        let body = &line[margin.unwrap_or_default()..];
        let content = &body[content(body)];
        let is_header = is_header(content);
        let is_body = content.len() >= 16 || number == 0 || (content.len() > 1 && line.trim_end().ends_with('='));
        // The rest of the first line, or the blank line after the headers.
        let is_blank = content.is_empty() && number < 6;
        if !(is_header || is_blank || is_armour(content) && is_body) {
            break;
        }
        end += line.len();
    }
    end
}

fn is_armour(content: &str) -> bool {
    content.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'\\'))
}

/// Whether a line of armour is one of its headers.
pub(crate) fn is_header(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(name, _)| matches!(name, "Proc-Type" | "DEK-Info" | "Version" | "Comment"))
}

/// The line without indentation, line number, diff mark or quotation mark.
pub(crate) fn content(line: &str) -> std::ops::Range<usize> {
    let is_edge = |character: char| {
        character.is_whitespace() || matches!(character, '+' | '-' | '>' | '|' | '"' | '\'' | ',' | '│')
    };
    let end = line.trim_end_matches(is_edge).len();
    let mut start = end - line[..end].trim_start_matches(is_edge).len();
    let digits = line[start..end].bytes().take_while(u8::is_ascii_digit).count();
    let after = line[start + digits..end].chars().next();
    if digits > 0 && matches!(after, Some('\t' | ':' | '→' | '|' | '-' | '│' | ' ')) {
        start += digits;
        start = end
            - line[start..end]
                .trim_start_matches(|character| is_edge(character) || matches!(character, ':' | '→'))
                .len();
    }
    start..end
}

/// A password hash that begins at `start`.
pub(crate) fn hash(text: &str, start: usize) -> Option<Finding> {
    // `_loadModule$1$7$baseUrl`: a name.
    if is_inside_word(text.as_bytes(), start) || text[..start].ends_with('_') {
        return None;
    }
    let is_part = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'$' | b'.' | b'/' | b'+' | b'=' | b',' | b'_' | b'-' | b'{' | b'}')
    };
    let length = text.as_bytes()[start..].iter().take(512).take_while(|byte| is_part(byte)).count();
    let end = start + length;
    // `$1$2.${…}` is a replacement text of a regular expression.
    let is_hash = length >= 28 && text[start + 1..end].contains(['$', '}']) && !text[start..end].contains("${");
    is_hash.then_some(Finding { start, end, kind: "password-hash", rule: "key-material" })
}

/// A key that follows the name of its file.
pub(crate) fn master_key(text: &str, from: usize) -> Option<Finding> {
    let rest = text.get(from..)?;
    let skipped = rest.bytes().take(8).take_while(|byte| matches!(byte, b'\r' | b'\n' | b' ' | b':')).count();
    let start = from + skipped;
    let length = text[start..].bytes().take(33).take_while(u8::is_ascii_hexdigit).count();
    (skipped > 0 && length == 32).then_some(Finding { start, end: start + 32, kind: "key", rule: "key-material" })
}

/// The lines below `Private-Lines: N` of a PuTTY key.
pub(crate) fn putty(text: &str, from: usize) -> Option<Finding> {
    let rest = text.get(from..)?;
    let rest = &rest[..rest.floor_char_boundary(MAX_KEY_BYTES)];
    let line_end = rest.find('\n')? + 1;
    let count: usize = rest[..line_end].trim().parse().ok()?;
    let body = &rest[line_end..];
    let length: usize = body.split_inclusive('\n').take(count.min(64)).map(str::len).sum();
    let body = body[..length].trim_end();
    let start = from + line_end;
    has_armour(body).then_some(Finding { start, end: start + body.len(), kind: "private-key", rule: "key-material" })
}
