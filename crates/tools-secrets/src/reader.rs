//! Reads the text of a file and replaces credentials. Text before a window helps to recognise what
//! is in it.

use std::io::{self, Read};

use crate::{Piece, SecretRedactor, SecretStream};

/// Bytes read at once.
const CHUNK: usize = 64 << 10;

/// Reads a text and returns it with placeholders. Holds a bounded part.
pub(crate) struct RedactingReader<R> {
    inner: R,
    redactor: SecretRedactor,
    stream: SecretStream,
    chunk: Vec<u8>,
    ready: Vec<u8>,
    given: usize,
    is_done: bool,
}

impl<R: Read> RedactingReader<R> {
    pub(crate) fn new(inner: R, redactor: SecretRedactor) -> Self {
        let stream = SecretStream::new(redactor.clone());
        Self { inner, redactor, stream, chunk: vec![0; CHUNK], ready: vec![], given: 0, is_done: false }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.given = 0;
        while self.ready.is_empty() && !self.is_done {
            let length = self.inner.read(&mut self.chunk)?;
            let (redactor, ready) = (&self.redactor, &mut self.ready);
            let mut take = |piece: Piece<'_>| match piece {
                Piece::Clean(bytes) => ready.extend_from_slice(bytes),
                Piece::Secret(finding, bytes) => {
                    ready.extend(redactor.replaced(&String::from_utf8_lossy(bytes), finding.kind).into_bytes());
                }
            };
            if length == 0 {
                self.is_done = true;
                self.stream.flush(&mut take);
            } else {
                self.stream.push(&self.chunk[..length], &mut take);
            }
        }
        Ok(())
    }
}

impl<R: Read> Read for RedactingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.ready.len() {
            self.fill()?;
        }
        let length = buffer.len().min(self.ready.len() - self.given);
        buffer[..length].copy_from_slice(&self.ready[self.given..self.given + length]);
        self.given += length;
        Ok(length)
    }
}
