//! Copying files and trees by handle: each file appears whole or not at all, links are copied as links, and nothing is
//! written through one.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::{self, Read as _, Write as _},
    path::Path,
};

use tools_sandbox::{Directory, FileKind, Metadata, ReadRules, Replace};

use crate::{
    atomic::{Temporary, unique_name},
    error::FileError,
    tree::Trail,
    workspace::Cancel,
};

/// What was copied, and what was left out.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Copied {
    pub(crate) files: u64,
    pub(crate) directories: u64,
    pub(crate) links: u64,
    pub(crate) bytes: u64,
    /// Files that the read rules close.
    pub(crate) closed: u64,
    /// FIFOs, sockets and devices.
    pub(crate) special: u64,
}

/// Copies an open regular file to `name`.
pub(crate) fn copy_file(
    source: &File,
    metadata: &Metadata,
    destination: &Directory,
    name: &OsStr,
    replace: Replace,
    cancel: &Cancel,
) -> Result<u64, FileError> {
    let path = destination.path().join(name);
    let fail = |error: io::Error| FileError::io(&path, error);
    let mut temporary = Temporary::create(destination, 0o600).map_err(fail)?;
    let bytes = copy_bytes(source, &temporary.file, cancel, &path)?;
    temporary.set_mode(metadata.mode).map_err(fail)?;
    temporary.rename(destination, name, replace).map_err(fail)?;
    Ok(bytes)
}

fn copy_bytes(mut source: &File, mut destination: &File, cancel: &Cancel, path: &Path) -> Result<u64, FileError> {
    const STEP: usize = 16 * 1024 * 1024;
    let mut total = 0;
    // By the kernel where both ends can do it; what is left, and what it cannot do, by hand.
    while let Ok(length @ 1..) = rustix::fs::copy_file_range(source, None, destination, None, STEP) {
        total += length as u64;
        cancel.check()?;
    }
    let mut buffer = vec![0; 256 * 1024];
    loop {
        cancel.check()?;
        match source.read(&mut buffer) {
            Ok(0) => return Ok(total),
            Ok(length) => {
                destination.write_all(&buffer[..length]).map_err(|error| FileError::io(path, error))?;
                total += length as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(FileError::io(path, error)),
        }
    }
}

/// Copies everything in `source` into `destination`, merging with what is there if `replace` allows it.
pub(crate) fn copy_tree(
    source: Directory,
    destination: Directory,
    rules: &ReadRules,
    replace: Replace,
    cancel: &Cancel,
) -> Result<Copied, FileError> {
    let mut copied = Copied { directories: 1, ..Copied::default() };
    let fail = |path: &Path, error: io::Error| FileError::io(path, error);
    let mut modes = vec![mode(&source)?];
    let mut pending = vec![listing(&source)?];
    let mut scopes = vec![rules.scope(source.path())];
    let (from, to) = (source.path().to_path_buf(), destination.path().to_path_buf());
    let mut source = Trail::new(source).map_err(|error| fail(&from, error))?;
    let mut destination = Trail::new(destination).map_err(|error| fail(&to, error))?;
    while let (Some(here), Some(there)) = (source.here(), destination.here()) {
        cancel.check()?;
        let Some((name, kind)) = pending.last_mut().and_then(Vec::pop) else {
            pending.pop();
            scopes.pop();
            if let Some(mode) = modes.pop() {
                // Last, so that a directory that may not be written can be filled. Not on every file system.
                let _ = rustix::fs::fchmod(there, rustix::fs::Mode::from_raw_mode(mode & 0o777));
            }
            source.up().map_err(|error| fail(&from, error))?;
            destination.up().map_err(|error| fail(&to, error))?;
            continue;
        };
        let path = here.path().join(&name);
        let scope = scopes.last().map_or_else(|| rules.scope(&path), |above| rules.below(*above, &path));
        if scope.is_closed() && kind != FileKind::Directory {
            copied.closed += 1;
            continue;
        }
        match kind {
            FileKind::Directory => {
                let below = here.directory(&name).map_err(|error| fail(&path, error))?;
                let created = create_directory(there, &name, replace)?;
                modes.push(mode(&below)?);
                pending.push(listing(&below)?);
                scopes.push(scope);
                copied.directories += 1;
                source.down(below).map_err(|error| fail(&path, error))?;
                destination.down(created).map_err(|error| fail(&path, error))?;
            }
            FileKind::Symlink => {
                let target = here.read_link(&name).map_err(|error| fail(&path, error))?;
                create_link(there, &name, &target, replace)?;
                copied.links += 1;
            }
            FileKind::File => {
                let file = here.open(&name).map_err(|error| fail(&path, error))?;
                let metadata = Metadata::of(&file).map_err(|error| fail(&path, error))?;
                if metadata.kind == FileKind::File {
                    copied.bytes += copy_file(&file, &metadata, there, &name, replace, cancel)?;
                    copied.files += 1;
                } else {
                    copied.special += 1;
                }
            }
            _ => copied.special += 1,
        }
    }
    Ok(copied)
}

/// Creates `name` for filling, or opens the directory that is there if that is allowed. Never through a link.
pub(crate) fn create_directory(parent: &Directory, name: &OsStr, replace: Replace) -> Result<Directory, FileError> {
    let path = parent.path().join(name);
    match parent.create_directory(name, 0o700) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && replace == Replace::Allowed => {}
        Err(error) => return Err(FileError::io(&path, error)),
    }
    parent.directory(name).map_err(|error| FileError::io(&path, error))
}

/// Makes a link, in place of what is there if that is allowed.
pub(crate) fn create_link(parent: &Directory, name: &OsStr, target: &Path, replace: Replace) -> Result<(), FileError> {
    let fail = |error: io::Error| FileError::io(&parent.path().join(name), error);
    match parent.create_symlink(name, target) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && replace == Replace::Allowed => {}
        result => return result.map_err(fail),
    }
    let temporary = unique_name();
    parent.create_symlink(&temporary, target).map_err(fail)?;
    parent.rename(&temporary, parent, name, Replace::Allowed).map_err(|error| {
        let _ = parent.remove_file(&temporary);
        fail(error)
    })
}

fn mode(directory: &Directory) -> Result<u32, FileError> {
    Ok(directory.metadata().map_err(|error| FileError::io(directory.path(), error))?.mode)
}

fn listing(directory: &Directory) -> Result<Vec<(OsString, FileKind)>, FileError> {
    directory.entries().map_err(|error| FileError::io(directory.path(), error))
}
