//! Records the files that a search depends on: each directory before its entries are read, each
//! file before its content is read. Records nothing if no caller needs it.

use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tools_core::{Basis, FileState, Locked as _};
use tools_sandbox::{Metadata, keeps_times};

/// Maximum number of stamps of one search; more would take too long to check again.
const MAX_STAMPS: usize = 1 << 16;

/// The stamps of one search. Shared by its threads.
#[derive(Debug)]
pub(crate) struct Stamps(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    files: Vec<(PathBuf, FileState)>,
    /// Devices whose file systems report changes of their files.
    devices: Vec<u64>,
    /// Whether the search depended on something that cannot be recorded.
    is_broken: bool,
    is_complete: bool,
}

impl Stamps {
    /// Starts a record for a search from `workdir`, to which the paths in results are relative.
    pub(crate) fn new(workdir: &Path) -> Self {
        let stamps = Self(Mutex::default());
        match std::fs::symlink_metadata(workdir) {
            Ok(metadata) => stamps.state().files.push((workdir.to_owned(), FileState::from(&metadata))),
            Err(_) => stamps.give_up(),
        }
        stamps
    }

    /// Records an open file or directory at a canonical path, with its metadata from before it was
    /// read.
    pub(crate) fn opened(&self, path: &Path, handle: impl AsFd, metadata: &Metadata) {
        let mut state = self.state();
        let device = metadata.id.device();
        if !state.devices.contains(&device) && keeps_times(handle) {
            state.devices.push(device);
        }
        state.note(path, metadata);
    }

    /// Records an entry that was not opened. Gives the record up if the metadata is missing, or no
    /// opened file was on the same device.
    pub(crate) fn named(&self, path: &Path, metadata: Option<&Metadata>) {
        match metadata {
            Some(metadata) => self.state().note(path, metadata),
            None => self.give_up(),
        }
    }

    /// Marks the record as incomplete for good.
    pub(crate) fn give_up(&self) {
        self.state().give_up();
    }

    /// Marks the record as complete.
    pub(crate) fn complete(&self) {
        self.state().is_complete = true;
    }

    /// The basis of the result, if the record is complete.
    pub(crate) fn into_basis(self) -> Option<Basis> {
        let state = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        (state.is_complete && !state.is_broken).then(|| Basis::new(state.files))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.locked()
    }
}

impl State {
    fn give_up(&mut self) {
        self.is_broken = true;
        self.files = Vec::new();
    }

    fn note(&mut self, path: &Path, metadata: &Metadata) {
        if self.is_broken {
            return;
        }
        if self.files.len() == MAX_STAMPS || !self.devices.contains(&metadata.id.device()) {
            return self.give_up();
        }
        self.files.push((path.to_owned(), metadata.state()));
    }
}
