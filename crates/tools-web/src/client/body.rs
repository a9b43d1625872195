//! Reads a response body within limits on the bytes received and on the bytes after decompression.
//! A longer body is cut.

use std::io::{self, Write};

use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

use crate::error::WebError;

/// The body, or its beginning.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Body {
    /// The bytes after decompression.
    pub bytes: Vec<u8>,
    /// Whether the body was longer.
    pub truncated: bool,
    /// Number of bytes received over the wire.
    pub received: u64,
}

/// Takes in and decompresses a body piece by piece.
pub(super) struct Intake {
    decoder: Option<Decoder>,
    received: u64,
    most: usize,
}

enum Decoder {
    Plain(CappedBuffer),
    Gzip(Box<MultiGzDecoder<CappedBuffer>>),
    /// `deflate`: the first byte shows whether the data has the zlib header that the standard asks
    /// for.
    Undecided(CappedBuffer),
    Zlib(Box<ZlibDecoder<CappedBuffer>>),
    Deflate(Box<DeflateDecoder<CappedBuffer>>),
}

impl Intake {
    /// An intake for a body with this `Content-Encoding` that keeps at most `most` bytes.
    pub(super) fn new(encoding: Option<&str>, most: usize) -> Result<Self, WebError> {
        let kept = CappedBuffer { kept: Vec::new(), most, has_more: false };
        let decoder = match encoding.map(|encoding| encoding.trim().to_ascii_lowercase()).as_deref() {
            None | Some("" | "identity") => Decoder::Plain(kept),
            Some("gzip" | "x-gzip") => Decoder::Gzip(Box::new(MultiGzDecoder::new(kept))),
            Some("deflate") => Decoder::Undecided(kept),
            Some(other) => return Err(WebError::Encoding(other.chars().take(40).collect())),
        };
        Ok(Self { decoder: Some(decoder), received: 0, most })
    }

    /// Takes a piece; `false` when nothing more is wanted.
    pub(super) fn take(&mut self, piece: &[u8]) -> Result<bool, WebError> {
        self.received = self.received.saturating_add(piece.len() as u64);
        let Some(decoder) = self.decoder.as_mut() else { return Ok(false) };
        if let Decoder::Undecided(kept) = decoder
            && let Some(first) = piece.first()
        {
            let kept = std::mem::take(kept);
            *decoder = match first & 0x0f {
                8 => Decoder::Zlib(Box::new(ZlibDecoder::new(kept))),
                _ => Decoder::Deflate(Box::new(DeflateDecoder::new(kept))),
            };
        }
        let written = match decoder {
            Decoder::Plain(kept) | Decoder::Undecided(kept) => kept.write_all(piece),
            Decoder::Gzip(inner) => inner.write_all(piece),
            Decoder::Zlib(inner) => inner.write_all(piece),
            Decoder::Deflate(inner) => inner.write_all(piece),
        };
        if decoder.kept().has_more {
            return Ok(false);
        }
        written.map_err(WebError::Compression)?;
        Ok(self.received <= self.most as u64)
    }

    /// The body so far; `is_whole` says whether the server sent it to its end.
    pub(super) fn finish(mut self, is_whole: bool) -> Result<Body, WebError> {
        let Some(mut decoder) = self.decoder.take() else { return Ok(Body::default()) };
        if is_whole && !decoder.kept().has_more && self.received > 0 {
            let ended = match &mut decoder {
                Decoder::Plain(_) | Decoder::Undecided(_) => Ok(()),
                Decoder::Gzip(inner) => inner.try_finish(),
                Decoder::Zlib(inner) => inner.try_finish(),
                Decoder::Deflate(inner) => inner.try_finish(),
            };
            if !decoder.kept().has_more {
                ended.map_err(WebError::Compression)?;
            }
        }
        let kept = std::mem::take(decoder.kept_mut());
        Ok(Body { bytes: kept.kept, truncated: kept.has_more || !is_whole, received: self.received })
    }
}

