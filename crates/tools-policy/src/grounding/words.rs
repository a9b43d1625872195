//! Splits paths and hosts into words. Pure.

/// Whether a byte separates words: everything that is not part of a file or host name.
fn parts(byte: u8) -> bool {
    !(byte.is_ascii_alphanumeric() || byte >= 0x80 || matches!(byte, b'.' | b'_' | b'-' | b'+'))
}

/// The words of a text: `src`, `main.rs` and `12` of `src/main.rs:12`. Leading and trailing dots
/// and dashes are removed.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    // No byte of a multi-byte character is a separator.
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
