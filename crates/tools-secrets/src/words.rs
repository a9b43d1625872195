//! Finds words in a text, ignoring case. A hash of four bytes rules out most positions, eight of
//! them at a time.

/// Positions that are checked together.
const STEP: usize = 8;
/// Bytes that may follow a word of two bytes, which only counts inside a token.
const AFTER: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789_-.~";
/// Base-2 logarithm of the number of hash slots for the first three bytes.
const BITS: u32 = 15;

/// A set of words to find. Of several that match at one position, the longest counts.
#[derive(Debug)]
pub(crate) struct Words {
    /// By the hash of three bytes: which fourth bytes a word may have, as bits by the hash of all
    /// four.
    fourths: Box<[u8; 1 << BITS]>,
    /// By the hash of three bytes: the group of the words that begin with them.
    group_of: Box<[u16; 1 << BITS]>,
    /// Words with the same beginning, each with its number, longest first.
    groups: Vec<Vec<(usize, &'static str)>>,
}

impl Words {
    /// A set of words of at least two bytes. A word of two bytes is found only where a letter, a
    /// digit or one of `_-.~` follows.
    pub(crate) fn new(words: &[&'static str]) -> Self {
        const MADE: &str = "it has the length it was made with";
        let mut found = Self {
            fourths: vec![0; 1 << BITS].try_into().expect(MADE),
            group_of: vec![0; 1 << BITS].try_into().expect(MADE),
            groups: vec![Vec::new()],
        };
        for (number, word) in words.iter().enumerate() {
            let bytes = word.as_bytes();
            let thirds = bytes.get(2).map_or(AFTER, std::slice::from_ref);
            for third in thirds {
                let begins = |fourth| folded([bytes[0], bytes[1], *third, fourth]);
                let fourths = bytes.get(3).map_or(u8::MAX, |fourth| 1 << bit(begins(*fourth)));
                found.add(slot(begins(0)), fourths, (number, word));
            }
        }
        for group in &mut found.groups {
            group.sort_by_key(|(_, word)| std::cmp::Reverse(word.len()));
        }
        found
    }

    fn add(&mut self, slot: usize, fourths: u8, word: (usize, &'static str)) {
        self.fourths[slot] |= fourths;
        if self.group_of[slot] == 0 {
            self.group_of[slot] = u16::try_from(self.groups.len()).expect("words have few beginnings");
            self.groups.push(Vec::new());
        }
        self.groups[usize::from(self.group_of[slot])].push(word);
    }

    /// The words in a text from left to right, without overlaps: number, start and end of each.
    pub(crate) fn find_iter<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, usize, usize)> + 'a {
        let bytes = text.as_bytes();
        let mut at = 0;
        std::iter::from_fn(move || {
            loop {
                at = self.candidate(bytes, at)?;
                if let Some((number, word)) = self.word(bytes, at) {
                    let start = at;
                    at += word.len();
                    return Some((number, start, at));
                }
                at += 1;
            }
        })
    }

    /// The first position from `at` on at which a word may begin.
    fn candidate(&self, bytes: &[u8], mut at: usize) -> Option<usize> {
        while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk::<{ STEP + 3 }>) {
            // No branch for each position.
            let mut places = 0_u32;
            for (place, four) in block.array_windows().enumerate() {
                places |= self.may_begin(*four) << place;
            }
            if places != 0 {
                return Some(at + places.trailing_zeros() as usize);
            }
            at += STEP;
        }
        let byte = |at: usize| bytes.get(at).copied().unwrap_or_default();
        (at..bytes.len()).find(|at| self.may_begin([byte(*at), byte(at + 1), byte(at + 2), byte(at + 3)]) == 1)
    }

    /// 1 where a word may begin with these bytes, else 0.
    fn may_begin(&self, four: [u8; 4]) -> u32 {
        let folded = folded(four);
        u32::from(self.fourths[slot(folded)] >> bit(folded) & 1)
    }

    /// The longest word at a position.
    fn word(&self, bytes: &[u8], at: usize) -> Option<(usize, &'static str)> {
        let rest = &bytes[at..];
        let byte = |at: usize| rest.get(at).copied().unwrap_or_default();
        let group = self.group_of[slot(folded([byte(0), byte(1), byte(2), byte(3)]))];
        let is_here =
            |word: &str| rest.get(..word.len()).is_some_and(|here| here.eq_ignore_ascii_case(word.as_bytes()));
        self.groups[usize::from(group)].iter().find(|(_, word)| is_here(word)).copied()
    }
}

/// Four bytes in lower case. Some bytes that are not letters change, too.
fn folded(four: [u8; 4]) -> u32 {
    u32::from_le_bytes(four) | 0x2020_2020
}

/// The bit of these four bytes in [`Words::fourths`].
fn bit(folded: u32) -> u32 {
    folded.wrapping_mul(0x85eb_ca6b) >> 29
}

/// The slot of the first three bytes in both tables.
fn slot(folded: u32) -> usize {
    ((folded << 8).wrapping_mul(0xcc9e_2d51) >> (32 - BITS)) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::keywords;

    /// The words that are found when all of them are tried at each position.
    fn tried(words: &[&str], text: &str) -> Vec<(usize, usize, usize)> {
        let (mut found, mut at) = (Vec::new(), 0);
        while at < text.len() {
            let rest = &text.as_bytes()[at..];
            let is_here =
                |word: &str| rest.get(..word.len()).is_some_and(|here| here.eq_ignore_ascii_case(word.as_bytes()));
            let longest =
                (0..words.len()).rev().filter(|word| is_here(words[*word])).max_by_key(|word| words[*word].len());
            let length = longest.map_or(1, |word| words[word].len());
            found.extend(longest.map(|word| (word, at, at + length)));
            at += length;
        }
        found
    }

    #[test]
    fn a_word_of_two_bytes_is_one_in_a_token() {
        let words = Words::new(&["Q~"]);
        assert_eq!(words.find_iter("a8Q~b, Q~ and q~_").collect::<Vec<_>>(), [(0, 2, 4), (0, 14, 16)]);
    }

    proptest! {
        /// With any text around them, also across positions that are checked together.
        #[test]
        fn words_are_found_where_they_stand(
            pieces in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..40, "[a-z/:. \\-~éK]{0,9}", 0_usize..4), 0..40),
        ) {
            let words: Vec<&str> = keywords::all().into_iter().map(|(word, _)| word).filter(|word| word.len() > 2).collect();
            let piece = |(word, cut, between, form): (prop::sample::Index, usize, String, usize)| {
                let word = words[word.index(words.len())];
                let word = &word[..cut.min(word.len())];
                let word = [word.to_owned(), word.to_owned(), word.to_uppercase(), word.to_lowercase()][form].clone();
                word + &between
            };
            let text = pieces.into_iter().map(piece).collect::<Vec<_>>().concat();
            let found: Vec<_> = Words::new(&words).find_iter(&text).collect();
            prop_assert_eq!(found, tried(&words, &text));
        }
    }
}
