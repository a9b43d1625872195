//! Limits the size of the temporary files of a command. A folder on a disk has no limit of its own,
//! so the size is checked regularly.

use std::time::Duration;

use tokio::time::Instant;
use tools_sandbox::kernel::Sandbox;

const EVERY: Duration = Duration::from_secs(1);
/// Used if there is no check: longer than any command may run.
const NEVER: Duration = Duration::from_hours(720);

/// The size check for the temporary files of one command.
pub(crate) struct TempWatch {
    sandbox: Sandbox,
    most: Option<u64>,
    next: Instant,
}

impl TempWatch {
    /// Creates the check for a command in `sandbox`, whose files may take `most` bytes; `None` for
    /// no limit.
    pub(crate) fn new(sandbox: &Sandbox, most: Option<u64>) -> Self {
        let next = Instant::now() + if most.is_some() { EVERY } else { NEVER };
        Self { sandbox: sandbox.idle(), most, next }
    }

    pub(crate) fn look_at(&self) -> Instant {
        self.next
    }

    /// Checks the size; returns the name of the exceeded limit.
    pub(crate) fn look(&mut self) -> Option<String> {
        self.next = Instant::now() + EVERY;
        let most = self.most.filter(|most| self.sandbox.temp_usage() > *most)?;
        Some(format!("temporary files (`limits.temporary_files`, {most} bytes)"))
    }
}
