//! Check that the program has the runtime that an operation needs.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

use thiserror::Error;

use super::panics::{RUNTIME_LACKS, panic_text};

/// The program has no tokio runtime, or one that lacks timers or I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a tokio runtime with timers and I/O is needed, and the program has none; build it with `enable_all`")]
pub struct NoRuntime;

impl From<NoRuntime> for std::io::Error {
    fn from(error: NoRuntime) -> Self {
        Self::other(error)
    }
}

/// Starts something that needs a tokio runtime with timers and I/O.
///
/// # Errors
/// [`NoRuntime`]. Detected by the panic of an operation that lacks a runtime; the panic message is
/// printed, and names what to enable.
///
/// # Panics
/// If `start` panics for another reason.
pub fn in_runtime<T>(start: impl FnOnce() -> T) -> Result<T, NoRuntime> {
    let started = catch_unwind(AssertUnwindSafe(|| {
        drop(tokio::time::sleep(Duration::ZERO));
        start()
    }));
    started.map_err(|panic| match panic_text(&*panic) {
        text if RUNTIME_LACKS.iter().any(|part| text.contains(part)) => NoRuntime,
        _ => resume_unwind(panic),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_runtime_it_is_an_error_and_another_panic_stays_one() {
        assert_eq!(in_runtime(|| ()), Err(NoRuntime));
        let bare = tokio::runtime::Builder::new_current_thread().build().unwrap();
        assert_eq!(bare.block_on(async { in_runtime(|| ()) }), Err(NoRuntime));
        let timed = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        assert_eq!(timed.block_on(async { in_runtime(|| 1) }), Ok(1));
        let broke = timed.block_on(async { catch_unwind(|| in_runtime(|| panic!("for another reason"))) });
        assert!(broke.is_err());
    }
}
