//! The walks before and after a command that find its changes to obeyed files.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

use super::{
    agreement::Agreement,
    aside::{exchange_for_link, put_aside},
    report::{ObeyedChange, ObeyedReport},
};
use crate::kernel::{Level, MaskRules, ObeyedEntry, ObeyedFiles, ReadOnlyPath, resolve_by_words};
use tools_core::{
    Clock as _, ConfiguredFiles, FileState, ObeyedClass, SystemClock, WriteLog, is_plan, leads_to_own_repository,
    plan_runs_commands, was_agreed_since,
};

/// Maximum difference between a file system's clock and the one queried here: a tick of the kernel.
const TICK: Duration = Duration::from_millis(10);

/// The walk before a command: the obeyed files that existed, and the changes allowed to them.
pub struct Guard {
    hidden: MaskRules,
    roots: Vec<PathBuf>,
    agreed: Box<dyn Agreement>,
    since: Instant,
    /// The same moment by the clock used by file systems.
    started: SystemTime,
    before: BTreeMap<PathBuf, GuardedEntry>,
    repositories: HashSet<PathBuf>,
    /// Places where git would look for hooks and nothing existed.
    missing_hooks: Vec<PathBuf>,
    /// Files named by the configuration of repositories at that moment.
    configured: ConfiguredFiles,
    /// The closed files hidden from the command, with device and inode.
    masked: HashMap<PathBuf, Option<(u64, u64)>>,
    /// Whether the kernel keeps held paths read-only.
    is_held: bool,
    puts_aside: bool,
    /// Whether changes by the command are reported.
    tells_changes: bool,
}

/// An entry and its state.
struct GuardedEntry {
    entry: ObeyedEntry,
    state: Option<FileState>,
    /// The text of a link and the place it leads to; `None` if it is no link.
    link: Option<(PathBuf, PathBuf)>,
}

impl GuardedEntry {
    fn says(&self) -> Option<&Path> {
        self.link.as_ref().map(|(says, _)| says.as_path())
    }
}

impl std::fmt::Debug for Guard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guard").field("roots", &self.roots).field("is_held", &self.is_held).finish_non_exhaustive()
    }
}

impl Guard {
    /// Starts from the current content of the canonical `roots`: `found`, and the closed files
    /// among it. The rules are those that found them.
    pub fn new(
        hidden: MaskRules,
        roots: Vec<PathBuf>,
        (found, masked): (ObeyedFiles, &[PathBuf]),
        agreed: Box<dyn Agreement>,
    ) -> Self {
        // Agreed changes elsewhere cannot cover anything that the later walk finds.
        let is_near = |path: &&PathBuf| roots.iter().any(|root| path.starts_with(root) || root.starts_with(path));
        Self {
            masked: masked.iter().filter(is_near).map(|path| (path.clone(), identity(path))).collect(),
            hidden,
            agreed,
            roots,
            since: Instant::now(),
            started: SystemClock.now().into(),
            before: seen(found.entries),
            repositories: found.repositories.into_iter().collect(),
            missing_hooks: found.missing_hooks,
            configured: found.configured,
            is_held: false,
            puts_aside: true,
            tells_changes: true,
        }
    }

    /// For a command confined at this level.
    pub fn at(self, level: Level) -> Self {
        Self { is_held: level == Level::Namespaces, ..self }
    }

    /// For a command that runs so long that others may have created new entries meanwhile: only
    /// reports them.
    pub fn report_only(self) -> Self {
        Self { puts_aside: false, ..self }
    }

    /// For a command that changes nothing: all changes are made by others.
    pub fn only_of_masks(self) -> Self {
        Self { tells_changes: false, ..self }
    }

    /// The first root; reported paths are relative to it.
    pub fn root(&self) -> &Path {
        self.roots.first().map_or(Path::new("/"), PathBuf::as_path)
    }

    /// The paths that are read-only for the command, those nearest to the top first.
    pub fn held(&self) -> Vec<ReadOnlyPath> {
        let entries = self.before.values().map(|seen| &seen.entry).filter(|entry| !self.agreed.lift(entry));
        let absent = self.absent().into_iter().map(|path| ReadOnlyPath { path, pinned: 1 });
        let mut held: Vec<ReadOnlyPath> = entries.filter_map(|entry| entry.held.clone()).chain(absent).collect();
        held.sort_by_key(|held| (held.path.components().count(), held.path.clone()));
        held
    }

