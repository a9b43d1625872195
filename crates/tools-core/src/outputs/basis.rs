//! The files that a result depends on: recorded by the tool, to check later whether the result is
//! still valid.

use std::mem::size_of;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::{FileState, Locked as _};

/// Every file and directory that a result depends on, with its state before it was read: as long as
/// all are unchanged, the same call gives the same result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Basis(Vec<(PathBuf, FileState)>);

impl Basis {
    /// A basis of canonical paths, each with its state.
    pub fn new(files: Vec<(PathBuf, FileState)>) -> Self {
        Self(files)
    }

    /// The paths and their states.
    pub fn files(&self) -> impl ExactSizeIterator<Item = (&Path, FileState)> {
        self.0.iter().map(|(path, state)| (path.as_path(), *state))
    }

    /// Approximate size in bytes.
    pub fn bytes(&self) -> usize {
        let each = size_of::<(PathBuf, FileState)>();
        self.0.iter().map(|(path, _)| each + path.as_os_str().len()).sum()
    }
}

/// Slot in which a tool leaves the basis of its result. If empty, the basis is unknown.
#[derive(Debug, Clone, Default)]
pub struct BasisSlot(Arc<Mutex<Option<Basis>>>);

impl BasisSlot {
    /// Leaves the basis; called once the result is there.
    pub fn leave(&self, basis: Basis) {
        *self.0.locked() = Some(basis);
    }

    /// Takes the basis out.
    pub fn take(&self) -> Option<Basis> {
        self.0.locked().take()
    }
}
