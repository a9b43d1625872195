//! Headers that contain credentials.

use tools_core::is_credential_key;

use crate::{finding::Finding, program, value, wordy};

/// Maximum bytes of a header that are read.
const MAX_HEADER_BYTES: usize = 8192;
/// Maximum length of a name with several parts.
const MAX_NAME_LEN: usize = 96;
/// Minimum length of credentials without a header name before them.
const MIN_ALONE_LEN: usize = 20;

/// The credentials of an `Authorization` that ends at `from`.
pub(crate) fn authorization(text: &str, from: usize) -> Option<Finding> {
    // `AWS::Config::AggregationAuthorization`: the name of a type.
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'_');
    let name = text.as_bytes()[..from].iter().rev().take(MAX_NAME_LEN).take_while(|byte| is_part(byte)).count();
    if text[from - name..from].contains("::") {
        return None;
    }
    // The name may be quoted, in JSON or in code.
    let rest = trimmed(text.get(from..)?, &['"', '\'', '\\', ']', ' ']);
    let rest = rest.strip_prefix([':', '=', ','])?;
    let rest = trimmed(rest, &[' ', '"', '\'', '\\', '=', '>', 'b', 'f', '[']);
    let first = word(rest);
    // The word before the credentials is the scheme.
    let credentials = match rest[first.len()..].strip_prefix(' ') {
        Some(second) => word(second),
        None => first,
    };
    let names_member = credentials.contains('=') && !credentials.ends_with('=');
    found(text, credentials, |value| {
        // `http_agent=…`, `realm=…`: another named parameter.
        !(names_member && value.split_once('=').is_some_and(|(name, _)| wordy::is_wordy(name) && name.len() <= 12))
            && value::is_secret(value)
            && value::is_secret(value.trim_end_matches('='))
            // `Security_Authorization = ["Win32_Security"]`
            && !(text[..offset(text, value)].ends_with("[\"") && value.split('_').all(program::is_name_part))
            && !value::is_numbered_word(value)
    })
}

/// The credentials after `Bearer` without a header name.
pub(crate) fn bearer(text: &str, from: usize) -> Option<Finding> {
    let rest = text.get(from..)?;
    found(text, word(rest), |value| {
        value.len() >= MIN_ALONE_LEN && value::is_secret(value) && value.bytes().any(|byte| byte.is_ascii_digit())
    })
}

fn found(text: &str, credentials: &str, is_meant: impl Fn(&str) -> bool) -> Option<Finding> {
    let starts = credentials.starts_with(|character: char| character.is_ascii_alphanumeric());
    let start = offset(text, credentials);
    (starts && is_meant(credentials)).then_some(Finding {
        start,
        end: start + credentials.len(),
        kind: "authorization",
        rule: "header",
    })
}

fn word(text: &str) -> &str {
    let text = &text[..text.floor_char_boundary(MAX_HEADER_BYTES)];
    let ends = |character: char| {
        character.is_whitespace() || matches!(character, '"' | '\'' | '\\' | '`' | '<' | ',' | ';' | '\x1b')
    };
    &text[..text.find(ends).unwrap_or(text.len())]
}

/// The text without leading characters of this set.
fn trimmed<'a>(text: &'a str, characters: &[char]) -> &'a str {
    let length = text.chars().take(16).take_while(|character| characters.contains(character)).count();
    // All of them are one byte long.
    &text[length..]
}

/// The session values in a `Cookie` or `Set-Cookie` that ends at `from`.
pub(crate) fn cookies(text: &str, from: usize, done: &mut usize, findings: &mut Vec<Finding>) {
    let Some(line) = line(text, from) else { return };
    let rest = line.trim_start_matches('s').trim_start_matches(['"', '\'', ']', ')', ',']);
    let Some(pairs) = rest.strip_prefix([':', '=', ' ']) else { return };
    *done = from + line.len();
    for pair in pairs.split([';', '"', '\'', ' ']) {
        let Some((name, value)) = pair.split_once('=') else { continue };
        let lower = name.trim().to_ascii_lowercase();
        let is_session = ["sess", "sid", "csrf", "xsrf", "remember"].iter().any(|part| lower.contains(part));
        if (is_session || is_credential_key(name.trim())) && value::is_secret(value.trim()) {
            let value = value.trim();
            let start = offset(text, value);
            // Characters that no cookie value has.
            let is_code = value.contains(['`', '{', '}', ',', '(']);
            if is_code || program::is_program(text, start, start, start + value.len()) {
                continue;
            }
            findings.push(Finding { start, end: start + value.len(), kind: "cookie", rule: "cookie" });
        }
    }
}

/// The value of a cookie with a session name, whose `=` or tab is at `from`.
pub(crate) fn session(text: &str, from: usize) -> Option<Finding> {
    let rest = text.get(from..)?.strip_prefix(['=', '\t'])?;
    let value = word(rest);
    let start = offset(text, value);
    value::is_secret(value).then_some(Finding { start, end: start + value.len(), kind: "cookie", rule: "cookie" })
}

/// The rest of the line.
fn line(text: &str, from: usize) -> Option<&str> {
    let rest = text.get(from..)?;
    let rest = &rest[..rest.floor_char_boundary(MAX_HEADER_BYTES)];
    Some(&rest[..memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len())])
}

/// The offset of a part in its text.
fn offset(text: &str, piece: &str) -> usize {
    (piece.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}