    /// The paths that are writable for the command because of an agreement, though not for others.
    pub fn lifted(&self) -> Vec<PathBuf> {
        let entries = self.before.values().map(|seen| &seen.entry);
        let lifted = entries.filter(|entry| entry.held.is_some() && self.agreed.lift(entry));
        lifted.map(|entry| entry.path.clone()).collect()
    }

    /// The folders that must not be created.
    pub fn absent(&self) -> Vec<PathBuf> {
        let is_free = |path: &&PathBuf| !self.agreed.cover(path, true) && !self.agreed.lead_below(path);
        self.missing_hooks.iter().filter(is_free).cloned().collect()
    }

    /// The changes by the command, and closed files it could read. Renames new entries that nobody
    /// agreed to.
    pub fn after(&self, writes: Option<&WriteLog>) -> GuardFindings {
        let mut found = self.hidden.again(&self.roots);
        let unmasked = if self.is_held { self.unmasked(&found.paths) } else { Vec::new() };
        if !self.tells_changes {
            return GuardFindings { obeyed: Vec::new(), unmasked };
        }
        let back = self.put_links_back(&found.obeyed, writes);
        if !back.is_empty() {
            // Restored links lead to other places now.
            found = self.hidden.again(&self.roots);
        }
        GuardFindings { obeyed: self.changes(found.obeyed, back, writes), unmasked }
    }

    /// Closed files that were created or replaced after the masks were set up.
    fn unmasked(&self, closed: &[PathBuf]) -> Vec<String> {
        let is_new = |path: &&PathBuf| {
            let is_covered = |outer: &Path| {
                self.masked.get(outer).is_some_and(|before| before.is_some() && *before == identity(outer))
            };
            !path.ancestors().any(is_covered)
        };
        let mut unmasked: Vec<String> = closed.iter().filter(is_new).map(|path| self.shown(path)).collect();
        unmasked.sort();
        unmasked
    }

    /// All changes, including those in `told`.
    fn changes(&self, found: ObeyedFiles, told: Vec<ObeyedReport>, writes: Option<&WriteLog>) -> Vec<ObeyedReport> {
        let repositories: Vec<NewRepository<'_>> = found
            .repositories
            .iter()
            .filter(|folder| !self.repositories.contains(*folder))
            .map(|folder| NewRepository { folder, tree: self.new_tree(folder) })
            .collect();
        let made = |new: &NewRepository<'_>| report(self.shown(new.folder), "git", ObeyedChange::Created, true);
        let mut reports = told;
        reports.extend(repositories.iter().map(made));
        let held: Vec<PathBuf> =
            if self.is_held { self.held().into_iter().map(|held| held.path).collect() } else { Vec::new() };
        let is_held = |path: &Path| held.iter().any(|held| path.starts_with(held));
        let mut now = seen(found.entries);
        // A file that the configuration no longer names was still obeyed when the command began.
        let unnamed =
            self.before.values().filter(|seen| seen.entry.is_configured && !now.contains_key(&seen.entry.path));
        let unnamed = unnamed.filter(|seen| seen.entry.path.symlink_metadata().is_ok()).map(|seen| seen.entry.clone());
        let unnamed = seen(unnamed.collect());
        now.extend(unnamed);
        // A folder above may have been moved away with it and replaced by another.
        let was_replaced =
            |path: &&PathBuf| self.before.get(*path).is_some_and(|before| !is_same(before.state, state(path)));
        let replaced: Vec<&PathBuf> = held.iter().filter(was_replaced).collect();
        let is_as_held = |path: &Path| is_held(path) && !replaced.iter().any(|replaced| path.starts_with(replaced));
        let mut whole: Option<&Path> = None;
        for (path, seen) in now.iter().filter(|(path, _)| !is_as_held(path)) {
            // The repository was reported, which covers what git keeps there.
            let is_kept = |new: &NewRepository<'_>| seen.entry.is_of_git && path.starts_with(new.folder);
            if whole.is_some_and(|outer| path.starts_with(outer)) || repositories.iter().any(is_kept) {
                continue;
            }
            let is_brought = repositories.iter().any(|new| new.tree.is_some_and(|tree| path.starts_with(tree)));
            let report = if is_brought { self.brought(seen) } else { self.changed(seen, writes) };
            if let Some(report) = report {
                whole = (is_brought || report.change == ObeyedChange::PutAside).then_some(path.as_path()).or(whole);
                reports.push(report);
            }
        }
        let gone = self.before.values().filter(|seen| !seen.entry.is_folder && !now.contains_key(&seen.entry.path));
        // When git removes everything about a work tree, its link to the repository goes too.
        let is_with_tree = |path: &Path| path.ends_with("commondir") && path.parent().is_none_or(|tree| !tree.exists());
        let gone =
            gone.map(|seen| &seen.entry.path).filter(|path| !is_held(path) && !is_plan(path) && !is_with_tree(path));
        reports.extend(gone.map(|path| self.told(&self.before[path], ObeyedChange::Deleted)));
        // The most important ones first.
        reports.sort_by(|a, b| (!a.guarded, &a.path).cmp(&(!b.guarded, &b.path)));
        reports
    }

