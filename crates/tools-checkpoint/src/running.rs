//! A running call: the state before it, and afterwards its changes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tools_core::{Clock as _, SystemClock, WriteKeeper, WriteLog, Writes};
use tools_sandbox::FileKind;

use crate::attribute::{Attribution, attribute};
use crate::changes::{Difference, differences};
use crate::checkpoints::{Inner, OpenWrite, enter};
use crate::copies::Copies;
use crate::error::CheckpointError;
use crate::folder::Folder;
use crate::folder_state::{FolderState, Item, bounds, innermost, joined, open, watched};
use crate::keep::{Budget, Keeper};
use crate::record::{Change, Checkpoint, Repository};
use crate::state::{EntryKind, Name, State, shown};
use crate::unfinished::CallNotes;
use crate::{cleanup, overlap, repository};

/// Time limit for reading a workspace before a call. A longer delay would be noticed.
const LOOK: Duration = Duration::from_secs(2);
/// Time limit for reading after a call: then more would be lost.
pub(crate) const LOOK_AFTER: Duration = Duration::from_secs(10);
/// Time limit for storing new contents before a call; the next call continues.
pub(crate) const READ: Duration = Duration::from_secs(3);
/// Maximum number of sentences in a record about what is not covered.
const MAX_GAPS: usize = 100;

/// Changes that a call declares.
#[derive(Debug)]
pub(crate) enum DeclaredChanges {
    /// None: it could change anything.
    Anything,
    /// It could change anything, but each write is noted before it happens.
    Noted,
    /// Only these paths and everything below them.
    These(Vec<PathBuf>),
}

/// The call that makes a change.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Caller {
    #[serde(skip)]
    pub(crate) workdir: PathBuf,
    pub(crate) call_id: String,
    pub(crate) tool: String,
    pub(crate) session: String,
    /// One-line description of the call.
    pub(crate) what: String,
}

#[derive(Debug)]
pub(crate) struct RunningCall {
    inner: Arc<Inner>,
    caller: Caller,
    /// One state per folder, or why there is none.
    before: Result<Arc<Vec<Arc<FolderState>>>, String>,
    /// Paths to read in each folder; `None` for everything.
    paths: Option<Vec<Vec<PathBuf>>>,
    /// Number of the last record when it began: later ones ended while it ran.
    since: u64,
    /// Observed writes of its processes.
    pub(crate) writes: WriteLog,
    /// Contents stored right before files were written.
    copies: Option<Arc<Copies>>,
    /// Notes for the case that this process is killed, unless `copies` has them.
    notes: Option<CallNotes>,
    /// Known gaps in the coverage.
    pub(crate) gaps: BTreeSet<String>,
}

/// What was written down.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CallRecord {
    pub(crate) number: u64,
    pub(crate) changes: usize,
    /// Changes that cannot be undone, one sentence each.
    pub(crate) lost: Vec<String>,
    /// Why nothing of it can be undone, where that showed only after the call.
    pub(crate) obstacle: Option<String>,
}

impl RunningCall {
    /// Reads the state before a call, and stores what it could change.
    ///
    /// # Errors
    /// If the call was cancelled meanwhile. Any other problem becomes a gap in its record.
    pub(crate) fn begin(
        inner: &Arc<Inner>,
        caller: Caller,
        touches: DeclaredChanges,
        cancelled: &AtomicBool,
    ) -> Result<Self, CheckpointError> {
        let mut running = Self {
            inner: Arc::clone(inner),
            caller,
            before: Ok(Arc::default()),
            paths: None,
            since: 0,
            writes: WriteLog::default(),
            copies: None,
            notes: None,
            gaps: BTreeSet::new(),
        };
        match running.look_before(touches, cancelled) {
            Ok(before) => running.before = Ok(before),
            Err(CheckpointError::Cancelled) => return Err(CheckpointError::Cancelled),
            Err(error) => running.before = Err(error.to_string()),
        }
        Ok(running)
    }

