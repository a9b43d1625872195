//! What a change of the configuration came to.

use jiff::Timestamp;
use serde::Serialize;

/// What a reload changed, key by key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReloadReport {
    /// Keys whose new values count from now on.
    pub applied: Vec<String>,
    /// Keys whose new values count from the next start; until then the old ones do.
    pub needs_restart: Vec<String>,
    /// What is wrong with the rules of filters; what is wrong is skipped, all else is in force.
    pub warnings: Vec<String>,
}

/// What became of the last change of the configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReloadState {
    /// When it was read.
    pub at: Timestamp,
    /// Why it is not in force; `None` when it is.
    pub problem: Option<String>,
    /// Changed keys that count from the next start.
    pub needs_restart: Vec<String>,
}
