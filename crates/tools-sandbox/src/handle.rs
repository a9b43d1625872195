//! Open handles beneath an allowed root and the operations that are safe on them: one name at a
//! time, never through a symbolic link, never blocking. `open.rs` turns a path into a handle.

use std::{
    ffi::{OsStr, OsString},
    fmt,
    fs::File,
    io,
    mem::MaybeUninit,
    os::{
        fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd},
        unix::ffi::{OsStrExt as _, OsStringExt as _},
    },
    path::{Path, PathBuf},
};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, RenameFlags, ResolveFlags, Stat, Timespec, Timestamps};

use tools_core::FileState;

use crate::{PathError, Resolver};

/// Flags for every open: children inherit no descriptor, no terminal becomes the controlling one,
/// no FIFO or device blocks.
pub(crate) const SAFE: OFlags = OFlags::CLOEXEC.union(OFlags::NOCTTY).union(OFlags::NONBLOCK);

/// The identity of a file on this machine: the same for all names of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// The device the file lives on.
    pub fn device(self) -> u64 {
        self.device
    }

    /// Its number on that device.
    pub fn inode(self) -> u64 {
        self.inode
    }
}

/// Kind of file behind a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A character or block device.
    Device,
    /// The file system does not say.
    Unknown,
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "a regular file",
            Self::Directory => "a directory",
            Self::Symlink => "a symbolic link",
            Self::Fifo => "a named pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Unknown => "of an unknown kind",
        })
    }
}

impl From<FileType> for FileKind {
    fn from(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Directory,
            FileType::Symlink => Self::Symlink,
            FileType::Fifo => Self::Fifo,
            FileType::Socket => Self::Socket,
            FileType::CharacterDevice | FileType::BlockDevice => Self::Device,
            FileType::Unknown => Self::Unknown,
        }
    }
}

/// Metadata of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metadata {
    /// Identity of the file.
    pub id: FileId,
    /// Its kind.
    pub kind: FileKind,
    /// Its length in bytes.
    pub size: u64,
    /// Its permission bits.
    pub mode: u32,
    /// Its owner.
    pub uid: u32,
    /// Its group.
    pub gid: u32,
    /// Number of its hard links.
    pub links: u64,
    /// Time of its last content change: seconds and nanoseconds.
    pub modified: (i64, u64),
    /// Time of its last inode change: seconds and nanoseconds.
    pub changed: (i64, u64),
}

impl From<Stat> for Metadata {
    #[expect(clippy::cast_sign_loss, clippy::unnecessary_cast, reason = "field widths differ between architectures")]
    fn from(stat: Stat) -> Self {
        Self {
            id: FileId { device: stat.st_dev as u64, inode: stat.st_ino as u64 },
            kind: FileType::from_raw_mode(stat.st_mode).into(),
            size: stat.st_size as u64,
            mode: stat.st_mode & 0o7777,
            uid: stat.st_uid,
            gid: stat.st_gid,
            links: stat.st_nlink as u64,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as u64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as u64),
        }
    }
}

impl Metadata {
    /// A value that changes with the state of the file.
    pub fn state(&self) -> FileState {
        FileState {
            id: (self.id.device, self.id.inode),
            size: self.size,
            modified: self.modified,
            changed: self.changed,
        }
    }

    /// Asks the system about an open handle.
    pub fn of(handle: impl AsFd) -> io::Result<Self> {
        Ok(rustix::fs::fstat(handle)?.into())
    }
}

/// Sets the modification time of an open file or directory, in the form of [`Metadata::modified`].
pub fn set_modified(handle: impl AsFd, modified: (i64, u64)) -> io::Result<()> {
    Ok(rustix::fs::futimens(handle, &times(modified))?)
}

/// Leaves the access time unchanged.
fn times((seconds, nanoseconds): (i64, u64)) -> Timestamps {
    #[expect(clippy::cast_possible_wrap, reason = "field widths differ between architectures")]
    let last_modification = Timespec { tv_sec: seconds, tv_nsec: nanoseconds as _ };
    let last_access = Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_OMIT };
    Timestamps { last_access, last_modification }
}

