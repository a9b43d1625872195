//! The folder of a store: contents by hash, the index of the workspace's files, and one record per
//! call. Several processes may use it, each while it holds its lock.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use rustix::fs::FlockOperation;
use serde::de::DeserializeOwned;
use tools_sandbox::{FileKind, make_private_folder};

use crate::attributes::Attributes;
use crate::config::CheckpointConfig;
use crate::error::CheckpointError;
use crate::folder_state::{FolderState, Item};
use crate::hash::{Hash, copy};
use crate::index::{Index, Stamp};
use crate::record::Checkpoint;
use crate::unfinished;

/// Time to wait for another process.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum size in bytes of a content that is hashed before deciding whether to write it.
const SMALL_FILE_BYTES: u64 = 1024 * 1024;
/// Maximum number of bytes by which a file may grow while it is read.
const GROWTH: u64 = 1024 * 1024;

/// The folder of a store, and its cached state.
pub(crate) struct Store {
    folder: PathBuf,
    max_bytes: u64,
    keep: usize,
    pub(crate) index: Index,
    /// Total size of all contents in bytes.
    used: u64,
    /// States before running calls, which their records will need.
    running: Vec<Weak<Vec<Arc<FolderState>>>>,
    /// Whether leftover calls of killed processes have been looked for.
    pub(crate) is_known: bool,
    made: u64,
}

tools_core::partial_debug!(Store { folder });

