//! Opens a path without a race: with one `openat2` call if the kernel has it, otherwise one
//! component at a time, expanding links by hand. The roots are in `roots.rs`.

use std::{
    ffi::{OsStr, OsString},
    io,
    os::{
        fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
        unix::ffi::{OsStrExt as _, OsStringExt as _},
    },
    path::{Component, Path, PathBuf},
    sync::OnceLock,
};

use rustix::{
    fs::{CWD, Mode, OFlags, ResolveFlags},
    io::Errno,
};

use crate::{Directory, PathError, Roots};

/// Maximum number of symbolic links followed for one path: the kernel's own limit.
pub(crate) const MAX_LINKS: u32 = 40;

const BENEATH: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS);

/// Method of resolving paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolver {
    /// `openat2` confines the whole resolution; paths it cannot resolve are walked.
    Kernel,
    /// One component at a time. Slower, but needs no kernel support.
    Walk,
}

impl Resolver {
    /// The best method on this machine; determined once per process.
    ///
    /// Containers answer `openat2` with `ENOSYS` or, through their own filter, with `EPERM`.
    pub fn probe() -> Self {
        static FOUND: OnceLock<Resolver> = OnceLock::new();
        *FOUND.get_or_init(|| {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            match rustix::fs::openat2(CWD, ".", flags, Mode::empty(), BENEATH) {
                Ok(handle) if handle_path(handle.as_fd()).is_some() => Self::Kernel,
                _ => Self::Walk,
            }
        })
    }
}

/// The canonical path of an open handle according to the kernel; `None` without `/proc` or if the
/// file has no name any more.
pub(crate) fn handle_path(handle: BorrowedFd<'_>) -> Option<PathBuf> {
    let link = format!("/proc/self/fd/{}", handle.as_raw_fd());
    let path = rustix::fs::readlink(link, Vec::with_capacity(256)).ok()?.into_bytes();
    // A file name may really end like this; the walk does not depend on it.
    let usable = path.starts_with(b"/") && !path.ends_with(b" (deleted)");
    usable.then(|| PathBuf::from(OsString::from_vec(path)))
}

/// Opens `absolute` in one step and returns its canonical path. `None` if the kernel cannot resolve
/// it: walk instead.
pub(crate) fn kernel_open(roots: &Roots, absolute: &Path, flags: OFlags) -> Option<io::Result<(OwnedFd, PathBuf)>> {
    let (root, rest) = roots.locate(absolute)?;
    let mut directory;
    let rest = match rest.as_os_str().as_bytes() {
        [] => Path::new("."),
        // `components` drops a final `/`, which has a meaning
        [.., last] if *last != b'/' && ends_as_directory(absolute) => {
            directory = rest.to_path_buf();
            directory.push("");
            &directory
        }
        _ => rest,
    };
    // A plain path without links is its own canonical path: no further system call is needed.
    let mut resolve = if is_plain(rest) { BENEATH | ResolveFlags::NO_SYMLINKS } else { BENEATH };
    for _ in 0..4 {
        return match rustix::fs::openat2(&root.handle, rest, flags, Mode::empty(), resolve) {
            Ok(handle) if resolve.contains(ResolveFlags::NO_SYMLINKS) => {
                let path = if rest.as_os_str() == "." { root.path.clone() } else { root.path.join(rest) };
                Some(Ok((handle, path)))
            }
            Ok(handle) => handle_path(handle.as_fd()).map(|path| Ok((handle, path))),
            Err(Errno::AGAIN) => continue, // something was renamed meanwhile
            Err(Errno::LOOP) if resolve.contains(ResolveFlags::NO_SYMLINKS) => {
                resolve = BENEATH;
                continue;
            }
            // The path left the root, perhaps only for another root or by an absolute link back
            // into it, or met a magic link.
            Err(Errno::XDEV | Errno::LOOP | Errno::NOSYS | Errno::PERM) => None,
            Err(error) => Some(Err(error.into())),
        };
    }
    None
}

