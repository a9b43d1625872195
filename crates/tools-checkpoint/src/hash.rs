//! SHA-256 of a content, which is its name in the store.

use std::{fmt, io};

use sha2::{Digest as _, Sha256};

/// The hash of a content.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Hash(pub(crate) [u8; 32]);

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&tools_core::hex(&self.0))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Hash {
    /// Parses the output of [`fmt::Display`].
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return None;
        }
        let mut hash = [0; 32];
        for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
            let pair = std::str::from_utf8(pair).ok()?;
            *byte = u8::from_str_radix(pair, 16).ok()?;
        }
        Some(Self(hash))
    }

    /// Hash of all data of a reader.
    pub(crate) fn of(from: impl io::Read) -> io::Result<Self> {
        copy(from, &mut io::sink()).map(|(hash, _)| hash)
    }
}

/// Copies all data; returns their hash and length.
pub(crate) fn copy(mut from: impl io::Read, to: &mut impl io::Write) -> io::Result<(Hash, u64)> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    let mut length = 0;
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok((Hash(hasher.finalize().into()), length)),
            Ok(count) => {
                hasher.update(&buffer[..count]);
                to.write_all(&buffer[..count])?;
                length += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_read_as_it_is_written() {
        let hash = Hash::of(&b"content"[..]).unwrap();
        assert_eq!(Hash::parse(&hash.to_string()), Some(hash));
        for wrong in ["", "00", "ä", &"g".repeat(64), &"ä".repeat(32)] {
            assert_eq!(Hash::parse(wrong), None, "{wrong}");
        }
    }
}
