//! Passwords and signatures in URLs, and the lines of a `.pgpass`.

use crate::{finding::Finding, value};

/// Maximum bytes of a URL before its path.
const MAX_AUTHORITY_BYTES: usize = 512;

/// The password of a URL whose `://` ends at `from`.
pub(crate) fn password(text: &str, from: usize) -> Option<Finding> {
    let rest = text.get(from..)?;
    let rest = &rest[..rest.floor_char_boundary(MAX_AUTHORITY_BYTES)];
    let ends = |character: char| {
        character.is_whitespace() || matches!(character, '"' | '\'' | '`' | '<' | '>' | '/' | '\\' | ')' | '\x1b')
    };
    let authority = &rest[..rest.find(ends).unwrap_or(rest.len())];
    let Some((user_info, host)) = authority.rsplit_once('@') else {
        let is_pair = authority.split_once(':').is_some_and(|(user, start)| !user.is_empty() && !start.is_empty());
        return is_pair.then(|| with_slash(rest, from))?;
    };
    let Some((user, password)) = user_info.split_once(':') else {
        // A token as the user; Sentry's is public.
        let is_token = user_info.len() >= 20 && value::is_secret(user_info) && !host.contains("sentry");
        let has_digit = user_info.bytes().any(|byte| byte.is_ascii_digit());
        return (is_token && has_digit).then(|| found(from, user_info.len(), "url-password"));
    };
    // `host:8080?mail=a@b`
    let is_port = password.trim_start_matches(|character: char| character.is_ascii_digit()).starts_with(['?', '#']);
    let is_path = user.contains(['?', '#']) || is_port;
    let is_default =
        user.eq_ignore_ascii_case(password) || is_known_pair(user, password) || is_example(user, password, host);
    let start = from + user.len() + 1;
    (value::is_password(password) && !is_path && !is_default).then(|| found(start, password.len(), "url-password"))
}

/// `scheme://user:pass/word@host`: a password with an unescaped slash, at the beginning of `rest`.
fn with_slash(rest: &str, from: usize) -> Option<Finding> {
    let ends =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>' | '\\' | ')' | '\x1b' | '?' | '#');
    let (user_info, host) = rest[..rest.find(ends).unwrap_or(rest.len())].split_once('@')?;
    let (user, password) = user_info.split_once(':')?;
    // `host:8080/path@2`, `host/path:tag/name@2`
    let is_given = !user.contains('/')
        && !password.split('/').next().is_none_or(|port| port.bytes().all(|byte| byte.is_ascii_digit()))
        && host.contains(['.', ':', '/'])
        && value::is_secret(password)
        && value::is_random(password);
    is_given.then(|| found(from + user.len() + 1, password.len(), "url-password"))
}

/// Pairs from manuals and standards.
fn is_known_pair(user: &str, password: &str) -> bool {
    let is_pair = |known: (&str, &str)| user.eq_ignore_ascii_case(known.0) && password.eq_ignore_ascii_case(known.1);
    [("scott", "tiger"), ("aladdin", "opensesame")].into_iter().any(is_pair)
}

/// Whether a text is only a metasyntactic word such as `foo`.
fn is_nonsense(text: &str) -> bool {
    let bare = ["\\n", "\\r"].iter().fold(text.to_owned(), |bare, escape| bare.replace(escape, ""));
    let letters = bare.replace(|c: char| c.is_ascii_punctuation(), "");
    ["foo", "bar", "baz", "qux", "foobar"].contains(&letters.as_str())
}

