//! Decodes files to text and encodes them again. Text that an edit does not change is written back
//! byte for byte.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use encoding_rs::{Decoder, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::converted::Convert;
use crate::error::FileError;
use crate::splice::{EditPlaces, Replacement};

/// Number of bytes at the beginning that decide whether a file is text.
pub(crate) const SNIFF: usize = 8 * 1024;

/// First of the private characters that represent the invalid bytes 0x80..=0xFF while the text is
/// edited.
const ESCAPE: u32 = 0xF_FF00;

/// The character shown for a NUL: a raw NUL ends the text for some readers.
pub(crate) const NUL_SHOWN: char = '\u{2400}';

/// Encoding of a text file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Utf8Bom,
    Utf16Le,
    Utf16Be,
    /// The superset of Latin-1 in which every byte is a character.
    Windows1252,
    /// Mostly UTF-8, with lines that are not valid UTF-8.
    Utf8Broken,
}

impl Encoding {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf8Bom => "UTF-8 with BOM",
            Self::Utf16Le => "UTF-16LE",
            Self::Utf16Be => "UTF-16BE",
            Self::Windows1252 => "windows-1252",
            Self::Utf8Broken => "UTF-8 with invalid bytes",
        }
    }

    /// The encoding that a byte order mark announces, and the length of the mark in bytes.
    pub(crate) fn announced(bytes: &[u8]) -> Option<(Self, usize)> {
        match bytes {
            // UTF-32, which counts as binary.
            [0xFF, 0xFE, 0, 0, ..] => None,
            [0xEF, 0xBB, 0xBF, ..] => Some((Self::Utf8Bom, 3)),
            [0xFF, 0xFE, ..] => Some((Self::Utf16Le, 2)),
            [0xFE, 0xFF, ..] => Some((Self::Utf16Be, 2)),
            _ => None,
        }
    }
}

/// Whether a file that begins with `head` is binary: it contains a NUL and has no byte order mark
/// of an encoding in which that is text.
pub(crate) fn is_binary(head: &[u8]) -> bool {
    let wide = matches!(Encoding::announced(head), Some((Encoding::Utf16Le | Encoding::Utf16Be, _)));
    !wide && memchr::memchr(0, &head[..head.len().min(SNIFF)]).is_some()
}

/// The text of a file, with its encoding.
#[derive(Debug, Clone)]
pub(crate) struct FileText {
    pub(crate) text: String,
    pub(crate) encoding: Encoding,
}

impl FileText {
    /// Decodes a whole file.
    ///
    /// # Errors
    /// `Binary`, or `Undecodable` when the text could not be written back exactly.
    pub(crate) fn of(bytes: &[u8], path: &Path) -> Result<Self, FileError> {
        if is_binary(bytes) {
            return Err(FileError::Binary { path: path.to_path_buf() });
        }
        match Self::decode(bytes) {
            Some(decoded) if decoded.is_reversible(bytes) => Ok(decoded),
            _ => Err(FileError::Undecodable { path: path.to_path_buf() }),
        }
    }

    /// Whether encoding the text gives `bytes` again; UTF-8 needs no trial.
    fn is_reversible(&self, bytes: &[u8]) -> bool {
        matches!(self.encoding, Encoding::Utf8 | Encoding::Utf8Bom)
            || self.encode(&self.text).is_ok_and(|again| *again == *bytes)
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (encoding, bom) = Encoding::announced(bytes).unwrap_or((Encoding::Utf8, 0));
        let body = &bytes[bom..];
        let with = |text: String, encoding| Some(Self { text, encoding });
        match encoding {
            Encoding::Utf16Le => {
                with(UTF_16LE.decode_without_bom_handling_and_without_replacement(body)?.into(), encoding)
            }
            Encoding::Utf16Be => {
                with(UTF_16BE.decode_without_bom_handling_and_without_replacement(body)?.into(), encoding)
            }
            _ => match std::str::from_utf8(body) {
                Ok(text) => with(text.to_owned(), encoding),
                Err(_)
                    if bom == 0
                        && body.split(|byte| *byte == b'\n').all(|line| line.is_ascii() || is_one_byte(line)) =>
                {
                    with(WINDOWS_1252.decode_without_bom_handling(bytes).0.into(), Encoding::Windows1252)
                }
                Err(_) => with(escape(bytes)?, Encoding::Utf8Broken),
            },
        }
    }

