//! Locks between sandboxes that hold files read-only and sandboxes that may replace such files: the
//! kernel removes a read-only mount on a file when another process replaces the file. Each folder
//! has two lock files. Locks work across all processes of a user and end with their owner.
//!
//! A sandbox with read-only files in a folder has a shared lock on the file `held`; one that may
//! replace such files has a lock on `opened`. Each takes its own lock before it checks for the
//! other, so that at least one of two sees the other.

use std::{
    collections::BTreeSet,
    fs::{self, DirBuilder, File, FileTimes},
    io,
    os::{
        fd::{AsRawFd as _, RawFd},
        unix::fs::{DirBuilderExt as _, MetadataExt as _},
    },
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
};

use crate::{
    open_lock,
    process::{SpawnError, effective_ids},
};

/// Maximum number of folders that one sandbox locks; if it writes more, it locks `/` instead.
pub(crate) const MAX_CLAIMS: usize = 4;

/// The folders that a sandbox claims.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Claimed {
    /// The writable folders in which it holds files.
    held: Vec<PathBuf>,
    /// The writable folders in which it may replace files.
    opened: Vec<PathBuf>,
    /// The folders above and between those, which may be writable folders of other sandboxes.
    around: Vec<PathBuf>,
}

impl Claimed {
    /// Computes the claims from the outermost writable folders, and the canonical paths that are
    /// held or exempt from being held in them.
    pub(crate) fn new(writable: &[&PathBuf], held: &[&Path], lifted: &[PathBuf]) -> Self {
        let roots_of = |paths: &mut dyn Iterator<Item = &Path>| -> BTreeSet<PathBuf> {
            let root_of = |path: &Path| writable.iter().find(|root| path.starts_with(root)).copied().cloned();
            paths.filter_map(root_of).collect()
        };
        let opened = roots_of(&mut lifted.iter().map(PathBuf::as_path));
        let mut held = roots_of(&mut held.iter().copied());
        held.retain(|root| !opened.contains(root));
        if held.len() > MAX_CLAIMS {
            held = BTreeSet::from([PathBuf::from("/")]);
        }
        let above = lifted.iter().flat_map(|path| path.ancestors().skip(1));
        let around: BTreeSet<PathBuf> = above.filter(|path| !opened.contains(*path)).map(Path::to_owned).collect();
        let [held, opened, around] = [held, opened, around].map(Vec::from_iter);
        Self { held, opened, around }
    }

    /// Whether the sandbox may replace files held by others.
    pub(crate) fn opens(&self) -> bool {
        !self.opened.is_empty()
    }
}

/// The locks of a process tree, released with it.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    held: Vec<Place>,
    opened: Vec<Place>,
}

/// The two lock files of a folder.
#[derive(Debug)]
struct Place {
    held: File,
    opened: File,
}

/// Lock file descriptors of a folder, for a process that shares our memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeldPlace {
    pub(crate) held: RawFd,
    pub(crate) opened: RawFd,
}

/// Result of an attempt to lock.
pub(crate) enum Attempt {
    Taken,
    /// Another process has a lock on this file; the file identifies its owners.
    Waiting(PathBuf),
}

impl Claims {
    /// Opens the lock files without locking. A missing folder needs none.
    ///
    /// # Errors
    /// The system's error.
    pub(crate) fn open(wanted: &Claimed) -> io::Result<Self> {
        if *wanted == Claimed::default() {
            return Ok(Self::default());
        }
        let files = LockFolder::find()?;
        let open = |folders: &[PathBuf]| -> io::Result<Vec<Place>> {
            let found = folders.iter().filter_map(|folder| fs::metadata(folder).ok());
            found.map(|found| Place::open(&files, &found)).collect()
        };
        let mut opened = open(&wanted.opened)?;
        opened.extend(open(&wanted.around)?);
        Ok(Self { held: open(&wanted.held)?, opened })
    }

    /// Takes the locks of a sandbox that only holds files, all or none.
    pub(crate) fn hold(&self) -> io::Result<Attempt> {
        for place in &self.held {
            let is_taken = lock(&place.held, FlockOperation::NonBlockingLockShared)? && is_free(&place.opened)?;
            if !is_taken {
                self.held.iter().for_each(|place| unlock(&place.held));
                return Ok(Attempt::Waiting(path_of(&place.opened)));
            }
        }
        Ok(Attempt::Taken)
    }

