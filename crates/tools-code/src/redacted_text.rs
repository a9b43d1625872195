//! The text of a file with blanked credentials, so that no query can find a part of one.

use std::{borrow::Cow, path::Path};

use crate::parse::Lines;
use tools_sandbox::FileAccess;

/// Replaces the parts of the text that may not be shown by blanks of the same length: in each line,
/// everything between the first and the last byte that differ from the redacted text.
pub(crate) fn blank_credentials<'a>(sight: &dyn FileAccess, path: &Path, text: &'a [u8]) -> Cow<'a, [u8]> {
    blanked(text, &sight.hide(path, text.to_vec()))
}

fn blanked<'a>(text: &'a [u8], shown: &[u8]) -> Cow<'a, [u8]> {
    if text == shown {
        return Cow::Borrowed(text);
    }
    let mut searched = text.to_vec();
    let (lines, others) = (Lines::of(text), Lines::of(shown));
    let is_comparable = lines.count() == others.count();
    for line in 0..lines.count() {
        let range = lines.range(line);
        // Without matching lines, the whole text is blanked.
        let other = if is_comparable { &shown[others.range(line)] } else { &[] };
        let own = &text[range.clone()];
        let before = own.iter().zip(other).take_while(|(a, b)| a == b).count();
        let behind = own[before..].iter().rev().zip(other[before..].iter().rev()).take_while(|(a, b)| a == b).count();
        for byte in &mut searched[range.start + before..range.end - behind] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    Cow::Owned(searched)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_shown_is_blank() {
        let check = |text: &str, shown: &str, expected: &str| {
            let searched = blanked(text.as_bytes(), shown.as_bytes());
            assert_eq!(String::from_utf8_lossy(&searched), expected, "{text}");
            assert_eq!(searched.len(), text.len());
        };
        check("a\nkey = abcdef;\nb\n", "a\nkey = <1>;\nb\n", "a\nkey =       ;\nb\n");
        check("x abc y def z\n", "x <1> y <2> z\n", "x           z\n");
        check("é abc é\r\n", "é <1> é\r\n", "é     é\r\n");
        check("a\nb\n", "a\n", " \n \n");
        check("abc", "", "   ");
        check("same\n", "same\n", "same\n");
    }
}
