//! The mount plan of a process in its own namespaces: whole tree read-only, writable folders
//! mounted writable, secrets and the sockets of other programs masked, own `/proc`, `/tmp`, `/run`,
//! `/dev/shm` and terminals. The parent prepares it as strings; process 1 of the new namespaces
//! applies it.

use std::ffi::{CStr, CString};
use std::os::fd::RawFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use libc::{c_int, c_ulong};

use super::claims::Claimed;
use super::config::{Confinement, Network};
use super::network::NetworkNamespace;
use super::obeyed::ReadOnlyPath;
use super::path_text::text;
use super::sockets::{bound_sockets, is_of_workspace};
use super::sys::{self, Errno, Reach, Result};
use super::tree_mounts::{self, TreeMounts, own_terminals};
use super::view_mounts::{Covers, ViewMounts};
use crate::below::{below_any, is_below};
use crate::private::{PrivateFolder, memory_places, sweep, temporary_places};
use crate::process::{SpawnError, Step};

/// Minimum `pid_max` that the kernel accepts.
const MIN_PID_MAX: u64 = 301;

/// The folder for temporary files of confined processes, removed with this value.
pub(crate) struct PrivateFolders {
    base: PrivateFolder,
    covers: Covers,
}

impl PrivateFolders {
    pub(crate) fn create() -> std::io::Result<Self> {
        sweep(&memory_places());
        let base = PrivateFolder::create_in_first(&temporary_places())?;
        base.folder("tmp")?;
        Ok(Self { base, covers: Covers::default() })
    }

    pub(crate) fn temp(&self) -> PathBuf {
        self.base.path().join("tmp")
    }

    /// The folder for files that belong to this process alone.
    pub(super) fn base(&self) -> &PrivateFolder {
        &self.base
    }
}

struct Binding {
    target: CString,
    folder: bool,
}

/// All strings and numbers the child needs.
pub(crate) struct NamespacePlan {
    flags: c_int,
    /// The network that it joins; `None` for a network of its own.
    joins: Option<Arc<NetworkNamespace>>,
    uid_map: Vec<u8>,
    gid_map: Vec<u8>,
    whole_tree_writable: bool,
    writable: Vec<CString>,
    temp: Option<CString>,
    own: TreeMounts,
    hidden: Vec<Binding>,
    protected: Vec<CString>,
    /// Read-only files that other programs obey, which may be gone by the time a process starts.
    held: Vec<CString>,
    /// Folders that contain hidden or protected files: mounted onto themselves, so that they cannot
    /// be renamed and their content reached, or replaced, under another name.
    pinned: Vec<CString>,
    pid_max: Option<Vec<u8>>,
    seen: ViewMounts,
    claimed: Claimed,
}

/// Maximum number of obeyed files that a plan holds: each costs some microseconds per process.
/// Callers list those nearest to the top first.
pub(crate) const MAX_HELD: usize = 256;

/// Maximum number of roots; their detached mounts are in an array on the child's stack.
pub(crate) const MAX_ROOTS: usize = 64;

