//! The form of a credential's placeholder: `«secret:KIND#N·MARK»`. Code that cuts or rewrites text
//! must leave placeholders whole; `tools-secrets` knows which credential each one replaces.

use std::ops::Range;

const QUOTE: &str = "«";
const NAME: &str = "secret:";
/// Prefix that marks a placeholder as literal text.
const LITERAL: &str = "literal:";
const CLOSING: &str = "»";
/// Separator before the mark, and before the name of a server.
const MARKED: char = '·';
/// Maximum length in bytes of a kind, a number, a mark and the name of a server.
const MAX_PART_BYTES: usize = 96;

/// Text with the form of a placeholder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceholderMatch {
    /// Its byte range.
    pub range: Range<usize>,
    /// Number of `literal:` prefixes; 0 for a real placeholder.
    pub literals: usize,
}

/// All text with the form of a placeholder, including literal ones.
pub fn placeholders(text: &str) -> impl Iterator<Item = PlaceholderMatch> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let start = from + memchr::memmem::find(text.get(from..)?.as_bytes(), QUOTE.as_bytes())?;
            from = start + QUOTE.len();
            let mut inner = from;
            let mut literals = 0;
            while text[inner..].starts_with(LITERAL) {
                inner += LITERAL.len();
                literals += 1;
            }
            if !text[inner..].starts_with(NAME) {
                continue;
            }
            inner += NAME.len();
            let is_part = |character: char| {
                character.is_ascii_lowercase() || character.is_ascii_digit() || matches!(character, '-' | '#' | MARKED)
            };
            let rest = &text[inner..text.floor_char_boundary(inner + MAX_PART_BYTES)];
            let length = rest.find(|character| !is_part(character)).unwrap_or(rest.len());
            if length > 0 && text[inner + length..].starts_with(CLOSING) {
                from = inner + length + CLOSING.len();
                return Some(PlaceholderMatch { range: start..from, literals });
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_the_form_is_found() {
        let text =
            "«secret:key#1» «secret:x·ab12» «literal:secret:key#1» «secret:» «secret: x» «secret:KIND#N» «secret:a";
        let found: Vec<(&str, usize)> = placeholders(text).map(|found| (&text[found.range], found.literals)).collect();
        assert_eq!(found, [("«secret:key#1»", 0), ("«secret:x·ab12»", 0), ("«literal:secret:key#1»", 1)]);
    }
}
