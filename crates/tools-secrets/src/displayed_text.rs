//! A text in its displayed form: without terminal sequences, null bytes and other control
//! characters, with backspaces applied. Later stages remove these, so control characters inside a
//! credential must not hide it.

use std::ops::Range;

use crate::finding::{Finding, Heading};

/// Maximum bytes of a terminal sequence; a longer one counts as text.
const MAX_SEQUENCE: usize = 4 << 10;

/// A text without control characters, and the original position of each part.
pub(crate) struct DisplayedText {
    pub(crate) text: String,
    /// The start of each contiguous part in this text and in the original.
    parts: Vec<(usize, usize)>,
}

impl DisplayedText {
    /// The text without control characters; `None` when it has none.
    pub(crate) fn of(original: &str) -> Option<Self> {
        let first = first_control(original.as_bytes())?;
        let mut shown = Self { text: String::with_capacity(original.len()), parts: Vec::new() };
        shown.add(original, 0..first);
        let mut at = first;
        while at < original.len() {
            let rest = &original.as_bytes()[at..];
            let end = match control(rest) {
                Control::None => {
                    let plain = first_control(&rest[1..]).map_or(rest.len(), |next| next + 1);
                    shown.add(original, at..at + plain);
                    at + plain
                }
                Control::Back => {
                    shown.take_back();
                    at + 1
                }
                Control::Nothing(length) => at + length,
            };
            at = original.ceil_char_boundary(end);
        }
        Some(shown)
    }

    fn add(&mut self, original: &str, part: Range<usize>) {
        if !part.is_empty() {
            self.parts.push((self.text.len(), part.start));
            self.text.push_str(&original[part]);
        }
    }

    /// Applies a backspace: removes the previous character, but never a line end.
    fn take_back(&mut self) {
        if !self.text.ends_with('\n') && self.text.pop().is_some() {
            while self.parts.last().is_some_and(|(here, _)| *here > self.text.len()) {
                self.parts.pop();
            }
        }
    }

    /// The original position of a byte.
    fn place(&self, at: usize) -> usize {
        let part = self.parts.partition_point(|(here, _)| *here <= at).saturating_sub(1);
        self.parts.get(part).map_or(at, |(here, there)| there + (at - here))
    }

    /// The original range, including the control characters in it.
    fn original(&self, range: &Range<usize>) -> Range<usize> {
        if range.is_empty() {
            return self.place(range.start)..self.place(range.start);
        }
        self.place(range.start)..self.place(range.end - 1) + 1
    }

    /// Converts a finding to the original text.
    pub(crate) fn finding(&self, finding: Finding) -> Finding {
        let Range { start, end } = self.original(&(finding.start..finding.end));
        Finding { start, end, ..finding }
    }

    /// Converts a heading to the original text.
    pub(crate) fn heading(&self, heading: &Heading) -> Heading {
        Heading { line: self.original(&heading.line), end: self.original(&(0..heading.end)).end }
    }
}

enum Control {
    None,
    Back,
    /// This many invisible bytes.
    Nothing(usize),
}

/// The first control character except blanks and line ends. Control characters above ASCII begin
/// with a byte that harmless characters begin with too.
fn first_control(bytes: &[u8]) -> Option<usize> {
    let may_be = |byte: u8| {
        let low = u8::from(byte < 0x20) & u8::from(!matches!(byte, b'\t' | b'\n' | b'\r'));
        low | u8::from(byte == 0x7f) | u8::from(byte == 0xc2)
    };
    // No branch for each byte, so that the compiler can vectorise it.
    let is_plain = |chunk: &[u8]| chunk.iter().fold(0, |found, byte| found | may_be(*byte)) == 0;
    let mut at = 0;
    for chunk in bytes.chunks(256) {
        if !is_plain(chunk)
            && let Some(found) = (at..at + chunk.len()).find(|at| !matches!(control(&bytes[*at..]), Control::None))
        {
            return Some(found);
        }
        at += chunk.len();
    }
    None
}

