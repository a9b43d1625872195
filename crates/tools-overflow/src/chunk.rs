//! The stored form of a text: chunks of equal size, each compressed separately, so that reading a
//! window costs the same for any length of the whole. Pure.

use std::borrow::Cow;

use crate::OverflowError;

/// Bytes of text in every chunk but the last.
pub(crate) const CHUNK: usize = 64 << 10;

/// A piece of a stored text, opaque to the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Number of lines that end before it.
    pub lines_before: u64,
    /// Its bytes, compressed.
    pub data: Vec<u8>,
}

/// An uncompressed piece of the text, which becomes a chunk.
#[derive(Debug)]
pub(crate) struct Piece {
    lines_before: u64,
    text: Vec<u8>,
}

impl Piece {
    /// Compresses the piece. `room` is a reused buffer.
    fn pack(&self, room: &mut Vec<u8>) -> Chunk {
        Chunk { lines_before: self.lines_before, data: pack(&self.text, room) }
    }
}

/// Compresses pieces separately.
pub(crate) fn packed(pieces: &[Piece]) -> Vec<Chunk> {
    let mut room = Vec::new();
    pieces.iter().map(|piece| piece.pack(&mut room)).collect()
}

/// Splits and compresses a text; an empty one has no chunks.
pub(crate) fn chunks(text: &[u8]) -> Vec<Chunk> {
    let (mut chunker, mut room, mut chunks) = (Chunker::default(), Vec::new(), Vec::new());
    chunker.push(text, &mut |piece| chunks.push(piece.pack(&mut room)));
    chunks.extend(chunker.rest().map(|piece| piece.pack(&mut room)));
    chunks
}

/// Splits a text that arrives in pieces of any size.
#[derive(Debug, Default)]
pub(crate) struct Chunker {
    begun: Vec<u8>,
    lines_before: u64,
}

impl Chunker {
    /// Adds more of the text; calls `full` for each full piece.
    pub(crate) fn push(&mut self, mut bytes: &[u8], full: &mut dyn FnMut(Piece)) {
        while self.begun.len() + bytes.len() >= CHUNK {
            let (taken, rest) = bytes.split_at(CHUNK - self.begun.len());
            bytes = rest;
            self.begun.extend_from_slice(taken);
            full(self.piece());
        }
        self.begun.extend_from_slice(bytes);
    }

    /// The last piece; `None` when it is empty.
    pub(crate) fn rest(&mut self) -> Option<Piece> {
        (!self.begun.is_empty()).then(|| self.piece())
    }

    /// Number of lines ended so far.
    pub(crate) fn lines(&self) -> u64 {
        self.lines_before + count_lines(&self.begun)
    }

    fn piece(&mut self) -> Piece {
        let (lines_before, next) = (self.lines_before, Vec::with_capacity(CHUNK));
        let text = std::mem::replace(&mut self.begun, next);
        self.lines_before += count_lines(&text);
        Piece { lines_before, text }
    }
}

/// Number of lines that end in `bytes`.
pub(crate) fn count_lines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

const PLAIN: u8 = 0;
const LZ4: u8 = 1;

/// Compresses bytes, if that makes them smaller. The first byte says whether the rest is
/// compressed. `room` is a reused buffer.
fn pack(bytes: &[u8], room: &mut Vec<u8>) -> Vec<u8> {
    room.resize(lz4_flex::block::get_maximum_output_size(CHUNK), 0);
    let (kind, kept) = match lz4_flex::block::compress_into(bytes, room) {
        Ok(length) if length < bytes.len() => (LZ4, &room[..length]),
        _ => (PLAIN, bytes),
    };
    let mut packed = Vec::with_capacity(1 + kept.len());
    packed.push(kind);
    packed.extend_from_slice(kept);
    packed
}

/// The bytes of a chunk.
pub(crate) fn unpack(data: &[u8]) -> Result<Cow<'_, [u8]>, OverflowError> {
    match data.split_first() {
        Some((&PLAIN, bytes)) => Ok(Cow::Borrowed(bytes)),
        Some((&LZ4, packed)) => {
            let mut bytes = vec![0; CHUNK];
            let length = lz4_flex::block::decompress_into(packed, &mut bytes).map_err(|_| OverflowError::Damaged)?;
            bytes.truncate(length);
            Ok(Cow::Owned(bytes))
        }
        _ => Err(OverflowError::Damaged),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn joined(chunks: &[Chunk]) -> Vec<u8> {
        chunks.iter().flat_map(|chunk| unpack(&chunk.data).unwrap().into_owned()).collect()
    }

    #[test]
    fn chunks_are_of_one_size_and_know_their_lines() {
        let text = "one\n".repeat(CHUNK);
        let chunks = chunks(text.as_bytes());
        let lines: Vec<u64> = chunks.iter().map(|chunk| chunk.lines_before).collect();
        assert_eq!(lines, [0, 16_384, 32_768, 49_152]);
        assert!(chunks.iter().all(|chunk| chunk.data.len() < CHUNK / 10));
        assert_eq!(joined(&chunks), text.as_bytes());
    }

    #[test]
    fn damage_is_an_error() {
        for data in [&[][..], &[7, 1], &[LZ4, 0xff, 0xff, 0xff]] {
            assert!(matches!(unpack(data), Err(OverflowError::Damaged)), "{data:?}");
        }
    }

    proptest! {
        #[test]
        fn what_comes_back_is_what_went_in(bytes: Vec<u8>, times in 0_usize..400) {
            let text = bytes.repeat(times);
            prop_assert_eq!(joined(&chunks(&text)), text);
        }
    }
}
