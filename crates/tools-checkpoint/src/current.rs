//! The state of a folder between calls. If a process reads it more than once, the system reports
//! changes in between, and only these are read again. A reported entry is never assumed unchanged,
//! and if reports are incomplete, everything is read again.

use std::collections::{BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tools_core::Writes;
use tools_sandbox::tree::{self, Bounds, Node, ReportedChanges, TreeWatch};
use tools_sandbox::{Directory, FileKind};

use crate::error::CheckpointError;
use crate::folder_state::{FolderState, Item, Rules, is_no_folder, joined};

/// Number of entries below which reading everything is cheaper than a watch.
const MIN_ENTRIES: usize = 100;
/// Number of failed attempts after which no watch is tried any more.
const MAX_UNTOLD: u8 = 3;
/// Maximum number of files with several names, which may change under an unwatched name. They are
/// read every time.
const MAX_LINKED: usize = 5_000;

/// State of one folder between calls.
#[derive(Debug, Default)]
pub(crate) struct Current {
    known: Option<WatchedState>,
    /// Number of entries at the last full read.
    count: usize,
    /// Number of failed attempts to start a watch.
    untold: u8,
}

/// A state, and the watch that reports its changes.
#[derive(Debug)]
struct WatchedState {
    state: Arc<FolderState>,
    watch: TreeWatch,
    /// Entries to read again even without a report: files with several names, and those changed so
    /// shortly before they were read that another change could leave no trace.
    unsettled: BTreeSet<(PathBuf, OsString)>,
}

/// Selects folders to skip: by the rules, but a read after a call skips the same folders as the one
/// before it.
struct FolderSkips<'a> {
    root: &'a Directory,
    rules: &'a Rules,
    before: Option<&'a FolderState>,
    /// Whether the rules gave the same result for every folder.
    follows_rules: AtomicBool,
}

impl FolderSkips<'_> {
    fn skips(&self, path: &Path, names: &[(OsString, FileKind)]) -> bool {
        let by_rules = self.rules.skips(self.root, path, names);
        let as_before = match self.before {
            Some(before) if before.skipped.contains(path) => true,
            Some(before) if before.folders.contains_key(path) => false,
            _ => by_rules,
        };
        if as_before != by_rules {
            self.follows_rules.store(false, Ordering::Relaxed);
        }
        as_before
    }
}

impl Current {
    /// Reads the state of everything in `root`. After a call, `before` is the state before it and
    /// `written` the observed writes of its processes.
    ///
    /// # Errors
    /// If there are too many entries, it takes too long, or it was cancelled.
    pub(crate) fn look(
        &mut self,
        root: &Directory,
        rules: &Rules,
        bounds: &Bounds<'_>,
        before: Option<&FolderState>,
        written: Option<&Writes>,
    ) -> Result<Arc<FolderState>, CheckpointError> {
        let skipping = FolderSkips { root, rules, before, follows_rules: AtomicBool::new(true) };
        if let Some(mut known) = self.known.take() {
            if known.refresh(root, bounds, &skipping, written).is_some() {
                let state = Arc::clone(&known.state);
                self.keep(known, &skipping);
                return Ok(state);
            }
            discard(known.watch);
        }
        // A process that makes one call ends after the read that follows it.
        let is_worth_it = before.is_none() && self.count >= MIN_ENTRIES && self.untold < MAX_UNTOLD;
        let watch = is_worth_it.then(|| TreeWatch::new(root)).and_then(Result::ok);
        let skips = |path: &Path, names: &[(OsString, FileKind)]| skipping.skips(path, names);
        let state = Arc::new(FolderState::everything(root, bounds, &skips, watch.as_ref())?);
        self.count = state.count;
        let Some(watch) = watch else { return Ok(state) };
        let unsettled = unsettled(&state);
        let linked = state.files().filter(|(_, item)| item.node.metadata.links > 1).take(MAX_LINKED + 1).count();
        if watch.reports_all_changes() && linked <= MAX_LINKED {
            self.keep(WatchedState { state: Arc::clone(&state), watch, unsettled }, &skipping);
        } else {
            self.untold += 1;
            discard(watch);
        }
        Ok(state)
    }

    fn keep(&mut self, known: WatchedState, skipping: &FolderSkips<'_>) {
        // The next read uses the rules again.
        if skipping.follows_rules.load(Ordering::Relaxed) {
            self.known = Some(known);
        } else {
            discard(known.watch);
        }
    }

    /// Replaces `old` by `new`, the same state with more stored contents.
    pub(crate) fn replace(&mut self, old: &Arc<FolderState>, new: &Arc<FolderState>) {
        if let Some(known) = self.known.as_mut().filter(|known| Arc::ptr_eq(&known.state, old)) {
            known.state = Arc::clone(new);
        }
    }
}