    /// Makes undo, and the next call, wait for this one.
    pub(crate) fn unfinished(&self) -> OpenWrite {
        self.inner.unfinished.begin_write()
    }

    /// Why the call cannot be undone at all.
    pub(crate) fn obstacle(&self) -> Option<&str> {
        self.before.as_ref().err().map(String::as_str)
    }

    fn look_before(
        &mut self,
        touches: DeclaredChanges,
        cancelled: &AtomicBool,
    ) -> Result<Arc<Vec<Arc<FolderState>>>, CheckpointError> {
        let (config, until) = (&self.inner.config, Instant::now() + LOOK);
        let mut before = Vec::new();
        let mut bytes = config.max_bytes;
        let is_noted = matches!(touches, DeclaredChanges::Noted);
        match touches {
            DeclaredChanges::Anything | DeclaredChanges::Noted => {
                // Half is reserved for what calls change.
                bytes /= 2;
                for root in self.inner.swept(&self.caller.workdir) {
                    let bounds = bounds(config.max_entries, until, cancelled);
                    before.push(self.inner.look(&open(&root)?, &bounds, None, None)?);
                }
            }
            DeclaredChanges::These(paths) => {
                let mut placed: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
                let roots = self.inner.roots(&self.caller.workdir);
                for path in paths {
                    let Some(root) = innermost(&roots, &path) else {
                        self.gaps.insert(format!("`{}` lies outside of what is covered", path.to_string_lossy()));
                        continue;
                    };
                    let watched = watched(&open(root)?, &path);
                    placed.entry(root.clone()).or_default().push(watched);
                }
                let mut at = Vec::new();
                for (root, paths) in placed {
                    let bounds = bounds(config.max_entries, until, cancelled);
                    before.push(Arc::new(FolderState::at(&open(&root)?, &paths, &bounds)?));
                    at.push(paths);
                }
                self.paths = Some(at);
            }
        }
        let store = self.inner.store(&self.caller.workdir);
        let (mut store, _lock) = enter(&store, cancelled)?;
        if !std::mem::replace(&mut store.is_known, true) {
            cleanup::record_all(&self.inner, &mut store, &self.caller.workdir);
        }
        let count = before.iter().map(|seen| seen.count).sum();
        if self.paths.is_none() && (store.is_tight() || store.index.is_stale(count)) {
            store.index.keep_only(&before.iter().flat_map(|seen| seen.identities()).collect());
        }
        if !is_noted {
            let budget = Budget { bytes, until: Instant::now() + READ, cancelled };
            for seen in &mut before {
                let (root, looked) = (open(&seen.root)?, Arc::clone(seen));
                Keeper::new(&mut store, &root, &self.inner.coverage.closed).all(seen, &budget)?;
                if self.paths.is_none() {
                    self.inner.replace(&looked, seen);
                }
            }
        }
        store.save()?;
        self.since = store.last()?;
        let before = Arc::new(before);
        let mut notes = CallNotes::begin(store.folder(), &self.caller, self.since);
        if is_noted {
            let copies = Arc::new(Copies::new(&self.inner, &self.caller.workdir, &before, notes));
            self.writes = WriteLog::default().with_keeper(Arc::clone(&copies) as Arc<dyn WriteKeeper>);
            self.copies = Some(copies);
        } else {
            match &self.paths {
                Some(paths) => {
                    for (seen, paths) in before.iter().zip(paths) {
                        notes.change_below(seen, paths, |item| store.attributes_of(item));
                    }
                }
                None => notes.unknown(),
            }
            self.notes = Some(notes);
        }
        store.pin(Arc::downgrade(&before));
        Ok(before)
    }

