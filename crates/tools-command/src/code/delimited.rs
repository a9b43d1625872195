//! The end of a text between delimiters. Programs differ in how they read bracket expressions in a
//! regular expression, so there may be several possible ends.

use std::collections::BTreeSet;

/// Special syntax within a bracket expression.
#[derive(Debug, Clone, Copy)]
struct Brackets {
    /// Whether `[:alpha:]` and the like are read as classes, whose bracket does not close the
    /// expression.
    classes: bool,
    /// Whether a backslash escapes the next character.
    escapes: bool,
}

/// The positions after each delimiter that may end the regular expression beginning at `from`.
pub(super) fn regex_ends(text: &[char], from: usize, delimiter: char) -> BTreeSet<usize> {
    let ways = [(false, false), (false, true), (true, false), (true, true)];
    let ways = ways.into_iter().map(|(classes, escapes)| Some(Brackets { classes, escapes }));
    ways.chain([None]).filter_map(|way| scanned(text, from, delimiter, way)).collect()
}

/// The position after the first unescaped delimiter.
pub(super) fn end(text: &[char], from: usize, delimiter: char) -> Option<usize> {
    scanned(text, from, delimiter, None)
}

fn scanned(text: &[char], from: usize, delimiter: char, brackets: Option<Brackets>) -> Option<usize> {
    let mut at = from;
    loop {
        at += match (text.get(at)?, brackets) {
            (letter, _) if *letter == delimiter => return Some(at + 1),
            ('\\', _) => 2,
            ('[', Some(brackets)) => bracket_length(&text[at..], brackets)?,
            _ => 1,
        };
    }
}

fn bracket_length(text: &[char], brackets: Brackets) -> Option<usize> {
    let mut at = 1 + usize::from(text.get(1) == Some(&'^'));
    // A `]` that comes first is a member of the set.
    at += usize::from(text.get(at) == Some(&']'));
    loop {
        at += match text.get(at)? {
            ']' => return Some(at + 1),
            '\\' if brackets.escapes => 2,
            '[' if brackets.classes && matches!(text.get(at + 1), Some(':' | '.' | '=')) => {
                let close = [text[at + 1], ']'];
                4 + text[at + 2..].windows(2).position(|pair| pair == close)?
            }
            _ => 1,
        };
    }
}
