//! Redacts credentials in standard input, in bounded memory.

use haft::secrets::{Piece, SecretRedactor, SecretStream};

/// Redacts credentials in a stream. Equal values get the same number throughout.
pub(crate) struct Redacted {
    inner: Option<(SecretStream, SecretRedactor)>,
    found: u64,
}

impl Redacted {
    /// Uses this redactor; `None` passes the stream on unchanged.
    pub(crate) fn new(redactor: Option<SecretRedactor>) -> Self {
        let of_stream = |redactor: SecretRedactor| {
            let redactor = redactor.numbering();
            (SecretStream::new(redactor.clone()), redactor)
        };
        Self { inner: redactor.map(of_stream), found: 0 }
    }

    /// Number of credentials redacted so far.
    pub(crate) fn found(&self) -> u64 {
        self.found
    }

    /// Takes the next chunk and passes on what is complete.
    pub(crate) fn push(&mut self, chunk: &[u8], mut give: impl FnMut(&[u8])) {
        let Some((stream, redactor)) = &mut self.inner else { return give(chunk) };
        stream.push(chunk, &mut |piece| self.found += shown(redactor, piece, &mut give));
    }

    /// Passes on what is still held back.
    pub(crate) fn finish(&mut self, mut give: impl FnMut(&[u8])) {
        let Some((stream, redactor)) = &mut self.inner else { return };
        stream.flush(&mut |piece| self.found += shown(redactor, piece, &mut give));
    }
}

/// Passes on a piece in redacted form; returns the number of credentials in it.
fn shown(redactor: &SecretRedactor, piece: Piece<'_>, give: &mut impl FnMut(&[u8])) -> u64 {
    match piece {
        Piece::Clean(bytes) => {
            give(bytes);
            0
        }
        Piece::Secret(finding, bytes) => {
            give(redactor.replaced(&String::from_utf8_lossy(bytes), finding.kind).as_bytes());
            1
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &[u8], size: usize) -> (String, u64) {
        let mut redacted = Redacted::new(Some(SecretRedactor::default()));
        let mut out = Vec::new();
        for chunk in text.chunks(size) {
            redacted.push(chunk, |piece| out.extend_from_slice(piece));
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
        assert!(small.starts_with("API_KEY=«secret:key#1»\n") && small.ends_with("OTHER_TOKEN=«secret:token#1»"));
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