/// Whether a relative path is spelled like a canonical one: names separated by one `/`, or `.`
/// alone.
fn is_plain(rest: &Path) -> bool {
    let bytes = rest.as_os_str().as_bytes();
    bytes == b"." || bytes.split(|&byte| byte == b'/').all(|name| !matches!(name, b"" | b"." | b".."))
}

/// Whether the end of the path requires a directory.
pub(crate) fn ends_as_directory(path: &Path) -> bool {
    let bytes = path.as_os_str().as_bytes();
    bytes.ends_with(b"/") || bytes.ends_with(b"/.")
}

/// Whether a final symbolic link is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaf {
    Follow,
    Keep,
}

/// End position of a walk.
#[derive(Debug)]
pub(crate) struct WalkPosition {
    /// The last directory that was opened.
    pub(crate) directory: Directory,
    /// The remaining components: empty if the walk ended on `directory`, one name for the last
    /// component, more if directories are missing.
    pub(crate) missing: Vec<OsString>,
    /// The directories created on the way.
    pub(crate) created: Vec<PathBuf>,
}

enum Step {
    Up,
    Down(OsString),
}

/// Current position of a walk: beneath a root, or on the way to one.
enum At {
    /// Only a spelling; nothing outside the roots is ever opened.
    Outside(PathBuf),
    Inside {
        root: usize,
        stack: Vec<(OwnedFd, OsString)>,
    },
}

/// Walks `absolute` one component at a time. It holds a handle for each directory, so that `..`
/// returns to the directory the walk came from. `shown` is the path as the caller wrote it, for
/// messages.
pub(crate) fn walk(
    roots: &Roots,
    absolute: &Path,
    shown: &Path,
    leaf: Leaf,
    create: bool,
) -> Result<WalkPosition, PathError> {
    let mut walk = Walk { roots, shown, todo: Vec::new(), at: At::Outside(PathBuf::from("/")), links: 0 };
    walk.push(absolute);
    walk.enter();
    let mut created = Vec::new();
    while let Some(step) = walk.todo.pop() {
        let name = match step {
            Step::Up => {
                walk.up();
                continue;
            }
            Step::Down(name) => name,
        };
        if let At::Outside(path) = &mut walk.at {
            path.push(&name);
            walk.enter();
            continue;
        }
        let last = walk.todo.is_empty();
        if last && leaf == Leaf::Keep {
            return walk.reached(vec![name], created);
        }
        if last {
            match walk.link(&name)? {
                Some(target) => walk.push_link(&target)?,
                None if walk.is_directory(&name) => walk.descend(name)?,
                None => return walk.reached(vec![name], created),
            }
            continue;
        }
        match walk.descend(name.clone()) {
            Err(PathError::NotFound(_)) if create => {
                let made = walk.create(&name)?;
                created.extend(made);
                walk.todo.push(Step::Down(name));
            }
            Err(PathError::NotFound(path)) => {
                let mut missing = vec![name];
                for step in std::mem::take(&mut walk.todo).into_iter().rev() {
                    match step {
                        Step::Down(name) => missing.push(name),
                        Step::Up => return Err(PathError::NotFound(path)),
                    }
                }
                return walk.reached(missing, created);
            }
            result => result?,
        }
    }
    walk.reached(Vec::new(), created)
}

struct Walk<'a> {
    roots: &'a Roots,
    shown: &'a Path,
    /// In reverse order: the next step is last.
    todo: Vec<Step>,
    at: At,
    links: u32,
}

