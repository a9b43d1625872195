//! Credentials recognised by marks inside them or by words before them, without an assignment to a
//! name.

use std::ops::Range;

use crate::{finding::Finding, place, value};

/// Maximum bytes of a line that are read after a keyword.
const NEAR: usize = 240;

/// A Discord bot token after a word that announces one: three parts with full stops between them.
pub(crate) fn discord(text: &str, from: usize) -> Option<Finding> {
    let near = near(text, from);
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let offset = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let word = near.split(|c: char| !u8::try_from(c).is_ok_and(is_part)).find(|word| {
        let parts: Vec<&str> = word.trim_end_matches('.').split('.').collect();
        // The first part is the bot's number in base64.
        matches!(parts[..], [id, time, code] if (23..=28).contains(&id.len()) && matches!(id.as_bytes()[0], b'M' | b'N' | b'O')
            && (5..=7).contains(&time.len()) && (27..=40).contains(&code.len()))
    })?;
    let word = word.trim_end_matches('.');
    Some(found(offset(word)..offset(word) + word.len(), "discord"))
}

/// A personal token of Airtable: fourteen letters and digits, a full stop, 64 hexadecimal digits.
pub(crate) fn airtable(text: &str, start: usize, end: usize) -> Option<Finding> {
    let bytes = text.as_bytes();
    let stop = end + 14;
    if bytes.get(stop) != Some(&b'.') || &text[start..end] != "pat" {
        return None;
    }
    let is_id = bytes[end..stop].iter().all(u8::is_ascii_alphanumeric);
    let digits = bytes[stop + 1..].iter().take(65).take_while(|byte| byte.is_ascii_hexdigit()).count();
    (is_id && digits == 64).then(|| found(start..stop + 1 + digits, "airtable"))
}

/// A key of an Azure service, with a mark in the middle of letters and digits.
pub(crate) fn azure_service(text: &str, start: usize, end: usize) -> Option<Finding> {
    let bytes = text.as_bytes();
    let before = bytes[..start].iter().rev().take(80).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let after = bytes[end..].iter().take(80).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let length = before + (end - start) + after;
    (before >= 40 && (76..=96).contains(&length)).then(|| found(start - before..end + after, "azure"))
}

/// A server key of Firebase: `AAAA…:APA91b…`.
pub(crate) fn firebase(text: &str, start: usize, end: usize) -> Option<Finding> {
    let bytes = text.as_bytes();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let before = bytes[..start].iter().rev().take(12).take_while(|byte| is_part(byte)).count();
    let after = bytes[end..].iter().take(200).take_while(|byte| is_part(byte)).count();
    (before == 11 && after >= 100).then(|| found(start - before..end + after, "firebase"))
}

/// The token after a Twilio account as the next argument.
pub(crate) fn twilio(text: &str, end: usize) -> Option<Finding> {
    let rest = near(text, end).strip_prefix(['"', '\'']).and_then(|account| account.strip_prefix("AC"))?;
    let account = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
    let rest = rest.get(account..)?.strip_prefix(['"', '\''])?.trim_start().strip_prefix(',')?;
    let token = rest.trim_start().strip_prefix(['"', '\''])?;
    let length = token.bytes().take_while(u8::is_ascii_hexdigit).count();
    let start = token.as_ptr() as usize - text.as_ptr() as usize;
    (account == 32 && length == 32).then(|| found(start..start + length, "twilio"))
}

/// The password in the argument of this index, from 1, of a call whose first argument begins at
/// `from`: a literal.
pub(crate) fn argument(text: &str, from: usize, index: usize) -> Option<Finding> {
    let call = &text[from..text.floor_char_boundary((from + NEAR).min(text.len()))];
    let (mut depth, mut left, mut quote) = (0_usize, index, None);
    for (at, byte) in call.bytes().enumerate() {
        match (byte, quote) {
            (_, Some(open)) if byte == open => quote = None,
            (b'"' | b'\'' | b'`', None) => quote = Some(byte),
            (b'(' | b'[' | b'{', None) => depth += 1,
            // The call has ended.
            (b')' | b']' | b'}', None) => depth = depth.checked_sub(1)?,
            (b',', None) if depth == 0 => left -= 1,
            _ => {}
        }
        if left == 0 {
            return literal(text, from + at + 1);
        }
    }
    None
}

/// The quoted password after a comma, also wrapped in an expression.
fn literal(text: &str, at: usize) -> Option<Finding> {
    let at = at + text[at..].bytes().take(NEAR).take_while(u8::is_ascii_whitespace).count();
    let at = at + place::wrapper(text, at);
    let literal = text.get(at..)?;
    let open = literal.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`'))?;
    let literal = &literal[1..literal.floor_char_boundary(NEAR)];
    let value = &literal[..literal.find([open, '\n'])?];
    let (start, end) = (at + 1, at + 1 + value.len());
    (value::is_secret(value) && !value.contains(' ')).then_some(Finding {
        start,
        end,
        kind: "password",
        rule: "command",
    })
}

/// A key that opens a vault: `Unseal Key 1: …`, `"unseal_keys_b64": ["…"`.
pub(crate) fn unseal(text: &str, end: usize, findings: &mut Vec<Finding>) {
    let mut block = &text[end..text.floor_char_boundary((end + 2048).min(text.len()))];
    let is_list = block.starts_with(['_', 's']);
    block = match (is_list, block.find([']', '}']), block.find('\n')) {
        (true, Some(close), _) => &block[..close],
        (false, _, Some(line)) => &block[..line],
        _ => block,
    };
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    for word in block.split(|c: char| !is_part(c)) {
        if word.len() >= 40 && value::is_secret(word) {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            findings.push(found(start..start + word.len(), "key"));
        }
    }
}

/// The password before `@tcp(`, as in addresses of Go's database drivers.
pub(crate) fn go_address(text: &str, start: usize) -> Option<Finding> {
    let from = text.floor_char_boundary(start.saturating_sub(NEAR));
    let before = &text[from..start];
    let word = before.rsplit(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '=')).next()?;
    let (user, password) = word.split_once(':')?;
    let is_given = !user.is_empty() && user != password && value::is_password(password);
    is_given.then(|| found(start - password.len()..start, "url-password"))
}

/// Twelve words or more that form a key.
pub(crate) fn mnemonic(text: &str, end: usize) -> Option<Finding> {
    let rest = &text[end..text.floor_char_boundary((end + 400).min(text.len()))];
    let rest = rest[..rest.find('\n').unwrap_or(rest.len())].trim_start_matches(|c: char| "\"' :=_".contains(c));
    let mut length = 0;
    let mut count = 0;
    for word in rest.split(' ') {
        let bare = word.trim_end_matches(['"', '\'', ',', ';', '.']);
        if !(3..=8).contains(&bare.len()) || !bare.bytes().all(|byte| byte.is_ascii_lowercase()) {
            break;
        }
        count += 1;
        length = bare.as_ptr() as usize - rest.as_ptr() as usize + bare.len();
        if bare.len() < word.len() {
            break;
        }
    }
    let start = rest.as_ptr() as usize - text.as_ptr() as usize;
    matches!(count, 12 | 15 | 18 | 21 | 24).then(|| found(start..start + length, "mnemonic"))
}

/// The rest of the line after a keyword.
fn near(text: &str, from: usize) -> &str {
    let rest = &text[from..text.floor_char_boundary((from + NEAR).min(text.len()))];
    &rest[..rest.find('\n').unwrap_or(rest.len())]
}

fn found(range: Range<usize>, kind: &'static str) -> Finding {
    Finding { start: range.start, end: range.end, kind, rule: "token-shape" }
}
