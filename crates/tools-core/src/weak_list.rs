//! A list of shared values that does not keep them alive.

use std::sync::{Arc, Mutex, Weak};

use crate::Locked as _;

/// A list of shared values, such as the tool sets narrowed from a larger one. It does not keep them
/// alive.
#[derive(Debug)]
pub struct WeakList<T>(Mutex<Vec<Weak<T>>>);

impl<T> WeakList<T> {
    /// Lists a value for as long as it is used.
    pub fn keep(&self, value: &Arc<T>) {
        let mut all = self.0.locked();
        all.retain(|one| one.strong_count() > 0);
        all.push(Arc::downgrade(value));
    }

    /// All values still in use.
    pub fn all(&self) -> Vec<Arc<T>> {
        self.0.locked().iter().filter_map(Weak::upgrade).collect()
    }
}

impl<T> Default for WeakList<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_nobody_uses_is_not_listed() {
        let (used, values) = (Arc::new(1), WeakList::default());
        values.keep(&used);
        values.keep(&Arc::new(2));
        assert_eq!(values.all(), [used]);
    }
}