impl WatchedState {
    /// Reads what may have changed; `None` if that is unknown.
    fn refresh(
        &mut self,
        root: &Directory,
        bounds: &Bounds<'_>,
        skipping: &FolderSkips<'_>,
        written: Option<&Writes>,
    ) -> Option<()> {
        let mut noticed = self.watch.take()?;
        if noticed.names.values().flatten().any(|name| Rules::depend_on(name)) {
            return None;
        }
        let own = Node { metadata: root.metadata().ok()?, link: None, is_fresh: true };
        let known = self.state.alone.get(Path::new(""))?;
        if known.metadata.id != own.metadata.id {
            return None;
        }
        for (folder, name) in &self.unsettled {
            noticed.add(folder, name);
        }
        // A file may be written under a name that is not in the tree.
        for path in written.iter().flat_map(|written| written.paths()) {
            let relative = path.strip_prefix(root.path()).ok();
            if let Some((folder, name)) = relative.and_then(|path| path.parent().zip(path.file_name())) {
                noticed.add(folder, name);
            }
        }
        if noticed.names.is_empty() && known.shape() == own.shape() {
            return Some(());
        }
        Arc::make_mut(&mut self.state).alone.insert(PathBuf::new(), own);
        let linked = self.look_at(&noticed, root, bounds, skipping)?;
        if !linked.is_empty() {
            // Files with new names: the known state of their other names is outdated.
            let mut others = ReportedChanges::default();
            for (folder, items) in &self.state.folders {
                let same = items.iter().filter(|item| linked.contains(&item.node.metadata.id));
                same.for_each(|item| others.add(folder, &item.name));
            }
            self.look_at(&others, root, bounds, skipping)?;
        }
        let state = Arc::make_mut(&mut self.state);
        state.count = state.folders.values().map(|items| items.len()).sum();
        (state.count <= bounds.entries && self.watch.reports_all_changes()).then_some(())
    }

    /// Reads these names. Returns files with several names that had one before, or are new.
    fn look_at(
        &mut self,
        noticed: &ReportedChanges,
        root: &Directory,
        bounds: &Bounds<'_>,
        skipping: &FolderSkips<'_>,
    ) -> Option<HashSet<tools_sandbox::FileId>> {
        let state = Arc::make_mut(&mut self.state);
        let (mut gone, mut come, mut linked) = (HashSet::new(), Vec::new(), HashSet::new());
        // A folder comes before its content.
        for (folder, names) in &noticed.names {
            if folder.ancestors().any(|above| gone.contains(above)) {
                continue;
            }
            let Some(items) = state.folders.get_mut(folder) else { continue };
            let directory = match root.subdirectory(folder) {
                Ok(directory) => directory,
                // Removed since; the next read reports it.
                Err(error) if is_no_folder(&error) => continue,
                Err(_) => return None,
            };
            for name in names {
                let found = tree::node(&directory, name).ok()?;
                let path = joined(folder, Path::new(name));
                let place = items.binary_search_by(|item| item.name.as_os_str().cmp(name));
                let known = place.ok().map(|place| &items[place].node);
                if known.is_some_and(Node::is_directory) || found.as_ref().is_some_and(Node::is_directory) {
                    let is_same = known.zip(found.as_ref()).is_some_and(|(known, found)| same_directory(known, found));
                    if !is_same || noticed.replaced.contains(&path) || state.closed.contains(&path) {
                        if found.as_ref().is_some_and(Node::is_directory) {
                            come.push(path.clone());
                        }
                        gone.insert(path);
                    }
                }
                let key = (folder.clone(), name.clone());
                match &found {
                    Some(node) if is_unsettled(node) => {
                        if node.metadata.links > 1 && known.is_none_or(|known| known.metadata.links < 2) {
                            linked.insert(node.metadata.id);
                        }
                        self.unsettled.insert(key);
                    }
                    _ => drop(self.unsettled.remove(&key)),
                }
                replace(items, place, name, found);
            }
        }
        if !gone.is_empty() {
            let is_gone = |path: &Path| path.ancestors().any(|above| gone.contains(above));
            state.folders.retain(|path, _| !is_gone(path));
            state.skipped.retain(|path| !is_gone(path));
            state.closed.retain(|path| !is_gone(path));
            self.unsettled.retain(|(folder, _)| !is_gone(folder));
        }
        if !come.is_empty() {
            let skips = |path: &Path, names: &[(OsString, FileKind)]| skipping.skips(path, names);
            let look = tree::look_below(root, come, bounds, &skips, Some(&self.watch)).ok()?;
            if look.cut.is_some() {
                return None;
            }
            for (folder, entries) in &look.folders {
                for entry in entries.iter().filter(|entry| is_unsettled(&entry.node)) {
                    self.unsettled.insert((folder.clone(), entry.name.clone()));
                    if entry.node.metadata.links > 1 {
                        linked.insert(entry.node.metadata.id);
                    }
                }
            }
            state.take(Path::new(""), look);
        }
        Some(linked)
    }
}

