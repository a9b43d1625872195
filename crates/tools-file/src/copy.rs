//! Copying files and trees by handle: each file appears whole or not at all, links are copied as
//! links, and nothing is written through one.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::ops::Range;
use std::path::Path;

use rustix::{fs::SeekFrom, io::Errno};
use tools_sandbox::{Directory, FileKind, Metadata, ReadRules, Replace, set_modified};

use crate::{
    atomic::Temporary, cancel::Cancel, error::FileError, temporary_name::unique_name, tree::Trail, workspace::Site,
};

/// Counts of copied and omitted entries.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CopySummary {
    pub(crate) files: u64,
    pub(crate) directories: u64,
    pub(crate) links: u64,
    pub(crate) bytes: u64,
    /// Entries omitted because the read rules deny them at the source or the target.
    pub(crate) closed: u64,
    /// FIFOs, sockets and devices.
    pub(crate) special: u64,
}

/// The purpose of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Omits what the read rules deny at either end.
    Copy,
    /// The source will be deleted. Everything is copied, with its owner as far as the system
    /// allows, and is on disk before the deletion.
    Move,
}

/// Options of a copy.
#[derive(Clone, Copy)]
pub(crate) struct CopyOptions<'a> {
    pub(crate) purpose: Purpose,
    pub(crate) replace: Replace,
    pub(crate) site: &'a Site,
    pub(crate) cancel: &'a Cancel,
}

impl CopyOptions<'_> {
    /// Whether a copy at the canonical path `target` would be a file that belongs to the host.
    fn is_reserved(&self, target: &Path) -> bool {
        self.purpose == Purpose::Copy && self.site.roots.check_changeable(target, target).is_err()
    }
}

/// Copies an open regular file to `name`.
pub(crate) fn copy_file(
    source: &File,
    metadata: &Metadata,
    destination: &Directory,
    name: &OsStr,
    copying: CopyOptions<'_>,
) -> Result<u64, FileError> {
    let path = destination.path().join(name);
    let fail = |error: io::Error| FileError::io(&path, error);
    let mut temporary = Temporary::create(destination, 0o600, copying.site.unfinished()).map_err(fail)?;
    let bytes = copy_bytes(source, &temporary.file, copying.cancel, &path)?;
    if copying.purpose == Purpose::Move {
        temporary.take_after(source, metadata);
    }
    temporary.set_mode(metadata.mode).map_err(fail)?;
    set_modified(&temporary.file, metadata.modified).map_err(fail)?;
    if copying.purpose == Purpose::Move {
        temporary.file.sync_all().map_err(fail)?;
    }
    temporary.rename(name, copying.replace).map_err(fail)?;
    Ok(bytes)
}

/// Copies the data and keeps holes, so that a copy takes no more space than its source.
fn copy_bytes(source: &File, destination: &File, cancel: &Cancel, path: &Path) -> Result<u64, FileError> {
    let fail = |error: io::Error| FileError::io(path, error);
    let mut end = 0;
    while let Some(data) = next_data(source, end).map_err(fail)? {
        for file in [source, destination] {
            rustix::fs::seek(file, SeekFrom::Start(data.start)).map_err(|error| fail(error.into()))?;
        }
        let length = data.end - data.start;
        let copied = copy_piece(source, destination, length, cancel, path)?;
        end = data.start + copied;
        if copied < length {
            break; // it became shorter meanwhile
        }
    }
    let length = source.metadata().map_err(fail)?.len();
    if length > end {
        destination.set_len(length).map_err(fail)?;
    }
    Ok(length.max(end))
}

/// The next range of data at or after `from`; `None` at the end. Where the file system does not
/// report holes, this is the rest of the file.
fn next_data(file: &File, from: u64) -> io::Result<Option<Range<u64>>> {
    let start = match rustix::fs::seek(file, SeekFrom::Data(from)) {
        Ok(start) => start,
        Err(Errno::NXIO) => return Ok(None),
        Err(_) if from == 0 => return Ok(Some(0..u64::MAX)),
        Err(error) => return Err(error.into()),
    };
    Ok(Some(start..rustix::fs::seek(file, SeekFrom::Hole(start))?))
}

