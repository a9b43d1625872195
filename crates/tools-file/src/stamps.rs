//! What a search looked at, noted while it looks: each directory before its entries are read, each
//! file before its content is. Nothing is noted where nobody wants to know.

use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tools_core::{Basis, FileState, Locked as _};
use tools_sandbox::{Metadata, keeps_times};

/// The most that is noted of one search: what would take too long to look at again is not worth it.
const MAX_STAMPS: usize = 1 << 16;

/// The notes of one search. Shared by its threads.
#[derive(Debug)]
pub(crate) struct Stamps(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    files: Vec<(PathBuf, FileState)>,
    /// Devices whose files tell of their changes.
    devices: Vec<u64>,
    /// Something was looked at that cannot be noted.
    is_broken: bool,
    is_complete: bool,
}

impl Stamps {
    /// Notes of a search from `workdir`, to which results name their paths.
    pub(crate) fn new(workdir: &Path) -> Self {
        let stamps = Self(Mutex::default());
        match std::fs::symlink_metadata(workdir) {
            Ok(metadata) => stamps.state().files.push((workdir.to_owned(), FileState::from(&metadata))),
            Err(_) => stamps.give_up(),
        }
        stamps
    }

    /// Notes what is open at a canonical path, by what was known of it before it was looked into.
    pub(crate) fn opened(&self, path: &Path, handle: impl AsFd, metadata: &Metadata) {
        let mut state = self.state();
        let device = metadata.id.device();
        if !state.devices.contains(&device) && keeps_times(handle) {
            state.devices.push(device);
        }
        state.note(path, metadata);
    }

    /// Notes what lies beside something that was open: on a device that nothing was open on it
    /// tells nothing, and neither does what could not be looked at.
    pub(crate) fn named(&self, path: &Path, metadata: Option<&Metadata>) {
        match metadata {
            Some(metadata) => self.state().note(path, metadata),
            None => self.give_up(),
        }
    }

    /// Something was looked at that cannot be noted: what the result comes from cannot be told.
    pub(crate) fn give_up(&self) {
        self.state().give_up();
    }

    /// All that the result comes from was noted.
    pub(crate) fn complete(&self) {
        self.state().is_complete = true;
    }

    /// What the result comes from, if all of that is known.
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
