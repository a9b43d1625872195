//! Undoes one call, file by file, by rename. A file that has changed since the call stays as it is.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use serde::Serialize;
use tools_core::{Clock as _, ProcessNotes, SystemClock, take_notes_left_behind};
use tools_sandbox::Directory;
use tools_sandbox::tree::{self, Bounds, Shape};

use crate::decide::{Step, decide, same};
use crate::error::CheckpointError;
use crate::folder::Folder;
use crate::folder_state::{FolderState, innermost, is_no_folder, open, own};
use crate::hash::Hash;
use crate::record::{Change, Checkpoint, Repository};
use crate::state::{EntryKind, Name, State};
use crate::store::Store;
use crate::unfinished::running;
use crate::{attributes, repository};

/// File extension of the record of an undo in progress.
const EXTENSION: &str = "undo";

/// Result of an undo.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Undone {
    /// The calls, the last one first.
    pub calls: Vec<u64>,
    /// Restored paths.
    pub restored: Vec<PathBuf>,
    /// Removed paths.
    pub removed: Vec<PathBuf>,
    /// Changes of the calls that stay.
    pub refused: Vec<Refusal>,
    /// Changes by others during the calls, which stay too.
    pub others: Vec<PathBuf>,
    /// Paths that were not covered when the calls ran, and may be as they left them.
    pub gaps: Vec<String>,
}

/// A change that was not undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// Its path.
    pub path: PathBuf,
    /// The call whose change stays.
    pub call: u64,
    /// The reason.
    pub why: String,
}

/// Undoes calls, in this order.
pub(crate) fn all(
    store: &mut Store,
    roots: &[PathBuf],
    calls: Vec<Checkpoint>,
    undone: &mut Undone,
) -> Result<(), CheckpointError> {
    let mut left = store.checkpoints()?;
    left.retain(|record| record.under_way && calls.iter().any(|call| record.undoes == Some(call.number)));
    let group = left.iter().find_map(|record| record.group).map_or_else(|| store.last().map(|last| last + 1), Ok)?;
    calls.into_iter().try_for_each(|checkpoint| one(store, roots, checkpoint, group, &left, undone))
}

/// Checks that the folders that these calls changed are those at their paths.
///
/// # Errors
/// [`CheckpointError::OtherFolder`].
pub(crate) fn are_in_place(calls: &[Checkpoint]) -> Result<(), CheckpointError> {
    let mut folders = calls.iter().flat_map(|call| call.folders.iter().map(|folder| (call.number, folder)));
    folders.find(|(_, folder)| folder.is_replaced()).map_or(Ok(()), |(number, folder)| {
        Err(CheckpointError::OtherFolder { number, folder: folder.path.0.to_string_lossy().into_owned() })
    })
}

/// Undoes one call and marks it as undone, unless something had to stay. Records the undo's own
/// changes before making them. Continues an earlier undo that `left` a record; the new record
/// replaces it, so that records are in order.
fn one(
    store: &mut Store,
    roots: &[PathBuf],
    mut checkpoint: Checkpoint,
    group: u64,
    left: &[Checkpoint],
    undone: &mut Undone,
) -> Result<(), CheckpointError> {
    let number = checkpoint.number;
    let replaced = || left.iter().filter(|record| record.undoes == Some(number));
    let left = replaced().next_back();
    let mut way_back = Checkpoint { group: Some(group), ..way_back(store, roots, &checkpoint, left) };
    let is_telling = way_back.changes.iter().any(Change::is_reportable);
    let _notes = is_telling.then(|| begin(store, roots, &mut way_back, &checkpoint.repositories)).transpose()?;
    if is_telling {
        replaced().try_for_each(|record| store.forget(record.number))?;
    }
    undone.others.extend(checkpoint.others.iter().map(|name| name.0.clone()));
    take_back(store, roots, &mut checkpoint, undone, left);
    store.replace(&checkpoint)?;
    if is_telling {
        let done: BTreeSet<&PathBuf> = undone.restored.iter().chain(&undone.removed).collect();
        let mut work = Work::new(store, roots, left);
        way_back.changes.retain(|change| {
            !change.is_reportable() || done.contains(&change.path.0) || left.is_some() && work.is_made(change)
        });
        way_back.undone = !way_back.changes.iter().any(Change::is_reportable);
        way_back.repositories = fingerprints(store, roots, &checkpoint);
        way_back.under_way = false;
        store.replace(&way_back)?;
    }
    Ok(())
}

