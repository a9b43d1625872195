//! Updates the index from the files: by a walk, or from the changes that the system reports.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::MutexGuard;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tools_core::{FileState, ToolError};

use crate::config::IndexPolicy;
use crate::index::{Index, UNKNOWN, cancelled, excludes};
use crate::languages::form_of;
use crate::sync_result::SyncResult;
use crate::watch::{Changes, WalkWatch, Watch, WatchBaseline};
use tools_sandbox::{Candidate, FileAccess, Visitor};

/// Maximum number of new files and folders in a partial walk. More of them cause a full walk.
const MAX_WAYS: usize = 200;

/// State of one walk.
struct SyncWalk<'a> {
    index: &'a Index,
    sight: &'a dyn FileAccess,
    policy: &'a IndexPolicy,
    generation: u64,
    following: Option<&'a WalkWatch>,
    /// Limits the walk to these changes; `None` for everything.
    only: Option<&'a Changes>,
    /// Whether the walk found a file that was not indexed.
    has_new: AtomicBool,
}

impl Index {
    /// Updates the index for the files at `path`, or of the whole workspace.
    ///
    /// # Errors
    /// `Cancelled`, or the path does not exist or may not be read.
    pub(crate) fn sync(
        &self,
        sight: &dyn FileAccess,
        path: Option<&str>,
        policy: &IndexPolicy,
    ) -> Result<SyncResult, ToolError> {
        let mut watch = self.turn(sight)?;
        if path.is_some() {
            return self.look(sight, path, policy, None);
        }
        if !policy.watch {
            *watch = Watch::default();
            return self.look(sight, None, policy, None);
        }
        let starts = sight.starts();
        let doubtful = self.doubtful();
        if !self.is_doubtful()
            && let Some((covered, changes)) = watch.changes(&starts, &policy.searched)
            && let Some(covered) = self.update(sight, &mut watch, covered, changes, doubtful, policy)?
        {
            let synced = covered.synced.clone();
            watch.set_baseline(covered);
            return Ok(synced);
        }
        let following = watch.begin(&starts);
        let synced = self.look(sight, None, policy, Some(&following))?;
        Ok(watch.end(following, synced, policy.searched.clone()))
    }

    /// Waits for other calls that scan files.
    fn turn(&self, sight: &dyn FileAccess) -> Result<MutexGuard<'_, Watch>, ToolError> {
        loop {
            match self.syncing.try_lock() {
                Ok(watch) => return Ok(watch),
                Err(std::sync::TryLockError::Poisoned(poisoned)) => {
                    let mut watch = poisoned.into_inner();
                    *watch = Watch::default();
                    return Ok(watch);
                }
                Err(std::sync::TryLockError::WouldBlock) if sight.is_cancelled() => return Err(cancelled()),
                Err(std::sync::TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
            }
        }
    }

    /// Walks everything at `path`, or in the workspace.
    fn look(
        &self,
        sight: &dyn FileAccess,
        path: Option<&str>,
        policy: &IndexPolicy,
        following: Option<&WalkWatch>,
    ) -> Result<SyncResult, ToolError> {
        let (generation, full_before) = self.state().begin_look();
        let looking =
            SyncWalk { index: self, sight, policy, generation, following, only: None, has_new: AtomicBool::new(false) };
        let walked = sight.walk(path, &looking)?;
        if sight.is_cancelled() {
            return Err(cancelled());
        }
        let mut state = self.state();
        let lost = if walked.is_cut { 0 } else { state.drop_unseen(&walked.starts, generation) };
        let full = state.full();
        if path.is_some() {
            // Other ignore files apply to a path that is named, so the files that a full walk would
            // find are no longer known.
            if lost > 0 || looking.has_new.into_inner() {
                self.doubt_everything();
            }
            state.set_full(full_before);
        }
        Ok(SyncResult { walked, full, unwatched: None })
    }