impl NamespacePlan {
    /// Plans the mounts. `ask` has canonical paths, of which the hidden and protected ones exist;
    /// `temp` is the folder that becomes `/tmp`, and the view is rendered in `folders`.
    pub(crate) fn new(
        ask: &Confinement,
        temp: Option<&Path>,
        folders: Option<&PrivateFolders>,
    ) -> std::result::Result<Self, SpawnError> {
        // No cgroup namespace: in it, the machine's cgroup mounts would show a root outside the
        // namespace (`/../..`), at which Java up to 17 fails. They are read-only like everything
        // else.
        let mut flags =
            libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS;
        if ask.network == Network::Closed {
            flags |= libc::CLONE_NEWNET;
        }
        let temp_root = Path::new("/tmp");
        let whole_tree_writable = ask.writable.iter().any(|root| root == Path::new("/"));
        let is_own = |_: &&Path| !ask.writable.iter().any(|root| temp_root.starts_with(root)) && temp_root.is_dir();
        let temp = temp.filter(is_own);
        let writable = outermost(&ask.writable);
        if writable.len() > MAX_ROOTS {
            return Err(SpawnError::TooManyRoots { most: MAX_ROOTS });
        }
        let granted: Vec<PathBuf> = ask.sockets.iter().filter_map(|socket| socket.canonicalize().ok()).collect();
        if let Some(temp) = temp {
            places_in_temp(temp, &writable, &granted).map_err(SpawnError::PrivateFolders)?;
        }
        let memory = ask.limits.shared_memory.unwrap_or(0);
        let own =
            tree_mounts::TreeMountsInput { memory, writable: &writable, granted: &granted, own_temp: temp.is_some() };
        let own = TreeMounts::plan(&own)?;
        let homes = crate::account::homes();
        let foreign = bound_sockets()
            .into_iter()
            .filter(|socket| !is_of_workspace(socket, &writable, &homes) && !below_any(socket, &granted));
        let everything_hidden: Vec<PathBuf> = ask.hidden.iter().cloned().chain(foreign).collect();
        let mut hidden = Vec::new();
        for path in outermost(&everything_hidden) {
            // Below a private `/tmp` or `/run` only roots and granted paths are visible and can be
            // masked.
            let is_covered = own.covers(path) || (temp.is_some() && path.starts_with(temp_root));
            // A copy without credentials replaces a file that must not be read.
            let is_unseen = ask.view.iter().any(|view| {
                view.conceals(path, &ask.writable).is_some() || view.handed_in.iter().any(|copy| copy.path == *path)
            });
            if is_unseen {
                continue;
            }
            let is_granted =
                || ask.view.iter().flat_map(|view| &view.granted).any(|granted| is_below(path, &granted.path));
            if !is_covered || below_any(path, &writable) || is_granted() {
                hidden.push(Binding { target: text(path)?, folder: path.is_dir() });
            }
        }
        let in_root = |path: &&PathBuf| below_any(path, &writable);
        let protected: Vec<&PathBuf> = ask.protected.iter().filter(in_root).collect();
        let kept = outermost(&ask.hidden).into_iter().chain(protected.iter().copied());
        let mut pinned = folders_between(kept, &writable);
        let held = most_near(&ask.held, &protected, &writable);
        pinned.extend(held.iter().flat_map(|held| held.folders()));
        pinned.sort();
        pinned.dedup();
        let everything_held: Vec<&Path> =
            protected.iter().map(|path| path.as_path()).chain(held.iter().map(|held| held.path.as_path())).collect();
        let claimed = Claimed::new(&writable, &everything_held, &ask.lifted);
        let (uid, gid) = ids();
        let view = ask.view.as_ref().filter(|_| !whole_tree_writable);
        let seen = match view.zip(folders) {
            Some((view, folders)) => ViewMounts::new(view, &folders.covers, &writable, &granted, temp)?,
            None => ViewMounts::default(),
        };
        Ok(Self {
            seen,
            claimed,
            flags,
            joins: ask.joins.clone().filter(|_| ask.network == Network::Gate),
            uid_map: format!("{uid} {uid} 1").into_bytes(),
            gid_map: format!("{gid} {gid} 1").into_bytes(),
            whole_tree_writable,
            writable: writable.iter().map(|root| text(root)).collect::<std::result::Result<_, _>>()?,
            temp: temp.map(text).transpose()?,
            own,
            hidden,
            protected: protected.into_iter().map(|path| text(path)).collect::<std::result::Result<_, _>>()?,
            held: held.iter().map(|held| text(&held.path)).collect::<std::result::Result<_, _>>()?,
            pinned: pinned.iter().map(|path| text(path)).collect::<std::result::Result<_, _>>()?,
            pid_max: ask.limits.processes.map(|most| most.max(MIN_PID_MAX).to_string().into_bytes()),
        })
    }

    /// Flags of the `clone` that starts process 1.
    pub(crate) fn clone_flags(&self) -> c_int {
        self.flags
    }

    /// The network to join before that `clone`.
    pub(crate) fn joins(&self) -> Option<&Arc<NetworkNamespace>> {
        self.joins.as_ref()
    }

