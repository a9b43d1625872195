//! Removes a tree by handle. Links are removed and never followed; other file systems and allowed
//! roots are kept.

use std::ffi::{OsStr, OsString};
use std::io;

use tools_sandbox::{Directory, FileKind, Roots};

use crate::{cancel::Cancel, error::FileError, tree::Trail};

/// Removes the directory `name` with everything in it and returns the number of removed entries.
///
/// # Errors
/// `Partly` when something could not be removed after other entries were removed.
pub(crate) fn remove_tree(parent: &Directory, name: &OsStr, roots: &Roots, cancel: &Cancel) -> Result<u64, FileError> {
    let mut removed = 0;
    match remove(parent, name, roots, cancel, &mut removed) {
        Ok(()) => Ok(removed),
        Err(cause) if removed == 0 => Err(cause),
        Err(cause) => {
            Err(FileError::Partly { done: format!("{removed} entries were deleted"), cause: Box::new(cause) })
        }
    }
}

fn remove(
    parent: &Directory,
    name: &OsStr,
    roots: &Roots,
    cancel: &Cancel,
    removed: &mut u64,
) -> Result<(), FileError> {
    let top = match parent.directory(name) {
        Ok(top) => top,
        // A directory that cannot be listed can still be removed when it is empty.
        Err(_) if parent.remove_directory(name).is_ok() => {
            *removed += 1;
            return Ok(());
        }
        Err(error) => return Err(FileError::io(&parent.path().join(name), error)),
    };
    // A mount point cannot be removed, so a mounted file system is not emptied either.
    let above = parent.metadata().map_err(|error| FileError::io(parent.path(), error))?;
    let device = above.id.device();
    guard(&top, roots, device)?;
    let mut names = vec![name.to_os_string()];
    let mut pending = vec![listing(&top)?];
    let mut trail = Trail::new(top).map_err(|error| FileError::io(parent.path(), error))?;
    while let Some(here) = trail.here() {
        cancel.check()?;
        match pending.last_mut().and_then(Vec::pop) {
            Some((name, FileKind::Directory)) => {
                let below = match here.directory(&name) {
                    Ok(below) => below,
                    Err(_) if here.remove_directory(&name).is_ok() => {
                        *removed += 1;
                        continue;
                    }
                    Err(error) => return Err(FileError::io(&here.path().join(&name), error)),
                };
                guard(&below, roots, device)?;
                pending.push(listing(&below)?);
                names.push(name);
                trail.down(below).map_err(|error| FileError::io(parent.path(), error))?;
            }
            Some((name, _)) => match here.remove_file(&name) {
                Ok(()) => *removed += 1,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(FileError::io(&here.path().join(&name), error)),
            },
            None => {
                pending.pop();
                let path = here.path().to_path_buf();
                trail.up().map_err(|error| FileError::io(&path, error))?;
                let above = trail.here().unwrap_or(parent);
                if let Some(name) = names.pop() {
                    above.remove_directory(&name).map_err(|error| FileError::io(&path, error))?;
                    *removed += 1;
                }
            }
        }
    }
    Ok(())
}

/// Refuses a directory whose entries may not be removed.
fn guard(directory: &Directory, roots: &Roots, device: u64) -> Result<(), FileError> {
    let metadata = directory.metadata().map_err(|error| FileError::io(directory.path(), error))?;
    roots.check_unprotected(metadata.id, directory.path())?;
    if metadata.id.device() != device {
        let error = io::Error::from(io::ErrorKind::ResourceBusy);
        return Err(FileError::io(directory.path(), error));
    }
    Ok(())
}

fn listing(directory: &Directory) -> Result<Vec<(OsString, FileKind)>, FileError> {
    directory.entries().map_err(|error| FileError::io(directory.path(), error))
}
