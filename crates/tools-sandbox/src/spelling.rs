//! Spelling of paths for models and people, and its reverse. Pure.

use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::{OsStrExt as _, OsStringExt as _},
    path::Path,
};

use tools_core::is_hidden;

/// A path for a message: as [`spelled`], but of limited length.
pub fn shown(path: &Path) -> String {
    const LIMIT: usize = 300;
    let mut text = spelled(path);
    if text.len() > LIMIT {
        text.truncate(text.floor_char_boundary(LIMIT));
        text.push('…');
    }
    text
}

/// A path with control characters, direction-changing characters and bytes that are not UTF-8
/// escaped.
///
/// Different paths have different spellings: backslashes are escaped too in a name that needs
/// escapes or that would read like an escaped name. [`name_spelled`] is the reverse.
pub fn spelled(path: &Path) -> String {
    let names = path.as_os_str().as_bytes().split(|byte| *byte == b'/');
    names.map(spelled_name).collect::<Vec<_>>().join("/")
}

/// The name with this spelling, if it differs from the text.
pub fn name_spelled(text: &OsStr) -> Option<OsString> {
    let text = text.to_str().filter(|text| text.contains('\\'))?;
    let name = unescaped(text)?;
    // Each name has one spelling: other texts are names themselves.
    (escaped(&name) == text).then(|| OsString::from_vec(name))
}

fn spelled_name(name: &[u8]) -> String {
    match std::str::from_utf8(name) {
        Ok(text) if !text.contains(is_hidden) && name_spelled(OsStr::new(text)).is_none() => text.to_owned(),
        _ => escaped(name),
    }
}

fn escaped(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len() + 8);
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c == '\\' || is_hidden(c) {
                text.extend(c.escape_default());
            } else {
                text.push(c);
            }
        }
        for byte in chunk.invalid() {
            text.extend(byte.escape_ascii().map(char::from));
        }
    }
    text
}

/// The bytes of an escaped name; `None` if it is not valid.
fn unescaped(text: &str) -> Option<Vec<u8>> {
    let mut name = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, after)) = rest.split_once('\\') {
        name.extend_from_slice(plain.as_bytes());
        let mut characters = after.chars();
        let mut character = |c: char| name.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        rest = match characters.next()? {
            '\\' => {
                character('\\');
                characters.as_str()
            }
            't' => {
                character('\t');
                characters.as_str()
            }
            'r' => {
                character('\r');
                characters.as_str()
            }
            'n' => {
                character('\n');
                characters.as_str()
            }
            'u' => {
                let (digits, after) = characters.as_str().strip_prefix('{')?.split_once('}')?;
                character(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?);
                after
            }
            'x' => {
                let digits = characters.as_str().get(..2)?;
                name.push(u8::from_str_radix(digits, 16).ok()?);
                &characters.as_str()[2..]
            }
            _ => return None,
        };
    }
    name.extend_from_slice(rest.as_bytes());
    Some(name)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn path(bytes: &[u8]) -> PathBuf {
        PathBuf::from(OsString::from_vec(bytes.to_vec()))
    }

    #[test]
    fn quoted_paths_are_bounded_and_cannot_disguise_themselves() {
        let check = |input: &[u8], expected: &str| assert_eq!(shown(&path(input)), expected);
        check(b"a/b", "a/b");
        check(b"a\nb\x1b[31m", "a\\nb\\u{1b}[31m");
        check("\u{202e}txt.exe".as_bytes(), "\\u{202e}txt.exe");
        check(b"bad\xff", "bad\\xff");
        check(b"/a\\b/c\\d", "/a\\b/c\\d");
        check(b"a\\b/c\nd\\e", "a\\b/c\\nd\\\\e");
        check(b"tab\tq", "tab\\tq");
        check(b"tab\\tq", "tab\\\\tq");
        check(b"tab\\\\tq", "tab\\\\\\\\tq");
        assert!(shown(Path::new(&"n/".repeat(5000))).len() < 400);
    }

    #[test]
    fn each_name_has_a_spelling_of_its_own_and_is_found_by_it() {
        // All names of up to five of these pieces.
        let pieces: [&[u8]; 9] = [b"\\", b"t", b"\t", b"x", b"f", b"\xff", "\u{200b}".as_bytes(), b"u{200b}", b"n"];
        let mut names: Vec<Vec<u8>> = vec![Vec::new()];
        let mut spellings = std::collections::HashMap::new();
        for _ in 0..5 {
            names = names.iter().flat_map(|name| pieces.map(|piece| [name, piece].concat())).collect();
            for name in &names {
                let spelling = spelled(&path(name));
                let found = name_spelled(OsStr::new(&spelling));
                assert_eq!(found.unwrap_or_else(|| spelling.clone().into()).as_bytes(), name, "{spelling}");
                let other = spellings.insert(spelling, name.clone());
                assert!(other.is_none_or(|other| other == *name), "{name:?}");
            }
        }
    }
}