    /// Indexes the changes; `None` when a full walk is needed.
    fn update(
        &self,
        sight: &dyn FileAccess,
        watch: &mut Watch,
        mut covered: WatchBaseline,
        changes: Changes,
        doubtful: BTreeSet<PathBuf>,
        policy: &IndexPolicy,
    ) -> Result<Option<WatchBaseline>, ToolError> {
        let is_searched = |path: &Path| form_of(path).is_some() && !excludes(&policy.exclude, path);
        let mut ways = Changes { folders: changes.folders, ..Changes::default() };
        for path in changes.files.into_iter().chain(doubtful).filter(|path| is_searched(path)) {
            if !self.state().holds(&path) {
                // Only the walk knows whether ignore files exclude a new file.
                ways.files.insert(path);
            } else if !covered.linked.contains(&path) {
                self.reread(sight, &path, policy);
            }
        }
        for path in &covered.linked {
            let Ok(found) = std::fs::symlink_metadata(path) else {
                self.forget_unreadable(path);
                continue;
            };
            if !self.state().is_same(path, &FileState::from(&found)) {
                ways.files.insert(path.clone());
            }
        }
        if sight.is_cancelled() {
            return Err(cancelled());
        }
        if self.state().full() > 0 {
            return Ok(None);
        }
        if ways.is_empty() {
            return Ok(Some(covered));
        }
        if ways.files.len() + ways.folders.len() > MAX_WAYS {
            return Ok(None);
        }
        let (following, generation) = (watch.extend(), self.state().generation());
        let looking = SyncWalk {
            index: self,
            sight,
            policy,
            generation,
            following: Some(&following),
            only: Some(&ways),
            has_new: AtomicBool::new(false),
        };
        let walked = sight.walk(None, &looking)?;
        if sight.is_cancelled() {
            return Err(cancelled());
        }
        let Some(linked) =
            watch.extended(following, walked.unreadable).filter(|_| !walked.is_cut && self.state().full() == 0)
        else {
            return Ok(None);
        };
        covered.linked.extend(linked);
        Ok(Some(covered))
    }

    /// Indexes the current content of one file, by its path.
    fn reread(&self, sight: &dyn FileAccess, path: &Path, policy: &IndexPolicy) {
        let Some(form) = form_of(path) else { return };
        match sight.read(path, policy.max_file_bytes) {
            // Its time stamps were not read; only its content is known.
            Some(text) => {
                let generation = self.state().generation();
                self.take_in((sight, path), form, UNKNOWN, &text, generation, policy);
            }
            None if std::fs::symlink_metadata(path).is_ok_and(|found| found.len() > policy.max_file_bytes) => {
                self.state().leave_out(path);
            }
            None => self.forget_unreadable(path),
        }
    }
}

impl Visitor for SyncWalk<'_> {
    fn enters(&self, folder: &Path) -> bool {
        let is_new = self.only.is_none_or(|only| only.covers(folder));
        if is_new && let Some(following) = self.following {
            following.enter(folder);
        }
        is_new || self.only.is_some_and(|only| only.leads_through(folder))
    }

    fn visit(&self, candidate: &dyn Candidate) {
        let path = candidate.path();
        if self.only.is_some_and(|only| !only.files.contains(path) && !only.covers(path)) {
            return;
        }
        if let Err(error) = self.look_at(candidate) {
            use io::ErrorKind::{InvalidInput, NotFound, PermissionDenied};
            // The system reports when these change: the file is gone, denied, or not a file.
            let is_told = matches!(error.kind(), NotFound | PermissionDenied | InvalidInput);
            if let Some(following) = self.following.filter(|_| !is_told) {
                following.doubt();
            }
        }
    }
}

impl SyncWalk<'_> {
    fn look_at(&self, candidate: &dyn Candidate) -> io::Result<()> {
        let (path, policy) = (candidate.path(), self.policy);
        let Some(form) = form_of(path).filter(|_| !excludes(&policy.exclude, path)) else { return Ok(()) };
        let (found, names) = candidate.state()?;
        if names > 1
            && let Some(following) = self.following
        {
            following.linked(path);
        }
        if found.size > policy.max_file_bytes {
            self.index.state().leave_out(path);
            return Ok(());
        }
        if self.index.state().keep(path, &found, self.generation) {
            return Ok(());
        }
        if let (found, Some(text)) = candidate.read(policy.max_file_bytes)? {
            if !self.index.state().holds(path) {
                self.has_new.store(true, Ordering::Relaxed);
            }
            self.index.take_in((self.sight, path), form, found, &text, self.generation, policy);
        }
        Ok(())
    }
}
