//! Reads the files that decide which files are obeyed; existing but unreadable files are not
//! treated as missing.

use std::{io::Read as _, path::Path, time::Duration};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

/// Maximum number of bytes read of one file.
pub(super) const MAX_FILE_BYTES: u64 = 1 << 20;

/// The file exists, but its content is unknown.
#[derive(Debug)]
pub(super) struct Unreadable;

/// Number of attempts to open a file under a lease, and the pause between attempts.
const TRIES: u32 = 20;
const BETWEEN: Duration = Duration::from_millis(10);

/// Errors with which git cannot read the file either.
const UNOBEYED: &[Errno] =
    &[Errno::NOENT, Errno::NOTDIR, Errno::LOOP, Errno::NAMETOOLONG, Errno::NXIO, Errno::ACCESS, Errno::PERM];

/// The first bytes of a regular file; `None` if there is none, or none that the user may read. It
/// is opened without blocking, since it may be a FIFO.
///
/// # Errors
/// When it cannot be read for another reason, for example a lease that its holder does not give up.
/// The first attempt asks the holder to release it.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, Unreadable> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    for _ in 0..TRIES {
        let file = match rustix::fs::openat(CWD, path, flags, Mode::empty()) {
            Ok(file) => std::fs::File::from(file),
            Err(Errno::WOULDBLOCK | Errno::INTR) => {
                std::thread::sleep(BETWEEN);
                continue;
            }
            Err(error) if UNOBEYED.contains(&error) => return Ok(None),
            Err(_) => return Err(Unreadable),
        };
        if !file.metadata().map_err(|_| Unreadable)?.is_file() {
            return Ok(None);
        }
        let mut text = Vec::new();
        file.take(MAX_FILE_BYTES).read_to_end(&mut text).map_err(|_| Unreadable)?;
        return Ok(Some(text));
    }
    Err(Unreadable)
}
