//! The stores of all workspaces, and the operations on them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use tools_core::{LayerInfo, Locked as _, Writes, sha256_hex};
use tools_sandbox::{Directory, ReadRules, tree::Bounds};

use crate::config::CheckpointConfig;
use crate::current::Current;
use crate::error::CheckpointError;
use crate::folder_state::{FolderState, Rules};
use crate::record::Checkpoint;
use crate::select::UndoSelection;
use crate::store::{Store, StoreLock};
use crate::undo::{self, Undone};
use crate::{cleanup, diff};

/// Folders that are covered.
#[derive(Debug, Clone)]
pub struct Coverage {
    /// The workspace. Calls from folders in it are stored with it; other calls with the folder they
    /// come from.
    pub workspace: PathBuf,
    /// Folders that a call may change if it does not declare its changes; empty: the workspace
    /// alone.
    pub roots: Vec<PathBuf>,
    /// Further folders that calls with declared changes may change.
    pub others: Vec<PathBuf>,
    /// Paths that are never stored, so that secrets are not copied.
    pub closed: ReadRules,
}

impl Coverage {
    /// A workspace alone. Files that usually hold credentials
    /// ([`SECRET_PRESET`](tools_sandbox::SECRET_PRESET)) are not copied.
    pub fn of(workspace: impl Into<PathBuf>) -> Self {
        let closed = ReadRules::preset(tools_sandbox::home().as_deref());
        Self { workspace: workspace.into(), roots: vec![], others: vec![], closed }
    }
}

/// Stores the changes of calls, and undoes them. As a layer it must be inside of every layer that
/// can refuse a call. Clones share the store.
#[derive(Debug, Clone)]
pub struct Checkpoints {
    pub(crate) inner: Arc<Inner>,
    in_any_folder: bool,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) config: CheckpointConfig,
    pub(crate) coverage: Coverage,
    pub(crate) rules: Rules,
    folder: PathBuf,
    stores: Mutex<HashMap<PathBuf, Arc<Mutex<Store>>>>,
    /// State of each folder between calls.
    current: Mutex<HashMap<PathBuf, Arc<Mutex<Current>>>>,
    pub(crate) unfinished: Arc<OpenWrites>,
}

impl Checkpoints {
    /// Its row in a list of layers.
    pub const INFO: LayerInfo = LayerInfo {
        name: "checkpoint",
        owner: "tools-checkpoint",
        refuses_with: &[],
        why: "around all attempts of a real execution: refused calls and cached results cost nothing",
    };

    /// Stores everything below `folder`, which tools and commands must not reach.
    pub fn new(config: &CheckpointConfig, folder: PathBuf, coverage: Coverage) -> Self {
        let rules = Rules { skip: config.skip.clone(), own: folder.canonicalize().unwrap_or_else(|_| folder.clone()) };
        let (stores, current, unfinished) = Default::default();
        let inner = Inner { config: config.clone(), coverage, rules, folder, stores, current, unfinished };
        Self { inner: Arc::new(inner), in_any_folder: false }
    }

    /// Without the check that the folder is the one that the calls changed. For undo and redo that
    /// a person requested in this folder.
    #[must_use]
    pub fn in_any_folder(&self) -> Self {
        Self { in_any_folder: true, ..self.clone() }
    }

    fn in_place(&self, calls: Vec<Checkpoint>) -> Result<Vec<Checkpoint>, CheckpointError> {
        if !self.in_any_folder {
            undo::are_in_place(&calls)?;
        }
        Ok(calls)
    }

    /// The stored calls of a workspace, oldest first.
    pub fn list(&self, workspace: &Path) -> Result<Vec<Checkpoint>, CheckpointError> {
        let records = self.inner.with_store(workspace, Store::checkpoints)?;
        let (undos, mut calls): (Vec<_>, Vec<_>) = records.into_iter().partition(|record| record.undoes.is_some());
        for call in calls.iter_mut().filter(|call| !call.undone) {
            call.partly_undone = undos.iter().any(|undo| undo.undoes == Some(call.number) && !undo.undone);
        }
        Ok(calls)
    }

    /// The changes of these calls as a text diff, the last call first.
    ///
    /// # Errors
    /// If the store cannot be read, or there is no such call.
    pub fn diff(&self, workspace: &Path, calls: impl Into<UndoSelection>) -> Result<String, CheckpointError> {
        let calls = calls.into();
        self.inner.with_store(workspace, |store| diff::diff(store, &calls.of(store.checkpoints()?)?, workspace))
    }

    /// Undoes these calls, the last one first. Changes that others made since then or during a call
    /// stay and are listed. [`Self::redo`] reverts the undo.
    ///
    /// # Errors
    /// If the store cannot be read or written, or there is no such call. Files restored before the
    /// error stay restored; a repeated undo continues. [`CheckpointError::OtherFolder`] before
    /// anything is done, unless this is [`Self::in_any_folder`].
    pub fn undo(&self, workspace: &Path, calls: impl Into<UndoSelection>) -> Result<Undone, CheckpointError> {
        let (roots, calls) = (self.inner.roots(workspace), calls.into());
        self.inner.with_store_mut(workspace, |store| {
            let mut undone = Undone::default();
            undo::all(store, &roots, self.in_place(calls.of(store.checkpoints()?)?)?, &mut undone)?;
            Ok(undone)
        })
    }

