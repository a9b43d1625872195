//! Folders and files that stand where nothing may come to be while processes run: a mount needs
//! something to be mounted over. They are empty and bear a mark, so that every process knows them
//! for what they are. Each sandbox that relies on one holds a shared lock on it, of whichever
//! process it is; who gives up the last lock removes it, also what a killed process left.

use std::{
    collections::BTreeMap,
    fs::{self, File, Metadata, OpenOptions},
    io,
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use rustix::fs::{CWD, FlockOperation, OFlags, flock};

use crate::unclosed;

/// The time of modification by which a placeholder is known. Whoever puts something into it, or
/// takes it for himself by `touch`, changes that.
const MARK: Duration = Duration::from_secs(1_214_342_772);
/// How often one is opened that goes in the same moment, or that somebody locks. A program that
/// holds it locked for longer means to.
const ATTEMPTS: u32 = 40;

/// What one sandbox relies on.
#[derive(Debug, Default)]
pub(super) struct Placeholders(Vec<(PathBuf, File)>);

/// How a path is relied on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reliance {
    /// As far as it is there.
    AsFound,
    /// As a file that is made if it is not there.
    File,
    /// The same as a folder.
    Folder,
}

impl Placeholders {
    /// Relies on the `folders` and `files`, which are made where they are not there, and on what
    /// may be a placeholder of the paths that were `found`. What cannot be made cannot be made by a
    /// child either, which has no rights that we lack.
    ///
    /// # Errors
    /// When one cannot be locked: it would go while it is relied on.
    pub(super) fn new<'a>(
        folders: &'a [PathBuf],
        files: &'a [PathBuf],
        found: impl Iterator<Item = &'a Path>,
    ) -> io::Result<Self> {
        let found = found.map(|path| (path, Reliance::AsFound));
        let files = files.iter().map(|path| (path.as_path(), Reliance::File));
        let folders = folders.iter().map(|path| (path.as_path(), Reliance::Folder));
        // Each once: a second lock of our own would keep the first from being the last.
        let wanted: BTreeMap<&Path, Reliance> = found.chain(files).chain(folders).collect();
        let mut relied = Self::default();
        for (path, how) in wanted {
            if let Some(file) = rely(path, how)? {
                relied.0.push((path.to_owned(), file));
            }
        }
        Ok(relied)
    }
}

impl Drop for Placeholders {
    fn drop(&mut self) {
        for (path, file) in &self.0 {
            // Not where another sandbox relies on it. Where there are no locks nobody can.
            if flock(file, FlockOperation::NonBlockingLockExclusive) != Err(rustix::io::Errno::WOULDBLOCK) {
                remove(path, file);
            }
        }
    }
}

/// Whether there is a placeholder of some process.
pub(super) fn is_placeholder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| is_marked(&found)) && is_empty(path)
}

fn is_marked(found: &Metadata) -> bool {
    let is_plain = found.is_dir() || (found.is_file() && found.len() == 0);
    is_plain && found.modified().is_ok_and(|time| time == SystemTime::UNIX_EPOCH + MARK)
}

/// Whether nothing is in it, so that it may be a placeholder.
fn is_empty(path: &Path) -> bool {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none()),
        Ok(found) => found.is_file() && found.len() == 0,
        Err(_) => false,
    }
}

/// Locks what stands at `path`; `None` where nothing can be relied on or what is there is no
/// placeholder.
fn rely(path: &Path, how: Reliance) -> io::Result<Option<File>> {
    let mut is_made = false;
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            std::thread::sleep(Duration::from_millis(u64::from(attempt.min(5))));
        }
        if !is_empty(path) {
            match (fs::symlink_metadata(path), how) {
                (Err(error), Reliance::File | Reliance::Folder) if error.kind() == io::ErrorKind::NotFound => {
                    match keeping_time(path, |path| make(path, how)) {
                        Ok(()) => is_made = true,
                        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                        Err(_) => return Ok(None),
                    }
                }
                _ => return Ok(None),
            }
        }
        let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits()).unwrap_or(0);
        let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            // Nobody else's placeholder is closed to us.
            Err(_) => return Ok(None),
        };
        if flock(&file, FlockOperation::NonBlockingLockShared) == Err(rustix::io::Errno::WOULDBLOCK) {
            continue;
        }
        // It may have gone before it was locked.
        if is_at(&file, path) {
            if is_made {
                let _ = file.set_times(fs::FileTimes::new().set_modified(SystemTime::UNIX_EPOCH + MARK));
            }
            return Ok(Some(file));
        }
        is_made = false;
    }
    Err(io::Error::other(format!("`{}` is locked by another program", path.display())))
}

