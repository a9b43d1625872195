//! The allowed roots: the directories that a call may touch. Each is held as an open handle with
//! its canonical path. `open.rs` opens paths beneath them.

use std::{
    collections::HashSet,
    ffi::OsStr,
    fs::File,
    os::{
        fd::{AsFd, OwnedFd},
        unix::ffi::OsStrExt as _,
    },
    path::{Component, Path, PathBuf},
    sync::{Arc, OnceLock},
};

use rustix::fs::{Mode, OFlags};
use tools_core::FileState;

use crate::{
    Beneath, Directory, Entry, FileId, FileKind, Metadata, PathError, ReservedFiles, Resolver,
    handle::{SAFE, lineage},
    open::{Leaf, MAX_LINKS, ends_as_directory, handle_path, kernel_open, walk},
};

/// Number of attempts when the path changes during an operation.
const RETRIES: u32 = 16;
/// Maximum path length in bytes: the kernel's own limit.
const MAX_PATH: usize = 4096;

/// One allowed directory.
#[derive(Debug)]
pub(crate) struct Root {
    pub(crate) handle: OwnedFd,
    /// Canonical.
    pub(crate) path: PathBuf,
    /// The configured path, if it differs from the canonical one: people write the spelling they
    /// know.
    alias: Option<PathBuf>,
}

impl Root {
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        self.path == path || self.alias.as_deref() == Some(path)
    }

    fn strip<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        if let Some(rest) = strip_bytes(&self.path, path) {
            return Some(rest);
        }
        let alias = self.alias.as_deref().and_then(|alias| path.strip_prefix(alias).ok());
        path.strip_prefix(&self.path).ok().or(alias)
    }
}

/// The part of `path` below `root`, if `path` begins with exactly the spelling of `root`. This
/// covers nearly all paths at a tenth of the cost of comparing components.
fn strip_bytes<'p>(root: &Path, path: &'p Path) -> Option<&'p Path> {
    let rest = path.as_os_str().as_bytes().strip_prefix(root.as_os_str().as_bytes())?;
    let rest = match rest {
        [] => rest,
        [b'/', rest @ ..] if !rest.starts_with(b"/") => rest,
        _ => return None,
    };
    Some(Path::new(OsStr::from_bytes(rest)))
}

/// A canonical path that lies beneath an allowed root, existing or not.
///
/// States what a path means at this moment, for rules and people. It does not permit opening the
/// path by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedPath {
    path: PathBuf,
    metadata: Option<Metadata>,
    /// Whether the metadata shows every change of the file.
    is_stable: bool,
}

impl ResolvedPath {
    /// The canonical path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Kind of the file at the path; `None` if nothing exists there.
    pub fn kind(&self) -> Option<FileKind> {
        self.metadata.map(|metadata| metadata.kind)
    }

    /// A value that changes with the content of a regular file. `None` if there is no regular file,
    /// or if its file system may change files without changing their times (`/proc`, network file
    /// systems).
    pub fn state(&self) -> Option<FileState> {
        let metadata = self.metadata.as_ref().filter(|metadata| self.is_stable && metadata.kind == FileKind::File);
        metadata.map(Metadata::state)
    }

    /// Takes the canonical path out.
    pub fn into_path(self) -> PathBuf {
        self.path
    }
}

/// Local file systems that update file times reliably: ext, XFS, Btrfs, F2FS, ZFS, bcachefs,
/// memory, overlays of these, and read-only images.
const LOCAL: &[i64] = &[
    0xef53,
    0x5846_5342,
    0x9123_683e,
    0xf2f5_2010,
    0x2fc1_2fc1,
    0xca45_1a4e,
    0x0102_1994,
    0x8584_58f6,
    0x794c_7630,
    0x7371_7368,
    0xe0f5_e1e2,
];

