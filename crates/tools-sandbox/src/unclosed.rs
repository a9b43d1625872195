//! Work in folders whose owner has removed their own access rights.

use std::{
    io,
    os::fd::{AsFd, AsRawFd as _, OwnedFd},
    path::Path,
};

use rustix::fs::{Mode, OFlags};

/// Runs `work`. If that is refused, gives the owner of `folder` all rights to it, runs `work` once
/// more, and restores the mode.
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

/// Gives the owner of a folder all rights to it. Returns its previous mode.
pub(crate) fn unclose(folder: impl AsFd) -> io::Result<Mode> {
    let before = Mode::from_raw_mode(rustix::fs::fstat(&folder)?.st_mode);
    set_mode(folder, before | Mode::RWXU)?;
    Ok(before)
}

/// A handle to a folder that may lack all access rights. A link at the end of `path` is not
/// followed.
pub(crate) fn handle(parent: impl AsFd, path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(parent, path, flags, Mode::empty())?)
}

/// Without access rights to the folder, its mode can only be changed by a path from its handle.
fn set_mode(folder: impl AsFd, mode: Mode) -> io::Result<()> {
    Ok(rustix::fs::chmod(format!("/proc/self/fd/{}", folder.as_fd().as_raw_fd()), mode)?)
}
