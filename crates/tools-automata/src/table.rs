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

    /// Whether a line has this shape or the other. Each step waits for the one before it, so both
    /// are looked for in the time of one.
    pub fn is_either(&self, other: &Self, line: &str) -> bool {
        let is_match = |table: &Self, state: u16| state != 0 && state <= table.matches;
        let (mut one, mut two) = (self.start, other.start);
        for byte in line.bytes() {
            one = self.next(one, self.classes[usize::from(byte)]);
            two = other.next(two, other.classes[usize::from(byte)]);
            // A dead state stays dead.
            if (one <= self.matches || two <= other.matches) && (is_match(self, one) || is_match(other, two)) {
                return true;
            }
        }
        is_match(self, self.next(one, self.end)) || is_match(other, other.next(two, other.end))
    }
}

/// Words, whatever their case; of several at the same place the longest.
#[derive(Debug)]
pub struct Words {
    /// Finds them.
    pub table: Table,
    /// The word that each state after the dead one means.
    pub words: &'static [u16],
    /// Bytes of the longest word.
    pub longest: usize,
}

/// Parts of a text that are read side by side.
const LANES: usize = 4;
/// Bytes of each of them.
const LANE: usize = 128;
/// Bytes that are read one after the other behind a word: where words are frequent the next one is
/// near.
const NEAR: usize = 48;

impl Words {
    /// The words in a text, none over another: the number of each, where it begins is told by its
    /// length, and where it ends.
    pub fn find_iter<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, usize)> + 'a {
        let bytes = text.as_bytes();
        let (mut at, mut near) = (0, NEAR);
        std::iter::from_fn(move || {
            let found = self.next_word(bytes, at, near)?;
            // Words that follow one another closely are found by reading on: parts that are read
            // side by side are read in vain where one of them has a word.
            near = if found.1 - at < LANES * LANE { LANES * LANE } else { NEAR };
            at = found.1;
            Some(found)
        })
    }

    /// The first word from a place on, read one byte after the other for the first `near` bytes.
    fn next_word(&self, bytes: &[u8], at: usize, near: usize) -> Option<(usize, usize)> {
        let back = self.longest.saturating_sub(1);
        let mut found = None;
        let mut state = self.table.start;
        let mut offset = at;
        let mut near = at + near.max(back);
        while let Some(byte) = bytes.get(offset) {
            state = self.table.next(state, self.table.classes[usize::from(*byte)]);
            offset += 1;
            if state <= self.table.matches {
                if state == 0 {
                    break;
                }
                found = Some((usize::from(self.words[usize::from(state) - 1]), offset));
            } else if offset >= near && found.is_none() {
                let (quiet, reach) = self.quiet_until(bytes, offset);
                near = reach;
                if quiet > offset {
                    // A word may have begun before this place.
                    (offset, state) = (quiet - back, self.table.start);
                }
            }
        }
        found
    }

    /// From `from` on: where no word ends before, and up to where it is not worth asking again.
    /// Several parts are read at once, because each step waits for the one before it.
    fn quiet_until(&self, bytes: &[u8], mut from: usize) -> (usize, usize) {
        let back = self.longest.saturating_sub(1);
        while let Some(block) = bytes.get(from - back..from + LANES * LANE) {
            // Each part begins as much earlier as a word may.
            let lanes: [&[u8]; LANES] = std::array::from_fn(|lane| &block[lane * LANE..(lane + 1) * LANE + back]);
            let mut states = [self.table.start; LANES];
            let mut hits = [false; LANES];
            for index in 0..LANE + back {
                for ((lane, state), hit) in lanes.iter().zip(&mut states).zip(&mut hits) {
                    *state = self.table.next(*state, self.table.classes[usize::from(lane[index])]);
                    *hit |= *state <= self.table.matches;
                }
            }
            if let Some(lane) = hits.iter().position(|hit| *hit) {
                let quiet = from + lane * LANE;
                return (quiet, quiet + LANE);
            }
            from += LANES * LANE;
        }
        (from, usize::MAX)
    }
}

#[cfg(all(test, feature = "build"))]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Automaton;

    const WORDS: &[&str] = &["pass", "password", "assign", "key", "-----BEGIN ", "ss", "a1"];

    /// The words as a table, as a build script writes it.
    fn words() -> Words {
        let automaton = Automaton::of_words(WORDS);
        let (table, words) = automaton.leaked();
        Words { table, words, longest: 11 }
    }

    /// The words as they are found one byte after the other.
    fn plain(words: &Words, text: &str) -> Vec<(usize, usize)> {
        let mut all = Vec::new();
        let mut at = 0;
        loop {
            let (mut found, mut state) = (None, words.table.start);
            for (offset, byte) in text.as_bytes()[at..].iter().enumerate() {
                state = words.table.next(state, words.table.classes[usize::from(*byte)]);
                if state == 0 {
                    break;
                }
                if state <= words.table.matches {
                    found = Some((usize::from(words.words[usize::from(state) - 1]), at + offset + 1));
                }
            }
            let Some(word) = found else { return all };
            at = word.1;
            all.push(word);
        }
    }

    proptest! {
        #[test]
        fn reading_side_by_side_finds_the_same_words(
            pieces in prop::collection::vec(
                (0_usize..1500, prop::sample::select(&["pass", "passw", "PassWord", "assig", "key", "-----BEGIN", " ", "é", "ss"][..])),
                0..30,
            ),
        ) {
            let words = words();
            let text = pieces.iter().map(|(fill, word)| format!("{}{word}", ".a".repeat(fill / 2))).collect::<Vec<_>>().concat();
            prop_assert_eq!(words.find_iter(&text).collect::<Vec<_>>(), plain(&words, &text));
        }
    }

    #[test]
    fn either_of_two_shapes_is_one_of_them() {
        let shape = |pattern: &str| Automaton::of_pattern(pattern).unwrap().leaked().0;
        let pairs = [("^ab|x$", "cd+e"), ("é", "^$"), ("^never", "b$")];
        for (one, two) in pairs.map(|(one, two)| (shape(one), shape(two))) {
            for line in ["", "ab", "b", "xa", "ax", "cdde", "cd", "é", "never", "aab", "zzz"] {
                let expected = one.is_match(line) || two.is_match(line);
                assert_eq!((one.is_either(&two, line), two.is_either(&one, line)), (expected, expected), "{line}");
            }
        }
    }
}
