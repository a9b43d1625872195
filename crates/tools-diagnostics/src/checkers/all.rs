//! The list of checkers.

use super::{Checker, cargo::Cargo, gcc::Gcc, go::Go, node::Node, python::Python, ruff::Ruff, tsc::Tsc};

/// All checkers, in the order in which they run.
pub(crate) const ALL: [&dyn Checker; 5] = [&Cargo, &Tsc, &Ruff, &Go, &Gcc];

/// Checkers for the files of any directory, used for files outside of projects.
pub(crate) const BARE: [&dyn Checker; 2] = [&Python, &Node];

/// The checker for such files that checks less, for use when the usual one is not installed.
pub(crate) fn fallback_checker(extensions: &[&str]) -> Option<&'static dyn Checker> {
    BARE.into_iter().find(|bare| extensions.iter().any(|extension| bare.extensions().contains(extension)))
}
