//! A value that is replaced as a whole while calls are running.

use std::{fmt, sync::Arc};

use arc_swap::ArcSwap;

/// A compiled policy that can be replaced at run time.
///
/// Clones share the value. A call loads it once, at its gate, and uses that snapshot to its end.
pub struct Shared<T>(Arc<ArcSwap<T>>);

impl<T> Shared<T> {
    /// Wraps the first value.
    pub fn new(value: T) -> Self {
        Self(Arc::new(ArcSwap::from_pointee(value)))
    }

    /// The current value; later replacements do not change the loaded one.
    pub fn load(&self) -> Arc<T> {
        self.0.load_full()
    }

    /// Replaces the value; running calls keep theirs.
    pub fn store(&self, value: T) {
        self.0.store(Arc::new(value));
    }
}

impl<T: Default> Default for Shared<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: fmt::Debug> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Shared").field(&self.load()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loaded_value_outlives_a_swap() {
        let shared = Shared::new(1);
        let (loaded, twin) = (shared.load(), shared.clone());
        twin.store(2);
        assert_eq!((*loaded, *shared.load()), (1, 2));
    }
}
