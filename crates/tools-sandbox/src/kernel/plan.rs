//! Compiles a [`Confinement`] for this machine: prepares everything a forked child needs, once for
//! many processes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::claims::Claimed;
use super::config::{Confinement, Limits, Network, SandboxMode};
use super::facilities::Probe;
use super::landlock::{self, Ruleset};
use super::namespaces::{NamespacePlan, PrivateFolders, outermost};
use super::placeholders::{Placeholders, is_placeholder};
use super::probe::ProbeResult;
use super::resolve::Canonical;
use super::seccomp::{Filter, Sockets};
use super::strength::{Level, Strength};
use super::sys;
use crate::below::{below_any, is_below};
use crate::process::{SpawnError, Step, effective_ids};
use crate::view::View;

/// Steps of a child between `fork` and `exec`.
pub(crate) struct CompiledPlan {
    pub(crate) namespaces: Option<NamespacePlan>,
    pub(crate) landlock: Option<Ruleset>,
    pub(crate) filter: Option<Filter>,
    /// Whether capabilities and ways to gain them are dropped.
    pub(crate) drop_privileges: bool,
    pub(crate) limits: Vec<(libc::c_int, u64, u64)>,
    /// Claims on files that others hold, if there are no namespaces.
    opened: Claimed,
}

impl CompiledPlan {
    /// The claims of a process on its writable folders.
    pub(crate) fn claimed(&self) -> &Claimed {
        self.namespaces.as_ref().map_or(&self.opened, NamespacePlan::claimed)
    }
}

impl std::fmt::Debug for CompiledPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CompiledPlan").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// A confinement compiled for this machine. Cheap to clone; the private folders are removed with
/// the last clone.
#[derive(Clone)]
pub struct Sandbox {
    compiled: Arc<CompiledPlan>,
    strength: Arc<Strength>,
    folders: Arc<PrivateFolders>,
    /// Kept as long as processes run.
    _placeholders: Arc<Placeholders>,
    temp: Arc<Path>,
    /// The requested mode, and the file that stores what the machine supported before.
    asked: Arc<(SandboxMode, Option<PathBuf>)>,
    /// Environment variables with the paths of handed-in copies.
    variables: Arc<[(OsString, OsString)]>,
    /// Whether processes that hold replaceable files are stopped.
    stops_others: bool,
    /// The view and the writable folders.
    seen: Option<(Arc<View>, Arc<[PathBuf]>)>,
}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sandbox").field("strength", &self.strength).finish_non_exhaustive()
    }
}

impl Sandbox {
    /// Compiles a confinement with private folders of its own.
    ///
    /// # Errors
    /// If the mode demands more than the machine supports, or a writable folder does not exist.
    pub fn compile(ask: &Confinement) -> Result<Self, SpawnError> {
        let folders = Arc::new(PrivateFolders::create().map_err(SpawnError::PrivateFolders)?);
        Self::assemble(ask, folders, &Probe::found(ask.record.as_deref()))
    }

    /// Compiles another confinement with the same private folders, so that files in the temp folder
    /// survive the change.
    ///
    /// # Errors
    /// As [`Sandbox::compile`].
    pub fn recompile(&self, ask: &Confinement) -> Result<Self, SpawnError> {
        Self::assemble(ask, Arc::clone(&self.folders), &Probe::found(ask.record.as_deref()))
    }

    /// Returns a sandbox with the same private folders but without the placeholders of this
    /// confinement, to be kept only for compiling others.
    #[must_use]
    pub fn idle(&self) -> Self {
        Self { _placeholders: Arc::default(), ..self.clone() }
    }

    /// The confinement of a process in this sandbox.
    pub fn strength(&self) -> &Strength {
        &self.strength
    }

    /// The private temp folder, as a process of this sandbox sees it.
    pub fn temp_dir(&self) -> &Path {
        &self.temp
    }

    /// Disk usage of the private temp folder in bytes, as far as it can be counted quickly.
    pub fn temp_usage(&self) -> u64 {
        crate::private::usage(&self.folders.temp())
    }

