//! Mounts that belong to one process tree alone: shared memory, terminals, an empty `/run`, and the
//! sources of masks. All of them lie in one in-memory file system that is removed with the tree, so
//! that nothing is left behind.

use std::{
    ffi::{CStr, CString},
    os::{fd::RawFd, unix::ffi::OsStrExt as _},
    path::{Path, PathBuf},
};

use super::resolve::Canonical;
use super::sys::{self, Errno, Reach, Result};
use crate::process::{SpawnError, effective_ids};

/// Mount point of the file system until the fresh `/proc` covers it.
const BASE: &str = "/proc";
const SHARED: &CStr = c"/proc/shm";
const RUN: &CStr = c"/proc/run";
const NO_FILE: &CStr = c"/proc/no-file";
const NO_FOLDER: &CStr = c"/proc/no-folder";
/// Folder for shared memory files.
const MEMORY: &str = "/dev/shm";
const TERMINALS: &CStr = c"/dev/pts";

/// Paths in `/run` that most programs need; the other ones are sockets and files of daemons and
/// sessions.
pub(super) const NEEDED: [&str; 12] = [
    "systemd/resolve/stub-resolv.conf",
    "systemd/resolve/resolv.conf",
    "resolvconf",
    "NetworkManager/resolv.conf",
    "NetworkManager/no-stub-resolv.conf",
    "connman/resolv.conf",
    "netconfig",
    "current-system",
    "booted-system",
    "opengl-driver",
    "host/etc",
    ".containerenv",
];

/// Maximum number of places that stay visible in covered folders.
const MAX_BROUGHT: usize = 64;

/// A folder or file to create in the in-memory file system.
struct TreeMountEntry {
    path: CString,
    is_folder: bool,
    mode: u32,
}

/// The plan, as strings.
pub(crate) struct TreeMounts {
    options: CString,
    /// The path of `/run` if it is covered.
    run: Option<CString>,
    made: Vec<TreeMountEntry>,
    /// Places that stay visible although their folder is covered.
    brought: Vec<CString>,
}

/// Created mounts that are not in their places yet.
pub(crate) struct PreparedMounts {
    shared: RawFd,
    run: RawFd,
    brought: [RawFd; MAX_BROUGHT],
    pub(crate) no_file: RawFd,
    pub(crate) no_folder: RawFd,
}

/// Inputs of a plan.
pub(crate) struct TreeMountsInput<'a> {
    /// Maximum number of bytes of files in memory; 0 for half of the machine's memory.
    pub(crate) memory: u64,
    /// Canonical writable folders.
    pub(crate) writable: &'a [&'a PathBuf],
    /// Canonical places that stay visible in `/run` and `/tmp`: sockets that were granted by name.
    pub(crate) granted: &'a [PathBuf],
    /// Whether `/tmp` is covered.
    pub(crate) own_temp: bool,
}

impl TreeMounts {
    pub(crate) fn plan(ask: &TreeMountsInput<'_>) -> std::result::Result<Self, SpawnError> {
        let run = Path::new("/run").canonicalize().ok().filter(|run| run.is_dir());
        // A process that may write all of it sees all of it.
        let run = run.filter(|run| !ask.writable.iter().any(|root| run.starts_with(root)));
        let size = if ask.memory == 0 { "50%".to_owned() } else { ask.memory.to_string() };
        let options = format!("mode=755,size={size}");
        let options = CString::new(options).map_err(|_| SpawnError::NulByte { what: "a number" })?;
        let mut plan = Self { options, run: None, made: Vec::new(), brought: Vec::new() };
        let in_memory = ask.writable.iter().filter_map(|root| root.strip_prefix(MEMORY).ok());
        for root in in_memory.filter(|root| !root.as_os_str().is_empty()) {
            plan.add_all("shm", root, true)?;
        }
        if let Some(run) = &run {
            let own = format!("user/{}", effective_ids().0);
            plan.add("run", Path::new("user"), true, 0o755)?;
            plan.add("run", Path::new(&own), true, 0o700)?;
            plan.add("run", Path::new("lock"), true, 0o1777)?;
            for root in ask.writable.iter().filter_map(|root| root.strip_prefix(run).ok()) {
                plan.add_all("run", root, true)?;
            }
            let mut canonical = Canonical::default();
            let needed: Vec<PathBuf> = NEEDED.iter().filter_map(|name| canonical.of(&run.join(name))).collect();
            let granted = ask.granted.iter().cloned();
            for path in needed.into_iter().chain(granted).filter(|path| path.starts_with(run)) {
                let Ok(below) = path.strip_prefix(run) else { continue };
                if plan.brought.len() < MAX_BROUGHT && !ask.writable.iter().any(|root| path.starts_with(root)) {
                    plan.add_all("run", below, path.is_dir())?;
                    plan.brought.push(text(&path)?);
                }
            }
            plan.run = Some(text(run)?);
        }
        if ask.own_temp {
            let in_temp = |path: &&PathBuf| path.starts_with("/tmp");
            for path in ask.granted.iter().filter(in_temp).take(MAX_BROUGHT - plan.brought.len()) {
                plan.brought.push(text(path)?);
            }
        }
        Ok(plan)
    }

