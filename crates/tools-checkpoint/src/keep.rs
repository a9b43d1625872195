//! Stores contents of files that are not stored yet, within limits of space and time.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use tools_sandbox::{Directory, FileKind, Metadata, ReadRules};

use crate::attributes;
use crate::error::CheckpointError;
use crate::folder_state::{FolderState, Item, joined};
use crate::hash::Hash;
use crate::index::Stamp;
use crate::store::Store;

/// Limits for storing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget<'a> {
    /// Maximum number of bytes of all files stored.
    pub(crate) bytes: u64,
    pub(crate) until: Instant,
    pub(crate) cancelled: &'a AtomicBool,
}

/// Stores files of one folder after the other.
pub(crate) struct Keeper<'a> {
    pub(crate) store: &'a mut Store,
    root: &'a Directory,
    /// Paths that are never stored, so that secrets are not copied.
    closed: &'a ReadRules,
    folder: Option<(PathBuf, Directory)>,
}

impl<'a> Keeper<'a> {
    pub(crate) fn new(store: &'a mut Store, root: &'a Directory, closed: &'a ReadRules) -> Self {
        Self { store, root, closed, folder: None }
    }

    /// Stores every file; if the budget is not enough, the smallest ones.
    pub(crate) fn all(&mut self, seen: &mut Arc<FolderState>, budget: &Budget<'_>) -> Result<(), CheckpointError> {
        let (mut known, mut wanted) = (0_u64, 0_u64);
        let mut missing: Vec<(&Path, &Item)> = Vec::new();
        let mut kept: Vec<(PathBuf, OsString, Hash)> = Vec::new();
        for (folder, item) in seen.files() {
            let size = item.node.metadata.size;
            if item.hash.is_some() {
                known = known.saturating_add(size);
            } else if let Some(hash) = self.known(item) {
                known = known.saturating_add(size);
                kept.push((folder.to_owned(), item.name.clone(), hash));
            } else {
                wanted = wanted.saturating_add(size);
                missing.push((folder, item));
            }
        }
        let mut left = budget.bytes.saturating_sub(known);
        if wanted > left {
            missing.sort_by_key(|(_, item)| item.node.metadata.size);
        }
        for (folder, item) in missing {
            let Some(rest) = left.checked_sub(item.node.metadata.size) else { break };
            if budget.cancelled.load(Ordering::Relaxed) {
                return Err(CheckpointError::Cancelled);
            }
            if Instant::now() > budget.until {
                break;
            }
            if let Some(hash) = self.unchanged(folder, item)? {
                kept.push((folder.to_owned(), item.name.clone(), hash));
            }
            left = rest;
        }
        if !kept.is_empty() {
            let seen = Arc::make_mut(seen);
            for (folder, name, hash) in &kept {
                seen.keep(folder, name, *hash);
            }
        }
        Ok(())
    }

    /// Stored hash of the content that a file had when it was seen; `None` if it is not stored or
    /// the file has changed since.
    pub(crate) fn unchanged(&mut self, folder: &Path, item: &Item) -> Result<Option<Hash>, CheckpointError> {
        let Some(hash) = self.content(folder, item)? else { return Ok(None) };
        if self.known(item) == Some(hash) {
            return Ok(Some(hash));
        }
        let now = self.open(folder, item).and_then(|file| Metadata::of(&file).ok());
        Ok(now.is_some_and(|now| now == item.node.metadata).then_some(hash))
    }

    pub(crate) fn known(&self, item: &Item) -> Option<Hash> {
        if item.node.is_fresh { None } else { self.store.index.get(&Stamp::from(&item.node.metadata)) }
    }

    /// Stored hash of a file's current content; `None` if it is not stored.
    pub(crate) fn content(&mut self, folder: &Path, item: &Item) -> Result<Option<Hash>, CheckpointError> {
        if let Some(hash) = self.known(item) {
            return Ok(Some(hash));
        }
        let path = joined(self.root.path(), folder).join(&item.name);
        // Every command can read git's configuration, and a repository cannot be restored without
        // it.
        if self.closed.denies(&path) && !path.ends_with(".git/config") {
            return Ok(None);
        }
        let Some(mut file) = self.open(folder, item) else { return Ok(None) };
        let attributes = attributes::of(&file);
        if !attributes.is_empty() {
            self.store.keep_attributes(&Stamp::from(&item.node.metadata), &attributes)?;
        }
        let hash = self.store.add(&mut file, item.node.metadata.size)?;
        // A fresh file may change again without a trace; one changed meanwhile has another time.
        if let Some(hash) = hash
            && !item.node.is_fresh
            && Metadata::of(&file).is_ok_and(|now| now == item.node.metadata)
        {
            self.store.index.learn(Stamp::from(&item.node.metadata), hash);
        }
        Ok(hash)
    }

    /// Opens the file only if it is exactly the one that was seen.
    fn open(&mut self, folder: &Path, item: &Item) -> Option<File> {
        if self.folder.as_ref().is_none_or(|(path, _)| path != folder) {
            self.folder = Some((folder.to_owned(), self.root.subdirectory(folder).ok()?));
        }
        let file = self.folder.as_ref()?.1.open(&item.name).ok()?;
        let now = Metadata::of(&file).ok()?;
        (now.kind == FileKind::File && now.id == item.node.metadata.id).then_some(file)
    }
}