    /// Whether `/tmp` is a private folder.
    pub(crate) fn has_own_temp(&self) -> bool {
        self.temp.is_some()
    }

    /// The claims on its writable folders.
    pub(crate) fn claimed(&self) -> &Claimed {
        &self.claimed
    }

    /// Whether any path is held read-only.
    pub(crate) fn holds(&self) -> bool {
        !self.protected.is_empty() || !self.held.is_empty()
    }

    fn everything_held(&self) -> impl Iterator<Item = &CString> {
        self.protected.iter().chain(&self.held)
    }

    /// The path with this number in [`Self::remount_replaced`].
    pub(crate) fn held_path(&self, number: u32) -> Option<PathBuf> {
        use std::os::unix::ffi::OsStrExt as _;
        let path = self.everything_held().nth(usize::try_from(number).ok()?)?;
        Some(PathBuf::from(std::ffi::OsStr::from_bytes(path.as_bytes())))
    }

    /// Holds paths again that another process has replaced, and calls `found` with the number of
    /// each. Runs in the process that applied the plan. Adds watches for such replacements to
    /// `queue`, unless it is negative.
    pub(crate) fn remount_replaced(&self, queue: RawFd, mut found: impl FnMut(u32)) {
        let events = libc::IN_ATTRIB | libc::IN_MOVE_SELF | libc::IN_DELETE_SELF | libc::IN_DONT_FOLLOW;
        for folder in &self.pinned {
            let _ = sys::watch(queue, folder, events);
            if sys::path_state(folder).is_ok_and(|state| state.is_plain && !state.is_mounted) {
                let _ = sys::mount(folder, folder, None, libc::MS_BIND | libc::MS_REC);
            }
        }
        for (number, path) in (0..).zip(self.everything_held()) {
            let _ = sys::watch(queue, path, events);
            match sys::path_state(path) {
                Ok(state) if state.is_plain && !state.is_mounted => {
                    let _ = hold(path);
                    found(number);
                }
                Ok(_) => {}
                // A new entry there is reported by its folder.
                Err(_) => {
                    let mut folder = [0u8; 4096];
                    if let Some(folder) = sys::parent(&mut folder, path) {
                        let _ = sys::watch(queue, folder, libc::IN_CREATE | libc::IN_MOVED_TO | libc::IN_MASK_ADD);
                    }
                }
            }
        }
    }

    /// Applies the plan in the calling process, which is process 1 of the new namespaces.
    pub(crate) fn enter(&self) -> std::result::Result<(), (Step, Errno)> {
        let at = |step: Step| move |errno: Errno| (step, errno);
        self.map_ids().map_err(at(Step::MapIds))?;
        sys::mount(c"none", c"/", None, libc::MS_REC | libc::MS_PRIVATE).map_err(at(Step::PrivateMounts))?;

        let mut roots: [RawFd; MAX_ROOTS] = [-1; MAX_ROOTS];
        for (slot, root) in roots.iter_mut().zip(&self.writable) {
            if root.as_bytes() != b"/" {
                *slot = sys::clone_tree(root, Reach::Recursive).map_err(at(Step::WritableFolder))?;
                sys::mount_setattr_fd(*slot, Reach::Recursive, sys::MOUNT_ATTR_NOSUID)
                    .map_err(at(Step::WritableFolder))?;
            }
        }
        let temp = clone_optional(self.temp.as_deref()).map_err(at(Step::PrivateTemp))?;
        let own = self.own.make().map_err(at(Step::OwnMounts))?;

        let caches = self.seen.detach_caches()?;
        let read_only = if self.whole_tree_writable { 0 } else { sys::MOUNT_ATTR_RDONLY };
        sys::mount_setattr(c"/", Reach::Recursive, read_only | sys::MOUNT_ATTR_NOSUID, 0)
            .map_err(at(Step::ReadOnly))?;
        let seen = self.seen.detach(caches)?;
        self.mount_proc().map_err(at(Step::MountProc))?;
        attach(temp, c"/tmp").map_err(at(Step::PrivateTemp))?;
        self.own.place(&own).map_err(at(Step::OwnMounts))?;
        if !own_terminals().map_err(at(Step::OwnMounts))? {
            hide(own.no_folder, c"/dev/pts").map_err(at(Step::OwnMounts))?;
        }
        if self.flags & libc::CLONE_NEWNET != 0 {
            // Without it the network is still closed, but programs cannot reach their own servers.
            let _ = sys::start_loopback();
        }
        self.seen.attach(&seen)?;
        for (mount, root) in roots.iter().zip(&self.writable) {
            attach(*mount, root).map_err(at(Step::WritableFolder))?;
        }
        for folder in &self.pinned {
            match sys::mount(folder, folder, None, libc::MS_BIND | libc::MS_REC) {
                // Removed since it was planned, with everything in it.
                Ok(()) | Err(Errno(libc::ENOENT)) => {}
                Err(errno) => return Err((Step::Protect, errno)),
            }
        }
        for path in &self.protected {
            let bound = sys::mount(path, path, None, libc::MS_BIND | libc::MS_REC);
            bound
                .and_then(|()| sys::mount_setattr(path, Reach::Recursive, sys::MOUNT_ATTR_RDONLY, 0))
                .map_err(at(Step::Protect))?;
        }
        for path in &self.held {
            hold(path).map_err(at(Step::Protect))?;
        }
        self.seen.attach_caches(&seen)?;
        for mask in &self.hidden {
            let source = if mask.folder { own.no_folder } else { own.no_file };
            hide(source, &mask.target).map_err(at(Step::Mask))?;
        }
        Ok(())
    }

