//! Numbers for generated tests.

/// Numbers that look random and are the same on every run with the same seed (xorshift64).
#[derive(Debug, Clone)]
pub struct Numbers(u64);

impl Numbers {
    /// The sequence of a seed. Zero, which would stay zero, gives the sequence of one.
    pub fn new(seed: u64) -> Self {
        Self(seed.max(1))
    }

    /// The next number, from 0 to `bound` without `bound` itself; 0 for a bound of 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound.max(1)
    }

    /// One of `all`.
    pub fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[usize::try_from(self.below(all.len() as u64)).unwrap_or_default()]
    }
}