/// Whether the file system of an open handle updates the times of a file at every change.
#[expect(clippy::unnecessary_cast, reason = "field widths differ between architectures")]
pub fn keeps_times(handle: impl AsFd) -> bool {
    let kind = rustix::fs::fstatfs(handle).map(|system| system.f_type as i64 & 0xffff_ffff);
    kind.is_ok_and(|kind| LOCAL.contains(&kind))
}

/// The directories that file operations are confined to.
///
/// Cheap to clone. A path is judged by what it *opens*, not by how it is spelled: `..`, symbolic
/// links and names that do not exist yet are resolved beneath the root's handle.
///
/// ```
/// use std::path::Path;
/// use tools_sandbox::{PathError, Roots};
///
/// let dir = tempfile::tempdir()?;
/// let roots = Roots::open(&[], dir.path())?; // no list: the working directory alone
/// assert!(matches!(roots.open_file(Path::new("../x"), dir.path()), Err(PathError::Outside { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Roots {
    pub(crate) list: Arc<[Root]>,
    /// Roots, all directories above them, and the folders of reserved files: these must not be
    /// moved or deleted. Computed at the first move or deletion; `None` if that fails.
    protected: Arc<OnceLock<HashSet<FileId>>>,
    reserved: ReservedFiles,
    resolver: Resolver,
    /// Folders as people spell them, with their canonical paths: longest first.
    spellings: Arc<[(PathBuf, PathBuf)]>,
}

impl Roots {
    /// Opens each of `directories`, taken relative to `workdir`; an empty list means `workdir`
    /// alone.
    ///
    /// # Errors
    /// [`PathError::Root`] if one of them cannot be opened or is not a directory. None is skipped,
    /// because a root without a handle confines nothing.
    pub fn open(directories: &[PathBuf], workdir: &Path) -> Result<Self, PathError> {
        let only = [workdir.to_path_buf()];
        let directories = if directories.is_empty() { &only } else { directories };
        let mut list = Vec::with_capacity(directories.len());
        for directory in directories {
            let spelled = lexical(&workdir.join(directory));
            let fail = |source: std::io::Error| PathError::Root { path: directory.clone(), source };
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            // Opened as written, `..` and links included: the operator's own path is trusted.
            let handle = rustix::fs::open(workdir.join(directory), flags, Mode::empty()).map_err(|e| fail(e.into()))?;
            let path = match handle_path(handle.as_fd()) {
                Some(path) => path,
                None => std::fs::canonicalize(workdir.join(directory)).map_err(fail)?,
            };
            let alias = (spelled != path).then_some(spelled);
            list.push(Root { handle, path, alias });
        }
        list.sort_by_key(|root| std::cmp::Reverse(root.path.components().count()));
        let reserved = ReservedFiles::default();
        let resolver = Resolver::probe();
        Ok(Self { list: list.into(), protected: Arc::default(), reserved, resolver, spellings: Arc::default() })
    }

    /// Uses the given resolver instead of the best one on this machine.
    pub fn with_resolver(self, resolver: Resolver) -> Self {
        Self { resolver, ..self }
    }

    /// Protects `reserved` files from changes, and their folders from being moved.
    pub fn reserving(self, reserved: &ReservedFiles) -> Self {
        Self { reserved: reserved.clone(), protected: Arc::default(), ..self }
    }

    /// Accepts paths that begin with a non-canonical spelling of a folder (through links). Each of
    /// `spellings` is the spelling and the canonical path. Such paths are judged like any other.
    pub fn spelled(self, spellings: &[(PathBuf, PathBuf)]) -> Self {
        let mut spellings = spellings.to_vec();
        spellings.sort_by_key(|(spelled, _)| std::cmp::Reverse(spelled.components().count()));
        Self { spellings: spellings.into(), ..self }
    }

