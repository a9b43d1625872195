//! Characters that show nothing and steer a terminal or hide text from people: no page needs them.

use std::borrow::Cow;

/// Whether the character is taken out: controls other than line feed and tab, and the tags of
/// Unicode, in which text can be hidden that only a model reads.
pub(super) const fn is_taken_out(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{e0000}'..='\u{e007f}')
}

/// The text without such characters, and how many there were. `\r\n` becomes `\n`.
pub(crate) fn without_controls(text: &str) -> (Cow<'_, str>, usize) {
    if !text.contains(is_taken_out) {
        return (Cow::Borrowed(text), 0);
    }
    let line_ends = text.replace("\r\n", "\n");
    let kept: String =
        line_ends.chars().map(|c| if c == '\r' { '\n' } else { c }).filter(|c| !is_taken_out(*c)).collect();
    let taken = line_ends.chars().count() - kept.chars().count();
    (Cow::Owned(kept), taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_shows_something_stays() {
        assert_eq!(without_controls("a\tb\nc"), (Cow::Borrowed("a\tb\nc"), 0));
        assert_eq!(without_controls("a\0b\u{1b}[31m\r\nc\u{9b}d\u{e0041}"), (Cow::Owned("ab[31m\ncd".to_owned()), 4));
    }
}
