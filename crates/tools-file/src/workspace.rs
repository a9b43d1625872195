//! State and steps that all ten tools share: the current policy, what sessions have read, and the
//! transition from a call to blocking work. The tools themselves are in `tools/`.

use std::ffi::OsStr;
use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::io::Read;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use tools_core::{AnswerBudget, CallContext, Inspection, Locked as _, SessionId, Shared, ToolError, nearest};
use tools_sandbox::{
    Beneath, Directory, Entry, FileKind, Metadata, PathError, ReadRules, ResolvedPath, Roots, name_spelled, spelled,
};

use crate::cancel::Cancel;
use crate::config::{FileConfig, ToolRestriction};
use crate::error::FileError;
use crate::memory::{ReadMemory, SeenFiles};
use crate::stamps::Stamps;
use crate::temporary_files::TemporaryFiles;
use crate::{FilePolicy, obeyed};

/// The state behind the ten tools of one host.
pub(crate) struct Workspace {
    /// Name of the tool that uses this value.
    tool: &'static str,
    policy: Shared<FilePolicy>,
    memory: Arc<ReadMemory>,
    locks: Arc<PathLocks>,
}

impl Workspace {
    pub(crate) fn new(policy: Shared<FilePolicy>, seen: &SeenFiles) -> Self {
        Self { tool: "", policy, memory: Arc::clone(&seen.0), locks: Arc::default() }
    }

    /// The same workspace for another tool.
    pub(crate) fn of(&self, tool: &'static str) -> Arc<Self> {
        let Self { tool: _, policy, memory, locks } = self;
        Arc::new(Self { tool, policy: policy.clone(), memory: Arc::clone(memory), locks: Arc::clone(locks) })
    }

    /// The policy and the roots that this call uses to its end.
    pub(crate) fn site(&self, cx: &CallContext) -> Result<Site, FileError> {
        let policy = self.policy.load();
        let roots = policy.roots(cx.workdir())?;
        let workdir = cx.workdir().to_path_buf();
        Ok(Site {
            closed: None,
            roots,
            known_as: OnceLock::new(),
            policy,
            workdir,
            session: cx.session().clone(),
            answer: cx.answer(),
            memory: Arc::clone(&self.memory),
            locks: Arc::clone(&self.locks),
            stamps: None,
        })
    }

    /// The same site, with the files denied that gates deny to the tool. Not for `inspect`: the
    /// gates themselves refuse a path in a call.
    pub(crate) fn closed_site(&self, cx: &CallContext) -> Result<Site, FileError> {
        let mut site = self.site(cx)?;
        site.closed = site.policy.closed_to(self.tool, &site.workdir);
        Ok(site)
    }

    /// Runs `work` on a thread for blocking work. Cancels it when no caller waits for the result
    /// any more, and reports the files that it depended on.
    pub(crate) async fn blocking<T: Send + 'static>(
        &self,
        cx: &CallContext,
        work: impl FnOnce(&Site, &Cancel) -> Result<T, FileError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let mut site = self.closed_site(cx)?;
        site.stamps = cx.basis().map(|_| Stamps::new(&site.workdir));
        let token = cx.cancel().child_token();
        let cancel = Cancel::of(token.clone());
        let _stop = token.drop_guard(); // a dropped future must not leave a walk behind
        let work = move || {
            let result = work(&site, &cancel)?;
            Ok((result, site.stamps.and_then(Stamps::into_basis)))
        };
        let (result, basis) = tokio::task::spawn_blocking(work).await.unwrap_or(Err(FileError::Lost))?;
        if let (Some(slot), Some(basis)) = (cx.basis(), basis) {
            slot.leave(basis);
        }
        Ok(result)
    }
}

/// Number of attempts to get a directory's lock, and the pause between them.
const LOCK_TRIES: u32 = 1000;
const LOCK_PAUSE: Duration = Duration::from_millis(3);

/// The right to change one file, until it is dropped.
pub(crate) struct FileLock<'a> {
    _own: MutexGuard<'a, ()>,
    _shared: Option<OwnedFd>,
}

/// The environment of one call: its roots, rules, limits and session.
pub(crate) struct Site {
    pub(crate) roots: Roots,
    policy: Arc<FilePolicy>,
    closed: Option<ToolRestriction>,
    pub(crate) workdir: PathBuf,
    /// The canonical path of the working directory.
    known_as: OnceLock<PathBuf>,
    session: SessionId,
    answer: AnswerBudget,
    memory: Arc<ReadMemory>,
    locks: Arc<PathLocks>,
    stamps: Option<Stamps>,
}