    /// Reads the state after the call, and records its changes. `None` if it changed nothing.
    pub(crate) fn finish(mut self) -> Result<Option<CallRecord>, CheckpointError> {
        let never = AtomicBool::new(false);
        let store = self.inner.store(&self.caller.workdir);
        let writes = self.writes.take();
        let found = match &self.before {
            Ok(before) => self.look_after(before, writes.as_ref(), &never),
            Err(_) => Ok(CallChanges::default()),
        };
        let (mut found, obstacle) = match found {
            Ok(found) => (found, None),
            Err(error) => (CallChanges::default(), Some(error.to_string())),
        };
        if let Some(obstacle) = &obstacle {
            self.before = Err(obstacle.clone());
        }
        let (mut store, _lock) = enter(&store, &never)?;
        let meanwhile = store.since(self.since)?;
        overlap::settle(&mut found.changes, &meanwhile);
        let is_observed = writes.is_some() || self.paths.is_some();
        if let Some(obstacle) = self.obstacle() {
            self.gaps.insert(format!("nothing of this call is covered: {obstacle}"));
        } else if !found.changes.iter().any(Change::is_reportable) {
            // If only the times of folders changed, files that are not covered changed.
            return Ok(None);
        } else if !is_observed {
            self.gaps.insert(
                "who made the changes was not observed: those of others meanwhile are taken for its own".to_owned(),
            );
        }
        let gaps = found.lost.iter().cloned().chain(self.gaps).chain(std::mem::take(&mut found.gaps)).collect();
        let (changes, lost) = (found.reportable_count(), std::mem::take(&mut found.lost));
        let number = store.append(checkpoint(&self.caller, found, gaps))?;
        Ok(Some(CallRecord { number, changes, lost, obstacle }))
    }

    fn look_after(
        &self,
        before: &[Arc<FolderState>],
        writes: Option<&Writes>,
        never: &AtomicBool,
    ) -> Result<CallChanges, CheckpointError> {
        let mut found = CallChanges::default();
        let store = self.inner.store(&self.caller.workdir);
        for (index, then) in before.iter().enumerate() {
            let root = open(&then.root)?;
            let most = then.count.saturating_mul(2).saturating_add(self.inner.config.max_entries);
            let bounds = bounds(most, Instant::now() + LOOK_AFTER, never);
            let now = match &self.paths {
                None => self.inner.look(&root, &bounds, Some(then), writes)?,
                Some(paths) => {
                    let paths = paths.get(index).map_or(&[][..], Vec::as_slice);
                    Arc::new(FolderState::at(&root, paths, &bounds)?)
                }
            };
            let differences = differences(then, &now);
            if differences.is_empty() {
                continue;
            }
            let (mut store, _lock) = enter(&store, never)?;
            let mut keeper = Keeper::new(&mut store, &root, &self.inner.coverage.closed);
            let attributed = match writes.filter(|_| self.paths.is_none()) {
                Some(writes) => attribute(differences, &then.root, writes),
                None => Attribution {
                    own: differences.into_iter().map(|own| (own, false)).collect(),
                    ..Attribution::default()
                },
            };
            for (difference, is_shared) in attributed.own {
                found.add(difference, is_shared, (then, &now, self.copies.as_deref()), &mut keeper)?;
            }
            found.others.extend(attributed.others);
            store.save()?;
            found.complete(then, &now);
        }
        found.changes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }
}

/// The record of a call.
pub(crate) fn checkpoint(caller: &Caller, found: CallChanges, mut gaps: Vec<String>) -> Checkpoint {
    if gaps.len() > MAX_GAPS {
        let more = gaps.len() - MAX_GAPS;
        gaps.truncate(MAX_GAPS);
        gaps.push(format!("and {more} more"));
    }
    let Caller { call_id, tool, session, what, .. } = caller.clone();
    Checkpoint {
        at: SystemClock.now().to_string(),
        call_id,
        tool,
        session,
        what,
        changes: found.changes,
        folders: found.roots.iter().filter_map(|root| Folder::at(root)).collect(),
        repositories: found.repositories,
        gaps,
        others: found.others.into_iter().take(MAX_GAPS).map(Name).collect(),
        ..Checkpoint::default()
    }
}

