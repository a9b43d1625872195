//! Globs whose wildcards match characters, not bytes.

/// Converts a glob's regular expression over bytes, as made by `globset`, to one over characters.
///
/// In a comparison by bytes, `?` and a class match only half of a two-byte character such as `ä`.
/// The result is for Unicode mode.
pub fn by_characters(bytewise: &str) -> String {
    let mut regex = String::from("(?s)");
    let mut bytes = Vec::new();
    let mut rest = bytewise.strip_prefix("(?-u)").unwrap_or(bytewise).chars();
    while let Some(character) = rest.next() {
        if character != '\\' {
            flush(&mut bytes, &mut regex);
            regex.push(character);
            continue;
        }
        // `\xC3\xA4` is one character, written as bytes.
        if let Some(byte) = rest.as_str().strip_prefix('x').and_then(|digits| digits.get(..2)).and_then(hexadecimal) {
            bytes.push(byte);
            rest = rest.as_str()[3..].chars();
            continue;
        }
        flush(&mut bytes, &mut regex);
        regex.push('\\');
        regex.extend(rest.next());
    }
    flush(&mut bytes, &mut regex);
    regex
}

fn hexadecimal(digits: &str) -> Option<u8> {
    u8::from_str_radix(digits, 16).ok()
}

fn flush(bytes: &mut Vec<u8>, regex: &mut String) {
    regex.push_str(&String::from_utf8_lossy(bytes));
    bytes.clear();
}

#[cfg(test)]
mod tests {
    use super::by_characters;

    #[test]
    fn spelled_bytes_are_characters_again() {
        let check = |bytewise: &str, expected: &str| assert_eq!(by_characters(bytewise), expected, "{bytewise}");
        check(r"(?-u)^a\-[^/]\.txt$", r"(?s)^a\-[^/]\.txt$");
        check(r"(?-u)^[\xC3\xA4-\xC3\xB6]$", "(?s)^[ä-ö]$");
        check(r"(?-u)^\xE2\x82\xACx\xF0\x9F\x98\x80$", "(?s)^€x😀$");
        // A literal backslash of the glob, followed by an `x`.
        check(r"(?-u)^\\xC3$", r"(?s)^\\xC3$");
    }
}
