//! The passages of a file: one for each definition with the comments above it, and one for each
//! stretch between definitions. A line belongs to the innermost definition around it, so the
//! passage of a class does not contain its methods.

use std::collections::HashMap;

use crate::parse::{Lines, Parsed};
use crate::words::words;

/// Maximum number of lines in a stretch outside of definitions.
const STRETCH: u32 = 40;

/// One passage. Lines are counted from 0.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Passage {
    /// Index of its definition; `None` between definitions.
    pub(crate) symbol: Option<u32>,
    pub(crate) first: u32,
    pub(crate) last: u32,
    /// The numbers of its names with their counts, in order.
    pub(crate) words: Vec<(u32, u16)>,
    pub(crate) length: u32,
}

/// The cached data of a parsed file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Passages {
    pub(crate) parsed: Parsed,
    pub(crate) passages: Vec<Passage>,
}

impl Passages {
    /// The passages of a text; `number` returns the number of a name.
    pub(crate) fn of(text: &[u8], parsed: Parsed, mut number: impl FnMut(&str) -> Option<u32>) -> Self {
        let lines = Lines::of(text);
        let owners = owners(&parsed, lines.count());
        let mut gathered: Vec<ChunkBuilder> = Vec::new();
        let mut places: HashMap<u32, usize> = HashMap::new();
        let mut line_of: Vec<usize> = Vec::with_capacity(owners.len());
        for (line, owner) in (0_u32..).zip(&owners) {
            let place = match *owner {
                Some(symbol) => *places.entry(symbol).or_insert_with(|| {
                    let own = &parsed.symbols[symbol as usize];
                    gathered.push(ChunkBuilder::new(Some(symbol), own.lead, own.end));
                    gathered.len() - 1
                }),
                None => match gathered.last_mut() {
                    Some(last) if last.symbol.is_none() && last.last + 1 == line && line - last.first < STRETCH => {
                        last.last = line;
                        gathered.len() - 1
                    }
                    _ => {
                        gathered.push(ChunkBuilder::new(None, line, line));
                        gathered.len() - 1
                    }
                },
            };
            line_of.push(place);
        }
        let mut line = 0;
        for word in words(text) {
            while lines.range(line).end <= word.at && line + 1 < lines.count() {
                line += 1;
            }
            let Some(gathered) = line_of.get(line).and_then(|place| gathered.get_mut(*place)) else { continue };
            gathered.length += 1;
            if let Some(id) = std::str::from_utf8(word.text).ok().and_then(&mut number) {
                let count = gathered.words.entry(id).or_insert(0_u16);
                *count = count.saturating_add(1);
            }
        }
        let passages = gathered.into_iter().filter(|passage| passage.length > 0).map(ChunkBuilder::finish).collect();
        Self { parsed, passages }
    }

    /// Approximate memory use in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let symbols = self.parsed.symbols.iter().map(|symbol| 120 + symbol.name.len() + symbol.signature.len());
        let passages = self.passages.iter().map(|passage| 64 + 8 * passage.words.len());
        symbols.sum::<usize>() + passages.sum::<usize>() + 8 * self.parsed.quiet.len()
    }
}

/// The innermost definition of each line.
fn owners(parsed: &Parsed, lines: usize) -> Vec<Option<u32>> {
    let mut owners: Vec<Option<u32>> = vec![None; lines];
    // Definitions come in the order of the text, so an outer one precedes those inside it.
    for (number, symbol) in (0_u32..).zip(&parsed.symbols) {
        let end = owners.len().min(symbol.end as usize + 1);
        if let Some(lines) = owners.get_mut(symbol.lead as usize..end) {
            lines.fill(Some(number));
        }
    }
    owners
}

struct ChunkBuilder {
    symbol: Option<u32>,
    first: u32,
    last: u32,
    words: HashMap<u32, u16>,
    length: u32,
}

impl ChunkBuilder {
    fn new(symbol: Option<u32>, first: u32, last: u32) -> Self {
        Self { symbol, first, last, words: HashMap::new(), length: 0 }
    }

    fn finish(self) -> Passage {
        let mut words: Vec<_> = self.words.into_iter().collect();
        words.sort_unstable();
        let Self { symbol, first, last, length, .. } = self;
        Passage { symbol, first, last, words, length }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{languages::form_of, parse::parse};

    #[test]
    fn a_line_belongs_to_the_innermost_definition() {
        let text = b"use a;\n\n/// Doc.\nmod m {\n    // of f\n    fn f() {\n        one();\n    }\n    two();\n}\n";
        let language = form_of(std::path::Path::new("a.rs")).unwrap().language().unwrap();
        let mut names = Vec::new();
        let passages = Passages::of(text, parse(text, language), |name| {
            let at = names.iter().position(|known| known == name);
            let at = at.unwrap_or_else(|| {
                names.push(name.to_owned());
                names.len() - 1
            });
            u32::try_from(at).ok()
        });
        let shown: Vec<_> = passages
            .passages
            .iter()
            .map(|passage| {
                let name = passage.symbol.map(|at| &*passages.parsed.symbols[at as usize].name);
                let mut words: Vec<_> = passage.words.iter().map(|(id, _)| names[*id as usize].as_str()).collect();
                words.sort_unstable();
                (name, passage.first, passage.last, words.join(" "))
            })
            .collect();
        assert_eq!(
            shown,
            [
                (None, 0, 1, "a use".to_owned()),
                (Some("m"), 2, 9, "Doc m mod two".to_owned()),
                (Some("f"), 4, 7, "f fn of one".to_owned()),
            ]
        );
    }
}
