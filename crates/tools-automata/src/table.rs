//! Tables of automata, which decide whether a line matches.

/// State that means a match, whatever follows; state 0 is dead.
const MATCH: u16 = 1;
/// Number of lines that are read in parallel.
const LANES: usize = 4;

/// An automaton as a table.
#[derive(Debug)]
pub struct Table {
    /// The state at the beginning of a text.
    pub start: u16,
    /// The binary logarithm of the length of a row.
    pub shift: u32,
    /// The class of the end of the text.
    pub end: u8,
    /// The class of each byte.
    pub classes: &'static [u8; 256],
    /// For each state, the next state by class, with the low byte first.
    pub rows: &'static [[u8; 2]],
}

impl Table {
    #[inline]
    fn next(&self, state: u16, class: u8) -> u16 {
        u16::from_le_bytes(self.rows[usize::from(state) << self.shift | usize::from(class)])
    }

    #[inline]
    fn step(&self, state: u16, byte: u8) -> u16 {
        self.next(state, self.classes[usize::from(byte)])
    }

    /// Whether a line matches.
    pub fn is_match(&self, line: &str) -> bool {
        let mut state = self.start;
        for byte in line.bytes() {
            state = self.step(state, byte);
            if state <= MATCH {
                return state == MATCH;
            }
        }
        self.next(state, self.end) == MATCH
    }

    /// Whether a line matches this table or the other. Each step of an automaton waits for its
    /// previous step, so running both together takes about the time of one.
    pub fn is_either(&self, other: &Self, line: &str) -> bool {
        Lane { states: [self.start, other.start], rest: line.as_bytes(), number: 0 }.is_match([self, other])
    }

    /// The numbers, from 0, of the lines of a text that match this table or the other. Several
    /// lines are read in parallel.
    pub fn lines_of_either(&self, other: &Self, text: &str) -> Vec<usize> {
        let tables = [self, other];
        let mut lines = text.lines().enumerate();
        let mut next = || {
            let (number, line) = lines.next()?;
            Some(Lane { states: [self.start, other.start], rest: line.as_bytes(), number })
        };
        let mut reading: Vec<Lane<'_>> = std::iter::from_fn(&mut next).take(LANES).collect();
        let mut found = Vec::new();
        while let Ok(lanes) = <&mut [Lane<'_>; LANES]>::try_from(reading.as_mut_slice()) {
            Lane::read(lanes, tables);
            for at in (0..LANES).rev() {
                if !reading[at].rest.is_empty() {
                    continue;
                }
                let next = next();
                let ended = reading.swap_remove(at);
                if ended.is_match(tables) {
                    found.push(ended.number);
                }
                reading.extend(next);
            }
        }
        found.extend(reading.into_iter().filter(|lane| lane.is_match(tables)).map(|lane| lane.number));
        found.sort_unstable();
        found
    }
}

/// A line that is matched against two tables.
#[derive(Clone, Copy)]
struct Lane<'a> {
    states: [u16; 2],
    /// The part of the line that is not read yet.
    rest: &'a [u8],
    /// The number of the line.
    number: usize,
}

impl Lane<'_> {
    /// Reads from each line as many bytes as the line with the shortest rest has left.
    fn read(lanes: &mut [Self; LANES], tables: [&Table; 2]) {
        let length = lanes.iter().map(|lane| lane.rest.len()).min().unwrap_or_default();
        let bytes = lanes.map(|lane| &lane.rest[..length]);
        let mut states = lanes.map(|lane| lane.states);
        for at in 0..length {
            for (states, bytes) in states.iter_mut().zip(bytes) {
                *states = [tables[0].step(states[0], bytes[at]), tables[1].step(states[1], bytes[at])];
            }
        }
        for (lane, states) in lanes.iter_mut().zip(states) {
            (lane.states, lane.rest) = (states, &lane.rest[length..]);
        }
    }

    /// Whether the line matches one of the tables.
    fn is_match(self, tables: [&Table; 2]) -> bool {
        let mut states = self.states;
        for byte in self.rest {
            states = [tables[0].step(states[0], *byte), tables[1].step(states[1], *byte)];
            if states.contains(&MATCH) {
                return true;
            }
        }
        states.iter().zip(tables).any(|(state, table)| table.next(*state, table.end) == MATCH)
    }
}

#[cfg(all(test, feature = "build"))]
mod tests {
    use crate::Automaton;

    #[test]
    fn either_of_two_shapes_is_one_of_them() {
        let shape = |pattern: &str| Automaton::of_pattern(pattern).unwrap().leaked();
        let pairs = [("^ab|x$", "cd+e"), ("é", "^$"), ("^never", "b$")];
        for (one, two) in pairs.map(|(one, two)| (shape(one), shape(two))) {
            for line in ["", "ab", "b", "xa", "ax", "cdde", "cd", "é", "never", "aab", "zzz"] {
                let expected = one.is_match(line) || two.is_match(line);
                assert_eq!((one.is_either(&two, line), two.is_either(&one, line)), (expected, expected), "{line}");
            }
            let lines = ["ab", "", "b", "xyz", "cd", "never", "a", "é", "zzz", "ax", "cde"];
            for count in 0..40 {
                for end in ["", "\n", "cde", "zzz"] {
                    let text: String =
                        (0..count).flat_map(|at| [lines[(at * 7 + count) % lines.len()], "\n"]).collect();
                    let text = text + end;
                    let is_found = |line: &str| one.is_either(&two, line);
                    let expected = text.lines().enumerate().filter(|(_, line)| is_found(line)).map(|(at, _)| at);
                    assert_eq!(one.lines_of_either(&two, &text), expected.collect::<Vec<_>>(), "{text:?}");
                }
            }
        }
    }
}
