//! Automata that were made when the program was built: whether a line has a shape, and where a text has keywords.

/// An automaton as a table. State 0 is dead, and the states after it mean a match.
pub(crate) struct Table {
    pub(crate) start: u16,
    pub(crate) matches: u16,
    /// The logarithm of a row's length.
    pub(crate) shift: u32,
    /// The class of the end of the text.
    pub(crate) end: u8,
    /// The class of each byte.
    pub(crate) classes: &'static [u8; 256],
    /// For each state the next one by class, the low byte first.
    pub(crate) rows: &'static [[u8; 2]],
}

impl Table {
    #[inline]
    fn next(&self, state: u16, class: u8) -> u16 {
        u16::from_le_bytes(self.rows[usize::from(state) << self.shift | usize::from(class)])
    }

    /// Whether a line has this shape.
    pub(crate) fn is_match(&self, line: &str) -> bool {
        let mut state = self.start;
        for byte in line.bytes() {
            state = self.next(state, self.classes[usize::from(byte)]);
            if state <= self.matches {
                return state != 0;
            }
        }
        (1..=self.matches).contains(&self.next(state, self.end))
    }
}

/// Words, whatever their case; of several at the same place the longest.
pub(crate) struct Words {
    pub(crate) table: Table,
    /// The word that each state after the dead one means.
    pub(crate) words: &'static [u16],
}

impl Words {
    /// The words in a text, none over another: the number of each, where it begins is told by its length, and where it ends.
    pub(crate) fn find_iter<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, usize)> + 'a {
        let bytes = text.as_bytes();
        let mut at = 0;
        std::iter::from_fn(move || {
            let mut found = None;
            let mut state = self.table.start;
            for (offset, byte) in bytes.get(at..)?.iter().enumerate() {
                state = self.table.next(state, self.table.classes[usize::from(*byte)]);
                if state <= self.table.matches {
                    if state == 0 {
                        break;
                    }
                    found = Some((usize::from(self.words[usize::from(state) - 1]), at + offset + 1));
                }
            }
            let (_, end) = found?;
            at = end;
            found
        })
    }
}

mod tables {
    use super::{Table, Words};

    include!(concat!(env!("OUT_DIR"), "/tables.rs"));
}

pub(crate) use tables::*;

/// The automaton of a list of patterns that a built-in rule has; `None` for any other.
pub(crate) fn of_list(joined: &str) -> Option<&'static Table> {
    LISTS.iter().find_map(|(text, table)| (*text == joined).then_some(table))
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;
    use crate::{ascii::ascii, shapes::SHAPES};

    #[test]
    fn a_table_says_what_its_pattern_says() {
        let tables = [
            ("PYTHON", &PYTHON),
            ("SUMMARY", &SUMMARY),
            ("HARMLESS", &HARMLESS),
            ("CANDIDATE", &CANDIDATE),
            ("OTHER", &OTHER),
            ("NESTED", &NESTED),
        ];
        let lines = [
            "",
            "x",
            "___ test ___",
            "test result: ok. 1 passed",
            "12% tests passed",
            "  stdout ───",
            "  stdout ──",
            "an Error here",
            "errors",
            "no_error",
            "✗ é",
            "   Compiling a v1",
            "   Compiling a: error",
            "a.rs:1:2",
            "0 failing",
            "1 failing",
            "missing",
            "dismissing",
        ];
        for (name, table) in tables {
            let (_, patterns) = SHAPES.iter().find(|(of, _)| *of == name).expect("it is one of them");
            let regex = Regex::new(&ascii(&patterns.join("|"))).expect("it is a regular expression");
            for line in lines {
                assert_eq!(table.is_match(line), regex.is_match(line), "{name}: {line}");
            }
        }
    }
}
