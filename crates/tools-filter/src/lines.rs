//! Regular expressions for lines of tool output. Their classes mean ASCII: tools write digits and blanks in ASCII, and
//! automata over all of Unicode cost ten times as much to build.

use regex::{Regex, RegexBuilder};

/// The pattern with `\d`, `\s`, `\w`, `\b` and their opposites in their ASCII meaning.
pub(crate) fn ascii(pattern: &str) -> String {
    let mut text = String::with_capacity(pattern.len() * 2);
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        match chars.next() {
            Some('d') => text.push_str("[0-9]"),
            Some('D') => text.push_str("[^0-9]"),
            Some('s') => text.push_str("[ \\t]"),
            Some('S') => text.push_str("[^ \\t]"),
            Some('w') => text.push_str("[0-9A-Za-z_]"),
            Some('b') => text.push_str("(?-u:\\b)"),
            Some(other) => {
                text.push('\\');
                text.push(other);
            }
            None => text.push('\\'),
        }
    }
    text
}

/// Compiles a pattern of the source code.
pub(crate) fn regex(pattern: &str) -> Regex {
    RegexBuilder::new(&ascii(pattern)).build().expect("the pattern is a constant that a test compiles")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_ascii_inside_and_outside_of_brackets() {
        let regex = regex(r"^\b\d+[\w.]\s\\d$");
        assert!(regex.is_match(r"12x \d"));
        assert!(!regex.is_match("١x \\d"));
    }
}
