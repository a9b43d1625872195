//! Converts UTF-16 with a byte order mark to UTF-8 and back. Other encodings are searched as they
//! are: bytes that are not UTF-8 pass through unchanged.

use std::borrow::Cow;

/// Encoding of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Encoding {
    /// One byte for each ASCII character.
    #[default]
    Bytes,
    /// UTF-16, little-endian.
    Utf16Le,
    /// UTF-16, big-endian.
    Utf16Be,
}

impl Encoding {
    /// Converts UTF-8 text to this encoding.
    pub(super) fn encode(self, text: &[u8]) -> Cow<'_, [u8]> {
        let bytes = |unit: u16| if self == Self::Utf16Le { unit.to_le_bytes() } else { unit.to_be_bytes() };
        match self {
            Self::Bytes => Cow::Borrowed(text),
            _ => Cow::Owned(String::from_utf8_lossy(text).encode_utf16().flat_map(bytes).collect()),
        }
    }
}

/// Converts chunks of a file to text that can be searched.
#[derive(Debug, Default)]
pub(super) struct Transcoder {
    encoding: Option<Encoding>,
    /// Incomplete character at the end of the last chunk.
    begun: Vec<u8>,
}

impl Transcoder {
    pub(super) fn encoding(&self) -> Encoding {
        self.encoding.unwrap_or_default()
    }

    pub(super) fn decode<'a>(&mut self, chunk: &'a [u8]) -> Cow<'a, [u8]> {
        if self.encoding == Some(Encoding::Bytes) {
            return Cow::Borrowed(chunk);
        }
        self.begun.extend_from_slice(chunk);
        if self.encoding.is_none() {
            if self.begun.len() < 2 {
                return Cow::Borrowed(&[]);
            }
            let encoding = match self.begun.as_slice() {
                [0xff, 0xfe, ..] => Encoding::Utf16Le,
                [0xfe, 0xff, ..] => Encoding::Utf16Be,
                _ => Encoding::Bytes,
            };
            self.encoding = Some(encoding);
            if encoding == Encoding::Bytes {
                return Cow::Owned(std::mem::take(&mut self.begun));
            }
        }
        Cow::Owned(self.units(false))
    }

    /// Returns the rest at the end of input.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        match self.encoding() {
            Encoding::Bytes => std::mem::take(&mut self.begun),
            _ => self.units(true),
        }
    }

    /// The complete characters received so far, in UTF-8. An incomplete one waits for more input;
    /// at the end of the input it is replaced.
    fn units(&mut self, is_end: bool) -> Vec<u8> {
        let is_little = self.encoding == Some(Encoding::Utf16Le);
        let unit = |pair: &[u8]| {
            let pair = [pair[0], pair[1]];
            if is_little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }
        };
        let mut units: Vec<u16> = self.begun.chunks_exact(2).map(unit).collect();
        let is_half = units.last().is_some_and(|last| (0xd800..0xdc00).contains(last));
        if is_half && !is_end {
            units.pop();
        }
        self.begun.drain(..units.len() * 2);
        String::from_utf16_lossy(&units).into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_16_comes_and_goes_whatever_the_chunks() {
        for encoding in [Encoding::Utf16Le, Encoding::Utf16Be] {
            let text = "\u{feff}a=é𝄞\n";
            let bytes = encoding.encode(text.as_bytes()).into_owned();
            for size in 1..bytes.len() {
                let mut transcoder = Transcoder::default();
                let mut decoded: Vec<u8> =
                    bytes.chunks(size).flat_map(|chunk| transcoder.decode(chunk).into_owned()).collect();
                decoded.extend(transcoder.finish());
                assert_eq!((decoded.as_slice(), transcoder.encoding()), (text.as_bytes(), encoding), "{size}");
            }
        }
    }

    #[test]
    fn anything_else_is_left_as_it_is() {
        for bytes in [&b""[..], b"\xff", b"abc\xff\xfe\x00", b"\xef\xbb\xbfx"] {
            let mut transcoder = Transcoder::default();
            let mut decoded: Vec<u8> =
                bytes.chunks(1).flat_map(|chunk| transcoder.decode(chunk).into_owned()).collect();
            decoded.extend(transcoder.finish());
            assert_eq!(decoded, bytes);
        }
    }
}
