//! The private caches of commands of a workspace: a folder of the state, seeded from the user's
//! cargo downloads, and cleaned when all caches together are too large. Files that commands put
//! there are never used outside of commands.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{
    AtFlags, FileType, FlockOperation, Mode, OFlags, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT, flock, futimens,
    mkdirat, openat, statat, symlinkat,
};
use tools_sandbox::make_private_folder;
use tools_sandbox::view::{CACHES, GrantedPath};

/// The state folder with the caches of all workspaces.
const ALL: &str = "caches";
/// Prefix of the names of folders that are being removed.
const GONE: &str = ".gone-";
/// Time between two measurements of the caches.
const BETWEEN: Duration = Duration::from_hours(24);
/// Maximum number of files measured at once.
const MAX_MEASURED: usize = 500_000;
/// Maximum number of bytes copied from a registry index of cargo.
const MAX_COPIED: u64 = 256 << 20;

/// The caches of one workspace. They are not cleaned while this value exists.
#[derive(Debug)]
pub(super) struct WorkspaceCaches {
    /// The folder that commands may write.
    pub(super) own: PathBuf,
    /// Further folders that commands see.
    pub(super) shown: Vec<GrantedPath>,
    _lock: File,
}

impl WorkspaceCaches {
    /// Creates the missing caches of `workspace` in the state folder `state`, and cleans if it is
    /// due. `limit` applies to the caches of all workspaces together, in bytes; `None` for no
    /// limit.
    ///
    /// # Errors
    /// The error of the system; commands then run without caches.
    pub(super) fn open(state: &Path, workspace: &Path, cargo: Option<&Path>, limit: Option<u64>) -> io::Result<Self> {
        let all = state.join(ALL);
        let name = &tools_core::sha256_hex(workspace.as_os_str().as_encoded_bytes())[..16];
        let folder = all.join(name);
        make_private_folder(&folder)?;
        let all = all.canonicalize()?;
        let folder = all.join(name);
        let lock = File::create(folder.join(".lock"))?;
        if let Some(limit) = limit {
            clean(&all, &folder, &lock, limit);
        }
        flock(&lock, FlockOperation::LockShared)?;
        mark_as_used(&folder.join("workspace"), workspace.as_os_str().as_encoded_bytes())?;
        let own = folder.join("own");
        make_private_folder(&own)?;
        let top = open_folder(&own)?;
        // If a command replaced a folder by something else, only its own cache is lost.
        let is_there = |own: &str| {
            let found = statat(&top, own, AtFlags::SYMLINK_NOFOLLOW);
            found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode).is_dir())
        };
        for place in CACHES.iter().filter(|place| !place.is_file && !is_there(place.own)) {
            let _ = make_below(&top, Path::new(place.own));
        }
        let shown = cargo.and_then(|cargo| seed(&folder, &top, &cargo.join("registry")).ok().flatten());
        Ok(Self { own, shown: shown.into_iter().collect(), _lock: lock })
    }
}

fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(path, OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?)
}

