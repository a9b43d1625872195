//! Watches the configuration file of a long-running program and reloads it when it changes.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use notify::{RecursiveMode, Watcher};
use rustix::fs::OFlags;
use tools_core::{Clock, SystemClock};

use super::{LoadError, LoadedConfig, ReloadReport, ReloadState, overlays::Overlays, places, read::text_of};

/// Quiet time before a changed file is read: editors write in several steps.
const SETTLED: Duration = Duration::from_millis(150);
/// Polling interval where the system reports no changes, as on network file systems.
const LOOK: Duration = Duration::from_secs(2);

/// Source of environment variables.
type Environment = dyn Fn(&str) -> Option<String> + Send;

/// Watches a configuration file until dropped.
#[derive(Debug)]
pub struct ConfigWatch {
    /// Dropping it ends the thread.
    _watcher: Option<notify::RecommendedWatcher>,
    stop: std::sync::mpsc::Sender<()>,
}

impl ConfigWatch {
    /// Whether the file is watched: not if commands may write it. Determining this takes a moment.
    pub fn is_watching(&self) -> bool {
        self.stop.send(()).is_ok()
    }
}

/// User of a watched configuration.
pub(crate) trait ConfigUser: Send + 'static {
    /// Whether the kernel keeps commands, as they are confined now, from writing a place.
    fn is_held(&self, place: &Path) -> bool;

    /// Whether only the place itself is protected, in a folder that commands may write. What
    /// replaces it while a command runs is not protected.
    fn lies_among_writable(&self, place: &Path) -> bool;

    /// Puts another configuration in force, completely or not at all.
    ///
    /// # Errors
    /// Why it cannot be used.
    fn reload(&self, loaded: &LoadedConfig) -> Result<ReloadReport, LoadError>;

    /// Receives the result of a change.
    fn told(&self, state: ReloadState);
}

impl ConfigWatch {
    /// Watches the files of `loaded`, and its filter rules if they are a file; `None` if there is
    /// neither a file nor a place for overlays.
    pub(crate) fn begin(
        loaded: &LoadedConfig,
        rules: Option<PathBuf>,
        environment: impl Fn(&str) -> Option<String> + Send + 'static,
        user: impl ConfigUser,
    ) -> Option<Self> {
        let usual = || places::config_file().filter(|_| loaded.overlay_folder().is_some());
        let anchor = std::path::absolute(loaded.file.clone().or_else(usual)?).ok()?;
        let (stop, changes) = channel();
        let overlays = &loaded.overlays;
        let files: Vec<PathBuf> = std::iter::once(anchor.clone()).chain(rules.clone()).collect();
        let told = watcher(&files, overlays.folder(), stop.clone());
        let watched = WatchState {
            user: Box::new(user),
            folder: identity_of_folder(&anchor),
            // State that was read, not the current one: it may have changed since.
            seen: FileContents {
                text: Ok(loaded.text().to_owned()),
                overlays: Ok(overlays.clone()),
                rules: rules.as_deref().map(self::rules),
            },
            file: loaded.file.clone().and(Some(anchor.clone())),
            originals: places_of(&anchor, rules.as_deref()).map(|place| (Original::of(&place), place)).collect(),
            anchor,
            rules,
            environment: Box::new(environment),
        };
        let started = thread::Builder::new().name("haft-config".to_owned()).spawn(move || watched.run(&changes));
        if let Err(error) = started {
            tracing::warn!(%error, "changes of the configuration are not looked for");
            return None;
        }
        Some(Self { _watcher: told, stop })
    }
}

/// Reports events in the folders of the files, and in the folder of overlays. Folders are watched
/// because editors replace files by new ones.
fn watcher(
    files: &[PathBuf],
    overlays: Option<&Path>,
    changed: std::sync::mpsc::Sender<()>,
) -> Option<notify::RecommendedWatcher> {
    let places = || files.iter().flat_map(|file| [Some(file.clone()), file.canonicalize().ok()]).flatten();
    let ours = places().chain(overlays.map(Path::to_owned));
    let names: BTreeSet<OsString> = ours.filter_map(|file| file.file_name().map(ToOwned::to_owned)).collect();
    let told = move |event: notify::Result<notify::Event>| {
        let has_name = |path: &Path| path.file_name().is_some_and(|name| names.contains(name));
        let is_ours = |path: &PathBuf| has_name(path) || path.parent().is_some_and(has_name);
        if event.is_ok_and(|event| !event.kind.is_access() && event.paths.iter().any(is_ours)) {
            let _ = changed.send(());
        }
    };
    let mut folders: BTreeSet<PathBuf> = places().filter_map(|file| file.parent().map(Path::to_owned)).collect();
    folders.extend(overlays.filter(|folder| folder.is_dir()).map(Path::to_owned));
    let mut watcher = notify::recommended_watcher(told).ok()?;
    for folder in folders {
        if let Err(error) = watcher.watch(&folder, RecursiveMode::NonRecursive) {
            tracing::debug!(folder = %folder.display(), %error, "this folder is only looked at now and then");
        }
    }
    Some(watcher)
}

struct WatchState {
    user: Box<dyn ConfigUser>,
    /// The configuration file; `None` if there was none at the start, and only overlays apply.
    file: Option<PathBuf>,
    /// Path of the configuration file, or the path it would have.
    anchor: PathBuf,
    /// Filter rules, if they are a file.
    rules: Option<PathBuf>,
    /// File that was at each place at the start.
    originals: Vec<(Original, PathBuf)>,
    /// Identity of the folder of the configuration at the start.
    folder: Option<(u64, u64)>,
    seen: FileContents,
    environment: Box<Environment>,
}

