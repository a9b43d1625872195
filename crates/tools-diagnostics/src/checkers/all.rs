//! The list of the checkers.

use super::{Checker, cargo::Cargo, gcc::Gcc, go::Go, node::Node, python::Python, ruff::Ruff, tsc::Tsc};

/// All of them, in the order in which they run.
pub(crate) const ALL: [&dyn Checker; 5] = [&Cargo, &Tsc, &Ruff, &Go, &Gcc];

/// Those that check files of any directory, for what no project claims.
pub(crate) const BARE: [&dyn Checker; 2] = [&Python, &Node];

/// Who checks files of this kind, though less of them, when the checker for them is not installed.
pub(crate) fn fallback_checker(extensions: &[&str]) -> Option<&'static dyn Checker> {
    BARE.into_iter().find(|bare| extensions.iter().any(|extension| bare.extensions().contains(extension)))
}