/// The control character at the beginning of a text.
fn control(bytes: &[u8]) -> Control {
    match bytes {
        [0x08, ..] => Control::Back,
        [0x1b, rest @ ..] => Control::Nothing(1 + escaped(rest)),
        // The one-character forms of CSI and of strings.
        [0xc2, 0x9b, rest @ ..] => Control::Nothing(2 + sequence(rest)),
        [0xc2, 0x90 | 0x98 | 0x9d..=0x9f, rest @ ..] => Control::Nothing(2 + string(rest)),
        [0xc2, 0x80..=0x9f, ..] => Control::Nothing(2),
        [b'\t' | b'\n' | b'\r', ..] => Control::None,
        [0..0x20 | 0x7f, ..] => Control::Nothing(1),
        _ => Control::None,
    }
}

/// The length of what follows ESC.
fn escaped(bytes: &[u8]) -> usize {
    match bytes {
        [b'[', rest @ ..] => 1 + sequence(rest),
        [b']' | b'P' | b'X' | b'^' | b'_', rest @ ..] => 1 + string(rest),
        [b' '..=b'/', ..] => {
            let between = bytes.iter().take_while(|byte| (b' '..=b'/').contains(byte)).count();
            between + usize::from(bytes.get(between).is_some_and(|last| (b'0'..=b'~').contains(last)))
        }
        [b'0'..=b'~', ..] => 1,
        _ => 0,
    }
}

/// Parameters, intermediate bytes, and the last one of a control sequence.
fn sequence(bytes: &[u8]) -> usize {
    let parameters = bytes.iter().take_while(|byte| (b'0'..=b'?').contains(byte)).count();
    let between = bytes[parameters..].iter().take_while(|byte| (b' '..=b'/').contains(byte)).count();
    let at = parameters + between;
    at + usize::from(bytes.get(at).is_some_and(|last| (b'@'..=b'~').contains(last)))
}

/// The length of a string up to its end mark; without one, up to the line end or the maximum.
fn string(bytes: &[u8]) -> usize {
    let line = bytes.iter().take(MAX_SEQUENCE).take_while(|byte| **byte != b'\n').count();
    let is_end = |at: &usize| match bytes[*at] {
        0x07 | 0x18 | 0x1a | 0x1b => true,
        0xc2 => bytes.get(at + 1) == Some(&0x9c),
        _ => false,
    };
    let Some(end) = (0..line).find(is_end) else { return line };
    let is_long = bytes[end] == 0xc2 || (bytes[end] == 0x1b && bytes.get(end + 1) == Some(&b'\\'));
    end + 1 + usize::from(is_long)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn controls_are_left_out_and_places_are_kept() {
        let table = [
            ("plain\ttext\r\n", None),
            ("caf\u{e9} \u{a3}", None),
            ("a\u{1b}[1mb\u{1b}[0mc", Some("abc")),
            ("a\u{0}b\u{0}", Some("ab")),
            ("ab\u{8}c\n\u{8}d", Some("ac\nd")),
            ("\u{1b}]0;title\u{7}a\u{9b}31mb", Some("ab")),
            ("a\u{1b}]never ended\nb", Some("a\nb")),
            ("a\u{1b}(Bb\u{1b}=c", Some("abc")),
            ("a\u{1b}", Some("a")),
        ];
        for (original, expected) in table {
            let shown = DisplayedText::of(original);
            assert_eq!(shown.as_ref().map(|shown| shown.text.as_str()), expected, "{original:?}");
        }
        let original = "x\u{1b}[1mse\u{0}cret\u{1b}[0m";
        let shown = DisplayedText::of(original).unwrap();
        let at = shown.text.find("secret").unwrap();
        assert_eq!(&original[shown.original(&(at..at + 6))], "se\u{0}cret");
    }

    proptest! {
        /// Each character that is shown stands where it is said to stand.
        #[test]
        fn places_are_those_of_the_original(original in "[a-cé\n\u{0}\u{8}\u{9b}\u{c2}\u{1b}\\[\\]m0-9;]{0,40}") {
            if let Some(shown) = DisplayedText::of(&original) {
                prop_assert!(shown.text.len() <= original.len());
                let mut before = 0;
                for (at, character) in shown.text.char_indices() {
                    let place = shown.place(at);
                    prop_assert!(original.is_char_boundary(place) && place >= before);
                    prop_assert_eq!(original[place..].chars().next(), Some(character));
                    before = place;
                }
            }
        }
    }
}