    /// Announces that files may be replaced from now on: later sandboxes wait. The first places are
    /// the writable folders, of which each allows only one such sandbox at a time.
    pub(crate) fn announce(&self, wanted: &Claimed) -> io::Result<Attempt> {
        for (number, place) in self.opened.iter().enumerate() {
            let how = if number < wanted.opened.len() {
                FlockOperation::NonBlockingLockExclusive
            } else {
                FlockOperation::NonBlockingLockShared
            };
            if !lock(&place.opened, how)? {
                self.opened.iter().for_each(|place| unlock(&place.opened));
                return Ok(Attempt::Waiting(path_of(&place.opened)));
            }
        }
        Ok(Attempt::Taken)
    }

    /// Whether no process holds files there any more; call after [`Self::announce`].
    pub(crate) fn are_free(&self) -> io::Result<Attempt> {
        for place in &self.opened {
            if !is_free(&place.held)? {
                return Ok(Attempt::Waiting(path_of(&place.held)));
            }
        }
        Ok(Attempt::Taken)
    }

    /// Asks the processes that hold files there to stop.
    pub(crate) fn ask(&self) {
        for place in &self.opened {
            let _ = place.opened.set_times(FileTimes::new().set_modified(SystemTime::UNIX_EPOCH));
        }
    }

    /// The lock files of held folders, for the supervisor that stops the tree when asked.
    pub(crate) fn places(&self) -> Vec<HeldPlace> {
        let raw = |place: &Place| HeldPlace { held: place.held.as_raw_fd(), opened: place.opened.as_raw_fd() };
        self.held.iter().map(raw).collect()
    }
}

impl Drop for Claims {
    fn drop(&mut self) {
        // A copy of the descriptor in a process that is about to execute would keep the lock.
        for place in self.held.iter().chain(&self.opened) {
            unlock(&place.held);
            unlock(&place.opened);
        }
    }
}

impl Place {
    fn open(files: &LockFolder, folder: &fs::Metadata) -> io::Result<Self> {
        let id = (folder.dev(), folder.ino());
        Ok(Self { held: files.open(id, "held")?, opened: files.open(id, "opened")? })
    }
}

/// Exclusive right to create or remove entries that other processes rely on.
#[derive(Debug)]
pub(super) struct Turn(File);

impl Drop for Turn {
    fn drop(&mut self) {
        unlock(&self.0);
    }
}

/// The folder of the lock files of one user. No sandbox sees it.
pub(super) struct LockFolder(PathBuf);

impl LockFolder {
    /// Finds the folder, or creates it. No variable determines its place, because all processes
    /// have to agree on it.
    ///
    /// # Errors
    /// The system's error; also if every candidate belongs to another user or is open to others.
    pub(super) fn find() -> io::Result<Self> {
        let user = effective_ids().0;
        let mut refused = io::Error::from(io::ErrorKind::NotFound);
        for place in ["/dev/shm", "/tmp", "/var/tmp"] {
            let path = Path::new(place).join(format!(".haft-claims-{user}"));
            match DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => refused = error,
                // Another user could have made it.
                _ => match fs::symlink_metadata(&path) {
                    Ok(found) if found.is_dir() && found.uid() == user && found.mode().trailing_zeros() >= 6 => {
                        return Ok(Self(path));
                    }
                    Ok(_) => refused = io::Error::other(format!("`{}` is somebody else's", path.display())),
                    Err(error) => refused = error,
                },
            }
        }
        Err(refused)
    }

    /// Opens the lock file of this kind for a file or folder, by its device and inode.
    pub(super) fn open(&self, id: (u64, u64), kind: &str) -> io::Result<File> {
        open_lock(&self.path(id, kind))
    }

    /// Removes that lock file. Only during a [`Turn`], when nobody can open it.
    pub(super) fn forget(&self, id: (u64, u64), kind: &str) {
        let _ = fs::remove_file(self.path(id, kind));
    }

    /// Waits for the [`Turn`], which takes a moment.
    pub(super) fn turn(&self) -> io::Result<Turn> {
        let file = open_lock(&self.0.join("turn"))?;
        flock(&file, FlockOperation::LockExclusive)?;
        Ok(Turn(file))
    }

    fn path(&self, (device, number): (u64, u64), kind: &str) -> PathBuf {
        self.0.join(format!("{device:x}-{number:x}.{kind}"))
    }
}