    /// Sets the variables for the temp folder in an environment, replacing folders that are not
    /// writable.
    pub fn name_temp(&self, env: &mut Vec<(OsString, OsString)>) {
        if self.strength.level == Level::Off {
            return;
        }
        env.retain(|(name, _)| !matches!(name.to_str(), Some("TMPDIR")));
        for (_, value) in env.iter_mut().filter(|(name, _)| matches!(name.to_str(), Some("TMP" | "TEMP"))) {
            self.temp.as_os_str().clone_into(value);
        }
        env.push(("TMPDIR".into(), self.temp.as_os_str().to_owned()));
    }

    /// The reason why a process of this sandbox could not be confined. Probes the machine again: if
    /// it supports less than assumed, that is the reason.
    pub(crate) fn explain(&self, step: Step, source: std::io::Error) -> SpawnError {
        Probe::doubt();
        let (mode, record) = &*self.asked;
        match choose(*mode, &Probe::found(record.as_deref())) {
            Err(weaker) => weaker,
            Ok(_) => SpawnError::Confine { step, source },
        }
    }

    /// Adds the variables for caches and handed-in copies to an environment, except those for which
    /// `is_chosen` returns true because they were set for this process.
    pub fn name_caches(&self, env: &mut Vec<(OsString, OsString)>, is_chosen: impl Fn(&str) -> bool) {
        for (name, value) in self.variables.iter().filter(|(name, _)| !name.to_str().is_some_and(&is_chosen)) {
            env.retain(|(own, _)| own != name);
            env.push((name.clone(), value.clone()));
        }
    }

    /// Whether `path` is hidden from processes because no grant covers it. Follows no links.
    pub fn conceals(&self, path: &Path) -> bool {
        self.seen.as_ref().is_some_and(|(view, writable)| view.conceals(path, writable).is_some())
    }

    /// If no writable folder contains `path`: the folder of git that contains it and that the
    /// workspace's repository needs, otherwise the path itself. Follows no links.
    pub fn read_only<'a>(&'a self, path: &'a Path) -> Option<&'a Path> {
        let (view, writable) = self.seen.as_ref()?;
        if below_any(path, writable) {
            return None;
        }
        let git = view.read_only_git.iter().find(|git| is_below(path, git));
        Some(git.map_or(path, PathBuf::as_path))
    }

    /// Whether it has a cache folder for package managers.
    pub fn has_caches(&self) -> bool {
        self.seen.as_ref().is_some_and(|(view, _)| view.caches.is_some())
    }

    pub(crate) fn stops_others(&self) -> bool {
        self.stops_others
    }

    pub(crate) fn compiled(&self) -> &Arc<CompiledPlan> {
        &self.compiled
    }

