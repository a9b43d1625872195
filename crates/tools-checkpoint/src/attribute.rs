//! Attributes changes around a call to the call or to others, by the observed writes of its
//! processes.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use tools_core::{FileState, Writes, WrittenPath};
use tools_sandbox::{FileKind, Metadata, tree::Node};

use crate::changes::Difference;
use crate::folder_state::{Item, joined};
use crate::repository;

/// Changes around a call by author.
#[derive(Debug, Default)]
pub(crate) struct Attribution {
    /// Changes of the call, each with whether somebody else changed the same thing before the call
    /// did.
    pub(crate) own: Vec<(Difference, bool)>,
    /// Changes by others, outermost first.
    pub(crate) others: Vec<PathBuf>,
}

/// Divides `differences` in the folder `root`.
///
/// What the call did not write under any name belongs to others. What it wrote is its own. If the
/// file had changed before the call first wrote it, somebody else's part cannot be separated from
/// the call's.
pub(crate) fn attribute(differences: Vec<Difference>, root: &Path, writes: &Writes) -> Attribution {
    let path = |difference: &Difference| {
        let name = Path::new(&difference.name);
        joined(root, &joined(&difference.folder, name))
    };
    // A file with several names changes under all of them.
    let written_through: HashSet<_> = differences
        .iter()
        .filter(|difference| writes.at(&path(difference)).is_some())
        .filter_map(|difference| same_file(difference).map(|node| node.metadata.id))
        .collect();
    // Files that were unchanged when the call first wrote them: changes under their other names are
    // the call's own work.
    let found_unchanged: HashSet<_> = differences
        .iter()
        .filter_map(|difference| {
            let then = difference.before.as_ref()?.node.metadata.state();
            let first = writes.at(&path(difference))?.before?;
            is_unchanged(&then, &first).then_some(then.id)
        })
        .collect();
    let mut attributed = Attribution::default();
    let mut folders = Vec::new();
    for difference in differences {
        let at = path(&difference);
        let is_same_file = same_file(&difference).is_some_and(|node| written_through.contains(&node.metadata.id));
        match writes.at(&at) {
            Some(written) => {
                let is_shared = !writes.moved(&at) && was_changed_before(&difference, written, &found_unchanged);
                attributed.own.push((difference, is_shared));
            }
            None if is_same_file || writes.moved(&at) => attributed.own.push((difference, false)),
            None if is_only_settled(&difference) => folders.push((at, difference)),
            // Another name of the file was added or removed.
            None if is_same_content(&difference) => {}
            None => attributed.others.push(at),
        }
    }
    // The times of a folder change with what was done in it.
    let touched: HashSet<PathBuf> =
        attributed.own.iter().filter_map(|(own, _)| Some(path(own).parent()?.to_owned())).collect();
    attributed.own.extend(folders.into_iter().filter(|(at, _)| touched.contains(at)).map(|(_, own)| (own, false)));
    share_repositories(&mut attributed, path);
    attributed.others.sort();
    let mut outermost: Vec<PathBuf> = Vec::new();
    for other in std::mem::take(&mut attributed.others) {
        if outermost.last().is_none_or(|last| !other.starts_with(last)) {
            outermost.push(other);
        }
    }
    attributed.others = outermost;
    attributed
}

/// A repository changed by the call and by others is restored for neither.
fn share_repositories(attributed: &mut Attribution, path: impl Fn(&Difference) -> PathBuf) {
    let used: BTreeSet<PathBuf> = attributed.others.iter().filter_map(|other| repository::of(other, false)).collect();
    for (own, is_shared) in &mut attributed.own {
        let at = path(own);
        *is_shared |= repository::of(&at, false).is_some_and(|folder| used.contains(&folder));
    }
}

/// The file, if it is the same one before and after.
fn same_file(difference: &Difference) -> Option<&Node> {
    let (before, after) = (difference.before.as_ref()?, difference.after.as_ref()?);
    let is_file = before.node.metadata.kind == FileKind::File;
    (is_file && before.node.metadata.id == after.node.metadata.id).then_some(&after.node)
}

/// Whether the file is the same one with the same content and permissions.
fn is_same_content(difference: &Difference) -> bool {
    let kept = |item: &Item| {
        let Metadata { id, kind, size, mode, uid, gid, modified, .. } = item.node.metadata;
        (id, kind, size, mode, uid, gid, modified)
    };
    let both = difference.before.as_ref().zip(difference.after.as_ref());
    both.is_some_and(|(before, after)| kept(before) == kept(after))
}

fn was_changed_before(difference: &Difference, written: &WrittenPath, found_unchanged: &HashSet<(u64, u64)>) -> bool {
    let before = difference.before.as_ref().map(|item: &Item| item.node.metadata.state());
    let is_directory = |item: &Option<Item>| item.as_ref().is_some_and(|item| item.node.is_directory());
    match (before, written.before) {
        // The content of a folder is attributed separately.
        _ if is_directory(&difference.before) => false,
        (None, None) => false,
        (Some(then), Some(first)) => {
            let is_own = then.id == first.id && found_unchanged.contains(&then.id);
            !is_own && !is_unchanged(&then, &first)
        }
        _ => true,
    }
}

/// Whether it is the same file with the same content. Other names or permissions update its change
/// time, but not its content.
fn is_unchanged(then: &FileState, first: &FileState) -> bool {
    (then.id, then.size, then.modified) == (first.id, first.size, first.modified)
}

/// Whether it is a folder that stayed: its times come from its content.
fn is_only_settled(difference: &Difference) -> bool {
    match (&difference.before, &difference.after) {
        (Some(before), Some(after)) => {
            before.node.is_directory()
                && after.node.is_directory()
                && before.node.metadata.mode == after.node.metadata.mode
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, sync::atomic::AtomicBool};

    use tools_core::WriteLog;

    use super::*;
    use crate::changes::differences;
    use crate::folder_state::{FolderState, bounds, open};

    /// Whether the changes of the two names of a file count as shared, if `meanwhile` runs before
    /// the call writes through one name and then removes the other.
    fn shared(meanwhile: impl Fn(&Path)) -> Vec<bool> {
        let place = tempfile::tempdir().unwrap();
        let root = open(place.path()).unwrap();
        let (a, b) = (root.path().join("a"), root.path().join("b"));
        fs::write(&a, "x").unwrap();
        fs::hard_link(&a, &b).unwrap();
        let never = AtomicBool::new(false);
        let bounds = bounds(usize::MAX, std::time::Instant::now() + std::time::Duration::from_mins(1), &never);
        let look = || FolderState::at(&root, &[root.path().to_owned()], &bounds).unwrap();
        let before = look();
        meanwhile(&a);
        let log = WriteLog::default();
        log.observing();
        let note = |path: &Path| log.note(path, false, || fs::metadata(path).ok().map(|found| (&found).into()));
        note(&a);
        fs::write(&a, "call").unwrap();
        note(&b);
        fs::remove_file(&b).unwrap();
        let found = attribute(differences(&before, &look()), root.path(), &log.take().unwrap());
        assert!(found.others.is_empty(), "{found:?}");
        found.own.iter().filter(|(own, _)| !own.name.is_empty()).map(|(_, is_shared)| *is_shared).collect()
    }

    #[test]
    fn what_a_call_wrote_through_one_name_is_its_own_under_another() {
        assert_eq!(shared(|_| {}), [false, false]);
        assert_eq!(shared(|file| fs::write(file, "another").unwrap()), [true, true]);
    }
}
