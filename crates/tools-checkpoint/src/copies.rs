//! Stores contents of files right before a call first writes them. If the writes of a call are
//! noted, files it leaves alone need no copy.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use tools_core::{Locked as _, WriteKeeper};
use tools_sandbox::FileKind;

use crate::checkpoints::{Inner, enter};
use crate::error::CheckpointError;
use crate::folder_state::{FolderState, Item, innermost_by, joined, open};
use crate::hash::Hash;
use crate::index::Stamp;
use crate::keep::{Budget, Keeper};
use crate::running::READ;
use crate::unfinished::{CallNotes, PriorEntry};

/// Stores what one call is about to change.
#[derive(Debug)]
pub(crate) struct Copies {
    inner: Arc<Inner>,
    workdir: PathBuf,
    before: Arc<Vec<Arc<FolderState>>>,
    kept: Mutex<HashMap<Stamp, Hash>>,
    notes: Mutex<CallNotes>,
}

impl Copies {
    /// Each first write is added to `notes` before it happens.
    pub(crate) fn new(
        inner: &Arc<Inner>,
        workdir: &Path,
        before: &Arc<Vec<Arc<FolderState>>>,
        notes: CallNotes,
    ) -> Self {
        let (inner, before) = (Arc::clone(inner), Arc::clone(before));
        Self { inner, workdir: workdir.to_owned(), before, kept: Mutex::default(), notes: Mutex::new(notes) }
    }

    /// The content of a file before the call, if it is stored.
    pub(crate) fn of(&self, item: &Item) -> Option<Hash> {
        self.kept.locked().get(&Stamp::from(&item.node.metadata)).copied()
    }

    /// Stores the content at a path before the call, including everything below a folder, and notes
    /// that it is about to change.
    fn keep(&self, path: &Path, with_all_below: bool) -> Result<(), CheckpointError> {
        let Some(seen) = innermost_by(&self.before, path, |seen| &seen.root) else { return Ok(()) };
        let relative = path.strip_prefix(&seen.root).unwrap_or(path);
        let mut there: Vec<(&Path, &Item)> = Vec::new();
        if let Some((folder, name)) = relative.parent().zip(relative.file_name()) {
            there.extend(seen.item(folder, name).map(|item| (folder, item)));
        }
        if with_all_below {
            there.extend(seen.items().filter(|(folder, _)| folder.starts_with(relative)));
        }
        let kept = self.keep_files(seen, &there);
        let store = self.inner.store(&self.workdir);
        let store = store.locked();
        let there = there.into_iter().map(|(folder, item)| PriorEntry {
            folder,
            item,
            hash: item.hash.or_else(|| self.of(item)),
            attributes: store.attributes_of(item),
        });
        let mut notes = self.notes.locked();
        notes.change(seen, path, with_all_below, there);
        kept
    }

    /// Stores the contents of these files unless they are stored already.
    fn keep_files(&self, seen: &FolderState, files: &[(&Path, &Item)]) -> Result<(), CheckpointError> {
        let is_wanted =
            |item: &Item| item.node.metadata.kind == FileKind::File && item.hash.is_none() && self.of(item).is_none();
        let mut wanted = files.iter().filter(|(_, item)| is_wanted(item)).peekable();
        if wanted.peek().is_none() {
            return Ok(());
        }
        let root = open(&seen.root)?;
        let (store, never) = (self.inner.store(&self.workdir), AtomicBool::new(false));
        let (mut store, _lock) = enter(&store, &never)?;
        let mut keeper = Keeper::new(&mut store, &root, &self.inner.coverage.closed);
        for (folder, item) in wanted {
            if let Some(hash) = keeper.unchanged(folder, item)? {
                self.kept.locked().insert(Stamp::from(&item.node.metadata), hash);
            }
        }
        store.save()
    }

    /// Stores everything that is still unchanged by the call.
    fn keep_all(&self) -> Result<(), CheckpointError> {
        let (store, never) = (self.inner.store(&self.workdir), AtomicBool::new(false));
        let (mut store, _lock) = enter(&store, &never)?;
        let bytes = self.inner.config.max_bytes / 2;
        let budget = Budget { bytes, until: Instant::now() + READ, cancelled: &never };
        for seen in self.before.iter() {
            let (root, mut kept) = (open(&seen.root)?, Arc::clone(seen));
            Keeper::new(&mut store, &root, &self.inner.coverage.closed).all(&mut kept, &budget)?;
            let hashes = kept.files().filter_map(|(_, item)| Some((Stamp::from(&item.node.metadata), item.hash?)));
            self.kept.locked().extend(hashes);
        }
        store.save()
    }
}

impl WriteKeeper for Copies {
    fn about_to_write(&self, path: &Path, with_all_below: bool) {
        if let Err(error) = self.keep(path, with_all_below) {
            let path = joined(path, Path::new(""));
            tracing::debug!(%error, path = %path.display(), "not kept before it was written");
        }
    }

    fn unobserved(&self) {
        self.notes.locked().unknown();
        if let Err(error) = self.keep_all() {
            tracing::debug!(%error, "not kept before anything was written");
        }
    }
}
