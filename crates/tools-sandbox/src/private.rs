//! Private folders that only this user can open: permanent ones, and temporary ones that are
//! removed with their process. A killed process cannot remove its folder; a later one does. The
//! owner locks the folder while it lives, so that its folder is never removed.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Component, Path, PathBuf},
};

use rustix::fs::{FlockOperation, OFlags, flock};

/// Prefix of the names of temporary private folders.
const PREFIX: &str = ".haft-own-";
/// Kept folders are renamed to this prefix, so that no process sweeps them.
const KEPT_PREFIX: &str = "haft-kept-";
/// Number of random characters in a name.
const RANDOM: usize = 12;
/// Maximum number of attempts to create a folder: another process may sweep it between creation and
/// locking, and a system may be short of resources for a moment.
const ATTEMPTS: u32 = 64;

/// Candidates for the place of temporary folders, in order of preference: `TMPDIR` if it is
/// absolute, then those that every system has. An unusable variable is no reason to fail.
pub fn temporary_places() -> Vec<PathBuf> {
    let named = Some(std::env::temp_dir()).filter(|folder| folder.is_absolute());
    let usual = ["/tmp", "/var/tmp"].map(PathBuf::from).into_iter().filter(|usual| Some(usual) != named.as_ref());
    named.iter().cloned().chain(usual).collect()
}

/// Candidates for the place of about a hundred small entries that live as long as one process: a
/// folder in memory, if there is one, then those for temporary files. On a disk, creating and
/// removing the entries is most of a command's start-up time.
pub(crate) fn memory_places() -> Vec<PathBuf> {
    std::iter::once(PathBuf::from("/dev/shm")).chain(temporary_places()).collect()
}

/// Creates a folder, and missing ones above it, that only its owner can open. An existing folder
/// stays unchanged.
///
/// # Errors
/// The system's error.
pub fn make_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Creates a folder for its owner alone below a root that tools may write, so that it exists and
/// can be held. Skipped if this user may not create it: no command can create it either.
///
/// # Errors
/// A sentence for a person. A link on the way is refused: anyone who may write the root could
/// redirect the folder.
pub fn make_private_below(root: &Path, folder: &Path) -> Result<(), String> {
    let mut path = root.to_owned();
    for part in folder.strip_prefix(root).unwrap_or(folder).components() {
        let Component::Normal(name) = part else { continue };
        path.push(name);
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() => {}
            Ok(found) if found.is_symlink() => {
                return Err(format!("`{}` is a link in a folder that tools may write", path.display()));
            }
            Ok(_) => return Err(format!("`{}` is not a directory", path.display())),
            Err(_) => match make_private_folder(&path) {
                Ok(()) => {}
                // What we cannot make, a command cannot make either.
                Err(error) if is_forbidden(&error) => return Ok(()),
                Err(error) => return Err(error.to_string()),
            },
        }
    }
    Ok(())
}

