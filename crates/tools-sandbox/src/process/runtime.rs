//! Checks before a start that the async runtime has what a running command needs: I/O for its
//! pipes, and timers for time limits.
//!
//! A runtime's features can only be found by trying, and a missing one panics: the panic message is
//! printed, and names what to enable.

use std::io::PipeReader;
use std::panic::catch_unwind;
use std::time::Duration;

use tokio::net::unix::pipe;
use tokio::runtime::Handle;

use super::error::SpawnError;

/// The async end of a pipe.
///
/// # Errors
/// [`SpawnError::Runtime`] where there is no runtime, or one without timers or I/O.
pub(super) fn awaited(end: PipeReader) -> Result<pipe::Receiver, SpawnError> {
    has_timers()?;
    match catch_unwind(|| pipe::Receiver::from_owned_fd(end.into())) {
        Ok(receiver) => receiver.map_err(SpawnError::Create),
        Err(_) => Err(SpawnError::Runtime { missing: "the runtime has no I/O" }),
    }
}

/// # Errors
/// [`SpawnError::Runtime`] where there is no runtime, or one without timers.
pub(super) fn has_timers() -> Result<(), SpawnError> {
    let lacks = |missing| Err(SpawnError::Runtime { missing });
    if Handle::try_current().is_err() {
        return lacks("this is not called within a tokio runtime");
    }
    if catch_unwind(|| drop(tokio::time::sleep(Duration::ZERO))).is_err() {
        return lacks("the runtime has no timers");
    }
    Ok(())
}
