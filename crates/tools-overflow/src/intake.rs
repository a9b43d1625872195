//! Stores a text that is too long to hold while it arrives, and keeps the parts that an answer may
//! show.

use std::sync::Arc;

use tools_core::{Digest, Intake, KeptText, LineSelection, SkippedPart, SummaryKind, TextSink};

use crate::{
    Archive, MAX_OVERFLOW_BYTES, Pin,
    notice::{chain, notice},
    view::View,
    writer::Writer,
};

/// Receives long text for one call.
pub(crate) struct OverflowIntake {
    pub(crate) archive: Option<Archive>,
    /// The conversation that it belongs to.
    pub(crate) conversation: String,
    /// Bytes of each end that may be shown.
    pub(crate) keep: usize,
    pub(crate) pin: Pin,
}

impl Intake for OverflowIntake {
    fn capacity(&self) -> u64 {
        // Without a store the text is still searched for failures.
        self.archive.as_ref().map_or(MAX_OVERFLOW_BYTES, Archive::max_bytes)
    }

    fn open(&self, showing: LineSelection) -> Box<dyn TextSink> {
        let writer = self.archive.as_ref().map(|archive| Writer::begin(archive, &self.conversation));
        let view = View::new(self.keep, self.pin);
        Box::new(Sink { showing, view, writer, begun: Vec::new(), bytes: 0 })
    }
}

struct Sink {
    showing: LineSelection,
    view: View,
    writer: Option<Writer>,
    /// The beginning of a character whose rest has not arrived.
    begun: Vec<u8>,
    bytes: u64,
}

impl Sink {
    fn take(&mut self, bytes: &[u8]) {
        let text = tools_core::utf8_lossy(bytes);
        if self.showing == LineSelection::Text {
            self.view.push(&text);
        }
        if let Some(writer) = &mut self.writer {
            writer.push(&text);
        }
    }

    /// Ends an incomplete character.
    fn flush(&mut self) {
        let begun = std::mem::take(&mut self.begun);
        self.take(&begun);
    }
}

impl TextSink for Sink {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        let joined: Vec<u8>;
        let bytes = if self.begun.is_empty() {
            bytes
        } else {
            joined = [std::mem::take(&mut self.begun).as_slice(), bytes].concat();
            &joined
        };
        let (whole, begun) = bytes.split_at(bytes.len() - incomplete_end(bytes));
        self.take(whole);
        self.begun = begun.to_vec();
    }

    fn show(&mut self, line: &str) {
        self.view.line(line);
    }

    fn skip(&mut self, part: SkippedPart) {
        self.flush();
        self.bytes += part.bytes;
        self.view.skip(part);
        if let Some(writer) = &mut self.writer {
            writer.skip(part);
        }
    }

    fn finish(mut self: Box<Self>, _: Option<i32>) -> Digest {
        self.flush();
        let (head, tail, middle) = self.view.finish();
        let (kept, fault) = match self.writer.map(Writer::finish) {
            Some(Ok(stored)) => {
                (Some(KeptText { reference: stored.reference.to_string(), notice: notice(&stored) }), None)
            }
            Some(Err(error)) => (None, Some(chain(&error))),
            None => (None, None),
        };
        let shown = SummaryKind::All;
        Digest { bytes: self.bytes, shown, head, tail, middle, kept, fault, filter: None, credentials: Vec::new() }
    }
}

/// Number of bytes at the end that are the beginning of an incomplete character.
fn incomplete_end(bytes: &[u8]) -> usize {
    let tail = &bytes[bytes.len().saturating_sub(3)..];
    let Err(error) = std::str::from_utf8(tail) else { return 0 };
    // The last three bytes may begin inside a character.
    let mut rest = tail;
    let mut error = error;
    while let Some(length) = error.error_len() {
        rest = &rest[error.valid_up_to() + length..];
        match std::str::from_utf8(rest) {
            Ok(_) => return 0,
            Err(next) => error = next,
        }
    }
    rest.len() - error.valid_up_to()
}

/// An intake for one call.
pub(crate) fn intake(archive: Option<&Archive>, conversation: &str, threshold: usize, pin: Pin) -> Arc<dyn Intake> {
    // Half of the shown text, if all characters had the maximum length.
    let keep = threshold.saturating_mul(2).clamp(128 << 10, 4 << 20);
    Arc::new(OverflowIntake { archive: archive.cloned(), conversation: conversation.to_owned(), keep, pin })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_that_is_not_whole_waits() {
        let table: [(&[u8], usize); 8] = [
            (b"", 0),
            (b"abc", 0),
            ("aé".as_bytes(), 0),
            (b"a\xc3", 1),
            (b"\xe2\x82", 2),
            (b"x\xf0\x9f\x98", 3),
            ("😀".as_bytes(), 0),
            (b"\xff\xff", 0),
        ];
        for (bytes, expected) in table {
            assert_eq!(incomplete_end(bytes), expected, "{bytes:?}");
        }
    }
}
