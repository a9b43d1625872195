//! Walks a tree below an open directory, in parallel and by handle. No link is followed, so the
//! walk stays inside and never loops. The visitor decides what to do with an entry;
//! `ignore_rules.rs` decides which entries are ignored.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use tools_core::Locked as _;
use tools_sandbox::{Directory, FileKind, ReadRules, Scope};

use crate::{cancel::Cancel, ignore_rules::IgnoreRules, stamps::Stamps};

/// Maximum number of entries of one directory that one task visits; other tasks take the rest.
const CHUNK: usize = 128;
/// Maximum number of directories of one walk kept open for those below them. Others are reopened
/// from the nearest open one.
const HELD: usize = 64;
/// Maximum number of unreadable directories listed by name.
const NAMED: usize = 5;
/// Directories that version control systems use internally.
const INTERNAL: [&[u8]; 4] = [b".git", b".hg", b".svn", b".jj"];

/// Options of a walk.
pub(crate) struct Plan<'a> {
    pub(crate) rules: &'a ReadRules,
    pub(crate) cancel: &'a Cancel,
    /// Whether names with a leading dot are visited.
    pub(crate) hidden: bool,
    /// Ignore rules that apply at the start; `None` to visit ignored entries as well.
    pub(crate) ignored: Option<IgnoreRules>,
    /// Levels to descend; `None` for all.
    pub(crate) depth: Option<usize>,
    /// Entries to visit before giving up.
    pub(crate) budget: u64,
    /// Whether to visit in the order of names, as far as several threads can, for visitors that may
    /// stop early.
    pub(crate) ordered: bool,
    pub(crate) threads: usize,
    /// Collector of a stamp of each directory.
    pub(crate) stamps: Option<&'a Stamps>,
}

/// One entry of the tree.
pub(crate) struct WalkEntry<'a> {
    /// The open directory that contains it.
    pub(crate) directory: &'a Directory,
    pub(crate) name: &'a OsStr,
    pub(crate) kind: FileKind,
    pub(crate) path: &'a Path,
    /// Its path relative to the start of the walk.
    pub(crate) relative: &'a [u8],
    /// State of the read rules at its directory.
    pub(crate) scope: Scope,
}

/// Handles entries; each worker has its own visitor.
pub(crate) trait Visitor: Send {
    fn visit(&mut self, found: &WalkEntry<'_>);

    /// Whether the contents of a directory are still needed when it is about to be entered.
    fn enters(&self, _: &Path) -> bool {
        true
    }
}

/// Counts of entries that a walk omitted.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct SkippedCounts {
    /// Entries excluded by ignore files.
    pub(crate) ignored: u64,
    /// Directories that could not be read.
    pub(crate) unreadable: u64,
    /// The first unreadable directories.
    pub(crate) names: Vec<PathBuf>,
    /// Directories denied by the read rules.
    pub(crate) closed: u64,
    /// Whether the walk ended before it visited every entry.
    pub(crate) exhausted: bool,
}

impl SkippedCounts {
    fn unreadable(&mut self, path: &Path) {
        self.unreadable += 1;
        self.names.push(path.to_path_buf());
        self.names.sort(); // the same names whatever the order of the walk
        self.names.truncate(NAMED);
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.ignored += other.ignored;
        self.unreadable += other.unreadable;
        self.closed += other.closed;
        self.exhausted |= other.exhausted;
        self.names.extend(other.names);
        self.names.sort();
        self.names.truncate(NAMED);
    }
}

/// Visits everything below `start`, in no particular order.
pub(crate) fn walk<V: Visitor>(
    start: &Directory,
    plan: &Plan<'_>,
    make: impl Fn() -> V + Sync,
) -> (Vec<V>, SkippedCounts) {
    let queue = Queue::new(Task::Directory {
        anchor: None,
        below: PathBuf::new(),
        scope: plan.rules.scope(start.path()),
        ignored: plan.ignored.clone(),
        depth: 0,
    });
    let (visited, held) = (AtomicU64::new(0), Arc::new(AtomicUsize::new(0)));
    let work = || {
        let mut worker = Worker {
            start,
            plan,
            queue: &queue,
            visited: &visited,
            held: &held,
            visitor: make(),
            skipped: SkippedCounts::default(),
            path: PathBuf::new(),
        };
        worker.run();
        (worker.visitor, worker.skipped)
    };
    let mut results = Vec::new();
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..plan.threads.max(1))
            .filter_map(|_| std::thread::Builder::new().name("haft-walk".into()).spawn_scoped(scope, work).ok())
            .collect();
        results.push(work());
        results.extend(others.into_iter().filter_map(|thread| thread.join().ok()));
    });
    let mut all = SkippedCounts::default();
    let visitors = results
        .into_iter()
        .map(|(visitor, skipped)| {
            all.add(skipped);
            visitor
        })
        .collect();
    (visitors, all)
}