    /// Joins a path to the working directory and replaces a known folder spelling by its canonical
    /// path.
    fn absolute(&self, path: &Path, workdir: &Path) -> Result<PathBuf, PathError> {
        let absolute = absolute(path, workdir)?;
        if self.spellings.is_empty() || self.locate(&absolute).is_some() {
            return Ok(absolute);
        }
        let canonical = self.spellings.iter().find_map(|(spelled, canonical)| {
            Some(joined(canonical, absolute.as_os_str().as_bytes(), absolute.strip_prefix(spelled).ok()?))
        });
        Ok(canonical.unwrap_or(absolute))
    }

    /// Refuses a canonical path that no tool may change.
    ///
    /// # Errors
    /// [`PathError::Reserved`].
    pub fn check_changeable(&self, canonical: &Path, asked: &Path) -> Result<(), PathError> {
        if self.reserved.covers(canonical) { Err(PathError::Reserved(asked.to_path_buf())) } else { Ok(()) }
    }

    /// The canonical paths of the roots, deepest first.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.list.iter().map(|root| root.path.as_path())
    }

    /// Refuses a directory that must not be moved or deleted: `id` of `path` is a root, lies above
    /// one, or holds a reserved file.
    ///
    /// # Errors
    /// [`PathError::Protected`], or the system's error if this cannot be determined.
    pub fn check_unprotected(&self, id: FileId, path: &Path) -> Result<(), PathError> {
        let ids = if let Some(ids) = self.protected.get() {
            ids
        } else {
            let mut ids = self.reserved.folders().clone();
            for root in self.list.iter() {
                let above = lineage(root.handle.as_fd());
                ids.extend(above.map_err(|source| PathError::Io { path: path.to_path_buf(), source })?);
            }
            self.protected.get_or_init(|| ids)
        };
        if ids.contains(&id) { Err(PathError::Protected(path.to_path_buf())) } else { Ok(()) }
    }

    /// Whether `path` is still the single root: a root kept between calls may have been replaced.
    pub fn is_only(&self, path: &Path) -> bool {
        let [root] = &*self.list else { return false };
        let now = rustix::fs::stat(path);
        let then = rustix::fs::fstat(&root.handle);
        matches!((now, then), (Ok(now), Ok(then)) if (now.st_dev, now.st_ino) == (then.st_dev, then.st_ino))
    }

    /// Opens whatever `path` leads to for reading, following links that stay inside.
    ///
    /// Never blocks. FIFOs and devices are opened too; [`Beneath::into_file`] and
    /// [`Beneath::into_directory`] refuse them by name.
    ///
    /// # Errors
    /// [`PathError`]: `Outside` if the path leaves the roots, otherwise the system's error.
    pub fn open_any(&self, path: &Path, workdir: &Path) -> Result<Beneath, PathError> {
        match self.open_with(path, workdir, OFlags::RDONLY | SAFE) {
            // A socket cannot be opened, only named.
            Err(PathError::Io { source, .. })
                if source.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error()) =>
            {
                self.open_with(path, workdir, OFlags::PATH | OFlags::CLOEXEC)
            }
            result => result,
        }
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// As [`Self::open_any`]; [`PathError::WrongKind`] for anything but a regular file.
    pub fn open_file(&self, path: &Path, workdir: &Path) -> Result<(File, PathBuf, Metadata), PathError> {
        let Beneath { handle, path, metadata } = self.open_any(path, workdir)?;
        match metadata.kind {
            FileKind::File => Ok((File::from(handle), path, metadata)),
            found => Err(PathError::WrongKind { path, found, wanted: FileKind::File }),
        }
    }

    /// Opens a directory.
    ///
    /// # Errors
    /// As [`Self::open_any`]; [`PathError::NotADirectory`] for anything but a directory.
    pub fn open_directory(&self, path: &Path, workdir: &Path) -> Result<Directory, PathError> {
        self.open_with(path, workdir, OFlags::RDONLY | OFlags::DIRECTORY | SAFE)?.into_directory()
    }

    /// Finds the parent directory and the final name of `path`; the name itself is not followed and
    /// need not exist.
    ///
    /// # Errors
    /// [`PathError::Protected`] when the path is a root itself; `NotFound` when the parent is
    /// missing.
    pub fn entry(&self, path: &Path, workdir: &Path) -> Result<Entry, PathError> {
        let absolute = self.absolute(path, workdir)?;
        if self.resolver == Resolver::Kernel
            && let (Some(parent), Some(Component::Normal(name))) =
                (absolute.parent(), absolute.components().next_back())
            && self.locate(parent).is_some()
        {
            // `parent()` would drop a final `.`, which `components` does not report either: it
            // means the same here.
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let directory =
                self.open_with(parent, workdir, flags).map_err(|e| self.rename_error(e, path, &absolute))?;
            return Ok(Entry { directory: directory.into_directory()?, name: name.to_os_string() });
        }
        let reached = walk(self, &absolute, path, Leaf::Keep, false);
        let mut reached = reached.map_err(|error| self.rename_error(error, path, &absolute))?;
        match (reached.missing.pop(), reached.missing.is_empty()) {
            (Some(name), true) => Ok(Entry { directory: reached.directory, name }),
            (Some(_), false) => Err(PathError::NotFound(path.to_path_buf())),
            (None, _) => {
                // The path ends in `..` or is a root: address the directory from its parent if that
                // is inside.
                let found = reached.directory.path.clone();
                if self.list.iter().any(|root| root.path == found) || found == absolute {
                    return Err(PathError::Protected(path.to_path_buf()));
                }
                self.entry(&found, workdir)
            }
        }
    }

    /// Like [`Self::entry`], but follows a final symbolic link to its target name, which need not
    /// exist.
    ///
    /// For replacing a file while keeping the links that point at it.
    ///
    /// # Errors
    /// As [`Self::entry`]; [`PathError::LinkLoop`] if the links form a loop.
    pub fn entry_followed(&self, path: &Path, workdir: &Path) -> Result<Entry, PathError> {
        let mut entry = self.entry(path, workdir)?;
        for _ in 0..MAX_LINKS {
            match entry.metadata()? {
                Some(metadata) if metadata.kind == FileKind::Symlink => {
                    let target = match entry.directory.read_link(&entry.name) {
                        Ok(target) => target,
                        Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => continue, // no longer a link
                        Err(error) => return Err(PathError::from_io(path, error)),
                    };
                    let next = entry.directory.path.join(target);
                    entry = self.entry(&next, workdir).map_err(|e| self.rename_error(e, path, &next))?;
                }
                _ => return Ok(entry),
            }
        }
        Err(PathError::LinkLoop(path.to_path_buf()))
    }

    /// Opens the directory `path`, creating it and its parents where they are missing.
    ///
    /// Returns the directory and the canonical paths that were created, outermost first.
    ///
    /// # Errors
    /// As [`Self::open_directory`]; [`PathError::NotADirectory`] when a file is in the way.
    pub fn create_directories(&self, path: &Path, workdir: &Path) -> Result<(Directory, Vec<PathBuf>), PathError> {
        let absolute = self.absolute(path, workdir)?;
        // Refused as a whole before anything is created: `new/../../outside` must not leave `new`
        // behind.
        self.resolve(path, workdir)?;
        for _ in 0..RETRIES {
            let reached = walk(self, &absolute, path, Leaf::Follow, true)?;
            let Some(name) = reached.missing.last() else {
                return Ok((reached.directory, reached.created));
            };
            let mut created = reached.created;
            match reached.directory.create_directory(name, 0o777) {
                Ok(()) => created.push(reached.directory.path.join(name)),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(PathError::from_io(path, error)),
            }
            match reached.directory.directory(name) {
                Ok(directory) => return Ok((directory, created)),
                Err(_) if changed_to_link(&reached.directory, name) => {}
                Err(error) => return Err(PathError::from_io(path, error)),
            }
        }
        Err(PathError::Changed(path.to_path_buf()))
    }

    /// As [`Self::entry_followed`], creating missing parent directories on the way.
    ///
    /// Returns the entry and the canonical paths that were created, outermost first.
    ///
    /// # Errors
    /// As [`Self::entry_followed`] and [`Self::create_directories`].
    pub fn entry_with_parents(&self, path: &Path, workdir: &Path) -> Result<(Entry, Vec<PathBuf>), PathError> {
        match self.entry_followed(path, workdir) {
            Err(PathError::NotFound(_)) => {}
            result => return result.map(|entry| (entry, Vec::new())),
        }
        let absolute = self.absolute(path, workdir)?;
        self.resolve(path, workdir)?;
        let mut reached = walk(self, &absolute, path, Leaf::Follow, true)?;
        match reached.missing.pop() {
            Some(name) => Ok((Entry { directory: reached.directory, name }, reached.created)),
            None => Err(PathError::WrongKind {
                path: path.to_path_buf(),
                found: FileKind::Directory,
                wanted: FileKind::File,
            }),
        }
    }

    /// Resolves `path` as it is now, following a final link: used to judge a call before it runs.
    ///
    /// # Errors
    /// [`PathError::Outside`] and other refusals; a path that does not exist is no error.
    pub fn resolve(&self, path: &Path, workdir: &Path) -> Result<ResolvedPath, PathError> {
        match self.open_with(path, workdir, OFlags::PATH | OFlags::CLOEXEC) {
            Ok(found) => {
                let is_stable = keeps_times(&found.handle);
                Ok(ResolvedPath { path: found.path, metadata: Some(found.metadata), is_stable })
            }
            Err(PathError::NotFound(_)) => {
                let absolute = self.absolute(path, workdir)?;
                let reached = walk(self, &absolute, path, Leaf::Follow, false);
                let reached = reached.map_err(|error| self.rename_error(error, path, &absolute))?;
                let path = reached.missing.iter().fold(reached.directory.path, |path, name| path.join(name));
                Ok(ResolvedPath { path, metadata: None, is_stable: false })
            }
            Err(error) => Err(error),
        }
    }

    /// Resolves `path` as it is now, without following a final link: used for deleting and
    /// renaming.
    ///
    /// # Errors
    /// As [`Self::entry`], except that a missing parent is no error.
    pub fn resolve_entry(&self, path: &Path, workdir: &Path) -> Result<ResolvedPath, PathError> {
        match self.entry(path, workdir) {
            Ok(entry) => Ok(ResolvedPath { path: entry.path(), metadata: entry.metadata()?, is_stable: false }),
            Err(PathError::NotFound(_) | PathError::Protected(_)) => self.resolve(path, workdir),
            Err(error) => Err(error),
        }
    }

    /// The deepest root above `path` by spelling, and the rest of the path.
    pub(crate) fn locate<'p>(&self, path: &'p Path) -> Option<(&Root, &'p Path)> {
        self.list.iter().find_map(|root| root.strip(path).map(|rest| (root, rest)))
    }

    pub(crate) fn outside(&self, path: &Path) -> PathError {
        PathError::Outside { path: path.to_path_buf(), roots: self.paths().map(Path::to_path_buf).collect() }
    }

    fn open_with(&self, path: &Path, workdir: &Path, flags: OFlags) -> Result<Beneath, PathError> {
        let absolute = self.absolute(path, workdir)?;
        let by_kernel = match self.resolver {
            Resolver::Kernel => kernel_open(self, &absolute, flags),
            Resolver::Walk => None,
        };
        let opened = match by_kernel {
            Some(Ok(opened)) => Ok(opened),
            Some(Err(error)) => Err(PathError::from_io(path, error)),
            None => self.open_by_walk(&absolute, path, flags),
        };
        let (handle, canonical) = opened.map_err(|error| self.rename_error(error, path, &absolute))?;
        let metadata = Metadata::of(&handle).map_err(|error| PathError::from_io(path, error))?;
        // The file was moved out of the root after it was opened and before its name was read.
        if !self.list.iter().any(|root| root.strip(&canonical).is_some()) {
            return Err(self.outside(path));
        }
        Ok(Beneath { handle, path: canonical, metadata })
    }

    fn open_by_walk(&self, absolute: &Path, path: &Path, flags: OFlags) -> Result<(OwnedFd, PathBuf), PathError> {
        for _ in 0..RETRIES {
            let mut reached = walk(self, absolute, path, Leaf::Follow, false)?;
            let Some(name) = reached.missing.pop() else {
                let own = (flags | OFlags::DIRECTORY) - OFlags::NOFOLLOW;
                return rustix::fs::openat(&reached.directory, ".", own, Mode::empty())
                    .map(|handle| (handle, reached.directory.path))
                    .map_err(|error| PathError::from_io(path, error));
            };
            if !reached.missing.is_empty() {
                return Err(PathError::NotFound(path.to_path_buf()));
            }
            let flags = if ends_as_directory(path) { flags | OFlags::DIRECTORY } else { flags };
            match rustix::fs::openat(&reached.directory, &name, flags | OFlags::NOFOLLOW, Mode::empty()) {
                // With O_PATH a link opens as itself.
                Ok(handle) if Metadata::of(&handle).is_ok_and(|found| found.kind == FileKind::Symlink) => {}
                Ok(handle) => return Ok((handle, reached.directory.path.join(name))),
                Err(_) if changed_to_link(&reached.directory, &name) => {}
                Err(error) => return Err(PathError::from_io(path, error)),
            }
        }
        Err(PathError::Changed(path.to_path_buf()))
    }

    /// Names the path as the caller wrote it, and does not reveal what exists outside:
    /// `missing/../../x` is outside whether or not `missing` exists.
    fn rename_error(&self, error: PathError, path: &Path, absolute: &Path) -> PathError {
        let path = path.to_path_buf();
        match error {
            PathError::NotFound(_) | PathError::NotADirectory(_) if self.locate(&lexical(absolute)).is_none() => {
                self.outside(&path)
            }
            PathError::NotFound(_) => PathError::NotFound(path),
            PathError::NotADirectory(_) => PathError::NotADirectory(path),
            PathError::Permission(_) => PathError::Permission(path),
            PathError::LinkLoop(_) => PathError::LinkLoop(path),
            PathError::TooLong(_) => PathError::TooLong(path),
            PathError::Changed(_) => PathError::Changed(path),
            PathError::Protected(_) => PathError::Protected(path),
            PathError::Reserved(_) => PathError::Reserved(path),
            PathError::Outside { roots, .. } => PathError::Outside { path, roots },
            PathError::Io { source, .. } => PathError::Io { path, source },
            other => other,
        }
    }
}

