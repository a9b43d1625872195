//! System calls of a log file: safe opening, locking, and writing a line at once.

use std::fs::{File, Metadata, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};

use crate::AuditError;

/// Maximum time that an append waits for other processes. An append takes microseconds, so a
/// process that holds the lock longer is stopped or hostile, and must not block calls.
const PATIENCE: Duration = Duration::from_secs(5);

/// Identity of the file at a path.
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
    // Neither follow a link nor wait for the other end of a pipe.
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

/// As [`open`], returns only the file.
#[cfg(feature = "otel")]
pub(crate) fn open_for_append(path: &Path) -> Result<Arc<File>, AuditError> {
    open(path).map(|(file, _)| file)
}

/// Identity and length of the file at a path now; `None` if there is none.
pub(super) fn look(path: &Path) -> Result<Option<(Identity, u64)>, AuditError> {
    match std::fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some((Identity::of(&metadata), metadata.len()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(AuditError::Read { path: path.to_owned(), source }),
    }
}

/// Syncs the folder of a file to disk.
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
        // Closing the file would release the lock as well, so a failure needs no handling.
        let _ = self.0.unlock();
    }
}

/// Writes a line with one `write(2)`: completely, or the write failed.
pub(crate) fn write_whole(mut file: &File, line: &[u8]) -> io::Result<()> {
    loop {
        match io::Write::write(&mut file, line) {
            Ok(written) if written == line.len() => return Ok(()),
            // The disk became full in the middle of the line: the caller removes the partial line.
            Ok(_) => return Err(io::Error::from(io::ErrorKind::StorageFull)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
