//! Reads and writes whole files: never waits for a pipe, limits the length, and replaces files
//! atomically.

use std::{
    fs::{self, File, Metadata, OpenOptions, Permissions},
    io::{self, Read as _, Write as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::Path,
};

use rustix::fs::OFlags;

/// Reads a regular file of at most `longest` bytes, opened with `flags`. `will_do` checks its
/// metadata before anything is read.
///
/// # Errors
/// The system's error, an error for a longer or non-regular file, or the error of `will_do`.
pub fn read_plain(
    file: &Path,
    flags: OFlags,
    longest: u64,
    will_do: impl FnOnce(&Metadata) -> io::Result<()>,
) -> io::Result<Vec<u8>> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC | flags;
    let open = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(file)?;
    let meta = open.metadata()?;
    if !meta.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    will_do(&meta)?;
    let mut text = Vec::new();
    open.take(longest + 1).read_to_end(&mut text)?;
    if text.len() as u64 > longest {
        return Err(io::Error::other(format!("it is longer than {longest} bytes")));
    }
    Ok(text)
}

/// Replaces `file` atomically by a new file with these contents and permissions. The new file is on
/// disk when this returns.
///
/// The folder may be writable by others: the file is created under an unused name, never through a
/// link.
///
/// # Errors
/// The system's error; then `file` is unchanged. [`io::ErrorKind::PermissionDenied`] if another
/// file was put in place of the new one meanwhile: that one is removed.
pub fn replace_file(file: &Path, mode: u32, contents: &[u8]) -> io::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut new = tempfile::Builder::new().prefix(".haft-new-").tempfile_in(folder)?;
    new.write_all(contents)?;
    new.as_file().set_permissions(Permissions::from_mode(mode))?;
    new.as_file().sync_all()?;
    let written = new.persist(file)?;
    let is_ours =
        |there: Metadata| written.metadata().is_ok_and(|ours| (ours.dev(), ours.ino()) == (there.dev(), there.ino()));
    if !fs::symlink_metadata(file).is_ok_and(is_ours) {
        fs::remove_file(file)?;
        let problem = "another program put a file in its place while it was written";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, problem));
    }
    File::open(folder)?.sync_all()
}

/// Opens a file that its owner uses as a lock, and creates it if missing.
///
/// # Errors
/// The system's error, also for a link or a file that is not regular.
pub fn open_lock(file: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600).custom_flags(flags.bits().cast_signed());
    let lock = options.open(file)?;
    if lock.metadata()?.is_file() { Ok(lock) } else { Err(io::Error::other("it is not a regular file")) }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_file_is_replaced_and_never_written_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (file, other) = (folder.path().join("list"), folder.path().join("other"));
        replace_file(&file, 0o640, b"one").unwrap();
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o640);
        fs::write(&other, "kept").unwrap();
        fs::remove_file(&file).unwrap();
        symlink(&other, &file).unwrap();
        replace_file(&file, 0o600, b"two").unwrap();
        assert_eq!((fs::read(&file).unwrap(), fs::read(&other).unwrap()), (b"two".to_vec(), b"kept".to_vec()));
        assert!(fs::symlink_metadata(&file).unwrap().is_file());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left behind");
        assert!(replace_file(&folder.path().join("missing/list"), 0o600, b"").is_err());
    }

    #[test]
    fn a_lock_is_no_link_and_no_pipe() {
        let folder = tempfile::tempdir().unwrap();
        let (lock, target) = (folder.path().join("lock"), folder.path().join("target"));
        open_lock(&lock).unwrap();
        open_lock(&lock).unwrap();
        symlink(&target, folder.path().join("link")).unwrap();
        open_lock(&folder.path().join("link")).unwrap_err();
        assert!(!target.exists());
        rustix::fs::mknodat(rustix::fs::CWD, folder.path().join("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0)
            .unwrap();
        open_lock(&folder.path().join("pipe")).unwrap_err();
    }
}
