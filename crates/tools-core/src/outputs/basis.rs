//! What a result came from, file by file: left by the tool that looked, for whoever wants to know
//! later whether the result still holds.

use std::mem::size_of;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::{FileState, Locked as _};

/// Every file and directory that a result came from, each as it was before it was looked at: while
/// all are as they were, the same call gives the same result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Basis(Vec<(PathBuf, FileState)>);

impl Basis {
    /// A basis of these: canonical paths, each with what lay there.
    pub fn new(files: Vec<(PathBuf, FileState)>) -> Self {
        Self(files)
    }

    /// The paths and what lay there.
    pub fn files(&self) -> impl ExactSizeIterator<Item = (&Path, FileState)> {
        self.0.iter().map(|(path, state)| (path.as_path(), *state))
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        let each = size_of::<(PathBuf, FileState)>();
        self.0.iter().map(|(path, _)| each + path.as_os_str().len()).sum()
    }
}

/// Slot in which a tool leaves the basis of its result. Nothing in it means that nobody can tell
/// what the result came from.
#[derive(Debug, Clone, Default)]
pub struct BasisSlot(Arc<Mutex<Option<Basis>>>);

impl BasisSlot {
    /// Leaves it there; called once the result is there.
    pub fn leave(&self, basis: Basis) {
        *self.0.locked() = Some(basis);
    }

    /// Takes out what was left.
    pub fn take(&self) -> Option<Basis> {
        self.0.locked().take()
    }
}