impl Walk<'_> {
    fn push(&mut self, path: &Path) {
        self.todo.extend(path.components().rev().filter_map(|component| match component {
            Component::Normal(name) => Some(Step::Down(name.to_os_string())),
            Component::ParentDir => Some(Step::Up),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
        }));
    }

    fn push_link(&mut self, target: &Path) -> Result<(), PathError> {
        self.links += 1;
        if self.links > MAX_LINKS || self.todo.len() > 4096 {
            return Err(PathError::LinkLoop(self.shown.to_path_buf()));
        }
        if target.is_absolute() {
            self.at = At::Outside(PathBuf::from("/"));
            self.enter();
        }
        self.push(target);
        Ok(())
    }

    /// Switches to `Inside` if the spelling is that of a root.
    fn enter(&mut self) {
        if let At::Outside(path) = &self.at
            && let Some(root) = self.roots.list.iter().position(|root| root.is_at(path))
        {
            self.at = At::Inside { root, stack: Vec::new() };
        }
    }

    fn up(&mut self) {
        match &mut self.at {
            At::Outside(path) => {
                path.pop();
            }
            At::Inside { root, stack } => {
                if stack.pop().is_none() {
                    let mut above = self.roots.list[*root].path.clone();
                    above.pop();
                    self.at = At::Outside(above);
                }
            }
        }
        self.enter();
    }

    /// The current directory handle. Only called after the caller has checked for `Inside`.
    fn here(&self) -> Result<BorrowedFd<'_>, PathError> {
        match &self.at {
            At::Outside(_) => Err(self.roots.outside(self.shown)),
            At::Inside { root, stack } => {
                Ok(stack.last().map_or_else(|| self.roots.list[*root].handle.as_fd(), |(handle, _)| handle.as_fd()))
            }
        }
    }

    fn fail(&self, error: Errno) -> PathError {
        PathError::from_io(self.shown, error)
    }

    /// The text of the link `name`; `None` if it is not a link or does not exist.
    fn link(&self, name: &OsStr) -> Result<Option<PathBuf>, PathError> {
        match rustix::fs::readlinkat(self.here()?, name, Vec::new()) {
            Ok(target) => Ok(Some(PathBuf::from(OsString::from_vec(target.into_bytes())))),
            Err(Errno::INVAL | Errno::NOENT) => Ok(None),
            Err(error) => Err(self.fail(error)),
        }
    }

    fn is_directory(&self, name: &OsStr) -> bool {
        let stat = |here| rustix::fs::statat(here, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW);
        self.here()
            .is_ok_and(|here| stat(here).is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_dir()))
    }

    /// Enters the directory `name`, or schedules its steps if it is a link.
    fn descend(&mut self, name: OsString) -> Result<(), PathError> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::openat(self.here()?, &name, flags, Mode::empty()) {
            Ok(handle) => {
                if let At::Inside { stack, .. } = &mut self.at {
                    stack.push((handle, name));
                }
                Ok(())
            }
            Err(Errno::NOTDIR | Errno::LOOP) => match self.link(&name)? {
                Some(target) => self.push_link(&target),
                None => Err(PathError::NotADirectory(self.shown.to_path_buf())),
            },
            Err(error) => Err(self.fail(error)),
        }
    }

    fn create(&self, name: &OsStr) -> Result<Option<PathBuf>, PathError> {
        match rustix::fs::mkdirat(self.here()?, name, Mode::from_raw_mode(0o777)) {
            Ok(()) => Ok(Some(self.path().join(name))),
            Err(Errno::EXIST) => Ok(None),
            Err(error) => Err(self.fail(error)),
        }
    }

    fn path(&self) -> PathBuf {
        match &self.at {
            At::Outside(path) => path.clone(),
            At::Inside { root, stack } => {
                stack.iter().fold(self.roots.list[*root].path.clone(), |path, (_, name)| path.join(name))
            }
        }
    }

    fn reached(self, missing: Vec<OsString>, created: Vec<PathBuf>) -> Result<WalkPosition, PathError> {
        let path = self.path();
        let (roots, shown) = (self.roots, self.shown);
        let handle = match self.at {
            At::Outside(_) => return Err(roots.outside(shown)),
            At::Inside { root, mut stack } => match stack.pop() {
                Some((handle, _)) => handle,
                None => roots.list[root].handle.try_clone().map_err(|e| PathError::from_io(shown, e))?,
            },
        };
        Ok(WalkPosition { directory: Directory { handle, path }, missing, created })
    }
}