/// Records that an undo, or its redo, is about to change files. If this process is killed, the next
/// undo or redo continues. The notes live as long as the work.
fn begin(
    store: &mut Store,
    roots: &[PathBuf],
    record: &mut Checkpoint,
    repositories: &[Repository],
) -> Result<ProcessNotes, CheckpointError> {
    if !record.under_way {
        record.under_way = true;
        record.repositories = prints(store, roots, repositories, &record.changes);
    }
    let is_new = record.number == 0;
    if is_new {
        record.number = store.last()? + 1;
    }
    let mut notes = ProcessNotes::in_folder(running(store.folder()), EXTENSION);
    notes.add(format!("{}\n", record.number).as_bytes())?;
    if is_new {
        store.append(record.clone())?;
    } else {
        store.replace(record)?;
    }
    Ok(notes)
}

/// Removes the half-made files of every undo whose process was killed.
pub(crate) fn sweep_left(store: &Store, roots: &[PathBuf]) {
    take_notes_left_behind(&running(store.folder()), EXTENSION, |number| {
        let mut work = Work::new(store, roots, None);
        let mut records = store.checkpoints().unwrap_or_default();
        records.retain(|record| format!("{}\n", record.number).as_bytes() == number);
        for Change { path: Name(path), .. } in records.iter().flat_map(|record| &record.changes) {
            let swept = work.place(path).and_then(|(root, relative)| tree::sweep(root, &relative));
            if let Some(error) = swept.err().filter(|error| !is_no_folder(error)) {
                tracing::debug!(%error, path = %path.display(), "what an undo left half made stays");
            }
        }
        true
    });
}

/// The records of the last undo, of all calls that it undid, the last one first.
pub(crate) fn last_undo(store: &Store) -> Result<Vec<Checkpoint>, CheckpointError> {
    let mut undos = store.checkpoints()?;
    undos.retain(|record| record.undoes.is_some() && !record.undone);
    let Some(last) = undos.pop() else { return Ok(Vec::new()) };
    undos.retain(|record| record.group.is_some() && record.group == last.group);
    undos.push(last);
    undos.reverse();
    Ok(undos)
}

/// Reverts the undo of one call. First marks the call as not undone, so that an undo finds it if
/// this is killed.
pub(crate) fn redo(
    store: &mut Store,
    roots: &[PathBuf],
    mut record: Checkpoint,
    undone: &mut Undone,
) -> Result<(), CheckpointError> {
    let left = record.under_way.then(|| record.clone());
    let _notes = begin(store, roots, &mut record.clone(), &record.repositories)?;
    let mut calls = store.checkpoints()?;
    calls.retain(|checkpoint| Some(checkpoint.number) == record.undoes);
    for call in &mut calls {
        (call.undone, call.tried) = (false, false);
        store.replace(call)?;
    }
    take_back(store, roots, &mut record, undone, left.as_ref());
    for call in &mut calls {
        // The repository is as the call left it, but its files are new ones.
        call.repositories = fingerprints(store, roots, call);
        store.replace(call)?;
    }
    (record.undone, record.under_way) = (true, false);
    store.replace(&record)
}

/// The changes that undoing a call would make, as a call; including those that an earlier undo was
/// about to make.
fn way_back(store: &Store, roots: &[PathBuf], checkpoint: &Checkpoint, left: Option<&Checkpoint>) -> Checkpoint {
    let mut work = Work::new(store, roots, left);
    let reverse = |change: &Change| match work.look(change) {
        Ok((Step::Remove | Step::Restore, now)) => {
            // The record knows more about the current state than a read: other names and
            // attributes.
            let before = now.map(|now| change.after.clone().filter(|after| after.holds_the_same(&now)).unwrap_or(now));
            Some(Change { path: change.path.clone(), before, after: change.before.clone(), shared: false })
        }
        _ => None,
    };
    let mut changes: Vec<Change> = checkpoint.changes.iter().filter_map(reverse).collect();
    if let Some(left) = left {
        let known: BTreeSet<&Name> = left.changes.iter().map(|change| &change.path).collect();
        changes.retain(|change| !known.contains(&change.path));
        changes.extend(left.changes.iter().cloned());
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        return Checkpoint { number: 0, changes, ..left.clone() };
    }
    Checkpoint {
        at: SystemClock.now().to_string(),
        call_id: checkpoint.call_id.clone(),
        tool: "undo".to_owned(),
        session: checkpoint.session.clone(),
        what: checkpoint.what.clone(),
        changes,
        folders: checkpoint.folders.iter().filter_map(|folder| Folder::at(&folder.path.0)).collect(),
        undoes: Some(checkpoint.number),
        ..Checkpoint::default()
    }
}

