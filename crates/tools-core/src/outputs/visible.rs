//! Makes foreign text safe to show: nothing in it controls a terminal, hides characters or reorders
//! them. The one list of such characters; used by terminal, MCP, JSON and the report page.

use std::{borrow::Cow, fmt, fmt::Write as _};

/// Character shown for a line break where a text must stay on one line.
const LINE_BREAK: char = '⏎';
/// Separator of parts that share a line. Like [`LINE_BREAK`] it is escaped if it occurs in a text.
const SEPARATOR: char = '⏐';

/// Whether a character is invisible, controls a terminal, or changes how its neighbours are shown:
/// controls (C0, DEL, C1), line and paragraph separators, bidirectional controls, and characters
/// that Unicode ignores by default.
///
/// U+FE0F, which only requests the coloured form of the preceding character, is not included.
pub const fn is_hidden(c: char) -> bool {
    matches!(c,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0e}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// A text on one line without hidden characters: only [`VisibleText::of`] creates it, so that a
/// renderer that takes this type cannot receive anything else.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VisibleText(String);

impl VisibleText {
    /// Escapes line breaks as `⏎` and every other hidden character as `\u{…}`.
    pub fn of(text: &str) -> Self {
        Self(escaped(text, |c| is_hidden(c) || matches!(c, LINE_BREAK | SEPARATOR), Some(LINE_BREAK)).into_owned())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Several texts on one line, each after its number, with a separator that no text can contain.
    pub(crate) fn numbered(texts: impl IntoIterator<Item = Self>) -> Self {
        let texts = texts.into_iter().enumerate().map(|(at, text)| format!("{} {text}", at + 1));
        Self(texts.collect::<Vec<_>>().join(&format!(" {SEPARATOR} ")))
    }

    /// Number of its characters.
    pub(crate) fn chars(&self) -> usize {
        self.0.chars().count()
    }

    /// Removes the middle of a text longer than `limit` characters: only for text that nobody has
    /// to agree to. No word is cut unless it is very long: half a credential would not be
    /// recognised as one, and would be shown.
    #[must_use]
    pub fn shortened(&self, limit: usize) -> Self {
        let count = self.chars();
        if count <= limit {
            return self.clone();
        }
        let tail = limit / 3;
        let at = |n: usize| self.0.char_indices().nth(n).map_or(self.0.len(), |(at, _)| at);
        let (head, rest) = (&self.0[..at(limit - tail)], &self.0[at(count - tail)..]);
        let (next, last) = (self.0[head.len()..].chars().next(), self.0[..self.0.len() - rest.len()].chars().last());
        let head = if next.is_some_and(is_word) { uncut(head, head.trim_end_matches(is_word)) } else { head };
        let rest = if last.is_some_and(is_word) { uncut(rest, rest.trim_start_matches(is_word)) } else { rest };
        let left_out = count - head.chars().count() - rest.chars().count();
        Self(format!("{head}[… {left_out} characters …]{rest}"))
    }
}

/// Whether the character may be part of a credential.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || "_-+/=.~".contains(c)
}

/// The text without the cut word, unless the word is too long to be a credential.
fn uncut<'a>(text: &'a str, without: &'a str) -> &'a str {
    const MAX_WORD_BYTES: usize = 200;
    if text.len() - without.len() <= MAX_WORD_BYTES { without } else { text }
}

impl fmt::Display for VisibleText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text of several lines without hidden characters: line breaks and tabs stay, every other hidden
/// character becomes `\u{…}`.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_hidden(c) && !matches!(c, '\n' | '\t'), None)
}

/// A JSON document without hidden characters: they become `\uXXXX`, which is the same document.
///
/// In JSON they occur only inside strings; white space between tokens stays.
pub fn visible_json(json: &str) -> Cow<'_, str> {
    let hidden = |c: char| is_hidden(c) && !matches!(c, '\n' | '\t' | '\r');
    if !json.contains(hidden) {
        return Cow::Borrowed(json);
    }
    let mut text = String::with_capacity(json.len() + 16);
    let mut units = [0; 2];
    for c in json.chars() {
        if hidden(c) {
            for unit in c.encode_utf16(&mut units) {
                // Writing into a string cannot fail.
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(c);
        }
    }
    Cow::Owned(text)
}

fn escaped(text: &str, hides: impl Fn(char) -> bool, line_break: Option<char>) -> Cow<'_, str> {
    if !text.contains(&hides) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match line_break {
            Some(sign) if c == '\n' => shown.push(sign),
            _ if hides(c) => shown.extend(c.escape_unicode()),
            _ => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_hides_is_shown_and_the_rest_stays() {
        let check = |text: &str, line: &str, lines: &str| {
            assert_eq!(VisibleText::of(text).as_str(), line);
            assert_eq!(visible_lines(text), lines);
        };
        check("git log | less", "git log | less", "git log | less");
        check("a\tb\nc", "a\\u{9}b⏎c", "a\tb\nc");
        check(
            "\u{1b}[2J\r\u{7f}\u{85}\u{9b}",
            "\\u{1b}[2J\\u{d}\\u{7f}\\u{85}\\u{9b}",
            "\\u{1b}[2J\\u{d}\\u{7f}\\u{85}\\u{9b}",
        );
        check(
            "\u{202e}\u{2066}\u{61c}\u{feff}",
            "\\u{202e}\\u{2066}\\u{61c}\\u{feff}",
            "\\u{202e}\\u{2066}\\u{61c}\\u{feff}",
        );
        check(
            "z\u{200b}\u{2028}\u{2029}\u{e0041}",
            "z\\u{200b}\\u{2028}\\u{2029}\\u{e0041}",
            "z\\u{200b}\\u{2028}\\u{2029}\\u{e0041}",
        );
        check("a⏎b⏐c", "a\\u{23ce}b\\u{23d0}c", "a⏎b⏐c");
        check("né «x» ⚠\u{fe0f} 日本", "né «x» ⚠\u{fe0f} 日本", "né «x» ⚠\u{fe0f} 日本");
    }

    #[test]
    fn a_shortened_text_says_how_much_is_missing() {
        let words = VisibleText::of(&format!("{} tok_{}; {}", "a ".repeat(10), "k8".repeat(20), "b ".repeat(10)));
        let shown = words.shortened(40);
        assert_eq!(shown.as_str(), "a a a a a a a a a a  [… 53 characters …] b b b b b b ");
        let long = VisibleText::of(&"ab".repeat(300));
        assert_eq!(long.shortened(9).as_str(), "[… 600 characters …]");
        assert!(long.shortened(450).as_str().starts_with("abab"), "too long for a credential");
        assert_eq!(long.shortened(600), long);
    }

    proptest! {
        #[test]
        fn nothing_hidden_is_left(text in "\\PC*|(.|[\u{0}-\u{20}\u{80}-\u{9f}\u{200b}-\u{2069}\u{e0000}-\u{e007f}⏎]){0,40}") {
            let line = VisibleText::of(&text);
            prop_assert!(!line.as_str().contains(is_hidden));
            prop_assert_eq!(line.as_str().matches(LINE_BREAK).count(), text.matches('\n').count());
            prop_assert!(!visible_lines(&text).contains(|c| is_hidden(c) && c != '\n' && c != '\t'));
        }

        #[test]
        fn json_is_the_same_document(text in ".{0,40}|[\u{80}-\u{9f}\u{200b}-\u{2069}\u{e0000}-\u{e007f}]{0,20}") {
            let json = serde_json::to_string(&text).unwrap();
            let shown = visible_json(&json);
            prop_assert!(!shown.contains(is_hidden), "{}", shown);
            prop_assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
        }
    }
}
