//! Private keys in armour, also indented, numbered, in a diff, escaped or cut off; password hashes.

use super::scan::Finding;

/// How much text a private key may take.
const LONGEST: usize = 32 * 1024;
/// A run of armour of this length is no word.
const RUN: usize = 16;

/// Where the armour of a private key begins whose `-----BEGIN ` ends at `from`.
fn body_start(text: &str, from: usize) -> Option<usize> {
    let label = text.get(from..)?;
    let label = &label[..label.floor_char_boundary(48)];
    let label = &label[..label.find("-----")?];
    let is_label = label.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ');
    (is_label && label.contains("PRIVATE KEY")).then_some(from + label.len() + "-----".len())
}

/// The body of a private key whose `-----BEGIN ` ends at `from`. The text up to `done` is dealt with afterwards.
pub(super) fn pem(text: &str, from: usize, done: &mut usize) -> Option<Finding> {
    let start = body_start(text, from)?;
    let rest = &text[start..];
    let rest = &rest[..rest.floor_char_boundary(LONGEST)];
    // The next mark decides: an end, or another beginning before which this key was cut off.
    let next = rest.find("-----");
    let ends = next.is_some_and(|next| rest[next..].trim_start_matches('-').starts_with("END"));
    let within = &rest[..next.unwrap_or(rest.len())];
    let end = start + if ends { within.len() } else { armoured(within) };
    *done = end.max(from);
    // Line ends, indentation and the marks of a diff around the body stay.
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

/// Where a private key begins that goes on to the end of the text, so that more of it may follow.
pub(super) fn open(text: &str) -> Option<usize> {
    let begin = text.rfind("-----BEGIN ")?;
    if text.len() - begin > LONGEST {
        return None;
    }
    // The line with the mark may itself be unfinished.
    let from = begin + "-----BEGIN ".len();
    let Some(start) = body_start(text, from) else {
        return (!text[from..].contains("-----") && text.len() - from <= 48 && !text[from..].contains('\n'))
            .then_some(begin);
    };
    let rest = &text[start..];
    (!rest.contains("-----END") && armoured(rest) == rest.len()).then_some(begin)
}

/// Whether there is a run of letters and digits as no sentence has.
fn has_armour(body: &str) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    body.as_bytes()
        .split(|byte| !is_part(byte))
        .any(|run| run.len() >= RUN && run.iter().any(|byte| Some(byte) != run.first()))
}

/// How far armour reaches that has no end: over lines of its alphabet and its headers, not the line after.
fn armoured(text: &str) -> usize {
    let mut end = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let content = &line[content(line)];
        let is_header = is_header(content);
        let is_body = content.len() >= 16 || number == 0 || (content.len() > 1 && line.trim_end().ends_with('='));
        let is_armour = content
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || matches!(character, '+' | '/' | '=' | '\\'));
        // The rest of the first line, the blank line behind the headers.
        let is_blank = content.is_empty() && number < 6;
        if !(is_header || is_blank || is_armour && is_body) {
            break;
        }
        end += line.len();
    }
    end
}

/// Whether a line of armour is one of its headers.
pub(super) fn is_header(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(name, _)| matches!(name, "Proc-Type" | "DEK-Info" | "Version" | "Comment"))
}

/// The line without what tools put around it: indentation, its number, the mark of a diff or a quotation.
pub(super) fn content(line: &str) -> std::ops::Range<usize> {
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
pub(super) fn hash(text: &str, start: usize) -> Option<Finding> {
    let is_part = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'$' | b'.' | b'/' | b'+' | b'=' | b',' | b'_' | b'-' | b'{' | b'}')
    };
    let length = text.as_bytes()[start..].iter().take(512).take_while(|byte| is_part(byte)).count();
    let end = start + length;
    let is_hash = length >= 28 && text[start + 1..end].contains(['$', '}']);
    is_hash.then_some(Finding { start, end, kind: "password-hash", rule: "key-material" })
}

/// The key that follows the name of the file it stands in.
pub(super) fn master_key(text: &str, from: usize) -> Option<Finding> {
    let rest = text.get(from..)?;
    let skipped = rest.bytes().take(8).take_while(|byte| matches!(byte, b'\r' | b'\n' | b' ' | b':')).count();
    let start = from + skipped;
    let length = text[start..].bytes().take(33).take_while(u8::is_ascii_hexdigit).count();
    (skipped > 0 && length == 32).then_some(Finding { start, end: start + 32, kind: "key", rule: "key-material" })
}

/// The lines below `Private-Lines: N` of a PuTTY key.
pub(super) fn putty(text: &str, from: usize) -> Option<Finding> {
    let rest = text.get(from..)?;
    let rest = &rest[..rest.floor_char_boundary(LONGEST)];
    let line_end = rest.find('\n')? + 1;
    let count: usize = rest[..line_end].trim().parse().ok()?;
    let body = &rest[line_end..];
    let length: usize = body.split_inclusive('\n').take(count.min(64)).map(str::len).sum();
    let body = body[..length].trim_end();
    let start = from + line_end;
    has_armour(body).then_some(Finding { start, end: start + body.len(), kind: "private-key", rule: "key-material" })
}