/// Fingerprints of the repositories that a call changed, in their current state.
pub(crate) fn fingerprints(store: &Store, roots: &[PathBuf], checkpoint: &Checkpoint) -> Vec<Repository> {
    prints(store, roots, &checkpoint.repositories, &[])
}

/// Current fingerprints of these repositories, without the paths of `changes`.
fn prints(store: &Store, roots: &[PathBuf], repositories: &[Repository], changes: &[Change]) -> Vec<Repository> {
    let mut work = Work::new(store, roots, None);
    let now = |repository: &Repository| Repository {
        path: repository.path.clone(),
        fingerprint: work.fingerprint(&repository.path.0, changes).unwrap_or_default(),
    };
    repositories.iter().map(now).collect()
}

fn take_back(
    store: &Store,
    roots: &[PathBuf],
    checkpoint: &mut Checkpoint,
    undone: &mut Undone,
    left: Option<&Checkpoint>,
) {
    let mut work = Work::new(store, roots, left);
    let refused_before = undone.refused.len();
    undone.calls.push(checkpoint.number);
    undone.gaps.extend(checkpoint.gaps.iter().filter(|gap| !undone.gaps.contains(gap)).cloned().collect::<Vec<_>>());
    let number = checkpoint.number;
    let refuse = |undone: &mut Undone, path: &Path, why: String| {
        undone.refused.push(Refusal { path: path.to_owned(), call: number, why });
    };
    let closed = closed_repositories(&mut work, checkpoint);
    for (folder, why) in &closed {
        // If git has only noted what it has read since, nothing is lost.
        let is_loss =
            checkpoint.changes.iter().any(|change| change.is_reportable() && change.path.0.starts_with(folder));
        if let Some(why) = why.as_ref().filter(|_| is_loss) {
            refuse(undone, folder, why.clone());
        }
    }
    let is_open = |change: &&Change| !closed.iter().any(|(folder, _)| change.path.0.starts_with(folder));
    // First remove what was created, children before their folders; then restore what existed,
    // folders before children.
    let removals = checkpoint.changes.iter().rev().filter(|change| change.before.is_none());
    let restorals = checkpoint.changes.iter().filter(|change| change.before.is_some());
    for change in removals.chain(restorals).filter(is_open) {
        let path = &change.path.0;
        match work.step(change) {
            Ok(Step::Nothing) => {}
            Ok(Step::Refuse(why)) => refuse(undone, path, why.to_owned()),
            Ok(Step::Remove) => undone.removed.push(path.clone()),
            Ok(Step::Restore) if !change.is_reportable() => {}
            Ok(Step::Restore) => undone.restored.push(path.clone()),
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                refuse(undone, path, "it holds files that the call did not make".to_owned());
            }
            Err(error) => refuse(undone, path, error.to_string()),
        }
    }
    for (path, why) in work.settle(checkpoint.changes.iter().filter(is_open)) {
        refuse(undone, &path, why);
    }
    // What cannot be undone now can be requested again by its number; what never can is skipped
    // after it was reported.
    checkpoint.undone = undone.refused.len() == refused_before;
    if checkpoint.changes.is_empty() {
        let why = checkpoint.gaps.first().cloned().unwrap_or_default();
        refuse(undone, roots.first().map_or(Path::new("/"), PathBuf::as_path), why);
    }
    checkpoint.tried = !checkpoint.undone;
}

/// Repositories that are left alone, because they are already as before, or were used since.
fn closed_repositories(work: &mut Work<'_>, checkpoint: &Checkpoint) -> Vec<(PathBuf, Option<String>)> {
    let used = || Some("the repository was used since".to_owned());
    let mut closed = Vec::new();
    for repository in &checkpoint.repositories {
        let folder = &repository.path.0;
        let inside: Vec<&Change> =
            checkpoint.changes.iter().filter(|change| change.path.0.starts_with(folder)).collect();
        // Files that a killed undo was about to change in a repository do not count as changes by
        // others while they are in their state before or after that undo.
        let left = work.left.and_then(|left| {
            let then = left.repositories.iter().find(|then| then.path == repository.path)?;
            Some((then, left.changes.as_slice()))
        });
        let (then, except) = left.unwrap_or((repository, &[]));
        let mut is_foreign = false;
        let mut all_done = true;
        let mut lost = false;
        let mut is_as_left = false;
        for change in &inside {
            let looked = work.look(change);
            let is_done = matches!(looked, Ok((Step::Nothing, _)));
            all_done &= is_done;
            is_foreign |= !matches!(looked, Ok((Step::Nothing | Step::Remove | Step::Restore, _)));
            is_as_left |= change.path.0 == *folder && matches!(looked, Ok((Step::Restore, _)));
            lost |= !is_done
                && change.before.as_ref().is_some_and(|state| state.kind == EntryKind::File && state.hash.is_none());
        }
        if all_done {
            continue;
        }
        match work.fingerprint(folder, except) {
            Ok(_) if left.is_some() && is_foreign && !lost => closed.push((folder.clone(), used())),
            Ok(now) if now == then.fingerprint && !lost => {}
            Ok(now) if now == then.fingerprint => {
                closed.push((folder.clone(), Some("not all of the repository was kept".to_owned())));
            }
            Ok(_) => closed.push((folder.clone(), used())),
            // Made inaccessible by the call itself, and still as it left it.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && is_as_left => {}
            Err(error) => closed.push((folder.clone(), Some(error.to_string()))),
        }
    }
    // If git only noted what it had read, its notes are restored or stay.
    for change in &checkpoint.changes {
        let path = &change.path.0;
        if repository::is_bookkeeping(path)
            && !checkpoint.repositories.iter().any(|repository| path.starts_with(&repository.path.0))
            && !matches!(work.look(change), Ok((Step::Nothing | Step::Restore, _)))
        {
            closed.push((path.clone(), None));
        }
    }
    closed
}