fn is_forbidden(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// A folder that only this user can open, removed when the value is dropped.
#[derive(Debug)]
pub struct PrivateFolder {
    path: Option<PathBuf>,
    /// Locked while the owner lives. The lock is on the folder itself, so that a half-removed
    /// folder is still swept.
    lock: File,
}

impl PrivateFolder {
    /// Creates one in `place`.
    ///
    /// # Errors
    /// The system's error, after further attempts.
    pub fn create_in(place: &Path) -> io::Result<Self> {
        let mut attempt = 0;
        loop {
            match Self::attempt(place) {
                Ok(Some(made)) => return Ok(made),
                // Another process swept it before it was locked.
                Ok(None) if attempt < ATTEMPTS => {}
                Ok(None) => return Err(io::ErrorKind::ResourceBusy.into()),
                Err(error) if attempt < ATTEMPTS && is_passing(&error) => {
                    std::thread::sleep(std::time::Duration::from_millis(u64::from(attempt.min(10))));
                }
                Err(error) => return Err(error),
            }
            attempt += 1;
        }
    }

    /// Creates one in the first of these places where that is possible.
    ///
    /// # Errors
    /// The system's error for the first place.
    pub fn create_in_first(places: &[PathBuf]) -> io::Result<Self> {
        let mut first = None;
        for place in places {
            match Self::create_in(place) {
                Ok(made) => return Ok(made),
                Err(error) => drop(first.get_or_insert(error)),
            }
        }
        Err(first.unwrap_or_else(|| io::ErrorKind::NotFound.into()))
    }

    /// `None`: the folder was swept before it was locked.
    fn attempt(place: &Path) -> io::Result<Option<Self>> {
        let made = tempfile::Builder::new().prefix(PREFIX).rand_bytes(RANDOM).tempdir_in(place);
        let path = match made {
            Ok(made) => made.keep(),
            Err(error) => return Err(error),
        };
        match lock(&path) {
            Ok(Some(lock)) => {
                let own = Self { path: Some(path), lock };
                fs::set_permissions(own.path(), fs::Permissions::from_mode(0o700))?;
                Ok(Some(own))
            }
            Ok(None) => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => {
                let _ = fs::remove_dir(&path);
                Err(error)
            }
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.path.as_deref().unwrap_or(Path::new("/"))
    }

    /// Creates a folder in it.
    pub(crate) fn folder(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.path().join(name);
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(path)
    }

    /// Keeps the folder permanently and returns its path.
    pub fn keep(mut self) -> PathBuf {
        let path = self.path.take().unwrap_or_default();
        let name = path.file_name().map(|name| name.to_string_lossy().replace(PREFIX, KEPT_PREFIX)).unwrap_or_default();
        let kept = path.with_file_name(name);
        if fs::rename(&path, &kept).is_ok() {
            return kept;
        }
        // The lock must last at least until the process ends.
        std::mem::forget(self.lock.try_clone());
        path
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        if let Some(path) = self.path.take() {
            let _ = remove(&path);
        }
    }
}

/// Whether a further attempt is likely to succeed.
fn is_passing(error: &io::Error) -> bool {
    let passing = [libc::EINTR, libc::EAGAIN, libc::EMFILE, libc::ENFILE, libc::ENOMEM, libc::EBUSY, libc::EEXIST];
    error.raw_os_error().is_some_and(|number| passing.contains(&number))
}

/// Locks the folder with this name. `None`: another process holds the lock, or removed the folder
/// meanwhile.
fn lock(path: &Path) -> io::Result<Option<File>> {
    let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::DIRECTORY).bits()).unwrap_or(0);
    let folder = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    match flock(&folder, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(rustix::io::Errno::WOULDBLOCK) => return Ok(None),
        Err(error) => return Err(error.into()),
    }
    // Removed between the two steps, and perhaps created again by another process.
    let (named, held) = (fs::symlink_metadata(path)?, folder.metadata()?);
    Ok(((named.dev(), named.ino()) == (held.dev(), held.ino())).then_some(folder))
}

/// Removes the folders that killed processes of this user left in these places.
pub fn sweep(places: &[PathBuf]) {
    for entry in places.iter().filter_map(|place| fs::read_dir(place).ok()).flatten().filter_map(Result::ok) {
        let name = entry.file_name();
        let is_ours = name
            .to_str()
            .and_then(|name| name.strip_prefix(PREFIX))
            .is_some_and(|random| random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        if is_ours {
            let _ = sweep_one(&entry.path());
        }
    }
}

/// If the lock can be taken, the owner is dead, or has not taken the lock yet and will create
/// another folder.
fn sweep_one(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.uid() != rustix::process::geteuid().as_raw() {
        return Ok(());
    }
    match lock(path)? {
        Some(_held) => remove(path),
        None => Ok(()),
    }
}

/// Disk usage of a folder's content in bytes. Counts at most a hundred thousand entries.
pub(crate) fn usage(folder: &Path) -> u64 {
    let (mut bytes, mut left, mut pending) = (0, 100_000_u32, vec![folder.to_owned()]);
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok) {
            let Ok(metadata) = entry.metadata() else { continue };
            bytes += metadata.blocks() * 512;
            if metadata.is_dir() {
                pending.push(entry.path());
            }
            left = left.saturating_sub(1);
            if left == 0 {
                return bytes;
            }
        }
    }
    bytes
}

