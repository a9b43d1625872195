//! Values assigned to names of credentials, in any syntax: environment, YAML, JSON (also escaped),
//! TOML, INI, XML, PHP, SQL, command-line flags, headers, diffs, coloured text. `tools-core`
//! defines the names.

use tools_core::is_credential_key;

use crate::finding::Finding;
use crate::place::{self, MIN_VALUE_BYTES, Place, Style};
use crate::{program, value};

/// Maximum bytes of a value without credentials that is read again for credentials in it.
const MAX_RUN_BYTES: usize = 2048;
/// Maximum length of a name, also of a URL parameter.
const MAX_NAME_LEN: usize = 96;

/// Checks the name around a keyword. Names that end before `done` were checked already.
pub(crate) fn find(text: &str, start: usize, end: usize, done: &mut usize, findings: &mut Vec<Finding>) {
    if start < *done {
        return;
    }
    let name = name_around(text, start, end);
    *done = name.1;
    // The name is read only if a value can follow, which is false for most words of a text.
    let Some(place) = place::of(text, name, || is_named(text, name, (start, end))) else { return };
    if place.end - place.start < MIN_VALUE_BYTES {
        return;
    }
    let kind = kind(&text[name.0..name.1]);
    let is_parameter = is_parameter(text, name);
    if is_parameter && !is_random_parameter(&text[place.start..place.end]) {
        return;
    }
    let mut place = Some(place);
    while let Some(Place { start, end, style, quoted, next }) = place {
        let end = before_escaped_line_end(text, start, end);
        let found = &text[start..end];
        if is_type(text, start, found) {
            return;
        }
        if style == Style::Assigned && !quoted && program::is_program(text, name.0, start, end) {
            return;
        }
        if is_own_name(&text[name.0..name.1], found) || is_badge(text, name.0) || is_place(&text[name.0..name.1], found)
        {
            return;
        }
        if value::is_sentence(found) || quoted && kind != "password" && value::is_title(found) {
            return;
        }
        let is_found = match style {
            // The value of a statement or flag named password is a password.
            Style::Statement if text[name.0..name.1].eq_ignore_ascii_case("pass") => {
                value::is_random(found) && value::is_secret(found) && !found.contains(' ')
            }
            // `all columns identified by "colUsed"`
            Style::Statement if text[start..end].bytes().all(|byte| byte.is_ascii_alphabetic()) => {
                value::is_password(found)
                    && value::is_secret_length(found)
                    && !text[name.0..name.1].starts_with("ident")
            }
            Style::Statement if kind != "password" => value::is_secret(found) && !found.contains(' '),
            Style::Statement => {
                value::is_password(found)
                    && value::is_secret_length(found)
                    && !value::is_version(found)
                    && !value::is_joined(found)
                    && !found.ends_with("()")
            }
            Style::Prose => {
                let is_named = kind != "password" && value::is_title(found) || value::is_type(found);
                value::is_secret(found) && !is_named && found.bytes().any(|byte| byte.is_ascii_digit())
            }
            // Only passwords may have blanks in them.
            _ => {
                value::is_secret(found)
                    && (kind == "password" || !found.contains(' '))
                    && !(matches!(kind, "authorization" | "token") && value::is_numbered_word(found))
            }
        };
        if is_found {
            findings.push(Finding { start, end, kind, rule: "assignment" });
            // The rest of the value was checked with it.
            *done = (*done).max(end);
        }
        // Names inside a very long value are not checked one by one.
        if !is_found && found.len() >= MAX_RUN_BYTES && !found.contains(['&', ';', ',']) {
            *done = (*done).max(end);
        }
        place = next.and_then(|at| place::changed_to(text, at));
    }
}

/// `ResetPassword = "identitytoolkit#ResetPasswordResponse"`: the value repeats the name with more
/// words.
fn is_own_name(name: &str, value: &str) -> bool {
    // `exports.isUpKey = isUpKey;`, `mapToken = mapToken2;`
    let bare = value.trim_end_matches([';', ',']);
    let last = bare.rsplit('.').next();
    if bare.trim_end_matches(|c: char| c.is_ascii_digit()) == member(name) || last == Some(name) {
        return true;
    }
    let letters =
        |text: &str| text.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect::<String>();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let words = letters(name);
    let words = words.strip_suffix('v').unwrap_or(&words);
    let value = letters(value);
    words.len() >= 12 && digits <= 1 && value.len() >= words.len() + 6 && value.contains(words)
}

/// `badge.svg?token=…`, `shields.io/…&token=…`: the token of a badge in a public text is public.
fn is_badge(text: &str, start: usize) -> bool {
    let before = &text[text.ceil_char_boundary(start.saturating_sub(256))..start];
    let address = before.rsplit(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '(')).next().unwrap_or(before);
    address.contains(".svg?") || address.contains("shields.io/")
}

/// `credentials: owner/home#assets/service-credentials`: the location of something with that name.
fn is_place(name: &str, value: &str) -> bool {
    let last = value.rsplit_once('/').map(|(_, last)| last);
    name.len() >= 5 && last.is_some_and(|last| last.ends_with(&format!("-{name}")) || last == name)
}

/// The end of a value in an escaped text, at an escaped line end: `password: value\r\nname: …`.
fn before_escaped_line_end(text: &str, start: usize, end: usize) -> usize {
    text[start..end].find("\\r\\n").map_or(end, |at| start + at)
}

