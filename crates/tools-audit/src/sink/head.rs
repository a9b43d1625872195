//! The head of a chain beside its file, to detect a cut-off end: `audit.jsonl.head` holds number
//! and hash of the last line, written after each line under the lock of the log.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use crate::{AuditError, Head};

/// The file beside a log with the head of its chain.
///
/// It lags behind by one line if a process is killed between two writes; it is never ahead of the
/// existing lines.
pub fn head_file(log: &Path) -> PathBuf {
    let mut name = log.file_name().unwrap_or_default().to_owned();
    name.push(".head");
    log.with_file_name(name)
}

/// The head noted beside a log; `None` if there is no readable one.
pub fn noted_head(log: &Path) -> Option<Head> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(head_file(log), flags, Mode::empty()).ok()?);
    file.metadata().ok()?.is_file().then(|| read(&file))?
}

/// Opens or creates the file, readable by its owner only.
pub(super) fn open(log: &Path) -> Result<File, AuditError> {
    let path = head_file(log);
    let failed = |source: io::Error| AuditError::Open { path: path.clone(), source };
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR) {
        Ok(descriptor) => File::from(descriptor),
        Err(rustix::io::Errno::LOOP) => return Err(AuditError::Symlink(path)),
        Err(rustix::io::Errno::ISDIR | rustix::io::Errno::NXIO) => return Err(AuditError::NotAFile(path)),
        Err(errno) => return Err(failed(errno.into())),
    };
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(AuditError::NotAFile(path));
    }
    Ok(file)
}

/// Writes the head. Its length is constant, so that a write in place replaces all of it.
pub(super) fn write(file: &File, head: &Head) -> io::Result<()> {
    file.write_all_at(format!("{{\"seq\":{:>20},\"hash\":\"{}\"}}\n", head.seq, head.hash).as_bytes(), 0)
}

/// Reads the head; `None` if the content was not written by [`write`].
pub(super) fn read(file: &File) -> Option<Head> {
    let mut bytes = [0; 512];
    let read = file.read_at(&mut bytes, 0).ok()?;
    let value: serde_json::Value = serde_json::from_slice(&bytes[..read]).ok()?;
    let hash = value.get("hash")?.as_str().filter(|hash| hash.len() == 64)?;
    Some(Head { seq: value.get("seq")?.as_u64().filter(|seq| *seq > 0)?, hash: hash.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_as_it_was_written_and_nothing_else_is() {
        let file = tempfile::tempfile().unwrap();
        assert_eq!(read(&file), None);
        for seq in [1, 42, u64::MAX] {
            let head = Head { seq, hash: "a".repeat(64) };
            write(&file, &head).unwrap();
            assert_eq!(read(&file), Some(head));
        }
        for other in ["", "{}", "[1]", "\0\0", "{\"seq\":1,\"hash\":\"short\"}", "{\"seq\":-1,\"hash\":\"\"}"] {
            file.set_len(0).unwrap();
            file.write_all_at(other.as_bytes(), 0).unwrap();
            assert_eq!(read(&file), None, "{other}");
        }
    }
}