/// Contents of the files, or why they could not be read.
#[derive(PartialEq)]
struct FileContents {
    text: Result<String, String>,
    overlays: Result<Overlays, String>,
    rules: Option<Result<String, String>>,
}

impl WatchState {
    fn run(mut self, changes: &Receiver<()>) {
        if !self.is_held() {
            let file = self.anchor.display();
            tracing::info!(%file, "commands may write the configuration: its changes count from the next start");
            return;
        }
        self.look();
        loop {
            match changes.recv_timeout(LOOK) {
                Ok(()) => settle(changes),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.look();
        }
    }

    /// Whether the kernel keeps commands, as they are confined now, from writing the watched files.
    fn is_held(&self) -> bool {
        places_of(&self.anchor, self.rules.as_deref()).all(|place| self.user.is_held(&place))
    }

    /// A place in a writable folder at which a different file lies than at the start.
    fn replaced(&self) -> Option<&Path> {
        let is_other =
            |(original, place): &&(Original, PathBuf)| self.user.lies_among_writable(place) && !original.is_at(place);
        self.originals.iter().find(is_other).map(|(_, place)| place.as_path())
    }

    fn now(&self) -> FileContents {
        FileContents {
            text: self.file.as_deref().map_or_else(|| Ok(String::new()), contents),
            overlays: Overlays::beside(&self.anchor).map_err(|error| error.to_string()),
            rules: self.rules.as_deref().map(rules),
        }
    }

    fn look(&mut self) {
        let now = self.now();
        if now == self.seen {
            return;
        }
        self.seen = now;
        let read = self.read();
        let file = self.anchor.display();
        let (problem, needs_restart) = match read {
            Ok(report) => {
                tracing::info!(%file, changed = ?report.applied, "the configuration was read again");
                for warning in &report.warnings {
                    tracing::warn!("{warning}");
                }
                if !report.needs_restart.is_empty() {
                    tracing::warn!(%file, keys = ?report.needs_restart, "these count from the next start");
                }
                (None, report.needs_restart)
            }
            Err(problem) => {
                tracing::warn!(%file, "the configuration cannot be used, what was in force stays: {problem}");
                (Some(problem), vec![])
            }
        };
        self.user.told(ReloadState { at: SystemClock.now(), problem, needs_restart });
    }

    fn read(&self) -> Result<ReloadReport, String> {
        if !self.is_held() {
            return Err("commands may write it by now".to_owned());
        }
        // Whoever can move folders could replace the folder that no tool may write to.
        if identity_of_folder(&self.anchor) != self.folder {
            return Err("the folder it lies in is another one than at the start".to_owned());
        }
        if let Some(place) = self.replaced() {
            return Err(format!(
                "`{}` was replaced in a folder that commands may write, where one may have changed it since: look at it, it counts from the next start",
                place.display()
            ));
        }
        let (text, overlays) = (self.seen.text.as_ref()?, self.seen.overlays.as_ref()?);
        let loaded = LoadedConfig::assemble(text, self.file.clone(), overlays.clone(), &self.environment);
        let loaded = loaded.map_err(|error| error.to_string())?;
        self.user.reload(&loaded).map_err(|error| error.to_string())
    }
}

/// Waits until changes pause, but not for ever: a file that keeps changing is read as it is.
fn settle(changes: &Receiver<()>) {
    let latest = Instant::now() + LOOK;
    while Instant::now() < latest && changes.recv_timeout(SETTLED).is_ok() {}
}

/// Contents of a file, or why it cannot be read. Does not block: a pipe is not a configuration.
fn contents(file: &Path) -> Result<String, String> {
    text_of(file).map_err(|error| format!("{} cannot be read: {error}", file.display()))
}

/// Contents of filter rules, which may be missing: the sandbox may put an empty file in their place
/// while a command runs.
fn rules(file: &Path) -> Result<String, String> {
    if file.symlink_metadata().is_ok() { contents(file) } else { Ok(String::new()) }
}

/// All watched places.
fn places_of(anchor: &Path, rules: Option<&Path>) -> impl Iterator<Item = PathBuf> {
    [anchor.to_owned(), Overlays::folder_of(anchor)].into_iter().chain(rules.map(Path::to_owned))
}

/// File or folder at a place; `None` if nothing was there. It is kept open, so that its inode
/// number is not reused.
#[derive(Debug)]
struct Original(Option<File>);

impl Original {
    fn of(place: &Path) -> Self {
        let flags = i32::try_from((OFlags::PATH | OFlags::CLOEXEC).bits()).unwrap_or(0);
        Self(File::options().read(true).custom_flags(flags).open(place).ok())
    }

    /// Whether the same file is still at `place`. A missing file equals an empty one, which the
    /// sandbox puts in its place while a command runs.
    fn is_at(&self, place: &Path) -> bool {
        let id = |found: &Metadata| (found.dev(), found.ino());
        match (&self.0, std::fs::metadata(place)) {
            (Some(original), Ok(now)) => original.metadata().is_ok_and(|then| id(&then) == id(&now)),
            (Some(_), Err(_)) => false,
            (None, Ok(now)) if now.is_dir() => {
                std::fs::read_dir(place).is_ok_and(|mut entries| entries.next().is_none())
            }
            (None, Ok(now)) => now.len() == 0,
            (None, Err(_)) => true,
        }
    }
}

/// Identity of the folder of a path, independent of its name.
fn identity_of_folder(file: &Path) -> Option<(u64, u64)> {
    let meta = std::fs::metadata(file.parent()?).ok()?;
    Some((meta.dev(), meta.ino()))
}
