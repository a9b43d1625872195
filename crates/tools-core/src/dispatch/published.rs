//! What is made of the tools that an executor publishes.

use std::{fmt, sync::Arc};

use crate::{Shared, ToolDefs};

/// A value that is made of the definitions that an executor publishes, and made anew where it
/// publishes another list: a list that is the same one, by its pointer, is looked at once.
pub struct OfPublished<T> {
    make: fn(&ToolDefs) -> T,
    last: Shared<(ToolDefs, Arc<T>)>,
}

impl<T> OfPublished<T> {
    /// A value that `make` makes, first of `published`.
    pub fn new(published: ToolDefs, make: fn(&ToolDefs) -> T) -> Self {
        let value = Arc::new(make(&published));
        Self { make, last: Shared::new((published, value)) }
    }

    /// The value for the list that is published now.
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

impl<T> fmt::Debug for OfPublished<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OfPublished").field(&self.last.load().0.len()).finish()
    }
}
