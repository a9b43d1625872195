//! The list of the checkers.

use super::{Checker, cargo::Cargo, gcc::Gcc, go::Go, ruff::Ruff, tsc::Tsc};

/// All of them, in the order in which they run.
pub(crate) const ALL: [&dyn Checker; 5] = [&Cargo, &Tsc, &Ruff, &Go, &Gcc];
