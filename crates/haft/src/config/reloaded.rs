//! Results of a configuration change.

use jiff::Timestamp;
use serde::Serialize;

/// Changes of a reload, key by key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReloadReport {
    /// Keys whose new values apply from now on.
    pub applied: Vec<String>,
    /// Keys whose new values apply from the next start.
    pub needs_restart: Vec<String>,
    /// Problems of the filter rules; faulty rules are skipped, all others are in force.
    pub warnings: Vec<String>,
}

/// Outcome of the last change of the configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReloadState {
    /// When it was read.
    pub at: Timestamp,
    /// Reason why it is not in force; `None` if it is.
    pub problem: Option<String>,
    /// Changed keys that apply from the next start.
    pub needs_restart: Vec<String>,
}
