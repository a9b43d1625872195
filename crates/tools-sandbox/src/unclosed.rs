//! Work in folders whose owner has taken his own rights away.

use std::{
    io,
    os::fd::{AsFd, AsRawFd as _, OwnedFd},
    path::Path,
};

use rustix::fs::{Mode, OFlags};

/// Runs `work`. If that is refused, the owner of `folder` gets all rights to it, `work` runs once
/// more, and the folder gets back the mode that it had.
pub(crate) fn in_unclosed<F: AsFd>(
    folder: impl FnOnce() -> io::Result<F>,
    mut work: impl FnMut() -> io::Result<()>,
) -> io::Result<()> {
    match work() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let Ok((folder, before)) = folder().and_then(|folder| unclose(&folder).map(|before| (folder, before)))
            else {
                return Err(error);
            };
            let done = work();
            set_mode(&folder, before)?;
            done
        }
        other => other,
    }
}

/// Gives the owner of a folder all rights to it. Gives the mode that it had.
pub(crate) fn unclose(folder: impl AsFd) -> io::Result<Mode> {
    let before = Mode::from_raw_mode(rustix::fs::fstat(&folder)?.st_mode);
    set_mode(folder, before | Mode::RWXU)?;
    Ok(before)
}

/// A handle to a folder that may be closed. A link at the end of `path` is not followed.
pub(crate) fn handle(parent: impl AsFd, path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(parent, path, flags, Mode::empty())?)
}

/// Without a right to the folder, only a path leads from its handle to its mode.
fn set_mode(folder: impl AsFd, mode: Mode) -> io::Result<()> {
    Ok(rustix::fs::chmod(format!("/proc/self/fd/{}", folder.as_fd().as_raw_fd()), mode)?)
}
