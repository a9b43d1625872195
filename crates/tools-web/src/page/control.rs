//! Removes invisible characters, which control a terminal or hide text from people.

use std::borrow::Cow;

use tools_core::is_hidden;

/// Whether to remove the character `c`. Line feed, tab and line separators stay. So does a joiner
/// between non-ASCII characters, because several scripts and emoji need it.
pub(super) fn is_taken_out(before: &str, c: char, after: &str) -> bool {
    let needs_joiner = |c: Option<char>| c.is_some_and(|c| !c.is_ascii() && !is_hidden(c));
    match c {
        '\t' | '\n' | '\u{2028}' | '\u{2029}' => false,
        '\u{200c}' | '\u{200d}' => !needs_joiner(before.chars().next_back()) || !needs_joiner(after.chars().next()),
        c => is_hidden(c),
    }
}

/// The text without such characters, and the number of them. `\r\n` becomes `\n`.
pub(crate) fn without_controls(text: &str) -> (Cow<'_, str>, usize) {
    if !text.contains(|c| is_taken_out("", c, "")) {
        return (Cow::Borrowed(text), 0);
    }
    let line_ends = text.replace("\r\n", "\n").replace('\r', "\n");
    let is_kept = |(at, c): &(usize, char)| !is_taken_out(&line_ends[..*at], *c, &line_ends[at + c.len_utf8()..]);
    let kept: String = line_ends.char_indices().filter(is_kept).map(|(_, c)| c).collect();
    let taken = line_ends.chars().count() - kept.chars().count();
    (Cow::Owned(kept), taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_shows_something_stays() {
        let check = |text: &str, kept: &str, taken: usize| {
            assert_eq!(without_controls(text), (Cow::Borrowed(kept), taken), "{text:?}");
        };
        check("a\tb\nc", "a\tb\nc", 0);
        check("a\0b\u{1b}[31m\r\nc\u{9b}d\u{e0041}", "ab[31m\ncd", 4);
        check("a\rb\u{200b}", "a\nb", 1);
        check("A\u{e0120}\u{e01ef} a\u{fe01}b\u{2062}\u{ad}\u{202e}x\u{202c}\u{3164}", "A abx", 8);
    }

    #[test]
    fn a_joiner_stays_where_a_script_needs_it() {
        let check = |text: &str, kept: &str| assert_eq!(without_controls(text).0, kept, "{text:?}");
        check("می\u{200c}خواهم", "می\u{200c}خواهم");
        check("❤\u{fe0f}\u{200d}🔥", "❤\u{fe0f}\u{200d}🔥");
        check("a\u{200c}b é\u{200d}\u{200c}é é\u{200d}", "ab éé é");
    }
}
