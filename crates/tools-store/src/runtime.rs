//! Whether the runtime around a use has the timers that waiting for a connection takes.

use std::{panic::catch_unwind, time::Duration};

use tokio::runtime::Handle;

use crate::StoreError;

/// Checks that a database can be waited for here; what this crate opens checks it by itself.
///
/// # Errors
/// [`StoreError::Runtime`]. What lacks timers panics when one is made, and nothing else tells: the
/// message of that panic is printed, and names what to enable.
pub fn check_runtime() -> Result<(), StoreError> {
    let has_timers = || catch_unwind(|| drop(tokio::time::sleep(Duration::ZERO))).is_ok();
    if Handle::try_current().is_ok() && has_timers() { Ok(()) } else { Err(StoreError::Runtime) }
}