    fn changed(&self, now: &GuardedEntry, writes: Option<&WriteLog>) -> Option<ObeyedReport> {
        let path = &now.entry.path;
        if (is_plan(path) && !plan_runs_commands(path)) || leads_to_own_repository(path) {
            return None;
        }
        match self.before.get(path) {
            Some(before) if before.says().is_some() && before.says() == now.says() => None,
            Some(before) if now.entry.is_folder || before.state == now.state => None,
            Some(_) => Some(self.told(now, ObeyedChange::Changed)),
            // It contains nothing that a program could obey.
            None if now.entry.is_folder && is_empty(path) => None,
            None => match self.root_to_put_aside_in(now).and_then(|root| put_aside(root, path).ok()) {
                Some(new) => Some(self.was_put_aside(now, &new, writes)),
                // A folder is reported through its content.
                None => (!now.entry.is_folder).then(|| self.told(now, ObeyedChange::Created)),
            },
        }
    }

    /// Links cannot be held read-only. The replacement of a link is renamed, and the link restored.
    fn put_links_back(&self, found: &ObeyedFiles, writes: Option<&WriteLog>) -> Vec<ObeyedReport> {
        let is_of_link =
            |entry: &&ObeyedEntry| self.before.get(&entry.path).is_some_and(|before| before.link.is_some());
        let now = seen(found.entries.iter().filter(is_of_link).cloned().collect());
        let back = |(path, now): (&PathBuf, &GuardedEntry)| {
            let (link, place) = self.before.get(path)?.link.as_ref().filter(|(link, _)| now.says() != Some(link))?;
            // An agreement that names the link also covers its target.
            if self.agreed.cover(place, false) {
                return None;
            }
            let new = exchange_for_link(self.root_to_put_aside_in(now)?, path, link).ok()?;
            Some(self.was_put_aside(now, &new, writes))
        };
        now.iter().filter_map(back).collect()
    }

    fn was_put_aside(&self, now: &GuardedEntry, new: &Path, writes: Option<&WriteLog>) -> ObeyedReport {
        // The new path is also written by the call, unless somebody else created the file: undoing
        // the call must not remove it.
        if let Some(writes) = writes.filter(|writes| writes.has(&now.entry.path) != Some(false)) {
            writes.note(new, now.entry.is_folder, || None);
        }
        ObeyedReport { now: Some(self.shown(new)), ..self.told(now, ObeyedChange::PutAside) }
    }

    /// The folder in which a new entry is renamed; `None` if the entry may stay.
    fn root_to_put_aside_in(&self, now: &GuardedEntry) -> Option<&Path> {
        let ObeyedEntry { path, class, is_of_git, is_configured, .. } = &now.entry;
        // A file newly named by git configuration may have existed before.
        let is_unknown = *is_configured && !self.configured.names(path);
        let is_agreed = self.agreed.cover(path, *is_of_git)
            || self.agreed.lead_below(path)
            || was_agreed_since(path, self.since)
            || self.was_moved(now);
        if !self.puts_aside || *class != ObeyedClass::Guarded || is_agreed || is_unknown {
            return None;
        }
        self.roots.iter().map(PathBuf::as_path).find(|root| path.starts_with(root))
    }