impl Decoder {
    fn kept(&self) -> &CappedBuffer {
        match self {
            Self::Plain(kept) | Self::Undecided(kept) => kept,
            Self::Gzip(inner) => inner.get_ref(),
            Self::Zlib(inner) => inner.get_ref(),
            Self::Deflate(inner) => inner.get_ref(),
        }
    }

    fn kept_mut(&mut self) -> &mut CappedBuffer {
        match self {
            Self::Plain(kept) | Self::Undecided(kept) => kept,
            Self::Gzip(inner) => inner.get_mut(),
            Self::Zlib(inner) => inner.get_mut(),
            Self::Deflate(inner) => inner.get_mut(),
        }
    }
}

/// A buffer that keeps up to `most` bytes and refuses the next one.
#[derive(Default)]
struct CappedBuffer {
    kept: Vec<u8>,
    most: usize,
    has_more: bool,
}

impl Write for CappedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.most - self.kept.len();
        if room == 0 && !bytes.is_empty() {
            self.has_more = true;
            return Err(io::Error::other("the body is longer than what is kept"));
        }
        let taken = room.min(bytes.len());
        self.kept.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    fn taken(encoding: Option<&str>, most: usize, wire: &[u8], piece: usize) -> Result<Body, WebError> {
        let mut intake = Intake::new(encoding, most)?;
        for piece in wire.chunks(piece) {
            if !intake.take(piece)? {
                return intake.finish(false);
            }
        }
        intake.finish(true)
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn each_encoding_is_read_whatever_the_pieces() {
        let text = b"some text, some text, some more text".repeat(20);
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(&text).unwrap();
        let mut raw = DeflateEncoder::new(Vec::new(), Compression::fast());
        raw.write_all(&text).unwrap();
        let members = [gzip(&text[..100]), gzip(&text[100..])].concat();
        for (encoding, wire) in [
            (None, text.clone()),
            (Some("GZIP"), gzip(&text)),
            (Some("gzip"), members),
            (Some("deflate"), zlib.finish().unwrap()),
            (Some("deflate"), raw.finish().unwrap()),
        ] {
            for piece in [1, 7, 100_000] {
                let body = taken(encoding, 10_000, &wire, piece).unwrap();
                assert_eq!((body.bytes.as_slice(), body.truncated), (text.as_slice(), false), "{encoding:?} {piece}");
            }
        }
        assert!(matches!(taken(Some("gzip, gzip"), 10, &[], 1), Err(WebError::Encoding(_))));
        assert!(matches!(taken(Some("br"), 10, &[], 1), Err(WebError::Encoding(_))));
    }

    #[test]
    fn a_bomb_stops_at_the_cap_and_its_head_is_kept() {
        let bomb = gzip(&vec![b'a'; 64 * 1024 * 1024]);
        let body = taken(Some("gzip"), 1024, &bomb, 16 * 1024).unwrap();
        assert_eq!((body.bytes.len(), body.truncated), (1024, true));
        assert!(body.received < 64 * 1024, "{}", body.received);
        let body = taken(None, 1000, &[b'a'; 5000], 300).unwrap();
        assert_eq!((body.bytes.len(), body.truncated), (1000, true));
        let whole = taken(None, 1000, &[b'a'; 1000], 300).unwrap();
        assert_eq!((whole.bytes.len(), whole.truncated), (1000, false));
    }

    #[test]
    fn broken_compression_is_an_error() {
        let wire = gzip(b"some text that was whole once");
        let cut = &wire[..wire.len() - 6];
        assert!(matches!(taken(Some("gzip"), 1000, cut, 5), Err(WebError::Compression(_))));
        assert!(matches!(taken(Some("gzip"), 1000, b"no gzip at all", 5), Err(WebError::Compression(_))));
        assert!(matches!(taken(Some("deflate"), 1000, b"\x78\x9cnothing of it", 5), Err(WebError::Compression(_))));
    }
}