/// Replaces the known entry of a name by the new one, unless it is untouched.
fn replace(items: &mut Arc<Vec<Item>>, place: Result<usize, usize>, name: &OsStr, found: Option<Node>) {
    match (place, found) {
        (Ok(place), Some(node)) if items[place].node == node && !is_unsettled(&node) => {}
        (Ok(place), Some(node)) => {
            let item = &mut Arc::make_mut(items)[place];
            // A fresh entry may have changed without a trace.
            let hash = item.hash.filter(|_| item.node.is_untouched(&node));
            *item = Item { name: name.to_owned(), node, hash };
        }
        (Ok(place), None) => drop(Arc::make_mut(items).remove(place)),
        (Err(place), Some(node)) => {
            Arc::make_mut(items).insert(place, Item { name: name.to_owned(), node, hash: None });
        }
        (Err(_), None) => {}
    }
}

/// Whether it is the same directory, with the same permissions.
fn same_directory(known: &Node, found: &Node) -> bool {
    let of =
        |node: &Node| (node.metadata.id, node.metadata.kind, node.metadata.mode, node.metadata.uid, node.metadata.gid);
    of(known) == of(found)
}

fn is_unsettled(node: &Node) -> bool {
    !node.is_directory() && (node.is_fresh || node.metadata.links > 1)
}

fn unsettled(state: &FolderState) -> BTreeSet<(PathBuf, OsString)> {
    let items = state.folders.iter().flat_map(|(folder, items)| items.iter().map(move |item| (folder, item)));
    let found = items.filter(|(_, item)| is_unsettled(&item.node));
    found.map(|(folder, item)| (folder.clone(), item.name.clone())).collect()
}