    /// Converts a text of this file as [`lossy_line`] shows its lines, character by character.
    pub(crate) fn shown<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.encoding != Encoding::Utf8Broken && memchr::memchr(0, text.as_bytes()).is_none() {
            return text.into();
        }
        text.chars().map(|c| self.shown_char(c)).collect()
    }

    fn shown_char(&self, c: char) -> char {
        match u32::from(c) {
            0 => NUL_SHOWN,
            code if self.encoding == Encoding::Utf8Broken && code & !0xFF == ESCAPE => one_byte((code & 0xFF) as u8),
            _ => c,
        }
    }

    /// Translates places in the shown text, and their new text, to the stored `text`. A character
    /// that represents a stray byte is written as that byte.
    pub(crate) fn stored(&self, text: &str, shown: &str, found: EditPlaces) -> EditPlaces {
        let (mut at, mut stored) = (0, 0);
        let mut in_text = |offset: usize| {
            let count = shown[at..offset].chars().count();
            stored += text[stored..].chars().take(count).map(char::len_utf8).sum::<usize>();
            at = offset;
            stored
        };
        let places = found.places.into_iter().map(|place| {
            let range = in_text(place.range.start)..in_text(place.range.end);
            let first = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
            let last = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at);
            Replacement { text: self.like(&text[first..last], &place.text).into(), range }
        });
        EditPlaces { step: found.step, places: places.collect() }
    }

    /// The new text, with the escaped bytes of the same lines in the file.
    fn like(&self, lines: &str, new: &str) -> String {
        let (mut bytes, mut plain) = (HashMap::new(), HashSet::new());
        for c in lines.chars().filter(|c| *c == '\0' || !c.is_ascii()) {
            match self.shown_char(c) {
                shown if shown == c => _ = plain.insert(c),
                shown => _ = bytes.insert(shown, c),
            }
        }
        let is_one_byte = plain.is_empty() && bytes.values().any(|c| *c != '\0');
        let stored = |c: char| match bytes.get(&c) {
            _ if c.is_ascii() || plain.contains(&c) => c,
            Some(byte) => *byte,
            None if is_one_byte => match WINDOWS_1252.encode(c.encode_utf8(&mut [0; 4])) {
                (bytes, _, false) => bytes.first().map_or(c, |byte| escaped(*byte)),
                _ => c,
            },
            None => c,
        };
        new.chars().map(stored).collect()
    }

    /// The bytes of `text` in this file's encoding.
    ///
    /// # Errors
    /// `Unencodable` for a character that the encoding does not have.
    pub(crate) fn encode<'t>(&self, text: &'t str) -> Result<Cow<'t, [u8]>, FileError> {
        let wide = || [0xFEFF].into_iter().chain(text.encode_utf16());
        Ok(match self.encoding {
            Encoding::Utf8 => text.as_bytes().into(),
            Encoding::Utf8Bom => [b"\xEF\xBB\xBF", text.as_bytes()].concat().into(),
            Encoding::Utf16Le => wide().flat_map(u16::to_le_bytes).collect(),
            Encoding::Utf16Be => wide().flat_map(u16::to_be_bytes).collect(),
            Encoding::Windows1252 => match WINDOWS_1252.encode(text) {
                (bytes, _, false) => bytes,
                _ => return Err(self.unencodable(text)),
            },
            Encoding::Utf8Broken => unescape(text).into(),
        })
    }

    fn unencodable(&self, text: &str) -> FileError {
        let lost = text.chars().find(|c| WINDOWS_1252.encode(c.encode_utf8(&mut [0; 4])).2);
        FileError::Unencodable { character: lost.unwrap_or('\u{fffd}'), encoding: self.encoding.name() }
    }
}

/// Shows one line of a file with any bytes; `true` when it was not UTF-8.
pub(crate) fn lossy_line(bytes: &[u8]) -> (String, bool) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), false),
        Err(_) => (broken(bytes, one_byte), true),
    }
}

/// The windows-1252 character for a byte.
fn one_byte(byte: u8) -> char {
    WINDOWS_1252.decode_without_bom_handling(&[byte]).0.chars().next().unwrap_or_default()
}

