//! The only access to the system's time.

use std::fmt;

use jiff::Timestamp;

/// Tells the time. Used by layers that record times; tests use a fixed clock.
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
