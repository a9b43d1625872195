//! Tables of automata: whether a line matches, and where a text has words.

/// An automaton as a table. State 0 is dead, and the states after it mean a match.
#[derive(Debug)]
pub struct Table {
    /// The state at the beginning of a text.
    pub start: u16,
    /// Number of states that mean a match; they are numbered from 1.
    pub matches: u16,
    /// The logarithm of a row's length.
    pub shift: u32,
    /// The class of the end of the text.
    pub end: u8,
    /// The class of each byte.
    pub classes: &'static [u8; 256],
    /// For each state the next one by class, the low byte first.
    pub rows: &'static [[u8; 2]],
}

impl Table {
    #[inline]
    fn next(&self, state: u16, class: u8) -> u16 {
        u16::from_le_bytes(self.rows[usize::from(state) << self.shift | usize::from(class)])
    }

    /// Whether a line has this shape.
    pub fn is_match(&self, line: &str) -> bool {
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
#[derive(Debug)]
pub struct Words {
    /// Finds them.
    pub table: Table,
    /// The word that each state after the dead one means.
    pub words: &'static [u16],
}

impl Words {
    /// The words in a text, none over another: the number of each, where it begins is told by its
    /// length, and where it ends.
    pub fn find_iter<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, usize)> + 'a {
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
