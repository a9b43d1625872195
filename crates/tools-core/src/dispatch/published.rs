//! Values derived from the tools that an executor publishes.

use std::{fmt, sync::Arc};

use crate::{Shared, ToolDefs};

/// A value derived from the definitions of an executor, computed anew when the executor publishes
/// another list. Lists are compared by pointer.
pub struct ToolListCache<T> {
    make: fn(&ToolDefs) -> T,
    last: Shared<(ToolDefs, Arc<T>)>,
}

impl<T> ToolListCache<T> {
    /// Computes the value from `published` by `make`.
    pub fn new(published: ToolDefs, make: fn(&ToolDefs) -> T) -> Self {
        let value = Arc::new(make(&published));
        Self { make, last: Shared::new((published, value)) }
    }

    /// The value for the list published now.
    pub fn of(&self, published: ToolDefs) -> Arc<T> {
        let last = self.last.load();
        if Arc::ptr_eq(&last.0, &published) {
            return Arc::clone(&last.1);
        }
        let value = Arc::new((self.make)(&published));
        self.last.store((published, Arc::clone(&value)));
        value
    }
}

impl<T> fmt::Debug for ToolListCache<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OfPublished").field(&self.last.load().0.len()).finish()
    }
}