    /// Whether a canonical path is covered; does not consider places brought back and roots.
    pub(crate) fn covers(&self, path: &Path) -> bool {
        self.run.as_ref().is_some_and(|run| path.as_os_str().as_bytes().starts_with(run.as_bytes()))
    }

    /// Adds a place in one of the folders, and the folders above it.
    fn add_all(&mut self, top: &str, below: &Path, is_folder: bool) -> std::result::Result<(), SpawnError> {
        let mut above: Vec<&Path> = below.ancestors().skip(1).filter(|path| !path.as_os_str().is_empty()).collect();
        above.reverse();
        for folder in above {
            self.add(top, folder, true, 0o755)?;
        }
        self.add(top, below, is_folder, if is_folder { 0o755 } else { 0o644 })
    }

    fn add(&mut self, top: &str, below: &Path, is_folder: bool, mode: u32) -> std::result::Result<(), SpawnError> {
        let path = text(&Path::new(BASE).join(top).join(below))?;
        if !self.made.iter().any(|made| made.path == path) {
            self.made.push(TreeMountEntry { path, is_folder, mode });
        }
        Ok(())
    }

    /// Creates everything without placing it. Call before `/proc` is mounted and the tree is made
    /// read-only.
    pub(crate) fn make(&self) -> Result<PreparedMounts> {
        let mut brought = [-1; MAX_BROUGHT];
        for (slot, path) in brought.iter_mut().zip(&self.brought) {
            *slot = match sys::clone_tree(path, Reach::Recursive) {
                Ok(mount) => mount,
                // Removed since it was planned, or unreachable.
                Err(Errno(libc::ENOENT | libc::ENOTDIR | libc::EACCES)) => -1,
                Err(errno) => return Err(errno),
            };
        }
        let mask = sys::set_umask(0);
        let made = self.make_files();
        sys::set_umask(mask);
        made?;
        let ready = PreparedMounts {
            shared: detached(SHARED, 0)?,
            run: if self.run.is_some() { detached(RUN, 0)? } else { -1 },
            brought,
            no_file: sys::open(NO_FILE, libc::O_PATH)?,
            no_folder: sys::open(NO_FOLDER, libc::O_PATH)?,
        };
        Ok(ready)
    }

    fn make_files(&self) -> Result<()> {
        let flags = libc::MS_NOSUID | libc::MS_NODEV;
        sys::mount_with(c"none", c"/proc", Some(c"tmpfs"), flags, Some(&self.options))?;
        sys::make_folder(SHARED, 0o1777)?;
        sys::make_folder(RUN, 0o755)?;
        sys::make_folder(NO_FOLDER, 0)?;
        sys::make_file(NO_FILE, 0)?;
        for made in &self.made {
            let make = if made.is_folder { sys::make_folder } else { sys::make_file };
            make(&made.path, made.mode)?;
        }
        Ok(())
    }

    /// Moves everything to its place, in a tree that is already read-only and has its own `/tmp`.
    pub(crate) fn place(&self, ready: &PreparedMounts) -> Result<()> {
        place_one(ready.shared, c"/dev/shm")?;
        if let Some(run) = &self.run {
            place_one(ready.run, run)?;
        }
        for (mount, path) in ready.brought.iter().zip(&self.brought) {
            if *mount >= 0 {
                place_one(*mount, path)?;
                sys::mount_setattr(path, Reach::Recursive, sys::MOUNT_ATTR_RDONLY | sys::MOUNT_ATTR_NOSUID, 0)?;
            }
        }
        Ok(())
    }
}

/// Mounts private terminals instead of those of the machine, where passwords are typed: every
/// process of the user may open them. Returns `false` if the kernel provides none; then the caller
/// hides the machine's terminals.
pub(crate) fn own_terminals() -> Result<bool> {
    let flags = libc::MS_NOSUID | libc::MS_NOEXEC;
    let options = c"newinstance,ptmxmode=0666,mode=0620";
    match sys::mount_with(c"devpts", TERMINALS, Some(c"devpts"), flags, Some(options)) {
        Ok(()) => {}
        // The folder does not exist, so there are no terminals.
        Err(Errno(libc::ENOENT)) => return Ok(true),
        Err(_) => return Ok(false),
    }
    match sys::mount(c"/dev/pts/ptmx", c"/dev/ptmx", None, libc::MS_BIND) {
        Ok(()) | Err(Errno(libc::ENOENT)) => Ok(true),
        Err(errno) => Err(errno),
    }
}

fn detached(path: &CStr, attributes: u64) -> Result<RawFd> {
    let mount = sys::clone_tree(path, Reach::One)?;
    sys::mount_setattr_fd(mount, Reach::One, sys::MOUNT_ATTR_NOSUID | sys::MOUNT_ATTR_NODEV | attributes)?;
    Ok(mount)
}

/// If the machine has no such place, there is nothing to cover.
fn place_one(mount: RawFd, target: &CStr) -> Result<()> {
    let placed = match sys::move_mount(mount, target) {
        Err(Errno(libc::ENOENT)) => Ok(()),
        other => other,
    };
    sys::close(mount);
    placed
}

fn text(path: &Path) -> std::result::Result<CString, SpawnError> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| SpawnError::NulByte { what: "a path" })
}
