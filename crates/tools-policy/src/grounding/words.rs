//! The words that paths and hosts are made of. Pure.

/// What stands between words: everything that is not part of a name of a file or a host.
fn parts(byte: u8) -> bool {
    !(byte.is_ascii_alphanumeric() || byte >= 0x80 || matches!(byte, b'.' | b'_' | b'-' | b'+'))
}

/// The words of a text: `src`, `main.rs` and `12` of `src/main.rs:12`. Points and dashes around one
/// do not belong to it.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    // No part of a character of several bytes is a separator.
    let words = text.split(|c: char| u8::try_from(c).is_ok_and(|byte| c.is_ascii() && parts(byte)));
    words.map(|word| word.trim_matches(['.', '-'])).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart_where_they_are_put_together() {
        let found: Vec<&str> =
            words("see ./src/main.rs:12, (https://a.example.org:443/x) --file=Ä_b.txt... -x").collect();
        let expected = ["see", "src", "main.rs", "12", "https", "a.example.org", "443", "x", "file", "Ä_b.txt", "x"];
        assert_eq!(found, expected);
        assert_eq!(words(" .. / - ").count(), 0);
    }
}
