//! The store of every workspace, and what can be asked of it.

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
use crate::record::Checkpoint;
use crate::seen::{FolderState, Rules};
use crate::select::UndoSelection;
use crate::store::{Store, StoreLock};
use crate::undo::{self, Undone};
use crate::{diff, left};

/// Folders that are covered.
#[derive(Debug, Clone)]
pub struct Coverage {
    /// The workspace. Calls from folders in it are kept with it; those from elsewhere with the
    /// folder they come from.
    pub workspace: PathBuf,
    /// Folders that a call which does not say what it changes may change; empty: the workspace
    /// alone.
    pub roots: Vec<PathBuf>,
    /// Further folders that calls which say what they change may change.
    pub others: Vec<PathBuf>,
    /// Paths that are never stored: secrets are not copied.
    pub closed: ReadRules,
}

impl Coverage {
    /// A workspace alone, without the files that usually hold credentials
    /// ([`SECRET_PRESET`](tools_sandbox::SECRET_PRESET)): they are not copied.
    pub fn of(workspace: impl Into<PathBuf>) -> Self {
        let closed = ReadRules::preset(tools_sandbox::home().as_deref());
        Self { workspace: workspace.into(), roots: vec![], others: vec![], closed }
    }
}

/// Keeps what calls change, and takes it back. As a layer it stands inside of everything that can
/// refuse a call. Clones share the store.
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
    /// What is known of each folder between calls.
    current: Mutex<HashMap<PathBuf, Arc<Mutex<Current>>>>,
    pub(crate) unfinished: Arc<OpenWrites>,
}

impl Checkpoints {
    /// Its row in a list of layers.
    pub const INFO: LayerInfo = LayerInfo {
        name: "checkpoint",
        owner: "tools-checkpoint",
        refuses_with: &[],
        why: "looks before and after what really runs, all its attempts together: refused calls and reused results cost nothing",
    };

    /// Keeps everything below `folder`, which tools and commands must not reach.
    pub fn new(config: &CheckpointConfig, folder: PathBuf, coverage: Coverage) -> Self {
        let rules = Rules { skip: config.skip.clone(), own: folder.canonicalize().unwrap_or_else(|_| folder.clone()) };
        let (stores, current, unfinished) = Default::default();
        let inner = Inner { config: config.clone(), coverage, rules, folder, stores, current, unfinished };
        Self { inner: Arc::new(inner), in_any_folder: false }
    }

    /// The same without the check that the folder is the one that the calls changed. For undo and
    /// redo that a person asked for in this folder.
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

    /// The calls that were kept for a workspace, oldest first.
    pub fn list(&self, workspace: &Path) -> Result<Vec<Checkpoint>, CheckpointError> {
        let mut records = self.inner.with_store(workspace, Store::checkpoints)?;
        records.retain(|record| record.undoes.is_none());
        Ok(records)
    }

    /// The changes of these calls as a text difference, the last call first.
    ///
    /// # Errors
    /// When the store cannot be read, or there is no such call.
    pub fn diff(&self, workspace: &Path, calls: impl Into<UndoSelection>) -> Result<String, CheckpointError> {
        let calls = calls.into();
        self.inner.with_store(workspace, |store| diff::diff(store, &calls.of(store.checkpoints()?)?, workspace))
    }

    /// Takes these calls back, the last one first. What was changed since by somebody else stays as
    /// it is and is named, and so is what somebody else changed while a call ran. [`Self::redo`]
    /// takes the undo back.
    ///
    /// # Errors
    /// When the store cannot be read or written, or there is no such call. What has been put back
    /// by then stays so; asking again goes on. [`CheckpointError::OtherFolder`] before anything is
    /// done, unless this is [`Self::in_any_folder`].
    pub fn undo(&self, workspace: &Path, calls: impl Into<UndoSelection>) -> Result<Undone, CheckpointError> {
        let (roots, calls) = (self.inner.roots(workspace), calls.into());
        self.inner.with_store_mut(workspace, |store| {
            let mut undone = Undone::default();
            undo::all(store, &roots, self.in_place(calls.of(store.checkpoints()?)?)?, &mut undone)?;
            Ok(undone)
        })
    }

    /// Takes the last undo back: what its calls had changed is again as the calls left it. What was
    /// changed since stays.
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
    /// The workspace that a call from `workdir` is kept with.
    fn workspace<'a>(&'a self, workdir: &'a Path) -> &'a Path {
        if workdir.starts_with(&self.coverage.workspace) { &self.coverage.workspace } else { workdir }
    }

    /// The folders that a call from `workdir` may change anything in.
    pub(crate) fn swept(&self, workdir: &Path) -> Vec<PathBuf> {
        let mut roots = match self.coverage.roots.as_slice() {
            [] => vec![self.workspace(workdir).to_owned()],
            roots => roots.to_vec(),
        };
        roots.sort();
        // Without those that lie in another one: a folder sorts before what lies in it.
        roots.dedup_by(|later, earlier| later.starts_with(earlier));
        roots
    }

    /// The folders in which something may be put back: the workspace first.
    pub(crate) fn roots(&self, workdir: &Path) -> Vec<PathBuf> {
        let all = std::iter::once(self.workspace(workdir).to_owned());
        all.chain(self.coverage.roots.iter().cloned()).chain(self.coverage.others.iter().cloned()).collect()
    }

    /// The store of a workspace. It is locked within the process only; see [`Store::enter`].
    pub(crate) fn store(&self, workdir: &Path) -> Arc<Mutex<Store>> {
        let name = sha256_hex(self.workspace(workdir).as_os_str().as_encoded_bytes());
        let folder = self.folder.join(&name[..32]);
        let mut stores = self.stores.locked();
        Arc::clone(
            stores.entry(folder.clone()).or_insert_with(|| Arc::new(Mutex::new(Store::new(folder, &self.config)))),
        )
    }

    /// Looks at everything in `root`; see [`Current::look`].
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

    /// More contents of a state are kept than before.
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
        left::record_all(self, &mut store, workdir);
        work(&mut store)
    }
}

/// Calls that nobody waits for any more and whose changes are still being written down.
#[derive(Debug, Default)]
pub(crate) struct OpenWrites(Mutex<usize>, Condvar);

impl OpenWrites {
    /// Counts one more, until what is given is dropped.
    pub(crate) fn one_more(self: &Arc<Self>) -> OneMore {
        *self.0.locked() += 1;
        OneMore(Arc::clone(self))
    }

    /// Waits until there are none, for a while.
    pub(crate) fn wait(&self) {
        let count = self.0.locked();
        drop(self.1.wait_timeout_while(count, Duration::from_secs(10), |count| *count > 0));
    }
}

/// One of [`OpenWrites`].
#[derive(Debug)]
pub(crate) struct OneMore(Arc<OpenWrites>);

impl Drop for OneMore {
    fn drop(&mut self) {
        *self.0.0.locked() -= 1;
        self.0.1.notify_all();
    }
}

/// The store for this call alone.
pub(crate) fn enter<'a>(
    store: &'a Mutex<Store>,
    cancelled: &AtomicBool,
) -> Result<(MutexGuard<'a, Store>, StoreLock), CheckpointError> {
    let mut store = store.locked();
    let lock = store.enter(cancelled)?;
    Ok((store, lock))
}