    fn assemble(ask: &Confinement, folders: Arc<PrivateFolders>, found: &ProbeResult) -> Result<Self, SpawnError> {
        let (level, degraded) = choose(ask.mode, found)?;
        let probe = &found.probe;
        let mut canonical = Canonical::default();
        let missing = missing(&ask.protected, &mut canonical);
        let mut ask = resolve(ask, &folders, &mut canonical)?;
        // A placeholder counts as missing although it exists.
        ask.protected.retain(|path| !missing.files.contains(path) && !missing.folders.contains(path));
        if ask.network == Network::Gate && (ask.joins.is_none() || level != Level::Namespaces) {
            ask.network = Network::Closed;
        }
        let mut not_stopped = Vec::new();
        let placeholders = match level {
            Level::Namespaces => {
                let missing = missing.held_in(&ask);
                let found = ask.protected.iter().chain(ask.held.iter().map(|held| &held.path));
                let placeholders = Placeholders::new(
                    &[ask.absent.as_slice(), &missing.folders].concat(),
                    &missing.files,
                    found.map(PathBuf::as_path),
                )
                .map_err(|source| SpawnError::Confine { step: Step::Protect, source })?;
                let made = missing.folders.into_iter().chain(missing.files).filter(|path| path.exists());
                ask.protected.extend(made);
                placeholders
            }
            Level::Landlock | Level::Off => Placeholders::default(),
        };
        let namespaces = match level {
            Level::Namespaces => Some(NamespacePlan::new(&ask, Some(&folders.temp()), Some(&folders))?),
            Level::Landlock | Level::Off => None,
        };
        let copies = copies(level, ask.view.as_deref(), &folders).map_err(SpawnError::PrivateFolders)?;
        let copy_paths: Vec<&Path> = copies.iter().map(|copy| copy.path.as_path()).collect();
        let abi = probe.landlock.filter(|_| level != Level::Off);
        // Nothing is held without namespaces, but other sandboxes may hold the replaced files.
        let opened = match &namespaces {
            Some(_) => Claimed::default(),
            None => Claimed::new(&outermost(&ask.writable), &[], &ask.lifted),
        };
        let landlock = abi.map(|abi| {
            let (ruleset, not_held) = Ruleset::plan(
                abi,
                &landlock::RulesetInput {
                    writable: &ask.writable,
                    hidden: &ask.hidden,
                    network: ask.network,
                    view: ask.view.as_deref(),
                    copies: &copy_paths,
                    own_mounts: level == Level::Namespaces,
                },
            );
            not_stopped.extend(not_held.iter().map(|path| format!("reading `{}`", path.display())));
            ruleset
        });
        let seccomp = level != Level::Off && probe.seccomp;
        not_stopped.extend(weaknesses(level, &ask, abi, seccomp).into_iter().map(str::to_owned));
        let own_temp = namespaces.as_ref().is_some_and(NamespacePlan::has_own_temp);
        let temp: PathBuf = match level {
            Level::Namespaces if own_temp => "/tmp".into(),
            _ => folders.temp(),
        };
        let variables = variables(level, ask.view.as_deref(), copies);
        let is_seen = |_: &Arc<View>| level != Level::Off;
        let seen = ask.view.clone().filter(is_seen).map(|view| (view, ask.writable.clone().into()));
        let strength = Strength {
            level,
            landlock: abi,
            seccomp,
            network: held_network(&ask, level, abi, seccomp),
            degraded,
            not_stopped,
        };
        Ok(Self {
            compiled: Arc::new(CompiledPlan {
                namespaces,
                landlock,
                filter: seccomp.then(|| Filter::new(sockets(ask.network, level))),
                drop_privileges: level != Level::Off,
                limits: numbers(&ask.limits, level),
                opened,
            }),
            strength: Arc::new(strength),
            folders,
            _placeholders: Arc::new(placeholders),
            temp: temp.into(),
            asked: Arc::new((ask.mode, ask.record)),
            variables: variables.into(),
            stops_others: ask.stops_others,
            seen,
        })
    }
}

/// The level for a mode on this machine. If no level was demanded, a weaker level than before is an
/// error.
fn choose(mode: SandboxMode, found: &ProbeResult) -> Result<(Level, bool), SpawnError> {
    let (level, degraded) = choose_level(mode, &found.probe)?;
    let before = found.before.as_ref().filter(|_| mode == SandboxMode::BestEffort);
    match before.map(|before| choose_level(mode, before)).transpose()? {
        Some((before, was_degraded)) if before > level || (degraded && !was_degraded) => {
            let missing = match &found.probe.namespaces {
                Err(missing) => missing.to_string(),
                Ok(()) => "Landlock or seccomp".to_owned(),
            };
            Err(SpawnError::Weaker { before: before.name(), now: level.name(), missing })
        }
        _ => Ok((level, degraded)),
    }
}

/// The sockets a process may create.
fn sockets(network: Network, level: Level) -> Sockets {
    match (network, level) {
        (Network::Open, _) => Sockets::Machine,
        (Network::Gate | Network::Closed, Level::Namespaces) => Sockets::Own,
        (Network::Gate | Network::Closed, Level::Landlock | Level::Off) => Sockets::None,
    }
}

