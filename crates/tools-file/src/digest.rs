//! A fast keyed digest that detects accidental changes of a file. It is not a cryptographic hash:
//! no security decision depends on it.

use std::hash::{BuildHasher as _, RandomState};

/// Number of bytes processed at once.
const BLOCK: usize = 16;

/// A secret of the host, so that an attacker cannot craft a file with the digest of another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key(u64, u64);

impl Default for Key {
    fn default() -> Self {
        let random = RandomState::new();
        Self(random.hash_one(1) | 1, random.hash_one(2))
    }
}

/// Digests content piece by piece; the result does not depend on the division into pieces.
#[derive(Debug, Clone)]
pub(crate) struct Digest {
    key: Key,
    state: u64,
    /// The beginning of an incomplete block.
    rest: [u8; BLOCK],
    held: usize,
    length: u64,
}

impl Digest {
    pub(crate) fn new(key: Key) -> Self {
        Self { key, state: key.1, rest: [0; BLOCK], held: 0, length: 0 }
    }

    /// The digest of a whole content.
    pub(crate) fn of(key: Key, content: &[u8]) -> u64 {
        let mut digest = Self::new(key);
        digest.write(content);
        digest.finish()
    }

    pub(crate) fn write(&mut self, mut bytes: &[u8]) {
        self.length += bytes.len() as u64;
        if self.held > 0 {
            let taken = bytes.len().min(BLOCK - self.held);
            self.rest[self.held..self.held + taken].copy_from_slice(&bytes[..taken]);
            self.held += taken;
            bytes = &bytes[taken..];
            if self.held < BLOCK {
                return;
            }
            self.held = 0;
            self.state = self.mix(self.rest);
        }
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        for block in blocks {
            self.state = self.mix(*block);
        }
        self.rest[..rest.len()].copy_from_slice(rest);
        self.held = rest.len();
    }

    /// Number of bytes digested.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    pub(crate) fn finish(&self) -> u64 {
        let mut last = [0; BLOCK];
        last[..self.held].copy_from_slice(&self.rest[..self.held]);
        fold(self.mix(last) ^ self.length, self.key.0)
    }

    fn mix(&self, block: [u8; BLOCK]) -> u64 {
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|n| block[at + n]));
        fold(self.state ^ word(0), self.key.0 ^ word(8)) ^ self.state.rotate_left(23)
    }
}

/// Combines both halves of the product: each bit of the result depends on every bit of both inputs.
#[expect(clippy::cast_possible_truncation, reason = "the halves are what is wanted")]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pieces_do_not_matter_and_every_bit_does(
            content in proptest::collection::vec(any::<u8>(), 1..100), cuts in proptest::collection::vec(1..40_usize, 0..8), bit in 0..800_usize,
        ) {
            let key = Key::default();
            let whole = Digest::of(key, &content);
            let mut digest = Digest::new(key);
            let mut rest = content.as_slice();
            for cut in cuts {
                let (piece, after) = rest.split_at(cut.min(rest.len()));
                digest.write(piece);
                rest = after;
            }
            digest.write(rest);
            prop_assert_eq!((digest.finish(), digest.length()), (whole, content.len() as u64));
            let mut changed = content.clone();
            let at = bit % (8 * content.len());
            changed[at / 8] ^= 1 << (at % 8);
            prop_assert_ne!(Digest::of(key, &changed), whole);
            changed.clone_from(&content);
            changed.push(0);
            prop_assert_ne!(Digest::of(key, &changed), whole);
        }
    }
}
