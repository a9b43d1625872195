//! A log in memory: for tests, and for hosts that store lines elsewhere.

use std::sync::Mutex;
use tools_core::Locked as _;

use crate::{AuditError, AuditSink, Head, chain::seal};

/// Keeps lines in memory, chained as in a file.
#[derive(Debug, Default)]
pub struct MemorySink(Mutex<Log>);

#[derive(Debug, Default)]
struct Log {
    head: Head,
    lines: Vec<String>,
}

impl MemorySink {
    /// The lines so far, without newlines.
    pub fn lines(&self) -> Vec<String> {
        self.0.locked().lines.clone()
    }
}

impl AuditSink for MemorySink {
    fn append(&self, body: &str) -> Result<Head, AuditError> {
        let mut log = self.0.locked();
        let mut line = String::new();
        log.head = seal(&log.head, body, None, &mut line);
        line.pop();
        log.lines.push(line);
        Ok(log.head.clone())
    }

    fn prepare(&self) -> Result<(), AuditError> {
        Ok(())
    }
}