/// Lock: nobody else can change the store while this lives.
#[derive(Debug)]
pub(crate) struct StoreLock(#[expect(dead_code, reason = "the lock goes with the file")] File);

impl Store {
    /// The store in a folder, which is created when it is entered.
    pub(crate) fn new(folder: PathBuf, config: &CheckpointConfig) -> Self {
        let (max_bytes, keep) = (config.max_bytes, config.keep.max(1));
        Self {
            folder,
            max_bytes,
            keep,
            index: Index::default(),
            used: 0,
            running: Vec::new(),
            is_known: false,
            made: 0,
        }
    }

    /// The folder of the store.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Waits for the lock, and reads what other processes have written.
    pub(crate) fn enter(&mut self, cancelled: &AtomicBool) -> Result<StoreLock, CheckpointError> {
        // From the outside in: the owner of an outer folder could replace an inner one.
        let outer = self.folder.parent().unwrap_or(&self.folder);
        for folder in [outer, &self.folder, &self.folder.join("objects"), &self.folder.join("calls")] {
            private(folder)?;
        }
        let lock = tools_sandbox::open_lock(&self.folder.join("lock"))?;
        let until = Instant::now() + PATIENCE;
        while let Err(error) = rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            if error != rustix::io::Errno::WOULDBLOCK {
                return Err(io::Error::from(error).into());
            }
            if cancelled.load(Ordering::Relaxed) {
                return Err(CheckpointError::Cancelled);
            }
            if Instant::now() > until {
                return Err(CheckpointError::Busy);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        self.index.refresh(&self.folder);
        self.used = match fs::read(self.folder.join("used")).ok().and_then(|bytes| bytes.try_into().ok()) {
            Some(bytes) => u64::from_le_bytes(bytes),
            None => self.objects()?.iter().map(|(_, _, size)| size).sum(),
        };
        Ok(StoreLock(lock))
    }

    /// Writes the index, before the lock is released.
    pub(crate) fn save(&mut self) -> Result<(), CheckpointError> {
        self.index.save(&self.folder)?;
        let path = self.folder.join("used");
        let mut file = File::options().create(true).truncate(false).write(true).mode(0o600).open(path)?;
        Ok(file.write_all(&self.used.to_le_bytes())?)
    }

    /// Whether space is getting scarce. Then the index should contain only what is still needed.
    pub(crate) fn is_tight(&self) -> bool {
        self.used > self.max_bytes / 4 * 3
    }

    /// Keeps the contents of a running call's state until it ends.
    pub(crate) fn pin(&mut self, seen: Weak<Vec<Arc<FolderState>>>) {
        self.running.retain(|seen| seen.strong_count() > 0);
        self.running.push(seen);
    }

    /// Stores a content, unless there is no space even after removing older calls.
    pub(crate) fn add(&mut self, from: &mut File, size: u64) -> Result<Option<Hash>, CheckpointError> {
        if size > self.max_bytes {
            return Ok(None);
        }
        if size <= SMALL_FILE_BYTES {
            let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
            io::Read::by_ref(from).take(SMALL_FILE_BYTES + GROWTH).read_to_end(&mut bytes)?;
            let hash = Hash::of(bytes.as_slice())?;
            let length = bytes.len() as u64;
            if self.has(hash, length) {
                return Ok(Some(hash));
            }
            if !self.make_room(length)? {
                return Ok(None);
            }
            return self.put(|file| file.write_all(&bytes).map(|()| (hash, length))).map(Some);
        }
        if !self.make_room(size)? {
            return Ok(None);
        }
        self.put(|file| copy(from.take(size.saturating_add(GROWTH)), file)).map(Some)
    }

    /// Creates an object from what `write` writes; `write` returns its hash.
    fn put(&mut self, write: impl FnOnce(&mut File) -> io::Result<(Hash, u64)>) -> Result<Hash, CheckpointError> {
        self.made += 1;
        let new = self.folder.join("objects").join(format!("new-{}-{}", std::process::id(), self.made));
        let mut file = File::options().create(true).truncate(true).write(true).mode(0o600).open(&new)?;
        let put = write(&mut file).map_err(CheckpointError::from).and_then(|(hash, length)| {
            if self.has(hash, length) {
                fs::remove_file(&new)?;
                return Ok(hash);
            }
            let object = self.object(hash);
            match fs::rename(&new, &object) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    if let Some(parent) = object.parent() {
                        private(parent)?;
                    }
                    fs::rename(&new, &object)?;
                }
                other => other?,
            }
            self.used = self.used.saturating_add(length);
            Ok(hash)
        });
        if put.is_err() {
            let _ = fs::remove_file(&new);
        }
        put
    }

    fn has(&self, hash: Hash, length: u64) -> bool {
        fs::symlink_metadata(self.object(hash)).is_ok_and(|metadata| metadata.is_file() && metadata.len() == length)
    }

    /// Opens a content.
    pub(crate) fn content(&self, hash: Hash) -> io::Result<File> {
        File::open(self.object(hash))
    }

    /// Writes a content to `to`; fails if it is damaged.
    pub(crate) fn restore(&self, hash: Hash, to: &mut File) -> io::Result<()> {
        let kept = self.content(hash).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => io::Error::other("what was kept of it is gone"),
            _ => error,
        })?;
        let (found, _) = copy(kept, to)?;
        if found == hash { Ok(()) } else { Err(io::Error::other("what was kept of it is damaged")) }
    }

    /// All records, oldest first.
    pub(crate) fn checkpoints(&self) -> Result<Vec<Checkpoint>, CheckpointError> {
        self.numbers()?.into_iter().map(|number| read(&self.record(number))).collect()
    }

    /// The number of the last record; 0 if there is none.
    pub(crate) fn last(&self) -> Result<u64, CheckpointError> {
        Ok(self.numbers()?.last().copied().unwrap_or(0))
    }

    /// The records after this number, oldest first.
    pub(crate) fn since(&self, number: u64) -> Result<Vec<Checkpoint>, CheckpointError> {
        let newer = self.numbers()?.into_iter().filter(|other| *other > number);
        newer.map(|number| read(&self.record(number))).collect()
    }

    /// Adds a record, and removes the oldest if there are too many.
    pub(crate) fn append(&mut self, mut checkpoint: Checkpoint) -> Result<u64, CheckpointError> {
        let mut numbers = self.numbers()?;
        checkpoint.number = numbers.last().map_or(1, |last| last + 1);
        self.replace(&checkpoint)?;
        numbers.push(checkpoint.number);
        // Contents are removed when space is needed. A call that is being undone keeps its record.
        let old = &numbers[..numbers.len().saturating_sub(self.keep)];
        for number in old.iter().filter(|number| checkpoint.undoes != Some(**number)) {
            self.forget(*number)?;
        }
        Ok(checkpoint.number)
    }

    /// Removes a record.
    pub(crate) fn forget(&self, number: u64) -> Result<(), CheckpointError> {
        Ok(fs::remove_file(self.record(number))?)
    }

    /// Overwrites a record.
    pub(crate) fn replace(&self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        let path = self.record(checkpoint.number);
        let new = self.folder.join("record.new");
        let bytes = serde_json::to_vec(checkpoint).map_err(io::Error::from)?;
        let mut file = File::options().create(true).truncate(true).write(true).mode(0o600).open(&new)?;
        file.write_all(&bytes)?;
        Ok(fs::rename(new, path)?)
    }

    /// Stores the extended attributes of a file in this state.
    pub(crate) fn keep_attributes(&self, stamp: &Stamp, attributes: &Attributes) -> Result<(), CheckpointError> {
        let folder = self.folder.join("attributes");
        private(&folder)?;
        let bytes = serde_json::to_vec(attributes).map_err(io::Error::from)?;
        let new = folder.join("new");
        let mut file = File::options().create(true).truncate(true).write(true).mode(0o600).open(&new)?;
        file.write_all(&bytes)?;
        Ok(fs::rename(new, folder.join(stamp.name()))?)
    }

    /// The extended attributes that a file had when its content was stored.
    pub(crate) fn attributes_of(&self, item: &Item) -> Attributes {
        if item.node.metadata.kind != FileKind::File {
            return Vec::new();
        }
        let stamp = Stamp::from(&item.node.metadata);
        read(&self.folder.join("attributes").join(stamp.name())).unwrap_or_default()
    }

    fn numbers(&self) -> Result<Vec<u64>, CheckpointError> {
        let mut numbers = Vec::new();
        for entry in fs::read_dir(self.folder.join("calls"))? {
            let name = entry?.file_name();
            numbers.extend(name.to_str().and_then(|name| name.strip_suffix(".json")?.parse::<u64>().ok()));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    fn record(&self, number: u64) -> PathBuf {
        self.folder.join("calls").join(format!("{number}.json"))
    }

    fn object(&self, hash: Hash) -> PathBuf {
        let name = hash.to_string();
        let (first, rest) = name.split_at(2);
        self.folder.join("objects").join(first).join(rest)
    }

    /// All contents, and half-written files of other processes.
    fn objects(&self) -> io::Result<Vec<(PathBuf, Option<Hash>, u64)>> {
        let mut found = Vec::new();
        for first in fs::read_dir(self.folder.join("objects"))? {
            let first = first?;
            if !first.file_type()?.is_dir() {
                found.push((first.path(), None, 0));
                continue;
            }
            for rest in fs::read_dir(first.path())? {
                let rest = rest?;
                let name = format!("{}{}", first.file_name().to_string_lossy(), rest.file_name().to_string_lossy());
                found.push((rest.path(), Hash::parse(&name), rest.metadata()?.size()));
            }
        }
        Ok(found)
    }

    /// Removes unneeded contents, then the oldest calls, until there is enough space; `false` if
    /// that is not enough.
    fn make_room(&mut self, size: u64) -> Result<bool, CheckpointError> {
        let has_room = |store: &Self| store.used.saturating_add(size) <= store.max_bytes;
        if has_room(self) {
            return Ok(true);
        }
        self.sweep()?;
        while !has_room(self) {
            let numbers = self.numbers()?;
            if numbers.is_empty() {
                return Ok(false);
            }
            // Several at once: each sweep reads every content's name.
            for number in &numbers[..numbers.len().div_ceil(4)] {
                self.forget(*number)?;
            }
            self.sweep()?;
        }
        Ok(true)
    }

    /// Removes every content that no file of the workspace, no record and no running call needs.
    fn sweep(&mut self) -> Result<(), CheckpointError> {
        let mut needed: HashSet<Hash> = self.index.hashes().collect();
        for running in self.running.iter().filter_map(Weak::upgrade) {
            needed.extend(running.iter().flat_map(|seen| seen.hashes()));
        }
        needed.extend(unfinished::needed(&self.folder));
        for checkpoint in self.checkpoints()? {
            let states = checkpoint.changes.iter().flat_map(|change| change.before.iter().chain(&change.after));
            needed.extend(states.filter_map(|state| Hash::parse(state.hash.as_deref()?)));
        }
        let mut used = 0_u64;
        for (path, hash, size) in self.objects()? {
            if hash.is_some_and(|hash| needed.contains(&hash)) || fs::remove_file(path).is_err() {
                used = used.saturating_add(size);
            }
        }
        self.used = used;
        Ok(())
    }
}

/// Creates a private folder, and refuses one with another owner.
fn private(folder: &Path) -> Result<(), CheckpointError> {
    let path = || folder.to_string_lossy().into_owned();
    make_private_folder(folder).map_err(|source| CheckpointError::Folder { folder: path(), source })?;
    let metadata = fs::symlink_metadata(folder)?;
    if !metadata.is_dir() || metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(CheckpointError::NotOurs { folder: path() });
    }
    if metadata.mode() & 0o077 != 0 {
        fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    }
    Ok(())
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, CheckpointError> {
    let bytes = fs::read(path)?;
    let damaged = |_| CheckpointError::Damaged { file: path.file_name().unwrap_or_default().to_string_lossy().into() };
    serde_json::from_slice(&bytes).map_err(damaged)
}
