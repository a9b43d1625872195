//! Checks that the current runtime has timers, which waiting for a connection needs.

use std::{panic::catch_unwind, time::Duration};

use tokio::runtime::Handle;

use crate::StoreError;

/// Checks that the current runtime can wait for a database. The databases of this crate do it
/// themselves.
///
/// # Errors
/// [`StoreError::Runtime`]. The only sign of missing timers is a panic when a timer is made. Its
/// message is printed and names what to enable.
pub fn check_runtime() -> Result<(), StoreError> {
    let has_timers = || catch_unwind(|| drop(tokio::time::sleep(Duration::ZERO))).is_ok();
    if Handle::try_current().is_ok() && has_timers() { Ok(()) } else { Err(StoreError::Runtime) }
}