struct Work<'a> {
    store: &'a Store,
    roots: &'a [PathBuf],
    /// Record of the killed undo that is being continued.
    left: Option<&'a Checkpoint>,
    opened: BTreeMap<PathBuf, Directory>,
    /// Folders in which something was done, with their state before; `None` for restored ones.
    touched: BTreeMap<PathBuf, Option<Shape>>,
}

impl<'a> Work<'a> {
    fn new(store: &'a Store, roots: &'a [PathBuf], left: Option<&'a Checkpoint>) -> Self {
        Self { store, roots, left, opened: BTreeMap::new(), touched: BTreeMap::new() }
    }

    /// The action for a change, and the current state of its path.
    fn look(&mut self, change: &Change) -> io::Result<(Step, Option<State>)> {
        let (root, relative) = self.place(&change.path.0)?;
        let now = state(root, &relative)?;
        Ok((decide(change, now.as_ref(), self.left.is_some()), now))
    }

    /// Whether the path is as after this change.
    fn is_made(&mut self, change: &Change) -> bool {
        let now = self.place(&change.path.0).and_then(|(root, relative)| state(root, &relative));
        now.is_ok_and(|now| same(now.as_ref(), change.after.as_ref()))
    }

    fn step(&mut self, change: &Change) -> io::Result<Step> {
        let (step, now) = self.look(change)?;
        if !matches!(step, Step::Remove | Step::Restore) {
            return Ok(step);
        }
        let (store, path) = (self.store, &change.path.0);
        // Folders are handled at the end.
        let is_only_settled = step == Step::Restore
            && now
                .as_ref()
                .zip(change.before.as_ref())
                .is_some_and(|(now, before)| now.kind == EntryKind::Directory && before.kind == EntryKind::Directory);
        if is_only_settled {
            self.touched.insert(path.clone(), None);
            return Ok(step);
        }
        self.touch(path.parent())?;
        let (root, relative) = self.place(path)?;
        if let Some(before) = change.before.as_ref().filter(|_| step == Step::Restore) {
            let hash = before.hash.as_deref().and_then(Hash::parse);
            let mut content = |file: &mut std::fs::File| match hash {
                Some(hash) => store.restore(hash, file).and_then(|()| attributes::give(file, &before.attributes)),
                None => Err(io::ErrorKind::NotFound.into()),
            };
            let is_linked = self.link(change, before)?;
            let (root, relative) = self.place(path)?;
            if !is_linked {
                tree::put(root, &relative, &before.shape(), &mut content)?;
            }
            if before.kind == EntryKind::Directory {
                self.touched.insert(path.clone(), None);
            }
        } else {
            tree::remove(root, &relative)?;
        }
        Ok(step)
    }

    /// Restores a file as another name of the same file, if that has the same content again.
    fn link(&mut self, change: &Change, before: &State) -> io::Result<bool> {
        for name in &before.names {
            let (root, relative) = self.place(&name.0)?;
            let Ok(Some(there)) = state(root, &relative) else { continue };
            if there.holds_the_same(before) && there.modified == before.modified && there.hash.is_some() {
                let source = (root.subdirectory(relative.parent().unwrap_or(Path::new("")))?, relative);
                let (root, relative) = self.place(&change.path.0)?;
                return tree::link((&source.0, source.1.file_name().unwrap_or_default()), root, &relative)
                    .map(|()| true);
            }
        }
        Ok(false)
    }