    fn map_ids(&self) -> Result<()> {
        // Kernels without this file do not have the setgroups vulnerability either.
        match sys::write_file(c"/proc/self/setgroups", b"deny") {
            Ok(()) | Err(Errno(libc::ENOENT)) => {}
            Err(errno) => return Err(errno),
        }
        sys::write_file(c"/proc/self/uid_map", &self.uid_map)?;
        sys::write_file(c"/proc/self/gid_map", &self.gid_map)
    }

    /// A fresh `/proc` shows only the processes of this call. It is read-only as a whole: for uid 0
    /// many of its files are writable without a capability.
    fn mount_proc(&self) -> Result<()> {
        let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
        sys::mount(c"proc", c"/proc", Some(c"proc"), flags)?;
        if let Some(pid_max) = &self.pid_max {
            // Also limits uid 0, to which `RLIMIT_NPROC` does not apply. Older kernels have one
            // value for all namespaces and refuse this.
            let _ = sys::write_file(c"/proc/sys/kernel/pid_max", pid_max);
        }
        let flags = sys::MOUNT_ATTR_NOSUID | sys::MOUNT_ATTR_NODEV | sys::MOUNT_ATTR_NOEXEC;
        sys::mount_setattr(c"/proc", Reach::One, sys::MOUNT_ATTR_RDONLY | flags, 0)
    }
}

/// Creates the mount points of roots and granted sockets in the private `/tmp`.
fn places_in_temp(temp: &Path, roots: &[&PathBuf], granted: &[PathBuf]) -> std::io::Result<()> {
    let below = |path: &Path| path.strip_prefix("/tmp").ok().map(|below| temp.join(below));
    for place in roots.iter().filter_map(|root| below(root)) {
        std::fs::create_dir_all(place)?;
    }
    for (place, path) in granted.iter().filter_map(|path| Some((below(path)?, path))) {
        if path.is_dir() {
            std::fs::create_dir_all(place)?;
        } else if !place.exists() {
            std::fs::create_dir_all(place.parent().unwrap_or(temp))?;
            std::fs::File::create(place)?;
        }
    }
    Ok(())
}

fn clone_optional(path: Option<&CStr>) -> Result<RawFd> {
    path.map_or(Ok(-1), |path| {
        let mount = sys::clone_tree(path, Reach::One)?;
        sys::mount_setattr_fd(mount, Reach::One, sys::MOUNT_ATTR_NOSUID | sys::MOUNT_ATTR_NODEV)?;
        Ok(mount)
    })
}