/// The strongest level that the mode accepts and the machine supports; the second value is true if
/// it is weaker than the best.
fn choose_level(mode: SandboxMode, probe: &Probe) -> Result<(Level, bool), SpawnError> {
    let unavailable = |wanted, missing: String| Err(SpawnError::Unavailable { wanted, missing });
    let landlock = probe.landlock.is_some() && probe.seccomp;
    match mode {
        SandboxMode::Off => Ok((Level::Off, false)),
        SandboxMode::Namespaces => match &probe.namespaces {
            Ok(()) if landlock => Ok((Level::Namespaces, false)),
            Ok(()) => unavailable("namespaces", "Landlock or seccomp".to_owned()),
            Err(missing) => unavailable("namespaces", missing.to_string()),
        },
        SandboxMode::Landlock if landlock => Ok((Level::Landlock, false)),
        SandboxMode::Landlock => unavailable("landlock", "Landlock or seccomp".to_owned()),
        SandboxMode::BestEffort => Ok(match (&probe.namespaces, landlock) {
            (Ok(()), whole) => (Level::Namespaces, !whole),
            (Err(_), true) => (Level::Landlock, true),
            (Err(_), false) => (Level::Off, true),
        }),
    }
}

/// Makes every path canonical. Writable folders must exist; missing hidden and protected ones are
/// dropped.
fn resolve(ask: &Confinement, folders: &PrivateFolders, canonical: &mut Canonical) -> Result<Confinement, SpawnError> {
    let mut writable = Vec::new();
    for root in &ask.writable {
        let path = root.canonicalize().map_err(|source| SpawnError::WritableFolder { path: root.clone(), source })?;
        writable.push(path);
    }
    let mut existing = |paths: &[PathBuf]| {
        let mut found: Vec<PathBuf> = paths.iter().filter_map(|path| canonical.of(path)).collect();
        found.sort();
        found.dedup();
        found
    };
    // Without namespaces the private temp folder is an ordinary writable one.
    let temp = folders.temp();
    if !below_any(&temp, &writable) {
        writable.push(temp);
    }
    let closed = ask.view.iter().flat_map(|view| &view.closed);
    // Invisible paths need no hiding, and most secrets of a home are invisible.
    let is_seen = |path: &&PathBuf| ask.view.as_ref().is_none_or(|view| view.conceals(path, &ask.writable).is_none());
    let hidden: Vec<PathBuf> = ask.hidden.iter().filter(is_seen).chain(closed).cloned().collect();
    let (hidden, protected) = (existing(&hidden), existing(&ask.protected));
    Ok(Confinement { writable, hidden, protected, ..ask.clone() })
}

/// A copy that a view hands in under another path, and the variable that names it.
struct NamedCopy {
    variable: &'static str,
    path: PathBuf,
}

/// Writes the copies of a view, for the level that cannot show a file in place of another.
fn copies(level: Level, view: Option<&View>, folders: &PrivateFolders) -> std::io::Result<Vec<NamedCopy>> {
    let handed_in = view.filter(|_| level == Level::Landlock).map(|view| view.substitutes(true));
    let mut made = Vec::new();
    for (number, (copy, is_there)) in handed_in.into_iter().flatten().enumerate() {
        let Some(variable) = copy.variable.filter(|_| is_there) else { continue };
        let path = folders.base().path().join(format!("copy-{number}"));
        std::fs::write(&path, &copy.content)?;
        made.push(NamedCopy { variable, path });
    }
    Ok(made)
}

/// The environment variables for caches and handed-in copies at a level.
fn variables(level: Level, view: Option<&View>, copies: Vec<NamedCopy>) -> Vec<(OsString, OsString)> {
    let named = view.and_then(|view| match level {
        Level::Namespaces => Some(&view.variables),
        Level::Landlock => Some(&view.variables_without_links),
        Level::Off => None,
    });
    let named = named.into_iter().flatten().map(|(name, value)| (name.into(), value.clone()));
    named.chain(copies.into_iter().map(|copy| (copy.variable.into(), copy.path.into()))).collect()
}

/// Protected paths that are missing or placeholders: the first missing entry of each, as a file or
/// a folder.
struct MissingPath {
    folders: Vec<PathBuf>,
    files: Vec<PathBuf>,
}

