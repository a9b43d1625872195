//! Where a text between delimiters ends. Programs differ in how they read a bracket expression of a
//! regular expression, so that it may end at several places.

use std::collections::BTreeSet;

/// What counts within a bracket expression.
#[derive(Debug, Clone, Copy)]
struct Brackets {
    /// `[:alpha:]` and the like, whose bracket closes nothing.
    classes: bool,
    /// A backslash takes its meaning from the next character.
    escapes: bool,
}

/// The positions behind each delimiter that may end the regular expression which begins at `from`.
pub(super) fn regex_ends(text: &[char], from: usize, delimiter: char) -> BTreeSet<usize> {
    let ways = [(false, false), (false, true), (true, false), (true, true)];
    let ways = ways.into_iter().map(|(classes, escapes)| Some(Brackets { classes, escapes }));
    ways.chain([None]).filter_map(|way| scanned(text, from, delimiter, way)).collect()
}

/// The position behind the first such delimiter that is not escaped.
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
    // A bracket that comes first is one of the characters.
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