/// Whether a rename may replace an existing entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replace {
    /// Fails with `AlreadyExists` if the name is taken.
    Never,
    /// Replaces atomically.
    Allowed,
}

/// An open file or directory beneath an allowed root, with the canonical path it was found at.
#[derive(Debug)]
pub struct Beneath {
    pub(crate) handle: OwnedFd,
    pub(crate) path: PathBuf,
    pub(crate) metadata: Metadata,
}

impl Beneath {
    /// The canonical path of what is open.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Metadata of the file at the moment it was opened.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Takes the handle out as a file.
    ///
    /// # Errors
    /// [`PathError::WrongKind`] unless it is a regular file.
    pub fn into_file(self) -> Result<File, PathError> {
        match self.metadata.kind {
            FileKind::File => Ok(File::from(self.handle)),
            found => Err(PathError::WrongKind { path: self.path, found, wanted: FileKind::File }),
        }
    }

    /// Takes the handle out as a directory.
    ///
    /// # Errors
    /// [`PathError::WrongKind`] unless it is a directory.
    pub fn into_directory(self) -> Result<Directory, PathError> {
        match self.metadata.kind {
            FileKind::Directory => Ok(Directory { handle: self.handle, path: self.path }),
            found => Err(PathError::WrongKind { path: self.path, found, wanted: FileKind::Directory }),
        }
    }
}

/// An open directory beneath an allowed root.
///
/// Every operation takes one file name and acts on that name in this very directory, even if its
/// path changes meanwhile. A name that is empty, `.`, `..` or contains a `/` is refused with
/// `InvalidInput`; a symbolic link is never followed.
#[derive(Debug)]
pub struct Directory {
    pub(crate) handle: OwnedFd,
    pub(crate) path: PathBuf,
}

impl AsFd for Directory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

impl Directory {
    /// The canonical path this directory was found at.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Metadata of the directory.
    pub fn metadata(&self) -> io::Result<Metadata> {
        Metadata::of(self)
    }

    /// Metadata of `name`, without following it.
    pub fn stat(&self, name: &OsStr) -> io::Result<Metadata> {
        Ok(rustix::fs::statat(self, single(name)?, AtFlags::SYMLINK_NOFOLLOW)?.into())
    }

    /// The target of the symbolic link `name`.
    pub fn read_link(&self, name: &OsStr) -> io::Result<PathBuf> {
        let target = rustix::fs::readlinkat(self, single(name)?, Vec::new())?;
        Ok(PathBuf::from(OsString::from_vec(target.into_bytes())))
    }

    /// Opens `name` for reading.
    ///
    /// Never blocks, whatever `name` is; check [`Metadata::kind`] before reading.
    pub fn open(&self, name: &OsStr) -> io::Result<File> {
        self.open_as(name, OFlags::RDONLY)
    }

    /// Opens `name` for reading and writing, without truncating it.
    pub fn open_writable(&self, name: &OsStr) -> io::Result<File> {
        self.open_as(name, OFlags::RDWR)
    }

    fn open_as(&self, name: &OsStr, mode: OFlags) -> io::Result<File> {
        let handle = rustix::fs::openat(self, single(name)?, mode | SAFE | OFlags::NOFOLLOW, Mode::empty())?;
        Ok(File::from(handle))
    }

    /// Creates the file `name`, which must not exist, with the permission bits `mode` minus the
    /// process's umask.
    pub fn create_new(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | SAFE;
        Ok(File::from(rustix::fs::openat(self, single(name)?, flags, Mode::from_raw_mode(mode))?))
    }

