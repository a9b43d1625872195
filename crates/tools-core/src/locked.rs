//! Locks that outlive a panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Access to a value behind a [`Mutex`], also after a thread has panicked while it held the lock.
///
/// For values that are whole between two steps of whoever changes them: a panic ends one call, and
/// not all that follow.
pub trait Locked<T: ?Sized> {
    /// Waits for the lock.
    fn locked(&self) -> MutexGuard<'_, T>;
}

impl<T: ?Sized> Locked<T> for Mutex<T> {
    fn locked(&self) -> MutexGuard<'_, T> {
        self.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