    /// Reverts the last undo: restores what its calls had changed. Changes made since stay.
    ///
    /// # Errors
    /// As [`Self::undo`].
    pub fn redo(&self, workspace: &Path) -> Result<Undone, CheckpointError> {
        let roots = self.inner.roots(workspace);
        self.inner.with_store_mut(workspace, |store| {
            let mut undone = Undone::default();
            for record in self.in_place(undo::last_undo(store)?)? {
                undo::redo(store, &roots, record, &mut undone)?;
            }
            Ok(undone)
        })
    }
}

impl Inner {
    /// The workspace with which a call from `workdir` is stored.
    fn workspace<'a>(&'a self, workdir: &'a Path) -> &'a Path {
        if workdir.starts_with(&self.coverage.workspace) { &self.coverage.workspace } else { workdir }
    }

    /// The folders in which a call from `workdir` may change anything.
    pub(crate) fn swept(&self, workdir: &Path) -> Vec<PathBuf> {
        let mut roots = match self.coverage.roots.as_slice() {
            [] => vec![self.workspace(workdir).to_owned()],
            roots => roots.to_vec(),
        };
        roots.sort();
        // Without nested folders: a folder sorts before its content.
        roots.dedup_by(|later, earlier| later.starts_with(earlier));
        roots
    }

    /// The folders in which something may be restored: the workspace first.
    pub(crate) fn roots(&self, workdir: &Path) -> Vec<PathBuf> {
        let all = std::iter::once(self.workspace(workdir).to_owned());
        all.chain(self.coverage.roots.iter().cloned()).chain(self.coverage.others.iter().cloned()).collect()
    }

    /// The store of a workspace. This lock is only within the process; see [`Store::enter`].
    pub(crate) fn store(&self, workdir: &Path) -> Arc<Mutex<Store>> {
        let name = sha256_hex(self.workspace(workdir).as_os_str().as_encoded_bytes());
        let folder = self.folder.join(&name[..32]);
        let mut stores = self.stores.locked();
        Arc::clone(
            stores.entry(folder.clone()).or_insert_with(|| Arc::new(Mutex::new(Store::new(folder, &self.config)))),
        )
    }

    /// Reads the state of everything in `root`; see [`Current::look`].
    pub(crate) fn look(
        &self,
        root: &Directory,
        bounds: &Bounds<'_>,
        before: Option<&FolderState>,
        written: Option<&Writes>,
    ) -> Result<Arc<FolderState>, CheckpointError> {
        let current = self.current(root.path());
        let mut current = current.locked();
        current.look(root, &self.rules, bounds, before, written)
    }

    /// Replaces a state by one with more stored contents.
    pub(crate) fn replace(&self, old: &Arc<FolderState>, new: &Arc<FolderState>) {
        let current = self.current(&old.root);
        current.locked().replace(old, new);
    }

    fn current(&self, root: &Path) -> Arc<Mutex<Current>> {
        let mut all = self.current.locked();
        Arc::clone(all.entry(root.to_owned()).or_default())
    }

    fn with_store<T>(
        &self,
        workdir: &Path,
        work: impl FnOnce(&Store) -> Result<T, CheckpointError>,
    ) -> Result<T, CheckpointError> {
        self.with_store_mut(workdir, |store| work(store))
    }

    fn with_store_mut<T>(
        &self,
        workdir: &Path,
        work: impl FnOnce(&mut Store) -> Result<T, CheckpointError>,
    ) -> Result<T, CheckpointError> {
        self.unfinished.wait();
        let store = self.store(workdir);
        let (mut store, _lock) = enter(&store, &AtomicBool::new(false))?;
        cleanup::record_all(self, &mut store, workdir);
        work(&mut store)
    }
}

/// Abandoned calls whose changes are still being written.
#[derive(Debug, Default)]
pub(crate) struct OpenWrites(Mutex<usize>, Condvar);

impl OpenWrites {
    /// Counts one more until the returned guard is dropped.
    pub(crate) fn begin_write(self: &Arc<Self>) -> OpenWrite {
        *self.0.locked() += 1;
        OpenWrite(Arc::clone(self))
    }

    /// Waits until there are none, with a time limit.
    pub(crate) fn wait(&self) {
        let count = self.0.locked();
        drop(self.1.wait_timeout_while(count, Duration::from_secs(10), |count| *count > 0));
    }
}

/// One of [`OpenWrites`].
#[derive(Debug)]
pub(crate) struct OpenWrite(Arc<OpenWrites>);

impl Drop for OpenWrite {
    fn drop(&mut self) {
        *self.0.0.locked() -= 1;
        self.0.1.notify_all();
    }
}

/// Locks the store for this call.
pub(crate) fn enter<'a>(
    store: &'a Mutex<Store>,
    cancelled: &AtomicBool,
) -> Result<(MutexGuard<'a, Store>, StoreLock), CheckpointError> {
    let mut store = store.locked();
    let lock = store.enter(cancelled)?;
    Ok((store, lock))
}
