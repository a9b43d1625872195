//! The one place that asks the system what time it is.

use std::fmt;

use jiff::Timestamp;

/// Tells the time. Called by layers that put a time on record; tests hold it still.
pub trait Clock: Send + Sync + fmt::Debug {
    /// The current time, UTC.
    fn now(&self) -> Timestamp;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}