/// Ends a watch, for which the system takes some milliseconds.
fn discard(watch: TreeWatch) {
    let closing: io::Result<_> = std::thread::Builder::new().name("haft-unwatch".into()).spawn(move || drop(watch));
    drop(closing);
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use proptest::{prelude::*, test_runner::TestRunner};

    use super::*;
    use crate::folder_state::{bounds, open};

    #[derive(Debug, Clone)]
    enum Act {
        Write(usize, u8),
        Remove(usize),
        Move(usize, usize),
        Out(usize),
        Back(usize),
        Folder(usize),
        Mode(usize, u32),
        Link(usize, usize),
        Name(usize, usize),
        Tag(usize, bool),
        Time(usize),
    }

    const PLACES: [&str; 12] =
        ["a", "b", "d", "d/a", "d/e", "d/e/a", "d/e/b", "f", "f/g", "f/g/a", "node_modules", "node_modules/a"];

    fn acts() -> impl Strategy<Value = Vec<Act>> {
        let place = || 0..PLACES.len();
        let one = prop_oneof![
            4 => (place(), any::<u8>()).prop_map(|(at, text)| Act::Write(at, text)),
            2 => place().prop_map(Act::Remove),
            3 => (place(), place()).prop_map(|(from, to)| Act::Move(from, to)),
            1 => place().prop_map(Act::Out),
            1 => place().prop_map(Act::Back),
            2 => place().prop_map(Act::Folder),
            1 => (place(), prop::sample::select(vec![0o700, 0o755, 0o600])).prop_map(|(at, mode)| Act::Mode(at, mode)),
            1 => (place(), place()).prop_map(|(at, to)| Act::Link(at, to)),
            1 => (place(), place()).prop_map(|(at, to)| Act::Name(at, to)),
            1 => (place(), any::<bool>()).prop_map(|(at, is_whole)| Act::Tag(at, is_whole)),
            1 => place().prop_map(Act::Time),
        ];
        prop::collection::vec(one, 0..8)
    }

    fn remove(path: &Path) {
        let is_folder = path.symlink_metadata().is_ok_and(|found| found.is_dir());
        let _ = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }

    /// Carries it out as far as possible.
    fn act(root: &Path, outside: &Path, act: &Act) {
        let at = |place: usize| root.join(PLACES[place]);
        let _ = match *act {
            Act::Write(place, text) => fs::write(at(place), vec![text; usize::from(text % 3)]),
            Act::Remove(place) => {
                remove(&at(place));
                Ok(())
            }
            Act::Move(from, to) => fs::rename(at(from), at(to)),
            Act::Out(place) => fs::rename(at(place), outside.join("moved")),
            Act::Back(place) => fs::rename(outside.join("moved"), at(place)),
            Act::Folder(place) => fs::create_dir_all(at(place)),
            Act::Mode(place, mode) => fs::set_permissions(at(place), fs::Permissions::from_mode(mode)),
            Act::Link(place, target) => symlink(PLACES[target], at(place)),
            Act::Name(place, target) => fs::hard_link(at(place), at(target)),
            Act::Tag(place, is_whole) => {
                let text = if is_whole { "Signature: 8a477f597d28d172789f06886806bc55" } else { "" };
                fs::write(at(place).join("CACHEDIR.TAG"), text)
            }
            Act::Time(place) => fs::File::open(at(place)).and_then(|file| file.set_modified(std::time::UNIX_EPOCH)),
        };
    }

    /// The content of a state, sorted.
    fn told(state: &FolderState) -> Vec<String> {
        let items = state.folders.iter().flat_map(|(folder, items)| items.iter().map(move |item| (folder, item)));
        let items = items.map(|(folder, item)| {
            format!("{}/{}: {:?} {:?}", folder.display(), item.name.display(), item.node.metadata, item.node.link)
        });
        let folders = state.folders.keys().map(|folder| format!("{}/", folder.display()));
        let own = state.alone.values().map(|node| format!("{:?}", node.metadata));
        let rest = format!("{:?} {:?} {}", state.skipped, state.closed, state.count);
        let mut all: Vec<String> = items.chain(folders).chain(own).chain([rest]).collect();
        all.sort();
        all
    }

    /// The state from reports always equals that of a full read.
    #[test]
    fn a_told_state_is_the_state() {
        let cases = std::env::var("HAFT_TOLD_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(60);
        let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
        let told_looks = std::cell::Cell::new(0);
        TestRunner::new(config)
            .run(&prop::collection::vec((acts(), any::<bool>()), 1..8), |batches| {
                let place = tempfile::tempdir().unwrap();
                let (root, outside) = (place.path().join("w"), place.path().join("o"));
                fs::create_dir_all(root.join("d/e")).unwrap();
                fs::create_dir_all(&outside).unwrap();
                for file in 0..MIN_ENTRIES {
                    fs::write(root.join(format!("d/x{file}")), "x").unwrap();
                }
                let rules = Rules { skip: vec!["node_modules".to_owned()], own: outside.clone() };
                let never = AtomicBool::new(false);
                let bounds = bounds(usize::MAX, std::time::Instant::now() + std::time::Duration::from_mins(1), &never);
                let root = open(&root).unwrap();
                let mut current = Current::default();
                let mut last = current.look(&root, &rules, &bounds, None, None).unwrap();
                for (acts, is_after) in &batches {
                    for one in acts {
                        act(root.path(), &outside, one);
                    }
                    let before = is_after.then(|| Arc::clone(&last));
                    told_looks.set(told_looks.get() + usize::from(current.known.is_some()));
                    let state = current.look(&root, &rules, &bounds, before.as_deref(), None).unwrap();
                    let whole = Current::default().look(&root, &rules, &bounds, before.as_deref(), None).unwrap();
                    let (told, whole) = (told(&state), told(&whole));
                    let differs = |a: &[String], b: &[String]| a.iter().find(|one| !b.contains(one)).cloned();
                    prop_assert_eq!(differs(&told, &whole), None, "what was told is not so");
                    prop_assert_eq!(differs(&whole, &told), None, "what is so was not told");
                    last = state;
                }
                Ok(())
            })
            .unwrap();
        assert!(told_looks.get() > 20, "only {} looks went by what was told", told_looks.get());
    }

    /// Only reported entries are created anew.
    #[test]
    fn what_nothing_happened_to_is_shared() {
        let place = tempfile::tempdir().unwrap();
        for folder in ["d", "e"] {
            fs::create_dir(place.path().join(folder)).unwrap();
            for file in 0..MIN_ENTRIES {
                fs::write(place.path().join(format!("{folder}/x{file}")), "x").unwrap();
            }
        }
        let rules = Rules { skip: Vec::new(), own: PathBuf::from("/nowhere") };
        let never = AtomicBool::new(false);
        let bounds = bounds(usize::MAX, std::time::Instant::now() + std::time::Duration::from_mins(1), &never);
        let root = open(place.path()).unwrap();
        let mut current = Current::default();
        let mut then = current.look(&root, &rules, &bounds, None, None).unwrap();
        // A recent write could be repeated without a trace, so it is read again.
        while current.known.as_ref().is_none_or(|known| !known.unsettled.is_empty()) {
            then = current.look(&root, &rules, &bounds, None, None).unwrap();
        }
        fs::write(place.path().join("d/x1"), "y").unwrap();
        let now = current.look(&root, &rules, &bounds, None, None).unwrap();
        let is_shared = |folder: &str| Arc::ptr_eq(&then.folders[Path::new(folder)], &now.folders[Path::new(folder)]);
        assert!(is_shared("e") && !is_shared("d"));
    }
}
