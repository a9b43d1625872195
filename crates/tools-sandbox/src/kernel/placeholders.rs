//! Empty folders and files at places where nothing may be created while processes run: a mount
//! needs an existing entry below it. A mark identifies them for all processes. Each sandbox that
//! relies on one holds a shared lock on it, whichever process created it; the one that releases the
//! last lock removes it, including those of killed processes.

use std::{
    collections::BTreeMap,
    fs::{self, File, Metadata},
    io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use rustix::fs::{CWD, FlockOperation, flock};

use super::claims::LockFolder;
use crate::unclosed;

/// The modification time that marks a placeholder. It changes when somebody adds content, or claims
/// the entry with `touch`.
const MARK: Duration = Duration::from_secs(1_214_342_772);

/// Kind of their lock files.
const LOCK: &str = "placeholder";

/// Placeholders that one sandbox relies on.
#[derive(Debug, Default)]
pub(super) struct Placeholders(Vec<Relied>);

#[derive(Debug)]
struct Relied {
    path: PathBuf,
    /// Device and inode of the entry.
    id: (u64, u64),
    /// The lock, in a separate file: the placeholder itself may be another program's lock file.
    lock: File,
}

/// The way in which a sandbox relies on a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reliance {
    /// If it exists.
    AsFound,
    /// As a file that is created if it is missing.
    File,
    /// As a folder that is created if it is missing.
    Folder,
}

impl Placeholders {
    /// Relies on the `folders` and `files`, created if missing, and on the placeholders among the
    /// `found` paths. An entry that we cannot create is skipped: a child has no rights that we
    /// lack.
    ///
    /// # Errors
    /// If they cannot be locked: they could be removed while they are relied on.
    pub(super) fn new<'a>(
        folders: &'a [PathBuf],
        files: &'a [PathBuf],
        found: impl Iterator<Item = &'a Path>,
    ) -> io::Result<Self> {
        let found = found.map(|path| (path, Reliance::AsFound));
        let files = files.iter().map(|path| (path.as_path(), Reliance::File));
        let folders = folders.iter().map(|path| (path.as_path(), Reliance::Folder));
        // Each once: a second lock of our own would prevent the first from being the last.
        let wanted: BTreeMap<&Path, Reliance> = found.chain(files).chain(folders).collect();
        let mut relied = Self::default();
        if wanted.is_empty() {
            return Ok(relied);
        }
        let locks = LockFolder::find()?;
        let _turn = locks.turn()?;
        for (path, how) in wanted {
            let is_there = is_placeholder(path)
                || match how {
                    Reliance::AsFound => false,
                    Reliance::File => {
                        keeping_time(path, |path| File::create_new(path).and_then(|made| mark(&made))).is_ok()
                    }
                    Reliance::Folder => keeping_time(path, |path| {
                        fs::create_dir(path).and_then(|()| File::open(path)).and_then(|made| mark(&made))
                    })
                    .is_ok(),
                };
            if is_there {
                let id = id(&fs::symlink_metadata(path)?);
                let lock = locks.open(id, LOCK)?;
                flock(&lock, FlockOperation::NonBlockingLockShared)?;
                relied.0.push(Relied { path: path.to_owned(), id, lock });
            }
        }
        Ok(relied)
    }
}

impl Drop for Placeholders {
    fn drop(&mut self) {
        if self.0.is_empty() {
            return;
        }
        let Ok(locks) = LockFolder::find() else { return };
        // Without it, another process could begin to rely on a placeholder that is being removed.
        let Ok(_turn) = locks.turn() else { return };
        for Relied { path, id, lock } in &self.0 {
            // Keep it if another sandbox relies on it.
            if flock(lock, FlockOperation::NonBlockingLockExclusive).is_ok() {
                remove(path, *id);
                locks.forget(*id, LOCK);
            }
            let _ = flock(lock, FlockOperation::Unlock);
        }
    }
}

/// Whether the path is a placeholder of any process.
pub(super) fn is_placeholder(path: &Path) -> bool {
    match fs::symlink_metadata(path) {
        Ok(found) if !is_marked(&found) => false,
        Ok(found) if found.is_dir() => fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none()),
        Ok(_) => true,
        Err(_) => false,
    }
}

fn is_marked(found: &Metadata) -> bool {
    let is_plain = found.is_dir() || (found.is_file() && found.len() == 0);
    is_plain && found.modified().is_ok_and(|time| time == SystemTime::UNIX_EPOCH + MARK)
}

fn mark(made: &File) -> io::Result<()> {
    made.set_times(fs::FileTimes::new().set_modified(SystemTime::UNIX_EPOCH + MARK))
}

fn id(found: &Metadata) -> (u64, u64) {
    (found.dev(), found.ino())
}

/// Removes a placeholder, unless outside programs added content. A folder that a process closed to
/// its user is opened for this.
fn remove(path: &Path, relied: (u64, u64)) {
    let remove = || match fs::symlink_metadata(path)? {
        found if !is_marked(&found) || id(&found) != relied => Ok(()),
        found if found.is_dir() => keeping_time(path, |path| fs::remove_dir(path)),
        _ => keeping_time(path, |path| fs::remove_file(path)),
    };
    let folder = || unclosed::handle(CWD, path.parent().unwrap_or(path));
    let _ = unclosed::in_unclosed(folder, remove);
}

/// Changes an entry and restores the modification time of its folder: programs that compare times
/// should only see changes by others.
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
    fn it_may_be_the_lock_file_of_somebody_else() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("audit.jsonl");
        let made = Placeholders::new(&[], std::slice::from_ref(&path), std::iter::empty()).unwrap();
        let theirs = File::open(&path).unwrap();
        flock(&theirs, FlockOperation::NonBlockingLockExclusive).unwrap();
        let second = Placeholders::new(&[], &[], std::iter::once(path.as_path())).unwrap();
        drop(made);
        assert!(path.exists());
        drop(second);
        assert!(!path.exists());
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