/// Whether the name around a keyword is a credential name.
fn is_named(text: &str, (start, end): (usize, usize), keyword: (usize, usize)) -> bool {
    let Some(name) = text.get(start..end) else { return false };
    // A public value of the WebSocket handshake.
    let is_greeting = name.eq_ignore_ascii_case("sec-websocket-key");
    if is_greeting || is_verdict(text, (start, end)) || is_complaint(text, start, name) {
        return false;
    }
    let is_known =
        ["secretid", "secret_id", "secret-id", "bw_session"].iter().any(|known| name.eq_ignore_ascii_case(known));
    is_known
        || is_parameter(text, (start, end))
        || is_statement(text, keyword.0, keyword.1)
        || is_credential_key(member(name))
        || is_spaced_name(text, start, name)
}

/// `?key=…` in a URL: a key in many services, the name of a thing in others.
fn is_parameter(text: &str, (start, end): (usize, usize)) -> bool {
    text[start..end].eq_ignore_ascii_case("key") && text[..start].ends_with(['?', '&']) && text[end..].starts_with('=')
}

/// Not the name of a thing, its hash or UUID.
fn is_random_parameter(value: &str) -> bool {
    let has = |is: fn(&u8) -> bool| value.as_bytes().iter().any(is);
    let has_all = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit);
    (20..=MAX_NAME_LEN).contains(&value.len()) && has_all && value::is_random(value)
}

/// The last part of a name such as `spring.datasource.password`.
fn member(name: &str) -> &str {
    let (path, last) = name.trim_end_matches('.').rsplit_once('.').unwrap_or(("", name));
    let is_general = matches!(last, "value" | "default" | "plain" | "text" | "raw" | "data" | "key" | "crt" | "pem");
    if path.is_empty() || is_general { name } else { last }
}

/// `PASS: name`, `--- PASS: name`, `Pass: name`: the result of a test.
fn is_verdict(text: &str, (start, end): (usize, usize)) -> bool {
    let name = &text[start..end];
    matches!(name, "PASS" | "Pass" | "XPASS") && text[end..].starts_with(": ")
        || name.eq_ignore_ascii_case("pass") && text[..start].ends_with("--- ")
}

/// `Unexpected token: …`: a parser error.
fn is_complaint(text: &str, start: usize, name: &str) -> bool {
    const BEFORE: &[&str] = &["unexpected", "expected", "illegal", "unknown", "offending", "next", "bad", "lookahead"];
    let before = text[..start].strip_suffix(' ').unwrap_or_default();
    let length = before.bytes().rev().take(12).take_while(u8::is_ascii_alphabetic).count();
    let word = &before[before.len() - length..];
    name.eq_ignore_ascii_case("token") && BEFORE.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// `secretKey: Uint8Array`, `token: &CancellationToken`: the type in a declaration, without quotes.
fn is_type(text: &str, start: usize, found: &str) -> bool {
    let before = text[..start].trim_end_matches([' ', '\t']);
    let after = &text[start + found.len()..];
    // `KEY: Flags = 2`
    if before.ends_with(':') && after.starts_with(" = ") && found.starts_with(|first: char| first.is_ascii_uppercase())
    {
        return true;
    }
    // `UnsafeCell<[u64; 7]>`
    let outer = found.split_once('<').map_or(found, |(outer, _)| outer);
    let is_declared = (before.ends_with(':') || found.starts_with('&')) && !text[..start].ends_with(['"', '\'']);
    is_declared && (value::is_type(found) || value::is_type(outer))
}

fn is_statement(text: &str, start: usize, end: usize) -> bool {
    text[start..end].eq_ignore_ascii_case("identified by")
}

/// `API key: …`: a name of two words.
fn is_spaced_name(text: &str, start: usize, word: &str) -> bool {
    const BEFORE: &[&str] =
        &["api", "secret", "private", "access", "preshared", "encryption", "signing", "master", "storage", "deploy"];
    if !word.eq_ignore_ascii_case("key") || text.as_bytes()[..start].last() != Some(&b' ') {
        return false;
    }
    let before = &text.as_bytes()[..start - 1];
    let length = before.iter().rev().take(12).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let before = &before[before.len() - length..];
    BEFORE.iter().any(|word| before.eq_ignore_ascii_case(word.as_bytes()))
}

fn name_around(text: &str, start: usize, end: usize) -> (usize, usize) {
    let bytes = text.as_bytes();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let before = bytes[..start].iter().rev().take(MAX_NAME_LEN).take_while(|byte| is_part(**byte)).count();
    let mut from = start - before;
    // `\npassword` in escaped text, `ESC[31mTOKEN` in coloured text.
    if before > 0 && !crate::provider::is_inside_word(bytes, from + 1) && from + 1 < start {
        let first = bytes[from];
        if matches!(first, b'n' | b't' | b'r') && from > 0 && bytes[from - 1] == b'\\' {
            from += 1;
        }
    }
    let colour = bytes[from..start].iter().take(4).position(|byte| *byte == b'm');
    if from > 0
        && bytes[from - 1] == b'['
        && let Some(at) = colour
    {
        from += at + 1;
    }
    // The dashes of a flag, or a diff mark.
    from += bytes[from..start].iter().take_while(|byte| **byte == b'-').count();
    let after = bytes[end..].iter().take(MAX_NAME_LEN).take_while(|byte| is_part(**byte)).count();
    (from, end + after)
}

/// The kind that a name implies.
pub(crate) fn kind(name: &str) -> &'static str {
    let name = name.to_ascii_lowercase();
    let table = [
        ("pass", "password"),
        ("pwd", "password"),
        ("identified", "password"),
        ("token", "token"),
        ("jwt", "token"),
        ("key", "key"),
        ("auth", "authorization"),
        ("secret", "secret"),
        ("pw", "password"),
        ("psk", "password"),
    ];
    table.iter().find(|(part, _)| name.contains(part)).map_or("secret", |(_, kind)| kind)
}