fn missing(protected: &[PathBuf], canonical: &mut Canonical) -> MissingPath {
    let mut missing = MissingPath { folders: Vec::new(), files: Vec::new() };
    for path in protected {
        if canonical.of(path).is_some() && !is_placeholder(path) {
            continue;
        }
        let is_missing = |path: &&Path| std::fs::symlink_metadata(path).is_err() || is_placeholder(path);
        let first = path.ancestors().take_while(is_missing).last();
        let Some(first) = first else { continue };
        // Configuration overlays of a file are in a folder with this extension, which their readers
        // list.
        let is_folder = first != path || first.extension().is_some_and(|ending| ending == "d");
        let list = if is_folder { &mut missing.folders } else { &mut missing.files };
        let above = first.parent().and_then(|above| canonical.of(above));
        list.push(match above.zip(first.file_name()) {
            Some((above, name)) => above.join(name),
            None => canonical.by_words(first),
        });
    }
    missing
}

impl MissingPath {
    /// Those that a process could create: in a writable folder, and not in a protected one.
    fn held_in(self, ask: &Confinement) -> Self {
        let is_open = |path: &PathBuf| below_any(path, &ask.writable) && !below_any(path, &ask.protected);
        let kept = |mut paths: Vec<PathBuf>| {
            paths.retain(is_open);
            paths.sort();
            paths.dedup();
            paths
        };
        Self { folders: kept(self.folders), files: kept(self.files) }
    }
}

/// The resource limits as numbers, at most the limits of this process.
fn numbers(limits: &Limits, level: Level) -> Vec<(libc::c_int, u64, u64)> {
    // Outside a user namespace the kernel counts all processes of the user, so the running ones are
    // added.
    let beside = if level == Level::Namespaces { 0 } else { running_tasks() };
    let wanted = [
        (libc::RLIMIT_NPROC, limits.processes.map(|most| most.saturating_add(beside))),
        (libc::RLIMIT_FSIZE, limits.file_size),
        (libc::RLIMIT_AS, limits.memory),
        (libc::RLIMIT_CPU, limits.cpu_secs),
        (libc::RLIMIT_CORE, limits.core),
    ];
    wanted
        .into_iter()
        .filter_map(|(resource, value)| {
            let resource = libc::c_int::try_from(resource).ok()?;
            let (_, hard) = sys::limit(resource).ok()?;
            let value = value?.min(hard);
            Some((resource, value, value))
        })
        .collect()
}

/// Number of all tasks on the machine: an upper bound for those of this user.
fn running_tasks() -> u64 {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let tasks = load.split_whitespace().nth(3).and_then(|field| field.split('/').nth(1)?.parse().ok());
    tasks.unwrap_or(4096)
}

fn held_network(ask: &Confinement, level: Level, abi: Option<u32>, seccomp: bool) -> Network {
    let held = level == Level::Namespaces || seccomp || abi.is_some_and(|abi| abi >= 4);
    if held { ask.network } else { Network::Open }
}