    /// Creates a file without a name in this directory: it disappears with its last handle, however
    /// the process ends.
    ///
    /// # Errors
    /// Some file systems do not support such files; [`Self::link`] needs `/proc`.
    pub fn create_unnamed(&self, mode: u32) -> io::Result<File> {
        if Resolver::probe() != Resolver::Kernel {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
        Ok(File::from(rustix::fs::openat(self, ".", flags, Mode::from_raw_mode(mode))?))
    }

    /// Gives a file of [`Self::create_unnamed`] a `name`, which must not exist.
    ///
    /// # Errors
    /// `AlreadyExists` when the name is taken.
    pub fn link(&self, file: &File, name: &OsStr) -> io::Result<()> {
        let handle = format!("/proc/self/fd/{}", file.as_raw_fd());
        Ok(rustix::fs::linkat(rustix::fs::CWD, handle, self, single(name)?, AtFlags::SYMLINK_FOLLOW)?)
    }

    /// Sets the modification time of the symbolic link `name`.
    pub fn set_link_time(&self, name: &OsStr, modified: (i64, u64)) -> io::Result<()> {
        Ok(rustix::fs::utimensat(self, single(name)?, &times(modified), AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// Opens the directory `name` for listing.
    pub fn directory(&self, name: &OsStr) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | SAFE;
        let handle = rustix::fs::openat(self, single(name)?, flags, Mode::empty())?;
        Ok(Self { handle, path: self.path.join(name) })
    }

    /// Opens the directory at the path `relative` below this one, following no link on the way.
    ///
    /// For walks that return to a directory without having kept every handle above it.
    pub fn subdirectory(&self, relative: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | SAFE;
        if relative.as_os_str().is_empty() {
            let handle = rustix::fs::openat(self, ".", flags, Mode::empty())?;
            return Ok(Self { handle, path: self.path.clone() });
        }
        if Resolver::probe() == Resolver::Kernel {
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
            match rustix::fs::openat2(self, relative, flags, Mode::empty(), resolve) {
                Ok(handle) => {
                    return Ok(Self { handle, path: self.path.join(relative) });
                }
                // Renamed meanwhile, or too long for one system call: go step by step.
                Err(rustix::io::Errno::AGAIN | rustix::io::Errno::NAMETOOLONG) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let mut components = relative.components();
        let Some(first) = components.next() else {
            return self.subdirectory(Path::new(""));
        };
        let first = self.directory(first.as_os_str())?;
        components.try_fold(first, |directory, component| directory.directory(component.as_os_str()))
    }

    /// Opens the parent directory if it still is `expected`.
    ///
    /// For walks that close handles on the way down: a directory that was moved meanwhile has
    /// another parent.
    pub fn parent(&self, expected: FileId) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | SAFE;
        let handle = rustix::fs::openat(self, "..", flags, Mode::empty())?;
        let path = self.path.parent().unwrap_or(&self.path).to_path_buf();
        if Metadata::of(&handle)?.id == expected {
            return Ok(Self { handle, path });
        }
        Err(io::Error::other("the directory was moved meanwhile"))
    }

    /// The identities of this directory and of every directory above it.
    pub fn lineage(&self) -> io::Result<Vec<FileId>> {
        lineage(self.as_fd())
    }

    /// Takes the directory's advisory lock until the value is dropped, so that programs using the
    /// lock change files here one at a time. `None` if another holder has it.
    ///
    /// # Errors
    /// If the directory cannot be read, or its file system has no locks.
    pub fn try_lock(&self) -> io::Result<Option<OwnedFd>> {
        let own = rustix::fs::openat(self, ".", OFlags::RDONLY | OFlags::DIRECTORY | SAFE, Mode::empty())?;
        match rustix::fs::flock(&own, rustix::fs::FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(own)),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Creates the directory `name`, which must not exist, with the permission bits `mode` minus
    /// the process's umask.
    pub fn create_directory(&self, name: &OsStr, mode: u32) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(self, single(name)?, Mode::from_raw_mode(mode))?)
    }

    /// Creates the symbolic link `name` with the text `target`.
    pub fn create_symlink(&self, name: &OsStr, target: &Path) -> io::Result<()> {
        Ok(rustix::fs::symlinkat(target, self, single(name)?)?)
    }

    /// Removes the name of anything but a directory.
    pub fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(self, single(name)?, AtFlags::empty())?)
    }

    /// Removes an empty directory.
    pub fn remove_directory(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(self, single(name)?, AtFlags::REMOVEDIR)?)
    }