enum Task {
    /// Opened only when its turn comes, so that waiting tasks need few descriptors.
    Directory {
        /// An open directory above; `None` for the start.
        anchor: Option<Arc<Anchor>>,
        /// The path from the anchor to the directory.
        below: PathBuf,
        scope: Scope,
        ignored: Option<IgnoreRules>,
        depth: usize,
    },
    Entries {
        directory: Arc<Anchor>,
        scope: Scope,
        entries: Vec<(OsString, FileKind)>,
    },
}

/// A directory kept open for waiting tasks.
struct Anchor {
    directory: Directory,
    held: Arc<AtomicUsize>,
}

impl Anchor {
    fn new(directory: Directory, held: &Arc<AtomicUsize>) -> Self {
        held.fetch_add(1, Ordering::Relaxed);
        Self { directory, held: Arc::clone(held) }
    }
}

impl Drop for Anchor {
    fn drop(&mut self) {
        self.held.fetch_sub(1, Ordering::Relaxed);
    }
}

struct Worker<'a, V> {
    start: &'a Directory,
    plan: &'a Plan<'a>,
    queue: &'a Queue,
    visited: &'a AtomicU64,
    held: &'a Arc<AtomicUsize>,
    visitor: V,
    skipped: SkippedCounts,
    /// Reused for each entry.
    path: PathBuf,
}

