//! Where a body in chunks ends (RFC 9112, 7.1). The chunks themselves are passed on as they came;
//! what can be read in two ways is refused.

use super::BadRequest;

/// The longest line of a body: the length of a chunk with its extensions, or one header behind the
/// last.
const MAX_LINE_LEN: usize = 4096;
/// All headers behind the last chunk.
const MAX_TRAILER_LEN: usize = 32 * 1024;

/// Reads a body piece by piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkScanner {
    place: Place,
    /// The line that is being read, without its end.
    line: Vec<u8>,
    trailer_len: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In the line that begins a chunk.
    Size,
    /// In a chunk of which so much is left, and the line end behind it.
    Data(u64),
    /// In the line end behind a chunk.
    DataEnd,
    /// In the headers behind the last chunk.
    Trailer,
    /// Behind the body.
    End,
}

impl Default for ChunkScanner {
    fn default() -> Self {
        Self { place: Place::Size, line: Vec::new(), trailer_len: 0 }
    }
}

impl ChunkScanner {
    /// The number of these bytes that belong to the body: all but what follows its end.
    ///
    /// # Errors
    /// When the bytes are not a body in chunks.
    pub fn take(&mut self, bytes: &[u8]) -> Result<usize, BadRequest> {
        let mut at = 0;
        while at < bytes.len() && self.place != Place::End {
            if let Place::Data(left) = self.place {
                let count = usize::try_from(left).map_or(bytes.len() - at, |left| left.min(bytes.len() - at));
                let left = left - count as u64;
                self.place = if left == 0 { Place::DataEnd } else { Place::Data(left) };
                at += count;
            } else {
                self.byte_of_line(bytes[at])?;
                at += 1;
            }
        }
        Ok(at)
    }

    /// Whether the body has ended.
    pub(crate) fn is_at_end(&self) -> bool {
        self.place == Place::End
    }

    fn byte_of_line(&mut self, byte: u8) -> Result<(), BadRequest> {
        if byte != b'\n' {
            self.line.push(byte);
            return if self.line.len() > MAX_LINE_LEN {
                Err(BadRequest("a line of the body is too long"))
            } else {
                Ok(())
            };
        }
        // Some readers take a bare line feed for the end of a line, others do not.
        let bad = BadRequest("the chunks of the body cannot be read");
        let Some((b'\r', line)) = self.line.split_last() else { return Err(bad) };
        if line.contains(&b'\r') {
            return Err(bad);
        }
        self.place = match self.place {
            Place::Size => match size(line).ok_or(bad)? {
                0 => Place::Trailer,
                size => Place::Data(size),
            },
            Place::DataEnd if line.is_empty() => Place::Size,
            Place::Trailer if line.is_empty() => Place::End,
            Place::Trailer => {
                self.trailer_len += line.len();
                if self.trailer_len > MAX_TRAILER_LEN {
                    return Err(BadRequest("the headers behind the body are too long"));
                }
                Place::Trailer
            }
            _ => return Err(bad),
        };
        self.line.clear();
        Ok(())
    }
}

/// The length of a chunk: hexadecimal digits, and extensions behind a semicolon.
fn size(line: &[u8]) -> Option<u64> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let (digits, rest) = line.split_at(digits);
    let is_end = rest.is_empty() || rest.trim_ascii_start().first() == Some(&b';');
    if digits.is_empty() || digits.len() > 15 || !is_end {
        return None;
    }
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What of the bytes is the body, read in pieces of this size.
    fn body(bytes: &[u8], piece: usize) -> Result<Option<usize>, BadRequest> {
        let (mut scanner, mut length) = (ChunkScanner::default(), 0);
        for piece in bytes.chunks(piece) {
            let count = scanner.take(piece)?;
            length += count;
            if count < piece.len() {
                break;
            }
        }
        Ok(scanner.is_at_end().then_some(length))
    }

    #[test]
    fn the_end_is_found_whatever_the_pieces() {
        let check = |text: &str, behind: &str| {
            let all = [text, behind].concat();
            for piece in [1, 2, 7, 1000] {
                assert_eq!(body(all.as_bytes(), piece), Ok(Some(text.len())), "{text:?} by {piece}");
            }
            assert_eq!(body(&text.as_bytes()[..text.len() - 1], 1000), Ok(None), "{text:?}");
        };
        check("0\r\n\r\n", "GET http://other/ HTTP/1.1\r\n\r\n");
        check("3\r\nabc\r\n0\r\n\r\n", "3\r\n");
        check("003\r\na\r\n\r\n1A;x=\"y\"\r\nabcdefghijklmnopqrstuvwxyz\r\n000\r\nA: b\r\nC: d\r\n\r\n", "0\r\n\r\n");
        check("2 ;ext\r\n\n\n\r\n0\r\n\r\n", "\r\n");
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_refused() {
        for text in [
            "3\nabc\r\n0\r\n\r\n",
            "3\r\nabcd\r\n0\r\n\r\n",
            "3\r\nabc\n0\r\n\r\n",
            "0x3\r\nabc\r\n",
            "+3\r\nabc\r\n",
            "-3\r\nabc\r\n",
            "\r\n",
            "3 3\r\n",
            "fffffffffffffffff\r\n",
            "0\r\n\n",
            "3\r\r\n",
            "3;a\rb\r\n",
        ] {
            assert!(body(text.as_bytes(), 1000).is_err(), "{text:?}");
        }
        assert!(body(&vec![b'1'; MAX_LINE_LEN + 1], 100).is_err());
        assert!(body(&[b"0\r\n".to_vec(), b"a: b\r\n".repeat(MAX_TRAILER_LEN)].concat(), 100).is_err());
    }

    proptest! {
        #[test]
        fn a_body_that_was_written_is_read_to_its_end(
            chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..40), 0..8),
            behind in prop::collection::vec(any::<u8>(), 0..40),
            piece in 1_usize..50,
        ) {
            let mut text = Vec::new();
            for chunk in &chunks {
                text.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
                text.extend(chunk);
                text.extend(b"\r\n");
            }
            text.extend(b"0\r\n\r\n");
            let all = [text.as_slice(), &behind].concat();
            prop_assert_eq!(body(&all, piece), Ok(Some(text.len())));
            let _ = body(&behind, piece);
        }
    }
}
