//! Standard input without its credentials, in pieces of whole lines and in bounded memory.

use std::collections::HashMap;
use std::fmt::Write as _;

use haft::filter::secrets::{Finding, SecretRedactor};

/// A piece that is looked through at once. What begins in one piece and ends in the next is seen as a whole only where
/// lines end: a longer line is looked through in parts.
const PIECE: usize = 64 << 10;
/// So much is held back while a block of key material has not ended.
const MAX_BLOCK: usize = 64 << 10;
/// Values that are remembered to give them their number again.
const MAX_VALUES: usize = 10_000;

/// Takes credentials out of a stream; the same value has the same number throughout it.
pub(crate) struct Redacted {
    redactor: Option<SecretRedactor>,
    held: Vec<u8>,
    numbers: HashMap<String, usize>,
    found: u64,
}

impl Redacted {
    /// With this redactor; without one the stream stays as it is.
    pub(crate) fn new(redactor: Option<SecretRedactor>) -> Self {
        Self { redactor, held: Vec::new(), numbers: HashMap::new(), found: 0 }
    }

    /// How many credentials were taken out.
    pub(crate) fn found(&self) -> u64 {
        self.found
    }

    /// Takes more of the stream and gives on what is whole.
    pub(crate) fn push(&mut self, chunk: &[u8], mut give: impl FnMut(&[u8])) {
        if self.redactor.is_none() {
            return give(chunk);
        }
        self.held.extend_from_slice(chunk);
        while self.held.len() >= PIECE {
            let end = whole(&self.held);
            let rest = self.held.split_off(end);
            let piece = std::mem::replace(&mut self.held, rest);
            self.give(&piece, &mut give);
        }
    }

    /// Gives on what is held, although more may come: when nothing has come for a while.
    pub(crate) fn finish(&mut self, mut give: impl FnMut(&[u8])) {
        let piece = std::mem::take(&mut self.held);
        self.give(&piece, &mut give);
    }

    fn give(&mut self, piece: &[u8], give: &mut impl FnMut(&[u8])) {
        let Some(redactor) = &self.redactor else { return give(piece) };
        let text = String::from_utf8_lossy(piece);
        let findings = redactor.find(&text);
        if findings.is_empty() {
            return give(piece);
        }
        let mut redacted = String::with_capacity(text.len());
        let mut copied = 0;
        for Finding { start, end, kind } in findings {
            self.found += 1;
            let next = self.numbers.len() + 1;
            let number = match self.numbers.get(&text[start..end]) {
                Some(number) => *number,
                None if next > MAX_VALUES => next,
                None => *self.numbers.entry(text[start..end].to_owned()).or_insert(next),
            };
            redacted.push_str(&text[copied..start]);
            // Writing to a `String` cannot fail.
            let _ = write!(redacted, "«secret:{kind}#{number}»");
            copied = end;
        }
        redacted.push_str(&text[copied..]);
        give(redacted.as_bytes());
    }
}

/// Where a piece may end: behind a line, and before a block of key material that has not ended.
fn whole(held: &[u8]) -> usize {
    let lines = held.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let end = if lines == 0 { character_end(held) } else { lines };
    let block = rfind(&held[..end], b"-----BEGIN ").filter(|begin| rfind(&held[*begin..end], b"-----END ").is_none());
    match block {
        Some(begin) if begin > 0 && held.len() - begin < MAX_BLOCK => {
            held[..begin].iter().rposition(|byte| *byte == b'\n').map_or(begin, |end| end + 1)
        }
        _ => end,
    }
}

/// Where the last whole character ends.
fn character_end(held: &[u8]) -> usize {
    let last = held.len().saturating_sub(4)..held.len();
    last.rev().find(|at| held[*at] & 0xC0 != 0x80).filter(|at| *at > 0).unwrap_or(held.len())
}

fn rfind(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).rposition(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &[u8], size: usize) -> (String, u64) {
        let mut redacted = Redacted::new(Some(SecretRedactor::default()));
        let mut out = Vec::new();
        for chunk in text.chunks(size) {
            redacted.push(chunk, |piece| out.extend_from_slice(piece));
            assert!(redacted.held.len() <= 2 * PIECE + size);
        }
        redacted.finish(|piece| out.extend_from_slice(piece));
        (String::from_utf8_lossy(&out).into_owned(), redacted.found())
    }

    #[test]
    fn a_value_has_its_number_throughout_and_pieces_make_no_difference() {
        let random = "k8dz7y3doqnvelbuizvohdbyhtvr2owpA7Qx";
        let filler = "a line of a log that says nothing at all\n".repeat(3000);
        let text = format!("API_KEY={random}\n{filler}API_KEY={random}\n{filler}OTHER_TOKEN={random}x");
        let (small, found) = run(text.as_bytes(), 999);
        assert_eq!(found, 3);
        assert!(small.starts_with("API_KEY=«secret:key#1»\n") && small.ends_with("OTHER_TOKEN=«secret:token#2»"));
        assert!(!small.contains(random));
        assert_eq!(small, run(text.as_bytes(), 1 << 20).0);
    }

    #[test]
    fn a_key_over_two_pieces_is_seen_as_a_whole() {
        let (begin, end) = (["-----BEGIN ", "PRIVATE KEY-----"].concat(), ["-----END ", "PRIVATE KEY-----"].concat());
        let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n".repeat(40);
        let filler = "x".repeat(99) + "\n";
        for before in [640, 645, 650, 655] {
            let text = format!("{}{begin}\n{body}{end}\n{}", filler.repeat(before), filler.repeat(900));
            let (out, _) = run(text.as_bytes(), 4096);
            assert!(!out.contains("MIIEvQIB"), "{before}");
        }
    }

    #[test]
    fn a_line_without_end_and_bytes_that_are_no_text_pass() {
        let (out, _) = run("é".repeat(200_000).as_bytes(), 1000);
        assert_eq!(out.chars().count(), 200_000);
        let bytes = vec![0xFF_u8; 300_000];
        let mut redacted = Redacted::new(Some(SecretRedactor::default()));
        let mut count = 0;
        redacted.push(&bytes, |piece| count += piece.len());
        redacted.finish(|piece| count += piece.len());
        assert_eq!(count, 300_000);
    }
}
