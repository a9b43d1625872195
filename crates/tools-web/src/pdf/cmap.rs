//! `ToUnicode`: maps the codes of a font to text.

use std::collections::HashMap;

/// Maximum number of codes and ranges of one font.
const MAX_ENTRIES: usize = 100_000;
/// Maximum number of UTF-16 units for one code.
const MAX_UNITS: usize = 32;

/// A map from codes to text.
#[derive(Debug, Default)]
pub(super) struct CMap {
    chars: HashMap<(usize, u32), String>,
    ranges: Vec<Range>,
    /// Code lengths that the map declares.
    lengths: [bool; 5],
}

#[derive(Debug)]
struct Range {
    length: usize,
    first: u32,
    last: u32,
    units: Vec<u16>,
}

enum Token<'a> {
    Hex(Vec<u8>),
    Word(&'a [u8]),
    Open,
    Close,
}

impl CMap {
    /// Reads a map; skips invalid parts.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let mut map = Self::default();
        let mut tokens = Tokens(bytes);
        while let Some(token) = tokens.next() {
            match token {
                Token::Word(b"begincodespacerange") => map.code_space(&mut tokens),
                Token::Word(b"beginbfchar") => map.chars(&mut tokens),
                Token::Word(b"beginbfrange") => map.ranges(&mut tokens),
                _ => {}
            }
        }
        map.ranges.sort_by_key(|range| (range.length, range.first));
        map
    }

    fn code_space(&mut self, tokens: &mut Tokens<'_>) {
        while let Some(Token::Hex(code)) = tokens.next() {
            if let Some(length) = self.lengths.get_mut(code.len()) {
                *length = true;
            }
        }
    }

    fn is_full(&self) -> bool {
        self.chars.len() + self.ranges.len() >= MAX_ENTRIES
    }

    fn chars(&mut self, tokens: &mut Tokens<'_>) {
        while let (Some(Token::Hex(code)), Some(Token::Hex(text))) = (tokens.next(), tokens.next()) {
            if self.is_full() {
                return;
            }
            self.chars.insert((code.len(), number(&code)), string(&units(&text)));
        }
    }

    fn ranges(&mut self, tokens: &mut Tokens<'_>) {
        while let (Some(Token::Hex(first)), Some(Token::Hex(last))) = (tokens.next(), tokens.next()) {
            if self.is_full() {
                return;
            }
            let (length, first, last) = (first.len(), number(&first), number(&last));
            match tokens.next() {
                Some(Token::Hex(text)) => self.ranges.push(Range { length, first, last, units: units(&text) }),
                Some(Token::Open) => {
                    let mut code = first;
                    while let Some(Token::Hex(text)) = tokens.next() {
                        if self.is_full() {
                            return;
                        }
                        self.chars.insert((length, code), string(&units(&text)));
                        code = code.saturating_add(1);
                    }
                }
                _ => return,
            }
        }
    }

    /// Code lengths in this map, shortest first; none when it does not declare any.
    pub(super) fn lengths(&self) -> impl Iterator<Item = usize> {
        (1..=4).filter(|length| self.lengths[*length])
    }

    pub(super) fn text(&self, code: &[u8]) -> Option<String> {
        let (length, number) = (code.len(), number(code));
        if let Some(text) = self.chars.get(&(length, number)) {
            return Some(text.clone());
        }
        let at = self.ranges.partition_point(|range| (range.length, range.first) <= (length, number));
        let range = self.ranges[..at].last().filter(|range| range.length == length && number <= range.last)?;
        let mut units = range.units.clone();
        let last = units.last_mut()?;
        *last = last.wrapping_add(u16::try_from(number - range.first).ok()?);
        Some(string(&units))
    }
}

fn number(code: &[u8]) -> u32 {
    code.iter().take(4).fold(0, |number, byte| number << 8 | u32::from(*byte))
}

fn units(bytes: &[u8]) -> Vec<u16> {
    match bytes {
        [one] => vec![u16::from(*one)],
        _ => bytes.chunks_exact(2).take(MAX_UNITS).map(|two| u16::from_be_bytes([two[0], two[1]])).collect(),
    }
}

fn string(units: &[u16]) -> String {
    String::from_utf16_lossy(units)
}

struct Tokens<'a>(&'a [u8]);

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            self.0 = self.0.trim_ascii_start();
            match self.0 {
                [] => return None,
                [b'%', ..] => {
                    let end = self.0.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(self.0.len());
                    self.0 = &self.0[end..];
                }
                [b'[', rest @ ..] => {
                    self.0 = rest;
                    return Some(Token::Open);
                }
                [b']', rest @ ..] => {
                    self.0 = rest;
                    return Some(Token::Close);
                }
                [b'<', rest @ ..] if rest.first() != Some(&b'<') => {
                    let end = rest.iter().position(|byte| *byte == b'>').unwrap_or(rest.len());
                    self.0 = rest.get(end + 1..).unwrap_or_default();
                    return Some(Token::Hex(hex(&rest[..end])));
                }
                [_, rest @ ..] => {
                    let end = rest.iter().position(|byte| byte.is_ascii_whitespace() || b"<>[]%".contains(byte));
                    let (word, rest) = self.0.split_at(end.map_or(self.0.len(), |end| end + 1));
                    self.0 = rest;
                    return Some(Token::Word(word));
                }
            }
        }
    }
}

fn hex(digits: &[u8]) -> Vec<u8> {
    let digits: Vec<u32> = digits.iter().filter_map(|digit| char::from(*digit).to_digit(16)).collect();
    let byte = |two: &[u32]| u8::try_from(two[0] * 16 + two.get(1).unwrap_or(&0)).unwrap_or_default();
    digits.chunks(2).take(2 * MAX_UNITS).map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_ranges_are_text() {
        let map = CMap::parse(
            b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap << /Registry (A) >> def % a comment <00>\n\
              1 begincodespacerange <0000> <FFFF> endcodespacerange\n\
              2 beginbfchar <0003> <0020> <0004><00660069> endbfchar\n\
              2 beginbfrange <0010> <0012> <0041> <0020> <0021> [<03B1> <D83DDE00>] endbfrange endcmap",
        );
        let check = |code: &[u8], expected: Option<&str>| assert_eq!(map.text(code).as_deref(), expected, "{code:?}");
        check(&[0, 3], Some(" "));
        check(&[0, 4], Some("fi"));
        check(&[0, 0x12], Some("C"));
        check(&[0, 0x13], None);
        check(&[0, 0x20], Some("α"));
        check(&[0, 0x21], Some("😀"));
        check(&[3], None);
        assert_eq!(map.lengths().collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn what_is_no_map_does_no_harm() {
        for text in
            [&b""[..], b"beginbfchar", b"beginbfchar <", b"beginbfrange <01> <ff> [", b"beginbfrange <ffffffff> <0> <>"]
        {
            let map = CMap::parse(text);
            assert_eq!(map.text(&[1]), None);
            assert_eq!(map.text(&[0xff; 4]), None);
        }
        let wide = CMap::parse(b"beginbfrange <00000000> <ffffffff> <0041> endbfrange");
        assert_eq!(wide.text(&[0xff; 4]), None);
    }
}