fn attach(mount: RawFd, target: &CStr) -> Result<()> {
    if mount < 0 {
        return Ok(());
    }
    sys::move_mount(mount, target)?;
    sys::close(mount);
    Ok(())
}

/// Mounts an unreadable file or folder over a path. The source is named through its descriptor,
/// because its folder may be covered already.
fn hide(source: RawFd, target: &CStr) -> Result<()> {
    let mut name = [0u8; 32];
    let source = sys::join(&mut name, &[b"/proc/self/fd/", b""], source.unsigned_abs());
    match sys::mount(source, target, None, libc::MS_BIND as c_ulong) {
        Ok(()) => sys::mount_setattr(
            target,
            Reach::One,
            sys::MOUNT_ATTR_RDONLY | sys::MOUNT_ATTR_NOSUID | sys::MOUNT_ATTR_NODEV | sys::MOUNT_ATTR_NOEXEC,
            0,
        ),
        // Removed since it was planned: nothing is left to hide. Or unreachable, such as a path in
        // another user's folder for a process that was root: a command has no rights that this
        // process lacks.
        Err(Errno(libc::ENOENT | libc::ENOTDIR | libc::EACCES)) => Ok(()),
        Err(errno) => Err(errno),
    }
}

/// Makes a file or folder read-only. If it was removed since it was planned, nothing is left to
/// hold.
fn hold(path: &CStr) -> Result<()> {
    let held = sys::mount(path, path, None, libc::MS_BIND | libc::MS_REC)
        .and_then(|()| sys::mount_setattr(path, Reach::Recursive, sys::MOUNT_ATTR_RDONLY, 0));
    match held {
        Err(Errno(libc::ENOENT)) => Ok(()),
        other => other,
    }
}

/// The first [`MAX_HELD`] held paths in the roots that are not protected already.
fn most_near<'a>(held: &'a [ReadOnlyPath], protected: &[&PathBuf], roots: &[&PathBuf]) -> Vec<&'a ReadOnlyPath> {
    let is_free = |held: &&ReadOnlyPath| {
        let path = &held.path;
        roots.iter().any(|root| is_below(path, root) && path != *root) && !below_any(path, protected)
    };
    held.iter().filter(is_free).take(MAX_HELD).collect()
}

/// The folders above `held` and below a root, outermost first.
fn folders_between<'a>(held: impl Iterator<Item = &'a PathBuf>, roots: &[&PathBuf]) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = held
        .flat_map(|path| path.ancestors().skip(1))
        .filter(|folder| roots.iter().any(|root| is_below(folder, root) && *folder != root.as_path()))
        .map(Path::to_owned)
        .collect();
    folders.sort();
    folders.dedup();
    folders
}

/// The paths that do not lie below another one of the list.
pub(crate) fn outermost(paths: &[PathBuf]) -> Vec<&PathBuf> {
    let mut sorted: Vec<&PathBuf> = paths.iter().collect();
    sorted.sort();
    sorted.dedup();
    let mut kept: Vec<&PathBuf> = Vec::new();
    for path in sorted {
        if !kept.iter().any(|outer| path.starts_with(outer)) {
            kept.push(path);
        }
    }
    kept
}

fn ids() -> (u32, u32) {
    crate::process::effective_ids()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_held_files_are_pinned_outermost_first() {
        let held = ["/w/a/b/.env", "/w/a/c", "/w/.env", "/elsewhere/x"].map(PathBuf::from);
        let root = PathBuf::from("/w");
        assert_eq!(folders_between(held.iter(), &[&root]), [PathBuf::from("/w/a"), PathBuf::from("/w/a/b")]);
    }

    #[test]
    fn nested_paths_collapse_to_the_outermost() {
        let paths = ["/w/a", "/w", "/w-b", "/w/a", "/x"].map(PathBuf::from);
        let kept: Vec<_> = outermost(&paths).into_iter().map(|path| path.to_str().unwrap()).collect();
        assert_eq!(kept, ["/w", "/w-b", "/x"]);
    }
}
