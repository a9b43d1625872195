//! Readers that convert the text they read, piece by piece and in bounded memory.

use std::io::{self, Read};

/// Number of bytes read at once.
const PIECE: usize = 64 << 10;

/// A conversion of text that arrives in pieces. [`Converted`] calls it for each piece.
pub(crate) trait Convert {
    /// Writes the converted piece to `output`, which is empty. An empty piece marks the end: text
    /// that was held back is then written.
    fn convert(&mut self, piece: &[u8], output: &mut Vec<u8>);
}

/// The converted text of a reader.
pub(crate) struct Converted<R, C> {
    reader: R,
    with: C,
    input: Vec<u8>,
    output: Vec<u8>,
    given: usize,
    ended: bool,
}

impl<R: Read, C: Convert> Converted<R, C> {
    pub(crate) fn new(reader: R, with: C) -> Self {
        Self { reader, with, input: vec![0; PIECE], output: Vec::new(), given: 0, ended: false }
    }
}

impl<R: Read, C: Convert> Read for Converted<R, C> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.output.len() && !self.ended {
            let length = self.reader.read(&mut self.input)?;
            self.ended = length == 0;
            self.output.clear();
            self.given = 0;
            self.with.convert(&self.input[..length], &mut self.output);
        }
        let length = buffer.len().min(self.output.len() - self.given);
        buffer[..length].copy_from_slice(&self.output[self.given..self.given + length]);
        self.given += length;
        Ok(length)
    }
}
