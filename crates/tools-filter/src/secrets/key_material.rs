//! Private keys in armour, also indented, in a diff, escaped or cut off; password hashes.

use super::scan::Finding;

/// How password hashes begin.
pub(super) const HASHES: &[&str] =
    &["$1$", "$5$", "$6$", "$y$", "$2a$", "$2b$", "$2y$", "$argon2", "$pbkdf2", "$scrypt$"];

/// The body of a private key whose `-----BEGIN ` ends at `from`. The text up to `done` is dealt with afterwards.
pub(super) fn pem(text: &str, from: usize, done: &mut usize) -> Option<Finding> {
    let label = text.get(from..)?;
    let label = &label[..label.floor_char_boundary(48)];
    let label_end = label.find("-----")?;
    if !label[..label_end].contains("PRIVATE KEY") {
        return None;
    }
    let start = from + label_end + "-----".len();
    // The next mark decides: an end, or another beginning before which this key was cut off.
    let next = text[start..].find("-----").unwrap_or(text.len() - start);
    let ends = text[start + next..].trim_start_matches('-').starts_with("END");
    let length = if ends { next } else { armoured(&text[start..start + next]) };
    let end = start + length;
    *done = end;
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
    (body.len() > skipped + 8).then_some(Finding {
        start: start + skipped,
        end: start + body.len(),
        kind: "private-key",
    })
}

/// How far armour reaches that has no end: over lines of its alphabet and its headers, not the line after.
fn armoured(text: &str) -> usize {
    let mut end = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let content = line.trim_matches(|character: char| {
            character.is_whitespace() || matches!(character, '+' | '-' | '>' | '|' | '"' | '\'' | ',')
        });
        let is_header = content
            .split_once(": ")
            .is_some_and(|(name, _)| matches!(name, "Proc-Type" | "DEK-Info" | "Version" | "Comment"));
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

/// A password hash that begins at `start`.
pub(super) fn hash(text: &str, start: usize) -> Option<Finding> {
    let is_part = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'$' | b'.' | b'/' | b'+' | b'=' | b',' | b'_' | b'-')
    };
    let length = text.as_bytes()[start..].iter().take(512).take_while(|byte| is_part(byte)).count();
    let end = start + length;
    let is_hash = length >= 28 && text[start + 1..end].contains('$');
    is_hash.then_some(Finding { start, end, kind: "password-hash" })
}

/// The key that follows the name of the file it stands in.
pub(super) fn master_key(text: &str, from: usize) -> Option<Finding> {
    let rest = text.get(from..)?;
    let skipped = rest.len() - rest.trim_start_matches(['\r', '\n', ' ', ':']).len();
    let start = from + skipped;
    let length = text[start..].bytes().take(33).take_while(u8::is_ascii_hexdigit).count();
    (skipped > 0 && length == 32).then_some(Finding { start, end: start + 32, kind: "key" })
}