/// The gaps of a level.
fn weaknesses(level: Level, ask: &Confinement, abi: Option<u32>, seccomp: bool) -> Vec<&'static str> {
    let mut open = Vec::new();
    match level {
        Level::Namespaces => {
            if abi.is_none() {
                open.push("devices the user may open");
            }
        }
        Level::Landlock => {
            open.push("changing mode, owner, times and attributes of files outside the writable folders");
            open.push("seeing the command lines of other processes of the user");
            open.push("System V shared memory, queues and semaphores, and POSIX queues of the user");
            open.push("priority and processors of other processes of the user");
            if !ask.hidden.is_empty() || ask.view.is_some() {
                open.push(
                    "listing hidden folders, your home among them: names, sizes, times, attributes, targets of links",
                );
            }
            if !ask.protected.is_empty() {
                open.push("writing protected files inside writable folders");
            }
            if !ask.held.is_empty() {
                open.push("writing files that other programs obey (git, editors, agents) inside writable folders");
            }
            if effective_ids().0 == 0 {
                open.push("starting processes without end, as root");
            }
            if ask.network == Network::Open {
                open.push("sockets of other programs in the file system (editors, terminals, key agents, databases)");
            }
            if abi.is_some_and(|abi| abi < 6) {
                open.push("signals to other processes of the user and abstract sockets");
            }
        }
        Level::Off => {
            open.push("reading and writing every file the user may");
            open.push("signals to other processes of the user");
        }
    }
    if ask.network == Network::Closed && level == Level::Off {
        open.push("the network");
    }
    if ask.network == Network::Gate {
        open.push("sending what may be read to the hosts that were allowed");
    }
    if !seccomp && level != Level::Off {
        open.push("unusual system calls");
    }
    if ask.network == Network::Open && level != Level::Off {
        open.push("sending what may be read to the network");
        open.push("servers on this machine and in its local network, link-local addresses among them");
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::facilities::Facility;

    fn probe(namespaces: bool, landlock: Option<u32>, seccomp: bool) -> Probe {
        let namespaces = if namespaces { Ok(()) } else { Err(Facility::missing("user namespaces", libc::EPERM)) };
        Probe { namespaces, landlock, seccomp }
    }

    #[test]
    fn the_mode_and_the_machine_decide_the_level() {
        use Level::{Landlock, Namespaces, Off};
        let table = [
            (SandboxMode::Namespaces, probe(true, Some(7), true), Some((Namespaces, false))),
            (SandboxMode::Namespaces, probe(true, None, true), None),
            (SandboxMode::Namespaces, probe(false, Some(7), true), None),
            (SandboxMode::Landlock, probe(true, Some(1), true), Some((Landlock, false))),
            (SandboxMode::Landlock, probe(true, None, true), None),
            (SandboxMode::BestEffort, probe(true, Some(7), true), Some((Namespaces, false))),
            (SandboxMode::BestEffort, probe(true, None, true), Some((Namespaces, true))),
            (SandboxMode::BestEffort, probe(false, Some(7), true), Some((Landlock, true))),
            (SandboxMode::BestEffort, probe(false, None, false), Some((Off, true))),
            (SandboxMode::Off, probe(true, Some(7), true), Some((Off, false))),
        ];
        for (mode, probe, expected) in table {
            assert_eq!(choose_level(mode, &probe).ok(), expected, "{mode:?} on {probe:?}");
        }
    }

    #[test]
    fn less_than_before_is_an_error_where_no_level_was_demanded() {
        let check = |mode, now: Probe, before: Option<Probe>| {
            choose(mode, &ProbeResult { probe: now, before })
                .map_err(|error| matches!(error, SpawnError::Weaker { .. }))
        };
        let whole = || probe(true, Some(7), true);
        let less = || probe(false, Some(7), true);
        assert_eq!(check(SandboxMode::BestEffort, less(), None), Ok((Level::Landlock, true)));
        assert_eq!(check(SandboxMode::BestEffort, less(), Some(whole())), Err(true));
        assert_eq!(check(SandboxMode::BestEffort, probe(true, None, true), Some(whole())), Err(true));
        assert_eq!(check(SandboxMode::Landlock, less(), Some(whole())), Ok((Level::Landlock, false)));
        assert_eq!(check(SandboxMode::Namespaces, less(), Some(whole())), Err(false));
        assert_eq!(check(SandboxMode::Off, less(), Some(whole())), Ok((Level::Off, false)));
    }

    #[test]
    fn a_missing_writable_folder_is_an_error() {
        let ask = Confinement { writable: vec!["/nonexistent/folder".into()], ..Confinement::default() };
        assert!(matches!(Sandbox::compile(&ask), Err(SpawnError::WritableFolder { .. })));
    }

    #[test]
    fn less_than_the_best_says_what_it_does_not_stop() {
        let ask = Confinement { network: Network::Closed, ..Confinement::default() };
        for level in [Level::Landlock, Level::Off] {
            assert!(!weaknesses(level, &ask, Some(7), true).is_empty(), "{level:?}");
        }
        assert_eq!(weaknesses(Level::Namespaces, &ask, Some(7), true), Vec::<&str>::new());
    }
}
