//! Any text as input of the search for credentials: removed ones can be restored, line breaks stay,
//! and the division into chunks does not matter.

use tools_core::{Redactor as _, SessionId};
use tools_secrets::{Piece, SecretRedactor, SecretStream};

pub(crate) fn check(bytes: &[u8]) {
    streamed(bytes);
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let redactor = SecretRedactor::default().of_session(&SessionId::parse("s").expect("a name"));
    for finding in redactor.find(text) {
        assert!(text.get(finding.start..finding.end).is_some(), "{finding:?} is a part of the text");
    }
    let escaped = redactor.escape(text);
    let shown = redactor.redact(&escaped);
    assert_eq!(shown.lines().count(), escaped.lines().count(), "lines stay");
    let back = redactor.restore(&shown).expect("its own placeholders are known");
    assert_eq!(back, text, "what is taken out comes back");
}

fn streamed(bytes: &[u8]) {
    let whole = pieces(&[bytes]);
    let (left, right) = bytes.split_at(bytes.len() / 3);
    assert_eq!(pieces(&[left, right]), whole, "chunks make no difference");
    let given: Vec<u8> = whole.iter().flat_map(|(_, piece)| piece.clone()).collect();
    assert_eq!(given, bytes, "every byte is given on once");
}

/// Joins neighbours of the same kind, because the boundaries between them depend on the chunks.
fn pieces(chunks: &[&[u8]]) -> Vec<(bool, Vec<u8>)> {
    let mut pieces: Vec<(bool, Vec<u8>)> = vec![];
    let mut sink = |piece: Piece<'_>| {
        let (is_secret, text) = match piece {
            Piece::Clean(text) => (false, text),
            Piece::Secret(_, text) => (true, text),
        };
        match pieces.last_mut().filter(|last| last.0 == is_secret) {
            Some(last) => last.1.extend_from_slice(text),
            None => pieces.push((is_secret, text.to_vec())),
        }
    };
    let mut stream = SecretStream::new(SecretRedactor::default());
    for chunk in chunks {
        stream.push(chunk, &mut sink);
    }
    stream.finish(&mut sink);
    pieces.retain(|(_, text)| !text.is_empty());
    pieces
}