    /// Notes the state of a folder before anything is done in it.
    fn touch(&mut self, folder: Option<&Path>) -> io::Result<()> {
        let Some(folder) = folder.filter(|folder| !self.touched.contains_key(*folder)) else { return Ok(()) };
        let Ok((root, relative)) = self.place(folder) else { return Ok(()) };
        if let Some(now) = own(root, &relative)? {
            self.touched.insert(folder.to_owned(), Some(now.shape()));
        }
        Ok(())
    }

    /// Restores mode and times of folders, children first: those that the call changed to their
    /// state before it, unless somebody else has changed them since, and all others to their state
    /// before the undo.
    fn settle<'c>(&mut self, changes: impl Iterator<Item = &'c Change>) -> Vec<(PathBuf, String)> {
        let mut wanted: BTreeMap<PathBuf, Shape> = BTreeMap::new();
        for change in changes {
            let Some(before) = change.before.as_ref().filter(|before| before.kind == EntryKind::Directory) else {
                continue;
            };
            let path = &change.path.0;
            let times = match self.touched.get(path) {
                Some(None) => None,
                Some(Some(shape)) => Some((shape.mode, shape.modified)),
                None => match self.place(path).and_then(|(root, relative)| own(root, &relative)) {
                    Ok(Some(now)) if now.is_directory() => Some((now.metadata.mode, now.metadata.modified)),
                    _ => continue,
                },
            };
            let is_ours = times.is_none_or(|times| {
                let after = change.after.as_ref().filter(|after| after.kind == EntryKind::Directory);
                let is_resumed = |after: &State| {
                    self.left.is_some()
                        && [before, after].iter().any(|of| [of.mode, of.mode | 0o700].contains(&times.0))
                };
                after.is_none_or(|after| times == (after.mode, after.modified) || is_resumed(after))
            });
            if is_ours {
                wanted.insert(path.clone(), before.shape());
            }
        }
        for (path, shape) in std::mem::take(&mut self.touched) {
            if let Some(shape) = shape {
                wanted.entry(path).or_insert(shape);
            }
        }
        let mut failed = Vec::new();
        for (path, shape) in wanted.into_iter().rev() {
            let settled = self.place(&path).and_then(|(root, relative)| tree::settle(root, &relative, &shape));
            match settled {
                Err(error) if !is_no_folder(&error) => {
                    failed.push((path, error.to_string()));
                }
                _ => {}
            }
        }
        failed
    }

    fn fingerprint(&mut self, folder: &Path, except: &[Change]) -> io::Result<String> {
        let (root, relative) = self.place(folder)?;
        let never = AtomicBool::new(false);
        let bounds = Bounds { entries: usize::MAX, until: None, cancelled: &never };
        let seen = FolderState::at(root, &[folder.to_owned()], &bounds).map_err(|error| match error {
            CheckpointError::Io(error) => error,
            other => io::Error::other(other),
        })?;
        let except = except.iter().filter_map(|change| change.path.0.strip_prefix(&seen.root).ok()).collect();
        Ok(repository::fingerprint(&seen, &relative, &except))
    }

    fn place(&mut self, path: &Path) -> io::Result<(&Directory, PathBuf)> {
        let outside = || io::Error::other("it lies outside of what is covered");
        let root = innermost(self.roots, path).ok_or_else(outside)?;
        let relative = path.strip_prefix(root).unwrap_or(path).to_owned();
        if !self.opened.contains_key(root) {
            self.opened.insert(root.clone(), open(root).map_err(io::Error::other)?);
        }
        self.opened.get(root).map(|opened| (opened, relative)).ok_or_else(outside)
    }
}

/// Current state of `relative`, with the hash of its content if it can be read.
fn state(root: &Directory, relative: &Path) -> io::Result<Option<State>> {
    let parent = match root.subdirectory(relative.parent().unwrap_or(Path::new(""))) {
        Ok(parent) => parent,
        // A part of the path is missing, or no longer a folder.
        Err(error) if is_no_folder(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    let Some(name) = relative.file_name() else {
        let node = tree::Node { metadata: root.metadata()?, link: None, is_fresh: true };
        return Ok(Some(State::of(&node, None)));
    };
    let metadata = match parent.stat(name) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let link = parent.read_link(name).ok();
    let node = tree::Node { metadata, link, is_fresh: true };
    let mut state = State::of(&node, None);
    if state.kind == EntryKind::File {
        state.hash = match parent.open(name) {
            Ok(file) => Some(Hash::of(file)?.to_string()),
            // The file cannot be read, so it is compared by length and time.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => None,
            Err(error) => return Err(error),
        };
    }
    Ok(Some(state))
}