    /// Renames `name` to `new_name` in `destination`.
    ///
    /// # Errors
    /// `AlreadyExists` when the name is taken and `replace` is [`Replace::Never`]; `CrossesDevices`
    /// when the two directories lie on different file systems; `ResourceBusy` when either is a
    /// mount point.
    pub fn rename(&self, name: &OsStr, destination: &Self, new_name: &OsStr, replace: Replace) -> io::Result<()> {
        let (from, to) = (single(name)?, single(new_name)?);
        if replace == Replace::Allowed {
            return Ok(rustix::fs::renameat(self, from, destination, to)?);
        }
        match rustix::fs::renameat_with(self, from, destination, to, RenameFlags::NOREPLACE) {
            // The file system cannot do it in one step: check first. A name created between check
            // and rename is lost.
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS)
                if destination.stat(new_name).is_err_and(|e| e.kind() == io::ErrorKind::NotFound) =>
            {
                Ok(rustix::fs::renameat(self, from, destination, to)?)
            }
            result => Ok(result?),
        }
    }

    /// Lists the names in this directory, unsorted, without `.` and `..`.
    pub fn entries(&self) -> io::Result<Vec<(OsString, FileKind)>> {
        // A separate file description: two listings of one handle would share one position.
        let handle = rustix::fs::openat(self, ".", OFlags::RDONLY | OFlags::DIRECTORY | SAFE, Mode::empty())?;
        let mut buffer = [MaybeUninit::uninit(); 16 * 1024];
        let mut raw = RawDir::new(handle, &mut buffer);
        let mut entries = Vec::new();
        while let Some(entry) = raw.next() {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            let name = OsString::from_vec(name.to_vec());
            let kind = match FileKind::from(entry.file_type()) {
                FileKind::Unknown => self.stat(&name).map_or(FileKind::Unknown, |metadata| metadata.kind),
                kind => kind,
            };
            entries.push((name, kind));
        }
        Ok(entries)
    }
}

/// A name in an open directory, to create, delete, rename or replace.
#[derive(Debug)]
pub struct Entry {
    pub(crate) directory: Directory,
    pub(crate) name: OsString,
}

impl Entry {
    /// The directory that holds the name.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// The name; never followed if it is a symbolic link.
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// The canonical path of the name.
    pub fn path(&self) -> PathBuf {
        self.directory.path.join(&self.name)
    }

    /// Metadata of the file with this name; `None` if there is none.
    ///
    /// # Errors
    /// [`PathError`] if the system returns another error.
    pub fn metadata(&self) -> Result<Option<Metadata>, PathError> {
        match self.directory.stat(&self.name) {
            Ok(metadata) => Ok(Some(metadata)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(PathError::from_io(&self.path(), error)),
        }
    }
}

/// The identities of a directory and of every directory above it, nearest first.
///
/// Ends early at a directory whose `..` may not be looked up: directories above it cannot be
/// changed either.
pub(crate) fn lineage(start: BorrowedFd<'_>) -> io::Result<Vec<FileId>> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut ids = vec![Metadata::of(start)?.id];
    let mut current: Option<OwnedFd> = None;
    loop {
        let here = current.as_ref().map_or(start, AsFd::as_fd);
        let above = match rustix::fs::openat(here, "..", flags, Mode::empty()) {
            Ok(above) => above,
            Err(rustix::io::Errno::ACCESS) => return Ok(ids),
            Err(error) => return Err(error.into()),
        };
        let id = Metadata::of(&above)?.id;
        if ids.last() == Some(&id) {
            return Ok(ids); // `..` of the root directory is itself
        }
        ids.push(id);
        current = Some(above);
    }
}

/// Accepts exactly one ordinary file name.
fn single(name: &OsStr) -> io::Result<&OsStr> {
    let bytes = name.as_bytes();
    if bytes.is_empty() || bytes == b"." || bytes == b".." || bytes.iter().any(|&b| b == b'/' || b == 0) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a single file name"));
    }
    Ok(name)
}