impl Site {
    /// The budget for the text of the answer, minus space for notes on omitted parts.
    pub(crate) fn answer(&self) -> AnswerBudget {
        const NOTES: usize = 600;
        self.answer.less(NOTES)
    }

    /// The text of a file without credentials, or the original text if none are hidden.
    pub(crate) fn hiding<'a>(&self, path: &Path, text: impl Read + 'a) -> Box<dyn Read + 'a> {
        match self.policy.hiding() {
            Some(hiding) => hiding.0.reading(&self.session, path, Box::new(text)),
            None => Box::new(text),
        }
    }

    /// The ranges of the credentials in a text. An edit replaces each as a whole or not at all.
    pub(crate) fn credentials(&self, path: &Path, text: &str) -> Vec<Range<usize>> {
        self.policy.hiding().map(|hiding| hiding.0.credentials(&self.session, path, text)).unwrap_or_default()
    }

    /// Whether credentials are hidden.
    pub(crate) fn hides(&self) -> bool {
        self.policy.hiding().is_some()
    }

    /// The policy of this call.
    pub(crate) fn policy(&self) -> &Arc<FilePolicy> {
        &self.policy
    }

    pub(crate) fn limits(&self) -> &FileConfig {
        self.policy.limits()
    }

    /// The rules for the files that are denied to the tool of the call.
    pub(crate) fn rules(&self) -> &ReadRules {
        self.closed.as_ref().map_or_else(|| self.policy.rules(), |closed| &closed.rules)
    }

    /// The rules for the files that the tool of the call may not even name; `None` if it may name
    /// all.
    pub(crate) fn names(&self) -> Option<&ReadRules> {
        self.closed.as_ref().map(|closed| &closed.names)
    }

    /// Adds a question to `inspection` if the call changes files that control programs outside the
    /// sandbox. `given` are the changed paths in the call.
    pub(crate) fn asking(&self, inspection: Inspection, given: &[&str]) -> Inspection {
        let given: Vec<PathBuf> = given.iter().map(|path| self.named(path)).collect();
        obeyed::asking(inspection, self.known_as(), &given)
    }

    /// The collector of stamps of the files read; `None` if no caller needs them.
    pub(crate) fn stamps(&self) -> Option<&Stamps> {
        self.stamps.as_ref()
    }

    /// The record of temporary names.
    pub(crate) fn unfinished(&self) -> &TemporaryFiles {
        self.policy.unfinished()
    }

    /// Refuses a canonical path that the read rules deny.
    pub(crate) fn check_readable(&self, canonical: &Path, asked: &Path) -> Result<(), FileError> {
        if self.rules().denies(canonical) {
            return Err(PathError::Denied(asked.to_path_buf()).into());
        }
        Ok(())
    }

    /// The path for a text in a call. The text may be an escaped name, as shown, if that file
    /// exists; otherwise it is the path itself. No two names have the same shown form.
    pub(crate) fn named(&self, path: &str) -> PathBuf {
        if !path.contains('\\') {
            return PathBuf::from(path);
        }
        let is_there =
            |path: &Path| self.roots.resolve_entry(path, &self.workdir).is_ok_and(|resolved| resolved.kind().is_some());
        let (mut meant, mut is_other) = (PathBuf::new(), false);
        for name in Path::new(path).components() {
            let other = name_spelled(name.as_os_str()).map(|other| meant.join(other)).filter(|other| is_there(other));
            is_other |= other.is_some();
            meant = other.unwrap_or_else(|| meant.join(name));
        }
        if is_other { meant } else { PathBuf::from(path) }
    }

    /// Resolves `path` and checks it against the rules; for `inspect`.
    pub(crate) fn resolve_readable(&self, path: &Path) -> Result<ResolvedPath, FileError> {
        let resolved = self.roots.resolve(path, &self.workdir)?;
        self.check_readable(resolved.path(), path)?;
        Ok(resolved)
    }

    /// Opens `path` and checks the opened file against the rules.
    pub(crate) fn open_readable(&self, path: &Path) -> Result<Beneath, FileError> {
        let opened = self.open_any(path)?;
        self.check_readable(opened.path(), path)?;
        Ok(opened)
    }

    /// Opens the start of a search. A folder is refused only if the rules deny everything in it,
    /// whatever its name; otherwise the files found in it are checked one by one.
    pub(crate) fn open_start(&self, path: &Path) -> Result<Beneath, FileError> {
        let start = self.open_any(path)?;
        self.check_start(start.path(), start.metadata().kind == FileKind::Directory, path)?;
        Ok(start)
    }

    /// Resolves the start of a search and checks it against the rules; for `inspect`.
    pub(crate) fn resolve_start(&self, path: &Path) -> Result<ResolvedPath, FileError> {
        let resolved = self.roots.resolve(path, &self.workdir)?;
        self.check_start(resolved.path(), resolved.path().is_dir(), path)?;
        Ok(resolved)
    }

    fn check_start(&self, canonical: &Path, is_folder: bool, asked: &Path) -> Result<(), FileError> {
        match is_folder {
            true if self.rules().closes_below(canonical) => Err(PathError::Denied(asked.to_path_buf()).into()),
            true => Ok(()),
            false => self.check_readable(canonical, asked),
        }
    }

    /// Opens `path` without checking the rules.
    fn open_any(&self, path: &Path) -> Result<Beneath, FileError> {
        self.roots.open_any(path, &self.workdir).map_err(|error| self.with_near_names(error, path))
    }

    /// The starts of a search: `path`, else the working directory, or every root if the working
    /// directory is outside of them.
    pub(crate) fn search_starts(&self, path: Option<&str>) -> Vec<PathBuf> {
        match path {
            Some(path) => vec![self.named(path)],
            None if self.roots.resolve(Path::new("."), &self.workdir).is_ok() => vec![PathBuf::from(".")],
            None => self.roots.paths().map(Path::to_path_buf).collect(),
        }
    }

    /// Opens a regular file for reading.
    pub(crate) fn open_file(&self, path: &Path) -> Result<(File, PathBuf, Metadata), FileError> {
        let opened = self.open_readable(path)?;
        let (canonical, metadata) = (opened.path().to_path_buf(), *opened.metadata());
        if metadata.kind != FileKind::File {
            return Err(FileError::NotReadable { path: path.to_path_buf(), kind: metadata.kind });
        }
        Ok((opened.into_file()?, canonical, metadata))
    }

    pub(crate) fn open_directory(&self, path: &Path) -> Result<Directory, FileError> {
        self.roots.open_directory(path, &self.workdir).map_err(|error| self.with_near_names(error, path))
    }

    /// The entry that writing to `path` would replace, checked against the rules.
    pub(crate) fn writable_entry(&self, path: &Path) -> Result<(Entry, Vec<PathBuf>), FileError> {
        // Checked before any parent is created.
        self.resolve_readable(path)?;
        let found = self.roots.entry_with_parents(path, &self.workdir);
        let (entry, created) = found.map_err(|error| self.no_file(error, path))?;
        self.check_readable(&entry.path(), path)?;
        Ok((self.changeable(entry, path)?, created))
    }

    /// Resolves `path` without following a final link, and checks it against the rules; for
    /// `inspect` and for planning.
    pub(crate) fn resolve_entry_readable(&self, path: &Path) -> Result<PathBuf, FileError> {
        let resolved = self.roots.resolve_entry(path, &self.workdir)?;
        self.check_readable(resolved.path(), path)?;
        Ok(resolved.into_path())
    }

    /// The entry at the end of the links that `path` leads through, for a change.
    pub(crate) fn entry_followed(&self, path: &Path) -> Result<Entry, FileError> {
        let entry = self.roots.entry_followed(path, &self.workdir);
        self.changeable(entry.map_err(|error| self.no_file(error, path))?, path)
    }

    /// The error for a path whose content was to be changed: for a root, that it is not a file.
    fn no_file(&self, error: PathError, path: &Path) -> FileError {
        match error {
            PathError::Protected(_) => FileError::NotAFile { path: path.to_path_buf(), kind: FileKind::Directory },
            error => self.with_near_names(error, path),
        }
    }

    /// Refuses files that belong to the host.
    fn changeable(&self, entry: Entry, asked: &Path) -> Result<Entry, FileError> {
        self.roots.check_changeable(&entry.path(), asked)?;
        Ok(entry)
    }

    /// The error for a path that does not exist.
    pub(crate) fn missing(&self, path: &Path) -> FileError {
        self.with_near_names(PathError::NotFound(path.to_path_buf()), path)
    }

    /// The entry of `path` itself, for a change.
    pub(crate) fn entry(&self, path: &Path) -> Result<Entry, FileError> {
        let entry = self.roots.entry(path, &self.workdir);
        self.changeable(entry.map_err(|error| self.with_near_names(error, path))?, path)
    }

    /// The entry of `path` itself as a target, checked against the rules; creates missing parents.
    pub(crate) fn target_entry(&self, path: &Path) -> Result<Entry, FileError> {
        self.resolve_entry_readable(path)?;
        let entry = match (self.roots.entry(path, &self.workdir), path.parent()) {
            (Err(PathError::NotFound(_)), Some(parent)) => {
                self.roots.create_directories(parent, &self.workdir)?;
                self.roots.entry(path, &self.workdir)?
            }
            (result, _) => result?,
        };
        self.changeable(entry, path)
    }

    pub(crate) fn memory(&self) -> (&ReadMemory, &SessionId) {
        (&self.memory, &self.session)
    }

    /// Keeps two calls from changing one file at the same time: calls in this process by its name,
    /// other processes that take part by a lock on its directory. Does not wait longer than a few
    /// seconds for the latter.
    ///
    /// # Errors
    /// `Cancelled`.
    pub(crate) fn lock(&self, entry: &Entry, cancel: &Cancel) -> Result<FileLock<'_>, FileError> {
        let own = self.locks.lock(&entry.path());
        for _ in 0..LOCK_TRIES {
            cancel.check()?;
            match entry.directory().try_lock() {
                Ok(None) => std::thread::sleep(LOCK_PAUSE),
                Ok(Some(shared)) => return Ok(FileLock { _own: own, _shared: Some(shared) }),
                // Locks are not available here. The content is compared before it is replaced in
                // any case.
                Err(_) => break,
            }
        }
        Ok(FileLock { _own: own, _shared: None })
    }

    /// The canonical working directory; determined only when a path is shown.
    fn known_as(&self) -> &Path {
        self.known_as.get_or_init(|| {
            let resolved = self.roots.resolve(Path::new("."), &self.workdir);
            resolved.map_or_else(|_| self.workdir.clone(), ResolvedPath::into_path)
        })
    }

    /// The working directory by its canonical name and by its given name.
    pub(crate) fn workdirs(&self) -> [&Path; 2] {
        [self.known_as(), &self.workdir]
    }

    /// A path as shown to the model: relative to the working directory if it is below it.
    pub(crate) fn show(&self, path: &Path) -> String {
        match path.strip_prefix(self.known_as()) {
            Ok(rest) if rest.as_os_str().is_empty() => ".".to_owned(),
            Ok(rest) => spelled(rest),
            Err(_) => spelled(path),
        }
    }

    /// Adds similar names that exist.
    fn with_near_names(&self, error: PathError, path: &Path) -> FileError {
        let PathError::NotFound(_) = error else {
            return error.into();
        };
        let near = self.near_names(path).unwrap_or_default();
        FileError::Missing { path: path.to_path_buf(), near }
    }

    fn near_names(&self, path: &Path) -> Option<Vec<String>> {
        let (parent, name) = (path.parent()?, path.file_name()?.to_str()?);
        let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        let directory = self.roots.open_directory(parent, &self.workdir).ok()?;
        let names: Vec<String> =
            directory.entries().ok()?.into_iter().take(5000).filter_map(|(name, _)| name.into_string().ok()).collect();
        let near = nearest(name, names.iter().map(String::as_str));
        Some(near.into_iter().map(|name| format!("`{}`", self.show(&directory.path().join(name)))).collect())
    }
}

/// A file name as shown to the model.
pub(crate) fn show_name(name: &OsStr) -> String {
    spelled(Path::new(name))
}

/// A fixed number of locks. A hash assigns each path to one for the lifetime of the value.
struct PathLocks {
    hasher: RandomState,
    locks: [Mutex<()>; 64],
}

impl Default for PathLocks {
    fn default() -> Self {
        Self { hasher: RandomState::new(), locks: std::array::from_fn(|_| Mutex::new(())) }
    }
}

impl PathLocks {
    fn lock(&self, path: &Path) -> MutexGuard<'_, ()> {
        let index = usize::try_from(self.hasher.hash_one(path) % 64).unwrap_or_default();
        // The lock guards files, not memory, so a panic leaves no incomplete state in it.
        self.locks[index].locked()
    }
}
