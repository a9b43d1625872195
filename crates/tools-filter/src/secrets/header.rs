//! Headers that carry credentials.

use super::{name::is_credential_key, scan::Finding, value};

/// How long a header is read.
const LONGEST: usize = 8192;

/// The credentials of an `Authorization` whose name ends at `from`.
pub(super) fn authorization(text: &str, from: usize) -> Option<Finding> {
    let line = line(text, from)?;
    // The name may be quoted, in JSON or in code.
    let rest = line.trim_start_matches(['"', '\'', '\\', ']', ' ']);
    let rest = rest.strip_prefix([':', '=', ','])?.trim_start_matches([' ', '"', '\'', '\\', '=', '>', 'b', 'f']);
    let ends = |character: char| matches!(character, '"' | '\'' | '\\' | '\r' | '`' | '<' | ' ' | ',');
    let first = &rest[..rest.find(ends).unwrap_or(rest.len())];
    // The word before the credentials tells the scheme.
    let credentials = match rest[first.len()..].strip_prefix(' ') {
        Some(second) => &second[..second.find(ends).unwrap_or(second.len())],
        None => first,
    };
    if !credentials.starts_with(|character: char| character.is_ascii_alphanumeric()) {
        return None;
    }
    let start = offset(text, credentials);
    value::is_secret(credentials).then_some(Finding { start, end: start + credentials.len(), kind: "authorization" })
}

/// The sessions in a `Cookie` or `Set-Cookie` whose name ends at `from`.
pub(super) fn cookies(text: &str, from: usize, done: &mut usize, findings: &mut Vec<Finding>) {
    let Some(line) = line(text, from) else { return };
    *done = from + line.len();
    let Some(pairs) = line.trim_start_matches(['"', '\'']).strip_prefix(':') else { return };
    for pair in pairs.split([';', '"', '\'']) {
        let Some((name, value)) = pair.split_once('=') else { continue };
        let lower = name.trim().to_ascii_lowercase();
        let is_session = ["sess", "sid", "csrf", "xsrf", "remember"].iter().any(|part| lower.contains(part));
        if (is_session || is_credential_key(name.trim())) && value::is_secret(value.trim()) {
            let value = value.trim();
            let start = offset(text, value);
            findings.push(Finding { start, end: start + value.len(), kind: "cookie" });
        }
    }
}

/// The rest of the line.
fn line(text: &str, from: usize) -> Option<&str> {
    let rest = text.get(from..)?;
    let rest = &rest[..rest.floor_char_boundary(LONGEST)];
    Some(&rest[..rest.find('\n').unwrap_or(rest.len())])
}

/// Where a piece of a text stands in it.
fn offset(text: &str, piece: &str) -> usize {
    (piece.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}
