//! The facade.

pub mod config;

mod report;

pub use report::{CallReport, ConfirmationReport, ErrorReport};
