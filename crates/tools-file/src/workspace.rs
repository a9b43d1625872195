//! State and steps that all ten tools share: the current policy, what sessions have read, and the
//! way from a call to blocking work. The tools themselves are in `tools/`.

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

    /// The same site, with the files closed that gates close to the tool. Not for `inspect`: the
    /// gates themselves refuse a path that a call names.
    pub(crate) fn closed_site(&self, cx: &CallContext) -> Result<Site, FileError> {
        let mut site = self.site(cx)?;
        site.closed = site.policy.closed_to(self.tool, &site.workdir);
        Ok(site)
    }

    /// Runs `work` where blocking is allowed. Cancels it when nobody waits for the result any more,
    /// and reports what it noted about the files it looked at.
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

/// How often, and how long apart, a directory's lock is asked for.
const LOCK_TRIES: u32 = 1000;
const LOCK_PAUSE: Duration = Duration::from_millis(3);

/// The right to change one file, for as long as it lives.
pub(crate) struct FileLock<'a> {
    _own: MutexGuard<'a, ()>,
    _shared: Option<OwnedFd>,
}

/// Where one call works: its roots, rules, limits and session.
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
    /// The budget for the text of the answer, with room for the lines about what is not shown.
    pub(crate) fn answer(&self) -> AnswerBudget {
        const NOTES: usize = 600;
        self.answer.less(NOTES)
    }

    /// The text of a file without credentials, or all of it where none are hidden.
    pub(crate) fn hiding<'a>(&self, path: &Path, text: impl Read + 'a) -> Box<dyn Read + 'a> {
        match self.policy.hiding() {
            Some(hiding) => hiding.0.reading(&self.session, path, Box::new(text)),
            None => Box::new(text),
        }
    }

    /// The ranges of the credentials in a file's text. An edit replaces each as a whole or not at
    /// all.
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

    /// The rules for the files that are closed to the tool of the call.
    pub(crate) fn rules(&self) -> &ReadRules {
        self.closed.as_ref().map_or_else(|| self.policy.rules(), |closed| &closed.rules)
    }

    /// The rules for the files that the tool of the call may not even name; `None` where it may
    /// name all.
    pub(crate) fn names(&self) -> Option<&ReadRules> {
        self.closed.as_ref().map(|closed| &closed.names)
    }

    /// Adds a question to `inspection` if the call changes files that programs outside a sandbox
    /// obey. `given` are the changed paths as the call has them.
    pub(crate) fn asking(&self, inspection: Inspection, given: &[&str]) -> Inspection {
        let given: Vec<PathBuf> = given.iter().map(|path| self.named(path)).collect();
        obeyed::asking(inspection, self.known_as(), &given)
    }

    /// The collector of stamps of files looked at; `None` when nobody wants them.
    pub(crate) fn stamps(&self) -> Option<&Stamps> {
        self.stamps.as_ref()
    }

    /// The record of temporary names.
    pub(crate) fn unfinished(&self) -> &TemporaryFiles {
        self.policy.unfinished()
    }

    /// Refuses a canonical path that the read rules close.
    pub(crate) fn check_readable(&self, canonical: &Path, asked: &Path) -> Result<(), FileError> {
        if self.rules().denies(canonical) {
            return Err(PathError::Denied(asked.to_path_buf()).into());
        }
        Ok(())
    }

    /// The path that a call means by a text: names that are shown escaped are meant where they are
    /// there, else the text itself. No two names are shown by the same text.
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

    /// What `path` leads to, judged by the rules; for `inspect`.
    pub(crate) fn resolve_readable(&self, path: &Path) -> Result<ResolvedPath, FileError> {
        let resolved = self.roots.resolve(path, &self.workdir)?;
        self.check_readable(resolved.path(), path)?;
        Ok(resolved)
    }

    /// Opens whatever `path` leads to, judged by what was opened.
    pub(crate) fn open_readable(&self, path: &Path) -> Result<Beneath, FileError> {
        let opened = self.open_any(path)?;
        self.check_readable(opened.path(), path)?;
        Ok(opened)
    }

    /// Opens where a search begins. Of a folder only one in which the rules close whatever has no
    /// name of its own there is refused: what is found in others is judged file by file.
    pub(crate) fn open_start(&self, path: &Path) -> Result<Beneath, FileError> {
        let start = self.open_any(path)?;
        self.check_start(start.path(), start.metadata().kind == FileKind::Directory, path)?;
        Ok(start)
    }

    /// Where a search would begin, judged by the rules; for `inspect`.
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

    /// Opens whatever `path` leads to, not judged.
    fn open_any(&self, path: &Path) -> Result<Beneath, FileError> {
        self.roots.open_any(path, &self.workdir).map_err(|error| self.with_near_names(error, path))
    }

    /// Where a search begins: at `path`, else at the working directory, or at every root if that is
    /// in none.
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

    /// The name that writing to `path` would replace, judged by the rules.
    pub(crate) fn writable_entry(&self, path: &Path) -> Result<(Entry, Vec<PathBuf>), FileError> {
        // Judged before anything is created on the way.
        self.resolve_readable(path)?;
        let found = self.roots.entry_with_parents(path, &self.workdir);
        let (entry, created) = found.map_err(|error| self.no_file(error, path))?;
        self.check_readable(&entry.path(), path)?;
        Ok((self.changeable(entry, path)?, created))
    }

    /// What `path` means as a name of its own, judged by the rules; for `inspect` and for planning.
    pub(crate) fn resolve_entry_readable(&self, path: &Path) -> Result<PathBuf, FileError> {
        let resolved = self.roots.resolve_entry(path, &self.workdir)?;
        self.check_readable(resolved.path(), path)?;
        Ok(resolved.into_path())
    }

    /// The name at the end of the links that `path` leads through, as something to change.
    pub(crate) fn entry_followed(&self, path: &Path) -> Result<Entry, FileError> {
        let entry = self.roots.entry_followed(path, &self.workdir);
        self.changeable(entry.map_err(|error| self.no_file(error, path))?, path)
    }

    /// The error for a path whose content was to change: that a root stays is no answer to that.
    fn no_file(&self, error: PathError, path: &Path) -> FileError {
        match error {
            PathError::Protected(_) => FileError::NotAFile { path: path.to_path_buf(), kind: FileKind::Directory },
            error => self.with_near_names(error, path),
        }
    }

    /// Refuses what belongs to the host.
    fn changeable(&self, entry: Entry, asked: &Path) -> Result<Entry, FileError> {
        self.roots.check_changeable(&entry.path(), asked)?;
        Ok(entry)
    }

    /// The error for a path with nothing there.
    pub(crate) fn missing(&self, path: &Path) -> FileError {
        self.with_near_names(PathError::NotFound(path.to_path_buf()), path)
    }

    /// The name `path` itself stands for, as something to change.
    pub(crate) fn entry(&self, path: &Path) -> Result<Entry, FileError> {
        let entry = self.roots.entry(path, &self.workdir);
        self.changeable(entry.map_err(|error| self.with_near_names(error, path))?, path)
    }

    /// The name `path` itself stands for as a place to put something, judged by the rules; creates
    /// missing parents.
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

    /// Keeps two calls from changing one file at the same time: those of this process by its name,
    /// those of others that also ask by its directory's lock. Somebody who keeps that for seconds
    /// is not waited for.
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
                // No locks to be had here: the content is compared before it is replaced all the
                // same.
                Err(_) => break,
            }
        }
        Ok(FileLock { _own: own, _shared: None })
    }

    /// The canonical working directory; asked for only when a path is shown.
    fn known_as(&self) -> &Path {
        self.known_as.get_or_init(|| {
            let resolved = self.roots.resolve(Path::new("."), &self.workdir);
            resolved.map_or_else(|_| self.workdir.clone(), ResolvedPath::into_path)
        })
    }

    /// The working directory by its canonical name and by the one it was given.
    pub(crate) fn workdirs(&self) -> [&Path; 2] {
        [self.known_as(), &self.workdir]
    }

    /// A path as the model should see it: relative to the working directory where it lies below.
    pub(crate) fn show(&self, path: &Path) -> String {
        match path.strip_prefix(self.known_as()) {
            Ok(rest) if rest.as_os_str().is_empty() => ".".to_owned(),
            Ok(rest) => spelled(rest),
            Err(_) => spelled(path),
        }
    }

    /// Tells of the names beside a missing one.
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

/// A file name as the model should see it.
pub(crate) fn show_name(name: &OsStr) -> String {
    spelled(Path::new(name))
}

/// A fixed number of locks; which one a path has is chance, the same for its lifetime.
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
        // The lock guards files, not memory: a panic elsewhere leaves nothing half done in it.
        self.locks[index].locked()
    }
}
