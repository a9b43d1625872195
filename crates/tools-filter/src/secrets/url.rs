//! Passwords and signatures in addresses.

use super::{scan::Finding, value};

/// How far the part of an address before its path may reach.
const LONGEST: usize = 1024;

/// The password of an address whose `://` ends at `from`.
pub(super) fn password(text: &str, from: usize) -> Option<Finding> {
    let rest = text.get(from..)?;
    let rest = &rest[..rest.floor_char_boundary(LONGEST)];
    let ends = |character: char| {
        character.is_whitespace() || matches!(character, '"' | '\'' | '`' | '<' | '>' | '/' | '?' | '#' | '\\' | ')')
    };
    let authority = &rest[..rest.find(ends).unwrap_or(rest.len())];
    let (user_info, _) = authority.rsplit_once('@')?;
    let (user, password) = user_info.split_once(':')?;
    let start = from + user.len() + 1;
    value::is_password(password).then_some(Finding { start, end: start + password.len(), kind: "url-password" })
}

/// The signature that lets whoever has an address use it.
pub(super) fn signature(text: &str, start: usize, end: usize) -> Option<Finding> {
    let name_start =
        text[..start].rfind(|character: char| !character.is_ascii_alphanumeric() && character != '-').unwrap_or(0);
    if !matches!(text.as_bytes().get(name_start)?, b'?' | b'&' | b';') {
        return None;
    }
    let is_part = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'%' | b'_' | b'-' | b'+' | b'/' | b'=' | b'.' | b'~')
    };
    let length = text.as_bytes()[end..].iter().take(LONGEST).take_while(|byte| is_part(byte)).count();
    (length >= 20).then_some(Finding { start: end, end: end + length, kind: "url-signature" })
}
