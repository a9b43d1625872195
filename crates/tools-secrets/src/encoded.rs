//! Text inside a URL or an HTML page, in which names, separators and quotes are escaped. It is read
//! in its unescaped form.

/// Maximum bytes read before and after a position.
const BEFORE: usize = 4 << 10;
const BEHIND: usize = 8 << 10;

/// HTML entities and their characters.
const ENTITIES: &[(&str, char)] = &[("&quot;", '"'), ("&#34;", '"'), ("&#39;", '\''), ("&apos;", '\''), ("&amp;", '&')];

/// A run of escaped text in its unescaped form.
#[derive(Debug)]
pub(crate) struct UnescapedRun {
    pub(crate) text: String,
    /// The original position of each byte, and the end of the last one.
    places: Vec<usize>,
}

impl UnescapedRun {
    /// The run around an escape, beginning not before `done`.
    pub(crate) fn around(text: &str, at: usize, done: usize) -> Self {
        let is_page = text.as_bytes()[at] == b'&';
        // A URL has no blanks; a page has them between escaped quotes.
        let ends = |byte: &u8| matches!(byte, b'\n' | b'"' | b'<' | b'>') || !is_page && byte.is_ascii_whitespace();
        let bytes = text.as_bytes();
        let from = done.max(at.saturating_sub(BEFORE)).min(at);
        let start = bytes[from..at].iter().rposition(ends).map_or(from, |before| from + before + 1);
        let to = bytes.len().min(at + BEHIND);
        let end = bytes[at..to].iter().position(ends).map_or(to, |length| at + length);
        let (start, end) = (text.ceil_char_boundary(start), text.floor_char_boundary(end));
        Self::of(text, start, end.max(start))
    }

    fn of(text: &str, start: usize, end: usize) -> Self {
        let mut meant = Self { text: String::with_capacity(end - start), places: Vec::with_capacity(end - start + 1) };
        let mut at = start;
        while let Some(next) = text[at..end].chars().next() {
            let (character, length) = escape(&text[at..end]).unwrap_or((next, next.len_utf8()));
            meant.text.push(character);
            meant.places.extend((0..character.len_utf8()).map(|byte| at + byte));
            at += length;
        }
        meant.places.push(at);
        meant
    }

    /// The end of the run in the original.
    pub(crate) fn end(&self) -> usize {
        self.places.last().copied().unwrap_or_default()
    }

    /// The original position of a byte of the run.
    pub(crate) fn place(&self, at: usize) -> usize {
        self.places[at]
    }
}

/// The character of an escape at the beginning of a text, and the length of the escape.
fn escape(text: &str) -> Option<(char, usize)> {
    if let Some(digits) = text.strip_prefix('%') {
        let byte = u8::from_str_radix(digits.get(..2)?, 16).ok()?;
        let character = char::from(byte);
        return (matches!(byte, b' '..=b'~' | b'\n')).then_some((character, 3));
    }
    ENTITIES.iter().find(|(entity, _)| text.starts_with(entity)).map(|(entity, character)| (*character, entity.len()))
}
