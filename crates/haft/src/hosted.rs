//! Calls that another program runs: judged by the gates of a toolbox, and left to it.

use std::sync::Arc;

use tools_policy::HostedCalls;

use crate::Toolbox;

impl Toolbox {
    /// The judge of calls that another program runs: by the same gates as a call of our own, and on
    /// the same record. Nothing runs.
    pub fn hosted_calls(&self) -> HostedCalls {
        HostedCalls::new(self.parts.judging.clone(), Arc::clone(&self.stack))
    }
}