impl<V: Visitor> Worker<'_, V> {
    fn run(&mut self) {
        while let Some(turn) = self.queue.next() {
            if self.plan.cancel.is_cancelled() || self.skipped.exhausted {
                continue; // the queue is emptied, nothing more is done
            }
            match turn.task {
                Task::Directory { anchor, below, scope, ignored, depth } => {
                    self.directory(anchor, &below, scope, ignored, depth);
                }
                Task::Entries { directory, scope, entries } => self.entries(&directory.directory, scope, &entries),
            }
        }
    }

    fn directory(
        &mut self,
        anchor: Option<Arc<Anchor>>,
        below: &Path,
        scope: Scope,
        ignored: Option<IgnoreRules>,
        depth: usize,
    ) {
        let from = anchor.as_ref().map_or(self.start, |anchor| &anchor.directory);
        let path = from.path().join(below);
        if !self.visitor.enters(&path) {
            return;
        }
        let read = from.subdirectory(below).and_then(|directory| {
            if let Some(stamps) = self.plan.stamps {
                stamps.opened(&path, &directory, &directory.metadata()?);
            }
            Ok((directory.entries()?, directory))
        });
        let Ok((mut entries, directory)) = read else {
            self.give_up();
            self.skipped.unreadable(&path);
            return;
        };
        if self.visited.fetch_add(entries.len() as u64, Ordering::Relaxed) > self.plan.budget {
            self.give_up();
            self.skipped.exhausted = true;
            return;
        }
        if self.plan.ordered {
            entries.sort_unstable();
        }
        let ignored = ignored.map(|ignored| ignored.below(&directory, &entries, self.plan.stamps));
        let descend = self.plan.depth.is_none_or(|most| depth + 1 < most);
        let mut kept = Vec::with_capacity(entries.len());
        let mut downward = Vec::new();
        for (name, kind) in entries {
            if self.leaves_out(&directory, &name, kind, ignored.as_ref()) {
                continue;
            }
            if kind == FileKind::Directory && descend {
                let scope = self.plan.rules.below(scope, &self.path);
                if scope.is_sealed() {
                    self.skipped.closed += 1;
                } else {
                    downward.push((name.clone(), scope));
                }
            }
            kept.push((name, kind));
        }
        let is_large = kept.len() > CHUNK;
        if downward.is_empty() && !is_large {
            self.entries(&directory, scope, &kept);
            return;
        }
        let own = Arc::new(Anchor::new(directory, self.held));
        // Kept open while any of these tasks waits, unless too many would stay open in a deep and
        // wide tree.
        let (anchor, below) = match self.held.load(Ordering::Relaxed) {
            ..=HELD => (Some(Arc::clone(&own)), Path::new("")),
            _ => (anchor, below),
        };
        let downward = downward.into_iter().map(|(name, scope)| Task::Directory {
            anchor: anchor.clone(),
            below: below.join(name),
            scope,
            ignored: ignored.clone(),
            depth: depth + 1,
        });
        let mut tasks = Vec::new();
        let mut entries = if is_large { std::mem::take(&mut kept) } else { Vec::new() }.into_iter().peekable();
        while entries.peek().is_some() {
            let entries = entries.by_ref().take(CHUNK).collect();
            tasks.push(Task::Entries { directory: Arc::clone(&own), scope, entries });
        }
        tasks.extend(downward);
        tasks.reverse(); // what comes first is taken last from the queue's end
        self.queue.add(tasks);
        self.entries(&own.directory, scope, &kept);
    }

    /// Records that the contents cannot be determined.
    fn give_up(&self) {
        if let Some(stamps) = self.plan.stamps {
            stamps.give_up();
        }
    }

    /// Decides whether an entry is omitted. Also leaves its path in `self.path`.
    fn leaves_out(
        &mut self,
        directory: &Directory,
        name: &OsStr,
        kind: FileKind,
        ignored: Option<&IgnoreRules>,
    ) -> bool {
        self.set_path(directory, name);
        let bytes = name.as_bytes();
        if bytes.first() == Some(&b'.') && (!self.plan.hidden || INTERNAL.contains(&bytes)) {
            return true;
        }
        let out = ignored.is_some_and(|ignored| ignored.names(&self.path, kind == FileKind::Directory));
        self.skipped.ignored += u64::from(out);
        out
    }

    fn set_path(&mut self, directory: &Directory, name: &OsStr) {
        let mut path = std::mem::take(&mut self.path).into_os_string();
        path.clear();
        path.push(directory.path());
        self.path = PathBuf::from(path);
        self.path.push(name);
    }

    fn entries(&mut self, directory: &Directory, scope: Scope, entries: &[(OsString, FileKind)]) {
        let start = self.start.path().as_os_str().len();
        for (name, kind) in entries {
            if self.plan.cancel.is_cancelled() {
                return;
            }
            self.set_path(directory, name);
            let bytes = self.path.as_os_str().as_bytes();
            // One more byte for the separator; the path of the root directory already ends with it.
            let relative = bytes.get(start..).map_or(bytes, |rest| rest.strip_prefix(b"/").unwrap_or(rest));
            self.visitor.visit(&WalkEntry { directory, name, kind: *kind, path: &self.path, relative, scope });
        }
    }
}

/// The waiting tasks, last in first out, so that the directory opened last is finished first.
struct Queue {
    state: Mutex<TaskQueue>,
    changed: Condvar,
}

struct TaskQueue {
    tasks: Vec<Task>,
    working: usize,
}

/// A task in progress; dropping it notifies the other workers.
struct Turn<'a> {
    task: Task,
    _guard: Guard<'a>,
}

struct Guard<'a>(&'a Queue);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state.locked();
        state.working -= 1;
        if state.working == 0 && state.tasks.is_empty() {
            self.0.changed.notify_all();
        }
    }
}

impl Queue {
    fn new(first: Task) -> Self {
        Self { state: Mutex::new(TaskQueue { tasks: vec![first], working: 0 }), changed: Condvar::new() }
    }

    fn add(&self, tasks: Vec<Task>) {
        if tasks.is_empty() {
            return;
        }
        self.state.locked().tasks.extend(tasks);
        self.changed.notify_all();
    }

    /// The next task; `None` when no task waits and none is in progress.
    fn next(&self) -> Option<Turn<'_>> {
        let mut state = self.state.locked();
        loop {
            if let Some(task) = state.tasks.pop() {
                state.working += 1;
                return Some(Turn { task, _guard: Guard(self) });
            }
            if state.working == 0 {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