    /// The work tree of a new repository, or the bare repository, if the whole folder is new, as
    /// after `git clone`. A `.git` created in an existing folder changes nothing for the files
    /// beside it.
    fn new_tree<'a>(&self, repository: &'a Path) -> Option<&'a Path> {
        let tree = if repository.ends_with(".git") { repository.parent()? } else { repository };
        let was_there = self.hidden.found(tree).is_some_and(|found| found <= self.since)
            || self.roots.iter().any(|root| root.starts_with(tree))
            || self.before.keys().chain(&self.repositories).any(|path| path.starts_with(tree));
        // The folder may have been renamed. If the system does not report its creation time, it
        // counts as old.
        let made = std::fs::symlink_metadata(tree).ok()?.created().ok()?;
        (!was_there && made + TICK >= self.started).then_some(tree)
    }

    /// Reports a file in an entirely new repository. The file stays, because a clone is useless
    /// without all its files. Files that are obeyed without a build are reported, a folder by its
    /// name.
    fn brought(&self, now: &GuardedEntry) -> Option<ObeyedReport> {
        let ObeyedEntry { path, class, is_folder, .. } = &now.entry;
        let is_told = *class != ObeyedClass::Reported && !(*is_folder && is_empty(path));
        is_told.then(|| self.told(now, ObeyedChange::Created))
    }

    /// Whether the entry existed before at another path.
    fn was_moved(&self, now: &GuardedEntry) -> bool {
        // Inode numbers of removed files are reused.
        let modified = |state: Option<FileState>| state.filter(|_| !now.entry.is_folder).map(|state| state.modified);
        let is_it =
            |before: &GuardedEntry| is_same(before.state, now.state) && modified(before.state) == modified(now.state);
        let mut others = self.before.iter().filter(|(path, _)| **path != now.entry.path).map(|(_, before)| before);
        now.state.is_some() && others.any(is_it)
    }

    fn told(&self, seen: &GuardedEntry, change: ObeyedChange) -> ObeyedReport {
        let ObeyedEntry { path, by, class, .. } = &seen.entry;
        report(self.shown(path), by, change, *class == ObeyedClass::Guarded)
    }

    fn shown(&self, path: &Path) -> String {
        let inside = self.roots.iter().find_map(|root| path.strip_prefix(root).ok());
        inside.unwrap_or(path).to_string_lossy().into_owned()
    }
}

/// A repository that did not exist before.
struct NewRepository<'a> {
    folder: &'a Path,
    /// The folder that is new as a whole, if any.
    tree: Option<&'a Path>,
}

/// The findings of the look after a command.
#[derive(Debug, Default)]
pub struct GuardFindings {
    /// Changes of files that outside programs obey.
    pub obeyed: Vec<ObeyedReport>,
    /// Closed files that the command could read because they did not exist when it started.
    pub unmasked: Vec<String>,
}

/// Device and inode of a path.
fn identity(path: &Path) -> Option<(u64, u64)> {
    std::fs::symlink_metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

fn state(path: &Path) -> Option<FileState> {
    std::fs::symlink_metadata(path).ok().as_ref().map(FileState::from)
}

/// Whether both are the same file, whatever its content.
fn is_same(one: Option<FileState>, other: Option<FileState>) -> bool {
    one.map(|state| state.id) == other.map(|state| state.id)
}

fn seen(entries: Vec<ObeyedEntry>) -> BTreeMap<PathBuf, GuardedEntry> {
    let says = |entry: &ObeyedEntry| entry.path.read_link().ok().filter(|_| entry.is_link);
    let link = |entry: &ObeyedEntry| says(entry).map(|says| (says, resolve_by_words(&entry.path)));
    let seen = |entry: ObeyedEntry| GuardedEntry { state: state(&entry.path), link: link(&entry), entry };
    entries.into_iter().map(|entry| (entry.path.clone(), seen(entry))).collect()
}

fn report(path: String, by: &str, change: ObeyedChange, guarded: bool) -> ObeyedReport {
    ObeyedReport { path, by: by.to_owned(), change, guarded, now: None }
}

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}
