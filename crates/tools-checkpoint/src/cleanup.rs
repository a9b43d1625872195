//! Cleans up after killed processes: the next process that uses the store writes the records of
//! their calls, and removes half-made files of their undos.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use tools_sandbox::FileKind;

use crate::checkpoints::Inner;
use crate::error::CheckpointError;
use crate::folder_state::{FolderState, bounds, innermost, joined, open};
use crate::keep::Keeper;
use crate::record::{Change, Repository};
use crate::running::{CallChanges, LOOK_AFTER, checkpoint};
use crate::state::{Name, State};
use crate::store::Store;
use crate::unfinished::{UnfinishedCall, take_unfinished};
use crate::{overlap, undo};

/// Records every call that was running in a killed process, and removes the half-made files of
/// every undo. What cannot be recorded now is retried next time.
pub(crate) fn record_all(inner: &Inner, store: &mut Store, workdir: &Path) {
    let folder = store.folder().to_owned();
    undo::sweep_left(store, &inner.roots(workdir));
    take_unfinished(&folder, |call| match record(inner, store, workdir, &call) {
        Ok(()) => true,
        Err(error) => {
            tracing::warn!(%error, call = call.caller.call_id, "a call whose process was killed has no record yet");
            false
        }
    });
}

fn record(inner: &Inner, store: &mut Store, workdir: &Path, call: &UnfinishedCall) -> Result<(), CheckpointError> {
    let mut found = CallChanges::default();
    let gap = if call.is_complete {
        match changes(inner, store, workdir, call, &mut found) {
            Ok(()) => "the process that ran this call was killed: what others changed at these paths before this \
                       record was made is taken for the call's"
                .to_owned(),
            Err(error) => {
                found = CallChanges::default();
                format!("nothing of this call is covered: its process was killed, and {error}")
            }
        }
    } else {
        "nothing of this call is covered: its process was killed, and its writes were not observed".to_owned()
    };
    overlap::settle(&mut found.changes, &store.since(call.since)?);
    if found.reportable_count() == 0 && call.is_complete {
        return Ok(());
    }
    let gaps = found.lost.iter().cloned().chain([gap]).collect();
    let mut record = checkpoint(&call.caller, found, gaps);
    record.repositories = undo::fingerprints(store, &inner.roots(workdir), &record);
    store.save()?;
    store.append(record)?;
    Ok(())
}

/// Differences at the call's paths from what was noted before it wrote there.
fn changes(
    inner: &Inner,
    store: &mut Store,
    workdir: &Path,
    call: &UnfinishedCall,
    found: &mut CallChanges,
) -> Result<(), CheckpointError> {
    let roots = inner.roots(workdir);
    let mut by_root: BTreeMap<&PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for path in call.paths.keys() {
        if let Some(root) = innermost(&roots, path) {
            by_root.entry(root).or_default().push(path.clone());
        }
    }
    for (root, paths) in by_root {
        let now = now(inner, store, (root, &paths), call)?;
        let before = call.before.iter().filter(|(path, _)| innermost(&roots, path) == Some(root));
        let before: BTreeMap<&PathBuf, &State> = before.collect();
        let all: BTreeSet<&PathBuf> = before.keys().copied().chain(now.keys()).collect();
        for path in all {
            let (before, after) = (before.get(path).copied().cloned(), now.get(path).cloned());
            found.push(Change { path: Name(path.clone()), before, after, shared: false }, root);
        }
        let touched = found.touched_repositories(root).into_iter();
        found
            .repositories
            .extend(touched.map(|folder| Repository { path: Name(joined(root, &folder)), fingerprint: String::new() }));
    }
    Ok(())
}

/// Current state of the call's paths in `root`, with contents stored.
fn now(
    inner: &Inner,
    store: &mut Store,
    (root, paths): (&Path, &[PathBuf]),
    call: &UnfinishedCall,
) -> Result<BTreeMap<PathBuf, State>, CheckpointError> {
    let never = AtomicBool::new(false);
    let directory = open(root)?;
    let bounds = bounds(inner.config.max_entries, Instant::now() + LOOK_AFTER, &never);
    let seen = FolderState::at(&directory, paths, &bounds)?;
    let mut keeper = Keeper::new(store, &directory, &inner.coverage.closed);
    let around = seen.alone.iter().map(|(folder, node)| (joined(root, folder), State::of(node, None)));
    let mut now: BTreeMap<PathBuf, State> = around.filter(|(path, _)| call.before.contains_key(path)).collect();
    for (folder, item) in seen.items() {
        let path = joined(root, &joined(folder, Path::new(&item.name)));
        if call.touches(&path) {
            let is_file = item.node.metadata.kind == FileKind::File;
            let hash = if is_file { keeper.content(folder, item)? } else { None };
            now.insert(path, State::of(&item.node, hash));
        }
    }
    Ok(now)
}
