//! Messages from the agent to a viewer: a length and that many bytes of text; at the end, length
//! zero and an exit code.

use std::io::{self, Read};

/// Maximum number of bytes of text in one message.
pub(super) const MAX_TEXT_BYTES: usize = 64 * 1024;

/// One message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// Output of the call.
    Text(Vec<u8>),
    /// The call has ended. The viewer exits with this code.
    End(u8),
}

/// Encodes a text as messages.
pub(super) fn encode_text(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() + 4);
    for part in text.as_bytes().chunks(MAX_TEXT_BYTES) {
        // A part is at most `MAX_TEXT_BYTES` long.
        let length = u32::try_from(part.len()).unwrap_or_default();
        bytes.extend(length.to_be_bytes());
        bytes.extend(part);
    }
    bytes
}

/// Encodes the last message.
pub(super) fn encode_end(code: u8) -> [u8; 5] {
    [0, 0, 0, 0, code]
}

/// Reads the next message; `None` if the agent disconnected without a last one.
///
/// # Errors
/// If the socket fails, or its data are not from an agent of this version.
pub(super) fn read(input: &mut impl Read) -> io::Result<Option<Frame>> {
    let mut length = [0; 4];
    match input.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
    if length > MAX_TEXT_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a message is longer than any may be"));
    }
    let mut bytes = vec![0; length.max(1)];
    input.read_exact(&mut bytes)?;
    Ok(Some(if length == 0 { Frame::End(bytes[0]) } else { Frame::Text(bytes) }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(mut bytes: &[u8]) -> io::Result<Vec<Frame>> {
        std::iter::from_fn(|| read(&mut bytes).transpose()).collect()
    }

    #[test]
    fn an_end_that_was_cut_off_is_no_end() {
        assert_eq!(all(&encode_end(7)).expect("it is whole"), [Frame::End(7)]);
        assert!(all(&encode_end(7)[..3]).expect("an end of the stream").is_empty());
        assert!(all(&[0, 0, 0, 9, 1]).is_err());
        assert!(all(&[0xff; 8]).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn what_is_written_is_read(texts in prop::collection::vec(".{0,40}", 0..8), long in 0..3_usize, code: u8) {
            let mut texts = texts;
            texts.push("é".repeat(long * MAX_TEXT_BYTES / 2));
            let mut bytes: Vec<u8> = texts.iter().flat_map(|text| encode_text(text)).collect();
            bytes.extend(encode_end(code));
            let mut read = all(&bytes).expect("it is whole");
            prop_assert_eq!(read.pop(), Some(Frame::End(code)));
            let text: Vec<u8> = read.into_iter().flat_map(|frame| match frame {
                Frame::Text(text) => text,
                Frame::End(_) => vec![],
            }).collect();
            prop_assert_eq!(String::from_utf8(text).expect("it was text"), texts.concat());
        }
    }
}
