//! Folders that nobody else can look into: those that stay, and those that belong to this process alone and go with it. One that was killed cannot remove its own; the next one does,
//! and never one whose owner lives: the owner holds a lock in it for as long as it does.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use rustix::fs::{FlockOperation, OFlags, flock};

const PREFIX: &str = "haft-";
/// The file whose lock says that the owner lives. A folder without it is nobody's to remove.
const LOCK: &str = ".lock";

/// Makes a folder, and what is missing above it, that only its owner can look into. One that is there stays as it is.
///
/// # Errors
/// What the system says.
pub fn make_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// A folder that nobody else can look into, removed with the value.
#[derive(Debug)]
pub struct PrivateFolder {
    path: Option<PathBuf>,
    _lock: File,
}

impl PrivateFolder {
    /// Makes one in `place`.
    ///
    /// # Errors
    /// What the system says.
    pub fn create_in(place: &Path) -> io::Result<Self> {
        let made = tempfile::Builder::new().prefix(".haft-new-").rand_bytes(12).tempdir_in(place)?;
        fs::set_permissions(made.path(), fs::Permissions::from_mode(0o700))?;
        let lock = File::create_new(made.path().join(LOCK))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        let random = made.path().file_name().unwrap_or_default().to_string_lossy().replace(".haft-new-", "");
        // Only now is it there for others: with its lock taken.
        let path = place.join(format!("{PREFIX}{random}"));
        fs::rename(made.path(), &path)?;
        let _ = made.keep();
        Ok(Self { path: Some(path), _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.path.as_deref().unwrap_or(Path::new("/"))
    }

    /// Makes a folder in it.
    pub(crate) fn folder(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.path().join(name);
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(path)
    }

    /// Leaves it there for good, and tells where.
    pub fn keep(mut self) -> PathBuf {
        let path = self.path.take().unwrap_or_default();
        let _ = fs::remove_file(path.join(LOCK));
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

/// Removes what processes of this user left in these places when they were killed.
pub fn sweep(places: &[PathBuf]) {
    for entry in places.iter().filter_map(|place| fs::read_dir(place).ok()).flatten().filter_map(Result::ok) {
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name.starts_with(PREFIX) || name.starts_with(".haft-new-")) {
            let _ = sweep_one(&entry.path());
        }
    }
}

/// The lock says that the owner is dead: it is held from before the folder has its name until the process ends.
fn sweep_one(path: &Path) -> io::Result<()> {
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_dir() || metadata.uid() != rustix::process::geteuid().as_raw() {
        return Ok(());
    }
    let nofollow = i32::try_from((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits()).unwrap_or(0);
    let lock = OpenOptions::new().read(true).custom_flags(nofollow).open(path.join(LOCK))?;
    flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
    // Removed by somebody else between the two steps, and perhaps made again.
    if fs::symlink_metadata(path.join(LOCK))?.ino() != lock.metadata()?.ino() {
        return Ok(());
    }
    remove(path)
}

/// Removes a folder, also where commands have closed what lies in it.
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
    fn what_a_dead_process_left_goes_and_what_a_living_one_has_stays() {
        let place = tempfile::tempdir().unwrap();
        let living = PrivateFolder::create_in(place.path()).unwrap();
        // As after a death: the folder is there, and nobody holds the lock.
        let dead = place.path().join("haft-dead");
        fs::create_dir_all(dead.join("tmp/closed/below")).unwrap();
        fs::write(dead.join(LOCK), "").unwrap();
        fs::set_permissions(dead.join("tmp/closed"), fs::Permissions::from_mode(0o000)).unwrap();
        fs::create_dir(place.path().join("haft-of-a-person")).unwrap();
        let target = place.path().join("target");
        fs::create_dir(&target).unwrap();
        fs::write(target.join(LOCK), "").unwrap();
        std::os::unix::fs::symlink(&target, place.path().join("haft-link")).unwrap();
        let kept = PrivateFolder::create_in(place.path()).unwrap().keep();

        sweep(&[place.path().to_owned(), place.path().join("missing")]);
        assert!(!dead.exists());
        assert!(place.path().join("haft-of-a-person").exists() && target.exists() && kept.exists());
        assert!(living.path().exists());
        assert_eq!(fs::metadata(living.path()).unwrap().mode() & 0o777, 0o700);
        let path = living.path().to_owned();
        drop(living);
        assert!(!path.exists());
    }
}
