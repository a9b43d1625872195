//! The tool `diagnostics`: it runs the checkers of a project (cargo, tsc, ruff, go, gcc) as
//! confined child processes and returns their diagnostics as data. Checkers run code of the project
//! (build scripts, plugins), so a call is judged like a shell call.

mod config;
mod coverage;
mod diagnostic;
mod report;

mod diagnostics;
mod workspace;

mod error;
mod gather;
mod go_files;
mod project;
mod run;
mod stderr_text;

mod checkers;
mod nested_projects;

pub use config::{DiagnosticsConfig, DiagnosticsPolicy};
pub use diagnostic::{Diagnostic, Severity};
pub use diagnostics::{CheckKind, Diagnostics, DiagnosticsArgs};
pub use report::{CheckerRun, DiagnosticsReport};
pub use workspace::{Confine, RootsOf};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
