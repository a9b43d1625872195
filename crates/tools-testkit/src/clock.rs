//! A clock that stands still until a test moves it.

use std::sync::{Arc, Mutex};

use jiff::{SignedDuration, Timestamp};
use tools_core::{Clock, Locked as _};

/// A clock that stands still until [`FakeClock::advance`]; clones show the same time.
#[derive(Debug, Clone)]
pub struct FakeClock(Arc<Mutex<Timestamp>>);

impl FakeClock {
    /// A clock that stands at `start`.
    pub fn at(start: Timestamp) -> Self {
        Self(Arc::new(Mutex::new(start)))
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: SignedDuration) {
        let mut now = self.0.locked();
        *now = now.saturating_add(by).unwrap_or(*now);
    }
}

impl Default for FakeClock {
    /// Stands at 2026-01-01T00:00:00Z.
    fn default() -> Self {
        Self::at(Timestamp::from_second(1_767_225_600).unwrap_or(Timestamp::UNIX_EPOCH))
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        *self.0.locked()
    }
}