/// Takes a lock; `false` if another process has a conflicting lock for longer than a brief test.
fn lock(file: &File, how: FlockOperation) -> io::Result<bool> {
    for _ in 0..3 {
        match flock(file, how) {
            Ok(()) => return Ok(true),
            Err(Errno::WOULDBLOCK) => std::thread::sleep(Duration::from_micros(50)),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(false)
}

/// Whether no process has a lock.
fn is_free(file: &File) -> io::Result<bool> {
    let is_free = lock(file, FlockOperation::NonBlockingLockExclusive)?;
    unlock(file);
    Ok(is_free)
}

fn unlock(file: &File) {
    let _ = flock(file, FlockOperation::Unlock);
}

fn path_of(file: &File) -> PathBuf {
    fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).unwrap_or_default()
}

/// Owners of a lock on this file, as far as the system reports them: process and command line.
pub(crate) fn owners(path: &Path) -> Vec<String> {
    let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
    let Ok(inode) = fs::metadata(path).map(|found| format!(":{}", found.ino())) else { return Vec::new() };
    let mut owners: Vec<u32> = locks
        .lines()
        .filter_map(|line| {
            let mut fields = line.split_whitespace().skip_while(|field| *field != "FLOCK").skip(3);
            let process = fields.next()?.parse().ok()?;
            fields.next()?.ends_with(&inode).then_some(process)
        })
        .collect();
    owners.sort_unstable();
    owners.dedup();
    owners.into_iter().map(described).collect()
}

fn described(process: u32) -> String {
    let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let words: Vec<String> = line
        .split(|byte| *byte == 0)
        .filter(|word| !word.is_empty())
        .map(|word| String::from_utf8_lossy(word).chars().take(40).filter(|c| !c.is_control()).collect())
        .take(6)
        .collect();
    let whose = if process == std::process::id() { "a command, job or server of this process: " } else { "" };
    format!("{whose}`{}`, process {process}", words.join(" "))
}

/// The error after waiting too long.
pub(crate) fn refused(opens: bool, file: &Path) -> SpawnError {
    SpawnError::Claimed { opens, owners: owners(file) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claimed(root: &Path, held: &[&str], lifted: &[&str]) -> Claimed {
        let at = |names: &[&str]| names.iter().map(|name| root.join(name)).collect::<Vec<_>>();
        let (held, lifted) = (at(held), at(lifted));
        let held: Vec<&Path> = held.iter().map(PathBuf::as_path).collect();
        Claimed::new(&[&root.to_owned()], &held, &lifted)
    }

    fn is_taken(attempt: io::Result<Attempt>) -> bool {
        matches!(attempt.unwrap(), Attempt::Taken)
    }

    #[test]
    fn who_may_replace_files_and_who_holds_them_exclude_each_other() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        fs::create_dir(root.join("sub")).unwrap();
        let holding = claimed(&root, &[".envrc"], &[]);
        let below = claimed(&root.join("sub"), &[".envrc"], &[]);
        let opening = claimed(&root, &[".git/config"], &["sub/.envrc"]);
        assert!(opening.opens() && !holding.opens());
        for other in [holding, below] {
            let (one, two) = (Claims::open(&other).unwrap(), Claims::open(&other).unwrap());
            assert!(is_taken(one.hold()) && is_taken(two.hold()), "any number may hold");
            let replacing = Claims::open(&opening).unwrap();
            assert!(is_taken(replacing.announce(&opening)) && !is_taken(replacing.are_free()));
            assert!(!is_taken(Claims::open(&other).unwrap().hold()), "who comes later waits");
            drop(one);
            assert!(!is_taken(replacing.are_free()));
            drop(two);
            assert!(is_taken(replacing.are_free()));
            assert!(!is_taken(Claims::open(&opening).unwrap().announce(&opening)), "one at a time");
            drop(replacing);
            assert!(is_taken(Claims::open(&other).unwrap().hold()));
        }
    }

    #[test]
    fn those_of_other_folders_have_nothing_to_do_with_it() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        let both = ["a", "b"].map(|name| base.join(name));
        for root in &both {
            fs::create_dir(root).unwrap();
        }
        let opening = both.each_ref().map(|root| claimed(root, &[], &[".envrc"]));
        let claims = opening.each_ref().map(|opening| Claims::open(opening).unwrap());
        for (claims, opening) in claims.iter().zip(&opening) {
            assert!(is_taken(claims.announce(opening)) && is_taken(claims.are_free()));
        }
    }

    #[test]
    fn who_has_a_lock_is_named() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let holding = claimed(&root, &[".envrc"], &[]);
        let claims = Claims::open(&holding).unwrap();
        assert!(is_taken(claims.hold()));
        let named = owners(&path_of(&claims.held[0].held));
        assert!(named.len() == 1 && named[0].contains(&std::process::id().to_string()), "{named:?}");
    }
}
