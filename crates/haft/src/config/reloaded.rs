//! What a change of the configuration came to.

use jiff::Timestamp;
use serde::Serialize;

/// Changes of a reload, key by key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReloadReport {
    /// Keys whose new values count from now on.
    pub applied: Vec<String>,
    /// Keys whose new values count from the next start; until then the old ones do.
    pub needs_restart: Vec<String>,
    /// Problems of the filter rules; what is wrong is skipped, all else is in force.
    pub warnings: Vec<String>,
}

/// Outcome of the last change of the configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReloadState {
    /// When it was read.
    pub at: Timestamp,
    /// Reason why it is not in force; `None` when it is.
    pub problem: Option<String>,
    /// Changed keys that count from the next start.
    pub needs_restart: Vec<String>,
}
