//! The list of the checkers.

use super::{Checker, cargo::Cargo, gcc::Gcc, ruff::Ruff, tsc::Tsc};

/// All of them, in the order in which they run.
pub(crate) const ALL: [&dyn Checker; 4] = [&Cargo, &Tsc, &Ruff, &Gcc];