/// Creates a folder below one that commands may write, without following links that a command left
/// there.
fn make_below(top: &OwnedFd, path: &Path) -> io::Result<OwnedFd> {
    let mut folder = top.try_clone()?;
    for part in path.components() {
        let Component::Normal(name) = part else { return Err(io::ErrorKind::InvalidInput.into()) };
        match mkdirat(&folder, name, Mode::RWXU) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        folder = openat(&folder, name, OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
    }
    Ok(folder)
}

/// Gives cargo the content of the user's own registry: links to the packages, which are shown
/// read-only elsewhere, and copies of the index. Done again when the user's registry changed.
fn seed(folder: &Path, top: &OwnedFd, registry: &Path) -> io::Result<Option<GrantedPath>> {
    let Ok(registry) = registry.canonicalize() else { return Ok(None) };
    let user = folder.join("user");
    make_private_folder(&user)?;
    let at = user.join("cargo-registry");
    if fs::read_link(&at).ok().as_deref() != Some(&registry) {
        let _ = fs::remove_file(&at);
        std::os::unix::fs::symlink(&registry, &at)?;
    }
    let stamp = folder.join("seeded");
    let now = registry_state(&registry);
    if fs::read_to_string(&stamp).ok().as_deref() != Some(&now) {
        let mut left = MAX_COPIED;
        for kind in ["cache", "src"] {
            for index in names(&registry.join(kind)) {
                let below = make_below(top, &Path::new("cargo/registry").join(kind).join(&index))?;
                for package in names(&registry.join(kind).join(&index)) {
                    let _ = symlinkat(at.join(kind).join(&index).join(&package), &below, &package);
                }
            }
        }
        for index in names(&registry.join("index")) {
            let from = registry.join("index").join(&index);
            // An index that is a git repository is large, and is fetched again when needed.
            if !from.join(".git").exists() {
                copy(&from, &make_below(top, &Path::new("cargo/registry/index").join(&index))?, &mut left)?;
            }
        }
        fs::write(&stamp, now)?;
    }
    Ok(Some(GrantedPath { path: at, source: registry, why: "packages that cargo fetched before".to_owned() }))
}

/// Copies missing files.
fn copy(from: &Path, to: &OwnedFd, left: &mut u64) -> io::Result<()> {
    for name in names(from) {
        let path = from.join(&name);
        let metadata = path.symlink_metadata()?;
        if metadata.is_dir() {
            copy(&path, &make_below(to, Path::new(&name))?, left)?;
        } else if metadata.is_file() && metadata.len() <= *left {
            *left -= metadata.len();
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            if let Ok(file) = openat(to, &name, flags, Mode::RUSR | Mode::WUSR) {
                io::copy(&mut File::open(&path)?, &mut File::from(file))?;
            }
        }
    }
    Ok(())
}

/// The modification times of the parts of a registry.
fn registry_state(registry: &Path) -> String {
    let mut state = String::new();
    for kind in ["cache", "src", "index"] {
        for index in names(&registry.join(kind)) {
            let changed = fs::metadata(registry.join(kind).join(&index)).map(|data| (data.mtime(), data.mtime_nsec()));
            let _ = writeln!(state, "{kind} {} {changed:?}", index.to_string_lossy());
        }
    }
    state
}

fn names(folder: &Path) -> Vec<std::ffi::OsString> {
    let mut names: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect();
    names.sort();
    names
}

/// Removes caches until all of them together are within `limit`: the longest unused first, and
/// those of this workspace only if nobody uses them. Runs at most once a day; the removal continues
/// in the background.
fn clean(all: &Path, own: &Path, lock: &File, limit: u64) {
    let measured = all.join(".measured");
    let is_due = fs::metadata(&measured)
        .and_then(|data| data.modified())
        .map_or(true, |at| at.elapsed().is_ok_and(|since| since > BETWEEN));
    if !is_due || fs::write(&measured, "").is_err() {
        return;
    }
    let gone = over(all, own, lock, limit);
    let left: Vec<PathBuf> = names(all).into_iter().map(|name| all.join(name)).collect();
    let left =
        left.into_iter().filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(GONE)));
    let gone: Vec<PathBuf> = left.chain(gone).collect();
    if !gone.is_empty() {
        let _ = std::thread::Builder::new().spawn(move || gone.iter().for_each(|path| remove(path)));
    }
}

/// Records the workspace of these caches and the time of use. Existing content is not rewritten:
/// some file systems flush a replaced file at once.
fn mark_as_used(path: &Path, workspace: &[u8]) -> io::Result<()> {
    match File::options().append(true).open(path) {
        Ok(known) if fs::read(path)? == workspace => {
            let at = |tv_nsec| Timespec { tv_sec: 0, tv_nsec };
            Ok(futimens(&known, &Timestamps { last_access: at(UTIME_OMIT), last_modification: at(UTIME_NOW) })?)
        }
        _ => fs::write(path, workspace),
    }
}

/// Renames the caches beyond the limit, and returns their new paths.
fn over(all: &Path, own: &Path, lock: &File, limit: u64) -> Vec<PathBuf> {
    let folders = names(all).into_iter().filter(|name| !name.to_string_lossy().starts_with('.'));
    let mut found: Vec<(SystemTime, u64, PathBuf)> = folders
        .filter_map(|name| {
            let folder = all.join(name);
            let used = fs::metadata(folder.join("workspace")).and_then(|data| data.modified()).ok()?;
            Some((used, size(&folder), folder))
        })
        .collect();
    // This workspace comes last.
    found.sort_by_key(|(used, _, folder)| (folder == own, *used));
    let mut total: u64 = found.iter().map(|(_, size, _)| size).sum();
    let mut gone = Vec::new();
    for (_, size, folder) in found {
        if total <= limit {
            break;
        }
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let names = (0..).map(|number| all.join(format!("{GONE}{name}-{number}")));
        // Folders from an earlier removal may still exist.
        let Some(target) = names.into_iter().find(|path| path.symlink_metadata().is_err()) else { continue };
        let moved = if folder == own {
            // The folder itself stays, because it contains the lock.
            flock(lock, FlockOperation::NonBlockingLockExclusive).is_ok()
                && fs::rename(own.join("own"), &target).is_ok()
                && fs::remove_file(own.join("seeded"))
                    .map_or_else(|error| error.kind() == io::ErrorKind::NotFound, |()| true)
        } else {
            let other = OpenOptions::new().write(true).open(folder.join(".lock"));
            other.is_ok_and(|other| {
                flock(&other, FlockOperation::NonBlockingLockExclusive).is_ok() && fs::rename(&folder, &target).is_ok()
            })
        };
        if moved {
            total = total.saturating_sub(size);
            gone.push(target);
        }
    }
    gone
}