fn make(path: &Path, how: Reliance) -> io::Result<()> {
    match how {
        Reliance::Folder => fs::create_dir(path),
        _ => File::create_new(path).map(drop),
    }
}

fn is_at(file: &File, path: &Path) -> bool {
    let id = |found: Metadata| (found.dev(), found.ino());
    fs::symlink_metadata(path).ok().map(id) == file.metadata().ok().map(id)
}

/// Removes a placeholder, but not when something was put into it from outside meanwhile. A folder
/// that a process closed to its user is opened for that.
fn remove(path: &Path, file: &File) {
    let remove = || match fs::symlink_metadata(path)? {
        found if !is_marked(&found) || !is_at(file, path) => Ok(()),
        found if found.is_dir() => keeping_time(path, |path| fs::remove_dir(path)),
        _ => keeping_time(path, |path| fs::remove_file(path)),
    };
    let folder = || unclosed::handle(CWD, path.parent().unwrap_or(path));
    let _ = unclosed::in_unclosed(folder, remove);
}

/// Changes an entry and gives its folder the time that it had: nobody's work came or went, and
/// whoever compares times should see that of others only.
fn keeping_time<T>(path: &Path, change: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    let folder = path.parent().and_then(|folder| File::open(folder).ok());
    let before = folder.as_ref().and_then(|folder| folder.metadata().ok()?.modified().ok());
    let result = change(path);
    if let (Some(folder), Some(before), true) = (folder, before, result.is_ok()) {
        let _ = folder.set_times(fs::FileTimes::new().set_modified(before));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_one_takes_the_folder_with_it() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("hooks");
        let time = || fs::metadata(root.path()).unwrap().modified().unwrap();
        let before = time();
        let first = Placeholders::new(std::slice::from_ref(&path), &[], std::iter::empty()).unwrap();
        let second = Placeholders::new(&[], &[], std::iter::once(path.as_path())).unwrap();
        let third = Placeholders::new(std::slice::from_ref(&path), &[], std::iter::empty()).unwrap();
        drop(first);
        drop(third);
        assert!(path.is_dir());
        drop(second);
        assert!(!path.exists());
        assert_eq!(time(), before, "the folder looks as if nothing had been");
    }

    #[test]
    fn it_goes_from_a_folder_that_was_closed_meanwhile() {
        use std::os::unix::fs::PermissionsExt as _;
        for mode in [0o000, 0o200, 0o634] {
            let root = tempfile::tempdir().unwrap();
            let folder = root.path().join("closed");
            fs::create_dir(&folder).unwrap();
            let made = Placeholders::new(&[folder.join("hooks")], &[], std::iter::empty()).unwrap();
            let set = |mode| fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
            set(mode);
            drop(made);
            assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, mode);
            set(0o700);
            assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "{mode:o}");
        }
    }

    #[test]
    fn a_file_goes_unless_something_was_written_to_it() {
        let root = tempfile::tempdir().unwrap();
        let (empty, filled) = (root.path().join("a"), root.path().join("b"));
        let both = Placeholders::new(&[], &[empty.clone(), filled.clone()], std::iter::empty()).unwrap();
        assert!(empty.is_file());
        fs::write(&filled, "x").unwrap();
        drop(both);
        assert!(!empty.exists() && filled.exists());
    }

    #[test]
    fn what_was_there_or_was_filled_stays() {
        let root = tempfile::tempdir().unwrap();
        let (own, others) = (root.path().join("a"), root.path().join("b"));
        fs::create_dir(&others).unwrap();
        let both = Placeholders::new(&[own.clone(), others.clone()], &[], std::iter::empty()).unwrap();
        fs::write(own.join("x"), "").unwrap();
        drop(both);
        assert!(own.join("x").exists() && others.exists());
    }
}