/// Copies the next `length` bytes, or fewer at the end of the file.
fn copy_piece(
    source: &File,
    mut destination: &File,
    length: u64,
    cancel: &Cancel,
    path: &Path,
) -> Result<u64, FileError> {
    const STEP: u64 = 16 * 1024 * 1024;
    let step = |left: u64| usize::try_from(left.min(STEP)).unwrap_or(usize::MAX);
    let mut total = 0;
    // The kernel copies where both ends support it; the loop below copies the rest.
    while let Ok(copied @ 1..) = rustix::fs::copy_file_range(source, None, destination, None, step(length - total)) {
        total += copied as u64;
        cancel.check()?;
    }
    let mut source = source.take(length - total);
    let mut buffer = vec![0; step(length - total).min(256 * 1024)];
    loop {
        cancel.check()?;
        match source.read(&mut buffer) {
            Ok(0) => return Ok(total),
            Ok(read) => {
                destination.write_all(&buffer[..read]).map_err(|error| FileError::io(path, error))?;
                total += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(FileError::io(path, error)),
        }
    }
}

/// Copies everything in `source` into `destination`, merging with existing content if that is
/// allowed. `place` is the final canonical path of the copy; `keeps` says whether the directory
/// itself stays unchanged.
pub(crate) fn copy_tree(
    source: Directory,
    destination: Directory,
    place: &Path,
    keeps: bool,
    copying: CopyOptions<'_>,
) -> Result<CopySummary, FileError> {
    let unrestricted = ReadRules::unrestricted();
    let rules = if copying.purpose == Purpose::Move { &unrestricted } else { copying.site.rules() };
    let mut copied = CopySummary { directories: 1, ..CopySummary::default() };
    let fail = |path: &Path, error: io::Error| FileError::io(path, error);
    let mut places = vec![(place.to_path_buf(), rules.scope(place))];
    let mut looks = vec![if keeps { None } else { Some(look(&source)?) }];
    let mut pending = vec![listing(&source)?];
    let mut scopes = vec![rules.scope(source.path())];
    let (from, to) = (source.path().to_path_buf(), destination.path().to_path_buf());
    let mut source = Trail::new(source).map_err(|error| fail(&from, error))?;
    let mut destination = Trail::new(destination).map_err(|error| fail(&to, error))?;
    while let (Some(here), Some(there)) = (source.here(), destination.here()) {
        copying.cancel.check()?;
        let Some((name, kind)) = pending.last_mut().and_then(Vec::pop) else {
            pending.pop();
            scopes.pop();
            places.pop();
            if let Some(look) = looks.pop().flatten() {
                // Set last, because a directory without write permission could not be filled. Some
                // file systems do not support it.
                let _ = rustix::fs::fchmod(there, rustix::fs::Mode::from_raw_mode(look.mode & 0o777));
                let _ = set_modified(there, look.modified);
            }
            source.up().map_err(|error| fail(&from, error))?;
            destination.up().map_err(|error| fail(&to, error))?;
            continue;
        };
        let path = here.path().join(&name);
        let (place, target) = match places.last() {
            Some((above, scope)) => (above.join(&name), rules.below(*scope, &above.join(&name))),
            None => (there.path().join(&name), rules.scope(&there.path().join(&name))),
        };
        let scope = scopes.last().map_or_else(|| rules.scope(&path), |above| rules.below(*above, &path));
        if kind != FileKind::Directory && (scope.is_closed() || target.is_closed() || copying.is_reserved(&place)) {
            copied.closed += 1;
            continue;
        }
        match kind {
            FileKind::Directory => {
                let below = here.directory(&name).map_err(|error| fail(&path, error))?;
                let (created, is_new) = create_directory(there, &name, copying.replace)?;
                looks.push(if is_new { Some(look(&below)?) } else { None });
                pending.push(listing(&below)?);
                scopes.push(scope);
                places.push((place, target));
                copied.directories += 1;
                source.down(below).map_err(|error| fail(&path, error))?;
                destination.down(created).map_err(|error| fail(&path, error))?;
            }
            FileKind::Symlink => {
                let target = here.read_link(&name).map_err(|error| fail(&path, error))?;
                create_link(there, &name, &target, copying)?;
                if let Ok(link) = here.stat(&name) {
                    let _ = there.set_link_time(&name, link.modified);
                }
                copied.links += 1;
            }
            FileKind::File => {
                let file = here.open(&name).map_err(|error| fail(&path, error))?;
                let metadata = Metadata::of(&file).map_err(|error| fail(&path, error))?;
                if metadata.kind == FileKind::File {
                    copied.bytes += copy_file(&file, &metadata, there, &name, copying)?;
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

/// Creates `name`, or opens the existing directory if that is allowed; returns whether it is new.
/// Never follows a link.
pub(crate) fn create_directory(
    parent: &Directory,
    name: &OsStr,
    replace: Replace,
) -> Result<(Directory, bool), FileError> {
    let path = parent.path().join(name);
    let is_new = match parent.create_directory(name, 0o700) {
        Ok(()) => true,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && replace == Replace::Allowed => false,
        Err(error) => return Err(FileError::io(&path, error)),
    };
    parent.directory(name).map(|directory| (directory, is_new)).map_err(|error| FileError::io(&path, error))
}

/// Creates a link, and replaces an existing entry if that is allowed.
pub(crate) fn create_link(
    parent: &Directory,
    name: &OsStr,
    target: &Path,
    copying: CopyOptions<'_>,
) -> Result<(), FileError> {
    let fail = |error: io::Error| FileError::io(&parent.path().join(name), error);
    match parent.create_symlink(name, target) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && copying.replace == Replace::Allowed => {}
        result => return result.map_err(fail),
    }
    let temporary = unique_name();
    let _in_use = copying.site.unfinished().begin(&parent.path().join(&temporary));
    parent.create_symlink(&temporary, target).map_err(fail)?;
    parent.rename(&temporary, parent, name, Replace::Allowed).map_err(|error| {
        let _ = parent.remove_file(&temporary);
        fail(error)
    })
}

fn look(directory: &Directory) -> Result<Metadata, FileError> {
    directory.metadata().map_err(|error| FileError::io(directory.path(), error))
}

fn listing(directory: &Directory) -> Result<Vec<(OsString, FileKind)>, FileError> {
    directory.entries().map_err(|error| FileError::io(directory.path(), error))
}
