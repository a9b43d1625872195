//! The system calls of a log file: opening it safely, locking it, writing a line at once.

use std::fs::{File, Metadata, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};

use crate::AuditError;

/// How long an append waits for other processes: an append takes microseconds, so whoever holds the
/// lock longer is stopped or hostile, and a call must not hang on it.
const PATIENCE: Duration = Duration::from_secs(5);

/// Which file a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self { device: metadata.dev(), inode: metadata.ino() }
    }
}

/// Opens or creates a log file, readable by its owner only.
pub(super) fn open(path: &Path) -> Result<(Arc<File>, Identity), AuditError> {
    let failed = |source: io::Error| AuditError::Open { path: path.to_owned(), source };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    // Neither following a link nor waiting for the other end of a pipe.
    let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR) {
        Ok(descriptor) => File::from(descriptor),
        Err(rustix::io::Errno::LOOP) => return Err(AuditError::Symlink(path.to_owned())),
        Err(rustix::io::Errno::ISDIR | rustix::io::Errno::NXIO) => return Err(AuditError::NotAFile(path.to_owned())),
        Err(errno) => return Err(failed(errno.into())),
    };
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(AuditError::NotAFile(path.to_owned()));
    }
    Ok((Arc::new(file), Identity::of(&metadata)))
}

/// The file alone.
#[cfg(feature = "otel")]
pub(crate) fn open_for_append(path: &Path) -> Result<Arc<File>, AuditError> {
    open(path).map(|(file, _)| file)
}

/// Which file a path leads to now and how long that is; `None` when there is nothing.
pub(super) fn look(path: &Path) -> Result<Option<(Identity, u64)>, AuditError> {
    match std::fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some((Identity::of(&metadata), metadata.len()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(AuditError::Read { path: path.to_owned(), source }),
    }
}

/// Brings the names in a file's folder to the disk.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    File::from(rustix::fs::open(folder, flags, Mode::empty())?).sync_all()
}

/// The exclusive lock of a file, until dropped.
pub(super) struct FileLock(Arc<File>);

impl FileLock {
    pub(super) fn take(file: &Arc<File>, path: &Path) -> Result<Self, AuditError> {
        let mut since = None;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self(Arc::clone(file))),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(TryLockError::Error(source)) => {
                    return Err(AuditError::Open { path: path.to_owned(), source });
                }
            }
            let since = *since.get_or_insert_with(Instant::now);
            if since.elapsed() > PATIENCE {
                return Err(AuditError::Locked(path.to_owned()));
            }
            std::thread::sleep(Duration::from_micros(20));
        }
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // Closing the file would release it as well; there is nothing to be done about a failure.
        let _ = self.0.unlock();
    }
}

/// Writes a line with one `write(2)`: it is there wholly, or the write failed.
pub(crate) fn write_whole(mut file: &File, line: &[u8]) -> io::Result<()> {
    loop {
        match io::Write::write(&mut file, line) {
            Ok(written) if written == line.len() => return Ok(()),
            // The disk is full in the middle of the line: what is there of it is taken back.
            Ok(_) => return Err(io::Error::from(io::ErrorKind::StorageFull)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
