//! Undoes a command: finds the differences from the snapshot, and undoes them step by step. A
//! failed step does not stop the others.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use tools_sandbox::{Directory, FileKind, tree};

use super::envelope::RollbackReport;
use super::scope::SnapshotScope;
use super::snapshot::{FolderSnapshot, Snapshot};

/// Steps for one folder.
#[derive(Debug, Default, PartialEq, Eq)]
struct Plan {
    /// Children before parents.
    remove: Vec<PathBuf>,
    /// Parents before children.
    restore: Vec<PathBuf>,
    /// Directories whose mode or times may differ, children before parents.
    settle: Vec<PathBuf>,
}

/// Compares the state before and now; new files outside of `scope` stay.
fn plan(before: &tree::Scan, now: &tree::Scan, scope: &SnapshotScope) -> Plan {
    let mut plan = Plan::default();
    for (path, node) in now.nodes.iter().rev() {
        let stays = match before.nodes.get(path) {
            Some(then) => then.is_directory() == node.is_directory(),
            None => !scope.covers(path),
        };
        if !stays {
            plan.remove.push(path.clone());
        }
    }
    for (path, then) in &before.nodes {
        let same = now.nodes.get(path).is_some_and(|node| match (then.is_directory(), node.is_directory()) {
            (true, true) => true,
            (false, false) => then.is_untouched(node),
            _ => false,
        });
        if !same {
            plan.restore.push(path.clone());
        }
    }
    plan.settle =
        before.nodes.iter().rev().filter(|(_, then)| then.is_directory()).map(|(path, _)| path.clone()).collect();
    plan
}

/// Restores everything that differs. If something cannot be restored, the copies stay and the
/// report names them.
pub(crate) fn roll_back(snapshot: Snapshot) -> RollbackReport {
    let mut report = RollbackReport::default();
    for kept in &snapshot.kept {
        if let Err(error) = one(kept, &snapshot, &mut report) {
            report.failed.push(format!(". ({error})"));
        }
    }
    if !report.failed.is_empty() {
        report.backup = Some(snapshot.folder.keep().to_string_lossy().into_owned());
    }
    report
}

fn one(kept: &FolderSnapshot, snapshot: &Snapshot, report: &mut RollbackReport) -> io::Result<()> {
    let FolderSnapshot { root, before, copies } = kept;
    let wants = |path: &Path, kind| kind == FileKind::Directory || snapshot.scope.covers(path);
    let now = scan_unclosed(root, &wants)?;
    let plan = plan(before, &now, &snapshot.scope);
    let mut failed = |path: &Path, error: &io::Error| {
        report.failed.push(format!("{} ({error})", path.to_string_lossy()));
    };
    for path in &plan.remove {
        match tree::remove(root, path) {
            Ok(()) => report.deleted += 1,
            // The folder contains files that are out of scope.
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty && !before.nodes.contains_key(path) => {}
            Err(error) => failed(path, &error),
        }
    }
    for path in &plan.restore {
        let Some(then) = before.nodes.get(path) else { continue };
        if is_same_after_all(kept, &snapshot.copies, path, now.nodes.get(path)) {
            continue;
        }
        let mut content = |file: &mut std::fs::File| match copies.get(path) {
            Some(name) => tree::copy(&snapshot.copies.open(name.as_ref())?, file),
            None => Err(io::Error::from(io::ErrorKind::NotFound)),
        };
        match tree::put(root, path, &then.shape(), &mut content) {
            Ok(()) => report.restored += 1,
            Err(error) => failed(path, &error),
        }
    }
    for path in &plan.settle {
        let Some(then) = before.nodes.get(path) else { continue };
        if let Err(error) = tree::settle(root, path, &then.shape()) {
            failed(path, &error);
        }
    }
    Ok(())
}

/// The present entries, also in directories that the command closed: those get their former modes
/// at the end.
fn scan_unclosed(root: &Directory, wants: &dyn Fn(&Path, FileKind) -> bool) -> io::Result<tree::Scan> {
    let mut unclosed = BTreeSet::new();
    loop {
        let now = tree::scan(root, usize::MAX, wants)?;
        let known = unclosed.len();
        for path in &now.closed {
            if tree::unclose(root, path).is_ok() {
                unclosed.insert(path.clone());
            }
        }
        // Opened directories may contain further closed ones.
        if unclosed.len() == known {
            return Ok(now);
        }
    }
}

/// Whether a file only seems changed, because it was written shortly before the snapshot.
fn is_same_after_all(kept: &FolderSnapshot, copies: &Directory, path: &Path, now: Option<&tree::Node>) -> bool {
    let (Some(then), Some(now)) = (kept.before.nodes.get(path), now) else { return false };
    if then.metadata != now.metadata || then.link != now.link {
        return false;
    }
    let Some(copy) = kept.copies.get(path) else { return true };
    let read = |directory: &Directory, name: &std::ffi::OsStr| {
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut directory.open(name).ok()?, &mut bytes).ok().map(|_| bytes)
    };
    let parent = kept.root.subdirectory(path.parent().unwrap_or(Path::new("")));
    let current = parent.ok().and_then(|parent| read(&parent, path.file_name()?));
    current.is_some() && current == read(copies, copy.as_ref())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_cannot_be_put_back_is_named_and_the_copies_stay() {
        let work = tempfile::tempdir_in("/var/tmp").unwrap();
        let at = |name: &str| work.path().join(name);
        fs::write(at("a"), "one").unwrap();
        fs::write(at("b"), "two").unwrap();
        let scope = SnapshotScope::compile(&[]).unwrap();
        let snapshot = Snapshot::take(&[work.path().to_owned()], &scope, 0).unwrap();
        fs::write(at("a"), "changed").unwrap();
        fs::write(at("b"), "changed").unwrap();
        // The copy of `a` is lost.
        fs::remove_file(snapshot.place().join(&snapshot.kept[0].copies[Path::new("a")])).unwrap();
        let report = roll_back(snapshot);
        let backup = PathBuf::from(report.backup.unwrap());
        assert_eq!(report.restored, 1);
        assert!(report.failed[0].starts_with("a ("), "{:?}", report.failed);
        assert_eq!(fs::read(at("a")).unwrap(), b"changed", "not half of it");
        assert_eq!(fs::read(at("b")).unwrap(), b"two");
        assert_eq!(fs::read(backup.join("0-1")).unwrap(), b"two");
        fs::remove_dir_all(backup).unwrap();
    }
}