/// The bytes on disk below a folder, links not followed.
pub(super) fn size(folder: &Path) -> u64 {
    let (mut open, mut total, mut left) = (vec![folder.to_owned()], 0, MAX_MEASURED);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            left = left.saturating_sub(1);
            if left == 0 {
                return total;
            }
            let Ok(metadata) = entry.metadata() else { continue };
            total += metadata.blocks() * 512;
            if metadata.is_dir() {
                open.push(entry.path());
            }
        }
    }
    total
}

/// Removes a tree in which folders may be read-only, as package managers leave them.
fn remove(path: &Path) {
    if fs::remove_dir_all(path).is_ok() {
        return;
    }
    if let Ok(top) = open_folder(path) {
        open_all(&top);
    }
    let _ = fs::remove_dir_all(path);
}

/// Lets the owner write every folder below one.
fn open_all(folder: &OwnedFd) {
    let _ = rustix::fs::fchmod(folder, Mode::RWXU);
    let Ok(entries) = rustix::fs::Dir::read_from(folder) else { return };
    for entry in entries.flatten().filter(|entry| !matches!(entry.file_name().to_bytes(), b"." | b"..")) {
        let is_folder = statat(folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|data| FileType::from_raw_mode(data.st_mode).is_dir());
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        if is_folder && let Ok(inner) = openat(folder, entry.file_name(), flags, Mode::empty()) {
            open_all(&inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn old(path: &Path) {
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1000);
        File::options().write(true).open(path).unwrap().set_modified(long_ago).unwrap();
    }

    #[test]
    fn the_longest_unused_caches_go_first_and_those_in_use_stay() {
        let state = tempfile::tempdir().unwrap();
        let open = |name: &str, limit| WorkspaceCaches::open(state.path(), Path::new(name), None, limit).unwrap();
        let fill = |caches: &WorkspaceCaches| fs::write(caches.own.join("npm/x"), vec![1; 200_000]).unwrap();
        let (first, second) = (open("/a", None), open("/b", None));
        fill(&first);
        fill(&second);
        let (unused, used) = (first.own.clone(), second.own.clone());
        drop(first);
        for caches in [&unused, &used] {
            old(&caches.parent().unwrap().join("workspace"));
        }
        let third = open("/c", Some(1 << 20));
        assert!(unused.exists() && used.exists() && third.own.exists(), "within the limit");
        old(&state.path().join("caches/.measured"));
        drop(third);
        let third = open("/c", Some(100_000));
        assert!(!unused.exists(), "nobody uses it");
        assert!(used.exists(), "somebody does");
        fill(&third);
        drop((second, third));
        old(&state.path().join("caches/.measured"));
        let third = open("/c", Some(10_000));
        assert!(!used.exists() && !third.own.join("npm/x").exists() && third.own.join("npm").is_dir());
    }

    #[test]
    fn links_that_commands_leave_are_not_followed() {
        let state = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let caches = WorkspaceCaches::open(state.path(), Path::new("/a"), None, None).unwrap();
        fs::remove_dir_all(caches.own.join("pnpm")).unwrap();
        std::os::unix::fs::symlink(outside.path(), caches.own.join("pnpm")).unwrap();
        WorkspaceCaches::open(state.path(), Path::new("/a"), None, None).unwrap();
        assert_eq!(names(outside.path()), Vec::<std::ffi::OsString>::new());
    }

    #[test]
    fn what_cargo_fetched_is_found_in_its_own_place() {
        let state = tempfile::tempdir().unwrap();
        let cargo = tempfile::tempdir().unwrap();
        let write = |name: &str| {
            let path = cargo.path().join("registry").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        };
        write("cache/i/a-1.0.crate");
        write("src/i/a-1.0/lib.rs");
        write("index/i/.cache/a");
        let open = || WorkspaceCaches::open(state.path(), Path::new("/a"), Some(cargo.path()), None).unwrap();
        let caches = open();
        let read = |name: &str| fs::read_to_string(caches.own.join("cargo/registry").join(name)).unwrap_or_default();
        assert_eq!(read("cache/i/a-1.0.crate"), "cache/i/a-1.0.crate");
        assert_eq!(read("src/i/a-1.0/lib.rs"), "src/i/a-1.0/lib.rs");
        assert_eq!(read("index/i/.cache/a"), "index/i/.cache/a");
        assert_eq!(caches.shown[0].source, cargo.path().join("registry").canonicalize().unwrap());
        write("cache/i/b-1.0.crate");
        open();
        assert_eq!(read("cache/i/b-1.0.crate"), "cache/i/b-1.0.crate");
    }
}
