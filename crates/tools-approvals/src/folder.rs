//! The folder in which watchers listen and activities are shown: for its owner alone, and used
//! through a handle once that is known.

use std::fs::{DirBuilder, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::process::geteuid;
use tokio::net::{UnixListener, UnixStream};
use uuid::Uuid;

/// What the name of a socket ends in.
const SOCKET: &str = ".sock";
/// What the name of an activity's file ends in.
const ACTIVITY: &str = ".run";
/// Age at which files of processes that have ended are removed.
const SWEPT_AFTER: Duration = Duration::from_secs(10);
/// The longest name that a socket address takes.
const MAX_ADDRESS_BYTES: usize = 107;

/// A folder that was found to be ours.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    handle: File,
}

impl Folder {
    /// Opens the folder; does not make it.
    ///
    /// # Errors
    /// When it is not there, belongs to somebody else, or others may look into it.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
        let handle = File::from(rustix::fs::open(path, flags, Mode::empty())?);
        let meta = handle.metadata()?;
        if meta.uid() != geteuid().as_raw() || meta.mode() & 0o077 != 0 {
            return Err(io::Error::other("it is not a folder that only its user can open"));
        }
        Ok(Self { path: path.to_owned(), handle })
    }

    /// Makes the folder where it is missing, and opens it.
    ///
    /// # Errors
    /// As [`Folder::open`], and when it cannot be made.
    pub(crate) fn make(path: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        Self::open(path)
    }

    /// The names of the sockets in it.
    pub(crate) fn sockets(&self) -> Vec<String> {
        self.names(SOCKET)
    }

    /// The names of the activities in it.
    pub(crate) fn activities(&self) -> Vec<String> {
        self.names(ACTIVITY)
    }

    fn names(&self, end: &str) -> Vec<String> {
        let Ok(entries) = rustix::fs::Dir::read_from(&self.handle) else { return vec![] };
        let names = entries.filter_map(|entry| Some(entry.ok()?.file_name().to_str().ok()?.to_owned()));
        names.filter(|name| name.ends_with(end)).collect()
    }

    /// Makes the file of a new activity. Returns it with its name.
    pub(crate) fn create_activity(&self) -> io::Result<(File, String)> {
        let name = format!("{}-{}{ACTIVITY}", std::process::id(), Uuid::new_v4().simple());
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let file = rustix::fs::openat(&self.handle, name.as_str(), flags, Mode::RUSR | Mode::WUSR)?;
        Ok((File::from(file), name))
    }

    /// Opens the file of an activity.
    ///
    /// # Errors
    /// When it is gone, or is no file.
    pub(crate) fn open_activity(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let file = File::from(rustix::fs::openat(&self.handle, name, flags, Mode::empty())?);
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }

    /// Removes a file or a socket in it, if it is there.
    pub(crate) fn remove(&self, name: &str) {
        let _ = rustix::fs::unlinkat(&self.handle, name, AtFlags::empty());
    }

    /// Connects to a socket in it, if a process of this user listens there.
    pub(crate) async fn connect(&self, name: &str) -> io::Result<UnixStream> {
        let stream = UnixStream::connect(self.through_handle(name)).await?;
        is_ours(&stream)?;
        Ok(stream)
    }

    /// Listens in it under a new name.
    ///
    /// # Errors
    /// When no socket can be made there.
    pub(crate) fn listen(&self) -> io::Result<(UnixListener, PathBuf)> {
        let name = format!("{}-{}{SOCKET}", std::process::id(), Uuid::new_v4().simple());
        let path = self.path.join(&name);
        // By its own name where that fits: then commands in a sandbox are kept from it like from
        // other sockets.
        let fits = path.is_absolute() && path.as_os_str().len() <= MAX_ADDRESS_BYTES;
        let address = if fits { path.clone() } else { self.through_handle(&name) };
        Ok((UnixListener::bind(address)?, path))
    }

    /// Removes the sockets on which nobody listens any more.
    pub(crate) async fn sweep(&self) {
        for name in self.sockets() {
            let refused = match UnixStream::connect(self.through_handle(&name)).await {
                Err(error) => error.kind() == io::ErrorKind::ConnectionRefused,
                Ok(_) => false,
            };
            // One that is bound and does not listen yet refuses as well; it is only moments old.
            if refused && self.is_old(&name) {
                self.remove(&name);
            }
        }
    }

    /// Whether this entry was last changed so long ago that no process is about to use it.
    pub(crate) fn is_old(&self, name: &str) -> bool {
        let meta = std::fs::symlink_metadata(self.path.join(name));
        let age = meta.and_then(|meta| meta.modified()).ok().and_then(|made| made.elapsed().ok());
        age.is_some_and(|age| age >= SWEPT_AFTER)
    }

    /// A name that leads into the folder that was opened, whatever lies at its path by now, and
    /// that is short.
    fn through_handle(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}/{name}", self.handle.as_raw_fd()))
    }
}

/// Whether the other end runs as this user.
pub(crate) fn is_ours(stream: &impl AsFd) -> io::Result<()> {
    let peer = rustix::net::sockopt::socket_peercred(stream)?;
    if peer.uid == geteuid() { Ok(()) } else { Err(io::ErrorKind::PermissionDenied.into()) }
}