/// Whether a byte begins a character: every byte except UTF-8 continuation bytes.
pub(crate) fn begins_character(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

/// Length in bytes of the first `chars` characters, or of all bytes if there are fewer.
pub(crate) fn prefix(bytes: &[u8], chars: usize) -> usize {
    if bytes.len() <= chars {
        return bytes.len();
    }
    let mut starts = bytes.iter().enumerate().filter(|(_, byte)| begins_character(**byte));
    starts.nth(chars).map_or(bytes.len(), |(at, _)| at)
}

/// Converts text in another encoding to UTF-8.
pub(crate) struct Transcode(Decoder);

impl Transcode {
    /// A converter for text that begins with a byte order mark, which is dropped.
    pub(crate) fn new(encoding: Encoding) -> Self {
        Self(match encoding {
            Encoding::Utf16Le => UTF_16LE.new_decoder_with_bom_removal(),
            Encoding::Utf16Be => UTF_16BE.new_decoder_with_bom_removal(),
            Encoding::Windows1252 => WINDOWS_1252.new_decoder(),
            _ => UTF_8.new_decoder_with_bom_removal(),
        })
    }
}

impl Convert for Transcode {
    fn convert(&mut self, piece: &[u8], output: &mut Vec<u8>) {
        let room = self.0.max_utf8_buffer_length(piece.len()).unwrap_or(4 * piece.len() + 16);
        output.resize(room, 0);
        // The output has room for the whole piece, so all of it is consumed.
        let (_, _, written, _) = self.0.decode_to_utf8(piece, output, piece.is_empty());
        output.truncate(written);
    }
}

/// Whether a line is more likely to be in a one-byte encoding than to be damaged UTF-8.
fn is_one_byte(bytes: &[u8]) -> bool {
    let (mut good, mut bad) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    bad > 0 && good <= bad
}

fn escape(bytes: &[u8]) -> Option<String> {
    let uses_marks = |text: &str| text.chars().any(|c| u32::from(c) & !0xFF == ESCAPE);
    let is_marked = bytes.utf8_chunks().any(|chunk| uses_marks(chunk.valid()));
    (!is_marked).then(|| bytes.split_inclusive(|byte| *byte == b'\n').map(|line| broken(line, escaped)).collect())
}

/// The private character that represents a byte.
fn escaped(byte: u8) -> char {
    char::from_u32(ESCAPE | u32::from(byte)).unwrap_or_default()
}

/// A line with `stray` for each byte that is not valid UTF-8, or for each non-ASCII byte if the
/// line is in a one-byte encoding.
fn broken(line: &[u8], stray: impl Fn(u8) -> char) -> String {
    if is_one_byte(line) {
        return line.iter().map(|&byte| if byte.is_ascii() { char::from(byte) } else { stray(byte) }).collect();
    }
    let mut text = String::with_capacity(line.len());
    for chunk in line.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|&byte| stray(byte)));
    }
    text
}

fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match u32::from(c) {
            code if code & !0xFF == ESCAPE => bytes.push((code & 0xFF) as u8),
            _ => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(bytes: &[u8], encoding: Encoding, text: &str) {
        let decoded = FileText::of(bytes, Path::new("f")).unwrap();
        assert_eq!((decoded.encoding, decoded.text.as_str()), (encoding, text));
        assert_eq!(decoded.encode(&decoded.text).unwrap(), bytes);
    }

    #[test]
    fn encodings_are_recognised_and_kept() {
        check(b"plain\r\nx", Encoding::Utf8, "plain\r\nx");
        check(b"\xEF\xBB\xBFhead\n", Encoding::Utf8Bom, "head\n");
        check(b"\xFF\xFEa\0\n\0", Encoding::Utf16Le, "a\n");
        check(b"\xFE\xFF\0a\0\xE4", Encoding::Utf16Be, "aä");
        check(b"caf\xE9\n\x81", Encoding::Windows1252, "café\n\u{81}");
        check("ä ö ü \u{fffd}".as_bytes(), Encoding::Utf8, "ä ö ü \u{fffd}");
        let broken = [b"\xFF ".as_slice(), "äöü".as_bytes()].concat();
        assert_eq!(FileText::of(&broken, Path::new("f")).unwrap().encoding, Encoding::Utf8Broken);
        assert!(FileText::of(b"\xFF\xFE\0\0a\0\0\0", Path::new("f")).is_err(), "UTF-32");
    }

    #[test]
    fn a_file_of_several_encodings_is_shown_line_by_line() {
        for bytes in [b"na\xc3\xafve\ncaf\xe9\n\xc3\xa4\xc3\xb6 \xe9".as_slice(), b"\xEF\xBB\xBFcaf\xe9\n\xc3\xaf"] {
            let decoded = FileText::of(bytes, Path::new("f")).unwrap();
            let lines = bytes.split_inclusive(|byte| *byte == b'\n').map(|line| lossy_line(line).0);
            assert_eq!(decoded.shown(&decoded.text), lines.collect::<String>());
            assert_eq!(decoded.encoding, Encoding::Utf8Broken);
        }
    }

    #[test]
    fn what_could_not_be_written_back_is_refused() {
        assert!(matches!(FileText::of(b"a\0b", Path::new("f")), Err(FileError::Binary { .. })));
        assert!(matches!(FileText::of(b"\xFF\xFEa", Path::new("f")), Err(FileError::Undecodable { .. })));
        assert!(matches!(FileText::of(b"\xFF\xFE\x00\xD8", Path::new("f")), Err(FileError::Undecodable { .. })));
        let latin = FileText::of(b"caf\xE9", Path::new("f")).unwrap();
        assert!(matches!(latin.encode("€ 漢"), Err(FileError::Unencodable { character: '漢', .. })));
    }

    proptest! {
        #[test]
        fn decoding_is_reversible_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(decoded) = FileText::of(&bytes, Path::new("f")) {
                prop_assert_eq!(decoded.encode(&decoded.text).unwrap(), bytes);
            }
        }
    }
}