/// `rest` below `folder`; keeps a final slash, which requires a directory.
fn joined(folder: &Path, whole: &[u8], rest: &Path) -> PathBuf {
    let mut path = if rest.as_os_str().is_empty() { folder.to_owned() } else { folder.join(rest) };
    if whole.ends_with(b"/") {
        path.push("");
    }
    path
}

/// Joins a path to the working directory after refusing paths that no system call accepts.
fn absolute(path: &Path, workdir: &Path) -> Result<PathBuf, PathError> {
    let bytes = path.as_os_str().as_encoded_bytes();
    if bytes.is_empty() {
        return Err(PathError::Empty);
    }
    if bytes.contains(&0) {
        return Err(PathError::Nul(path.to_path_buf()));
    }
    if bytes.len() > MAX_PATH {
        return Err(PathError::TooLong(path.to_path_buf()));
    }
    Ok(workdir.join(path))
}

/// The path with `.` and `..` removed by spelling alone. Only for messages, never for opening.
fn lexical(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                result.pop();
            }
            Component::CurDir => {}
            other => result.push(other),
        }
    }
    result
}

fn changed_to_link(directory: &Directory, name: &OsStr) -> bool {
    directory.stat(name).is_ok_and(|metadata| metadata.kind == FileKind::Symlink)
}