/// Removes a folder, even if commands have removed access rights inside it.
fn remove(path: &Path) -> io::Result<()> {
    if fs::remove_dir_all(path).is_ok() {
        return Ok(());
    }
    let mut pending = vec![path.to_owned()];
    while let Some(folder) = pending.pop() {
        let _ = fs::set_permissions(&folder, fs::Permissions::from_mode(0o700));
        let entries = fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok);
        pending.extend(
            entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path()),
        );
    }
    fs::remove_dir_all(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_made_for_its_owner_and_one_that_is_there_is_left() {
        let place = tempfile::tempdir().unwrap();
        let (above, path) = (place.path().join("a"), place.path().join("a/b"));
        for _ in 0..2 {
            make_private_folder(&path).unwrap();
            assert_eq!([&above, &path].map(|made| fs::metadata(made).unwrap().mode() & 0o777), [0o700; 2]);
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
        make_private_folder(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o750);
    }

    #[test]
    fn folders_are_made_below_a_root_and_links_on_the_way_are_refused() {
        let base = tempfile::tempdir().unwrap();
        let root = base.path().canonicalize().unwrap();
        make_private_below(&root, &root.join(".config/haft")).unwrap();
        assert!(root.join(".config/haft").is_dir());
        make_private_below(&root, &root.join(".config/haft")).unwrap();
        std::os::unix::fs::symlink(root.join(".config"), root.join("link")).unwrap();
        assert!(make_private_below(&root, &root.join("link/haft")).unwrap_err().contains("link"));
        fs::write(root.join("file"), "").unwrap();
        assert!(make_private_below(&root, &root.join("file/haft")).unwrap_err().contains("not a directory"));
    }

    #[test]
    fn what_a_dead_process_left_goes_and_what_a_living_one_has_stays() {
        let place = tempfile::tempdir().unwrap();
        let living = PrivateFolder::create_in(place.path()).unwrap();
        // As after a death: the folder is there, whole or half removed, and nobody holds the lock.
        let dead = place.path().join(".haft-own-abcdefghijkl");
        fs::create_dir_all(dead.join("tmp/closed/below")).unwrap();
        fs::set_permissions(dead.join("tmp/closed"), fs::Permissions::from_mode(0o000)).unwrap();
        let empty = place.path().join(".haft-own-ABCDEFGHIJKL");
        fs::create_dir(&empty).unwrap();
        let of_a_person = place.path().join(".haft-own-notes");
        fs::create_dir(&of_a_person).unwrap();
        let target = place.path().join("target");
        fs::create_dir(&target).unwrap();
        std::os::unix::fs::symlink(&target, place.path().join(".haft-own-0123456789ab")).unwrap();
        let kept = PrivateFolder::create_in(place.path()).unwrap().keep();

        sweep(&[place.path().to_owned(), place.path().join("missing")]);
        assert!(!dead.exists() && !empty.exists());
        assert!(of_a_person.exists() && target.exists() && kept.exists());
        assert!(living.path().exists());
        assert_eq!(fs::metadata(living.path()).unwrap().mode() & 0o777, 0o700);
        let path = living.path().to_owned();
        drop(living);
        assert!(!path.exists());
    }

    #[test]
    fn what_files_take_on_the_disk_is_counted() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("below")).unwrap();
        fs::write(place.path().join("below/file"), vec![1; 300_000]).unwrap();
        let taken = usage(place.path());
        assert!((300_000..400_000).contains(&taken), "{taken}");
    }

    #[test]
    fn folders_made_while_others_sweep_are_all_there() {
        let place = tempfile::tempdir().unwrap();
        let (path, stop) = (place.path().to_owned(), std::sync::atomic::AtomicBool::new(false));
        std::thread::scope(|scope| {
            let sweepers = [(), ()].map(|()| {
                scope.spawn(|| {
                    while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                        sweep(std::slice::from_ref(&path));
                    }
                })
            });
            let makers = [(), (), ()].map(|()| {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let own = PrivateFolder::create_in(&path).unwrap();
                        own.folder("tmp").unwrap();
                        assert!(own.path().join("tmp").is_dir());
                    }
                })
            });
            let made = makers.map(|maker| maker.join().is_ok());
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
            let swept = sweepers.map(|sweeper| sweeper.join().is_ok());
            assert_eq!((made, swept), ([true; 3], [true; 2]));
        });
        assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
    }
}