/// `name:password@example.com`: a word as password for an example host; `foo:bar` for any host;
/// anything for the host `foo`.
fn is_example(user: &str, password: &str, host: &str) -> bool {
    let host = host.split([':', '/', '?']).next().unwrap_or(host);
    let is_reserved = ["example.com", "example.org", "example.net", "example", "invalid", "test"]
        .iter()
        .any(|name| host == *name || host.strip_suffix(name).is_some_and(|rest| rest.ends_with('.')));
    let is_here = matches!(host, "localhost" | "127.0.0.1" | "host" | "hostname" | "server") || host.is_empty();
    // `p%40ss`: an example of escaping.
    let letters = password.replace("%40", "").replace("%3A", "").replace("%2F", "");
    // `secret123`
    let word = letters.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = letters.len() - word.len();
    let is_word = word.bytes().all(|byte| byte.is_ascii_lowercase()) && password.len() <= 12;
    // `username:p@ssw0rd@hostname`: names of the parts.
    let is_named_so = matches!(user, "user" | "username") && matches!(host, "host" | "hostname");
    let is_nowhere = host.len() == 1 || is_nonsense(host) || is_named_so;
    is_nowhere || is_nonsense(password) || is_word && (digits == 0 && is_here || digits <= 3 && is_reserved)
}

/// The signature of a presigned URL.
pub(crate) fn signature(text: &str, start: usize, end: usize) -> Option<Finding> {
    let bytes = text.as_bytes();
    let name =
        bytes[..start].iter().rev().take(24).take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
    let before = bytes.get((start - name).checked_sub(1)?)?;
    if !matches!(before, b'?' | b'&' | b';' | b' ' | b',') {
        return None;
    }
    let is_part = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'%' | b'_' | b'-' | b'+' | b'/' | b'=' | b'.' | b'~')
    };
    let length = bytes[end..].iter().take(MAX_AUTHORITY_BYTES).take_while(|byte| is_part(byte)).count();
    let is_given = length >= 20 && value::is_secret(&text[end..end + length]);
    is_given.then(|| found(end, length, "url-signature"))
}

/// The last of the five fields of a line whose port, from `start` to `end`, is between colons.
pub(crate) fn pgpass(text: &str, start: usize, end: usize, done: &mut usize) -> Option<Finding> {
    let bytes = text.as_bytes();
    let is_end = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'/');
    let host = bytes[..start].iter().rev().take(128).take_while(|byte| !is_end(**byte) && **byte != b':').count();
    let length = bytes[end..].iter().take(MAX_AUTHORITY_BYTES).take_while(|byte| !is_end(**byte)).count();
    *done = end + length;
    let (database, rest) = text.get(end..end + length)?.split_once(':')?;
    let (user, password) = rest.split_once(':')?;
    // An address pattern or a resource name: `2001:db8:*:*:*:*`, `arn:aws:backup:*:*:vault:a`.
    let is_resource = matches!(&bytes[start - host..start], b"arn" | b"crn" | b"srn" | b"urn");
    let is_line =
        host > 0 && !is_resource && begins_line(text, start - host) && !database.is_empty() && !user.is_empty();
    // `daemon:*:19700:0:99999:7:::`, `nobody:*:-2:-2:…`: system accounts, with numbers.
    let is_account = user.strip_prefix('-').unwrap_or(user).bytes().all(|byte| byte.is_ascii_digit());
    let is_line =
        is_line && !is_account && password.len() >= 4 && password.bytes().any(|byte| byte.is_ascii_alphanumeric());
    let start = end + database.len() + user.len() + 2;
    (is_line && value::is_password(password) && !is_nonsense(password))
        .then(|| found(start, password.len(), "password"))
}

/// Whether the fields of a line begin at this position: only the line's location precedes it, such
/// as `path:7:`. A resource name (`arn:aws:logs:*:*:log-group:a`) has further fields before it.
fn begins_line(text: &str, at: usize) -> bool {
    let before = &text[text.ceil_char_boundary(at.saturating_sub(256))..at];
    let before = before.rsplit(|c: char| c.is_whitespace() || matches!(c, '"' | '\'')).next().unwrap_or(before);
    let Some(before) = before.strip_suffix(':') else { return true };
    let is_number = |field: &str| !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit());
    let path = before.rsplit_once(':').filter(|(_, field)| is_number(field)).map_or(before, |(path, _)| path);
    is_number(path) || !path.contains(':') && path.contains(['.', '/'])
}

fn found(start: usize, length: usize, kind: &'static str) -> Finding {
    Finding { start, end: start + length, kind, rule: "address" }
}