#[derive(Debug, Default)]
pub(crate) struct CallChanges {
    pub(crate) changes: Vec<Change>,
    /// Root folders of the changes.
    roots: BTreeSet<PathBuf>,
    pub(crate) repositories: Vec<Repository>,
    /// Changes that cannot be undone.
    pub(crate) lost: Vec<String>,
    /// What was not read.
    pub(crate) gaps: BTreeSet<String>,
    /// Changes by others.
    pub(crate) others: Vec<PathBuf>,
}

impl CallChanges {
    /// Number of changes worth reporting.
    pub(crate) fn reportable_count(&self) -> usize {
        self.changes.iter().filter(|change| change.is_reportable()).count()
    }

    fn add(
        &mut self,
        difference: Difference,
        shared: bool,
        (then, now, copies): (&FolderState, &FolderState, Option<&Copies>),
        keeper: &mut Keeper<'_>,
    ) -> Result<(), CheckpointError> {
        let root = &then.root;
        let Difference { folder, name, before, after } = difference;
        let relative = if name.is_empty() { folder.clone() } else { joined(&folder, Path::new(&name)) };
        let path = joined(root, &relative);
        let names = |seen: &FolderState, item: &Item| {
            seen.names_of(&item.node, &relative).into_iter().map(|name| Name(joined(root, &name))).collect()
        };
        let before = before.map(|item| State {
            names: names(then, &item),
            attributes: keeper.store.attributes_of(&item),
            ..State::of(&item.node, item.hash.or_else(|| copies?.of(&item)).or_else(|| keeper.known(&item)))
        });
        let after = match after {
            Some(item) if item.node.metadata.kind == FileKind::File => {
                let hash = keeper.content(&folder, &item)?;
                Some(State { names: names(now, &item), ..State::of(&item.node, hash) })
            }
            other => other.map(|item| State::of(&item.node, None)),
        };
        self.push(Change { path: Name(path), before, after, shared }, root);
        Ok(())
    }

    /// Adds a change, unless both states are equal.
    pub(crate) fn push(&mut self, change: Change, root: &Path) {
        let Change { path, before, after, .. } = &change;
        let is_the_same = match (before, after) {
            (Some(before), Some(after)) => before.holds_the_same(after) && before.modified == after.modified,
            (None, None) => true,
            _ => false,
        };
        if is_the_same {
            return;
        }
        let is_lost = before.as_ref().is_some_and(|state| match state.kind {
            EntryKind::File => state.hash.is_none(),
            EntryKind::Other => true,
            _ => false,
        });
        if is_lost {
            self.lost.push(format!("`{}` was not kept", shown(&path.0, root)));
        }
        if !self.roots.contains(root) {
            self.roots.insert(root.to_owned());
        }
        self.changes.push(change);
    }

    /// Git folders below `root` that were changed, relative to it.
    pub(crate) fn touched_repositories(&self, root: &Path) -> BTreeSet<PathBuf> {
        let changes = self.changes.iter().filter(|change| change.is_reportable());
        changes
            .filter_map(|change| {
                let is_directory =
                    |state: &Option<State>| state.as_ref().is_some_and(|state| state.kind == EntryKind::Directory);
                let relative = change.path.0.strip_prefix(root).ok()?;
                repository::of(relative, is_directory(&change.before) || is_directory(&change.after))
            })
            .collect()
    }

    /// Adds the data of a folder after all its changes were added.
    fn complete(&mut self, then: &FolderState, now: &FolderState) {
        let touched = self.touched_repositories(&then.root);
        self.repositories.extend(touched.into_iter().map(|folder| Repository {
            fingerprint: repository::fingerprint(now, &folder, &BTreeSet::new()),
            path: Name(joined(&then.root, &folder)),
        }));
        let named = |paths: &BTreeSet<PathBuf>, what: &str| {
            paths.iter().map(|path| format!("`{}` {what}", path.to_string_lossy())).collect::<Vec<_>>()
        };
        for seen in [then, now] {
            self.gaps.extend(named(&seen.skipped, "is not looked into"));
            self.gaps.extend(named(&seen.closed, "cannot be looked into"));
        }
    }
}
