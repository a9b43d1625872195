//! Restores one entry at its place: creates it under another name in the same directory, then
//! renames it. Readers see the old or the new entry, never a partial one.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io,
    path::Path,
};

use rustix::fs::{AtFlags, FileType, Gid, Mode, Timespec, Timestamps, UTIME_OMIT, Uid};
use tools_core::sha256_hex;

use super::{Shape, ShapeKind};
use crate::{
    Directory, FileKind, Replace,
    unclosed::{self, in_unclosed},
};

/// Copies a file's content, sharing its blocks where the file system can.
///
/// # Errors
/// The system's error.
pub fn copy(mut from: &File, mut to: &File) -> io::Result<()> {
    if rustix::fs::ioctl_ficlone(to, from).is_ok() {
        return Ok(());
    }
    io::copy(&mut from, &mut to).map(drop)
}

/// Removes the entry at `path` below `root`; a directory only if it is empty. A missing entry is no
/// error.
///
/// # Errors
/// The system's error: `DirectoryNotEmpty` for a directory with content.
pub fn remove(root: &Directory, path: &Path) -> io::Result<()> {
    let (parent, name) = place(root, path)?;
    match in_unclosed(|| Ok(&parent), || remove_one(&parent, &name)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Removes the temporary entry that a killed process left while restoring `path` below `root`.
///
/// # Errors
/// As [`remove`].
pub fn sweep(root: &Directory, path: &Path) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    remove(root, &path.with_file_name(temporary(name)))
}

/// Creates an entry at `path` below `root`, replacing any existing one except a directory with
/// content. `content` writes the content of a regular file. An existing directory stays; a new one
/// gets its mode plus all rights for its owner. [`settle`] sets its final mode and times once
/// everything in it is done.
///
/// A directory and another kind of entry cannot be exchanged in one step: a process killed in
/// between leaves nothing at `path`, and the complete new entry under its temporary name.
///
/// # Errors
/// The error of the system or of `content`; then `path` is unchanged.
pub fn put(
    root: &Directory,
    path: &Path,
    shape: &Shape,
    content: &mut dyn FnMut(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let (parent, name) = place(root, path)?;
    in_unclosed(
        || Ok(&parent),
        || match &shape.kind {
            ShapeKind::Directory if parent.stat(&name).is_ok_and(|there| there.kind == FileKind::Directory) => Ok(()),
            ShapeKind::Other => {
                Err(io::Error::new(io::ErrorKind::Unsupported, "a socket or a device cannot be made again"))
            }
            _ => renamed(&parent, &name, shape, content),
        },
    )
}

/// Creates a hard link at `path` below `root` to the file `source`, a directory and a name in it,
/// as [`put`] does.
///
/// # Errors
/// The system's error; then `path` is unchanged.
pub fn link(source: (&Directory, &OsStr), root: &Directory, path: &Path) -> io::Result<()> {
    let (parent, name) = place(root, path)?;
    in_unclosed(
        || Ok(&parent),
        || {
            let temporary = temporary(&name);
            let _ = remove_one(&parent, &temporary);
            rustix::fs::linkat(source.0, source.1, &parent, &temporary, AtFlags::empty())?;
            let renamed = into_place(&parent, &temporary, &name);
            // A rename between two names of one file does nothing, so the temporary one remains.
            let _ = parent.remove_file(&temporary);
            renamed
        },
    )
}

/// Sets mode, owner and times of a directory: children first, because changes inside update the
/// times. If the user's own directory is closed to everybody, it is opened for this.
///
/// # Errors
/// The system's error.
pub fn settle(root: &Directory, path: &Path, shape: &Shape) -> io::Result<()> {
    let directory = match root.subdirectory(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            unclose(root, path)?;
            root.subdirectory(path)?
        }
        other => other?,
    };
    let now = directory.metadata()?;
    if (now.uid, now.gid) != (shape.uid, shape.gid) {
        own(shape, |uid, gid| rustix::fs::fchown(&directory, uid, gid));
    }
    if now.mode != shape.mode {
        rustix::fs::fchmod(&directory, Mode::from_raw_mode(shape.mode))?;
    }
    if now.modified != shape.modified {
        rustix::fs::futimens(&directory, &times(shape))?;
    }
    Ok(())
}

/// Gives the owner of a directory the rights to list and change its content. Follows no links.
///
/// # Errors
/// The system's error, such as `PermissionDenied` for a directory of another user.
pub fn unclose(root: &Directory, path: &Path) -> io::Result<()> {
    let (parent, name) = place(root, path)?;
    unclosed::unclose(unclosed::handle(&parent, Path::new(&name))?).map(drop)
}

fn renamed(
    parent: &Directory,
    name: &OsStr,
    shape: &Shape,
    content: &mut dyn FnMut(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let temporary = temporary(name);
    // Left by a process that was killed here.
    let _ = remove_one(parent, &temporary);
    let made = make(parent, &temporary, shape, content).and_then(|()| into_place(parent, &temporary, name));
    if made.is_err() {
        let _ = remove_one(parent, &temporary);
    }
    made
}

/// Renames `temporary` to `name`. First removes an existing entry only if a rename cannot replace
/// it: a directory by another kind of entry, or the reverse.
fn into_place(parent: &Directory, temporary: &OsStr, name: &OsStr) -> io::Result<()> {
    let is_directory = |name| parent.stat(name).map(|there| there.kind == FileKind::Directory);
    if is_directory(name).is_ok_and(|there| is_directory(temporary).is_ok_and(|new| new != there)) {
        remove_one(parent, name)?;
    }
    parent.rename(temporary, parent, name, Replace::Allowed)
}

fn remove_one(parent: &Directory, name: &OsStr) -> io::Result<()> {
    match parent.stat(name)?.kind {
        FileKind::Directory => parent.remove_directory(name),
        _ => parent.remove_file(name),
    }
}

fn make(
    parent: &Directory,
    name: &OsStr,
    shape: &Shape,
    content: &mut dyn FnMut(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let mode = Mode::from_raw_mode(shape.mode);
    match &shape.kind {
        ShapeKind::Symlink(target) => parent.create_symlink(name, target)?,
        ShapeKind::Fifo => rustix::fs::mknodat(parent, name, FileType::Fifo, Mode::from_raw_mode(0o600), 0)?,
        ShapeKind::Directory => {
            parent.create_directory(name, 0o700)?;
            let directory = parent.directory(name)?;
            own(shape, |uid, gid| rustix::fs::fchown(&directory, uid, gid));
            return Ok(rustix::fs::fchmod(&directory, mode | Mode::RWXU)?);
        }
        _ => {
            let mut file = parent.create_new(name, 0o600)?;
            content(&mut file)?;
            own(shape, |uid, gid| rustix::fs::fchown(&file, uid, gid));
            rustix::fs::fchmod(&file, mode)?;
            return Ok(rustix::fs::futimens(&file, &times(shape))?);
        }
    }
    own(shape, |uid, gid| rustix::fs::chownat(parent, name, uid, gid, AtFlags::SYMLINK_NOFOLLOW));
    if shape.kind == ShapeKind::Fifo {
        rustix::fs::chmodat(parent, name, mode, AtFlags::empty())?;
    }
    Ok(rustix::fs::utimensat(parent, name, &times(shape), AtFlags::SYMLINK_NOFOLLOW)?)
}

/// Restores the owner if that is allowed: a user who may not give files away could not have taken
/// them either.
fn own(shape: &Shape, set: impl Fn(Option<Uid>, Option<Gid>) -> rustix::io::Result<()>) {
    if set(Some(Uid::from_raw(shape.uid)), Some(Gid::from_raw(shape.gid))).is_err() {
        let _ = set(None, Some(Gid::from_raw(shape.gid)));
    }
}

fn times(shape: &Shape) -> Timestamps {
    let (seconds, nanoseconds) = shape.modified;
    let nanoseconds = nanoseconds.try_into().unwrap_or(0);
    Timestamps {
        last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
        last_modification: Timespec { tv_sec: seconds, tv_nsec: nanoseconds },
    }
}

fn place(root: &Directory, path: &Path) -> io::Result<(Directory, OsString)> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    Ok((root.subdirectory(path.parent().unwrap_or(Path::new("")))?, name.to_os_string()))
}

/// The same name gives the same result, so that entries left by a killed process are found.
fn temporary(name: &OsStr) -> OsString {
    format!(".haft-restore-{}", &sha256_hex(name.as_encoded_bytes())[..16]).into()
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::MetadataExt as _, path::PathBuf};

    use super::*;
    use crate::{Roots, tree::scan};

    fn open(path: &Path) -> Directory {
        Roots::open(&[], path).unwrap().open_directory(path, path).unwrap()
    }

    #[test]
    fn what_was_seen_can_be_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("d")).unwrap();
        fs::write(at("d/f"), "one").unwrap();
        std::os::unix::fs::symlink("nowhere", at("l")).unwrap();
        let root = open(folder.path());
        let before = scan(&root, 100, &|_, _| true).unwrap();
        let modified = fs::metadata(at("d/f")).unwrap().mtime_nsec();
        fs::remove_dir_all(at("d")).unwrap();
        fs::remove_file(at("l")).unwrap();

        for (path, node) in before.nodes.iter().skip(1) {
            put(&root, path, &node.shape(), &mut |file| io::Write::write_all(file, b"one")).unwrap();
        }
        for (path, node) in before.nodes.iter().rev().filter(|(_, node)| node.is_directory()) {
            settle(&root, path, &node.shape()).unwrap();
        }
        assert_eq!(fs::read(at("d/f")).unwrap(), b"one");
        assert_eq!(fs::metadata(at("d/f")).unwrap().mtime_nsec(), modified);
        assert_eq!(fs::read_link(at("l")).unwrap(), PathBuf::from("nowhere"));
        let after = scan(&root, 100, &|_, _| true).unwrap();
        let shapes = |scan: &crate::tree::Scan| -> Vec<_> {
            scan.nodes.iter().map(|(path, node)| (path.clone(), node.shape())).collect()
        };
        assert_eq!(shapes(&before), shapes(&after));
    }

    #[test]
    fn a_file_and_a_directory_change_places_unless_that_holds_something() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("f"), "x").unwrap();
        fs::create_dir(at("d")).unwrap();
        let root = open(folder.path());
        let nodes = scan(&root, 100, &|_, _| true).unwrap().nodes;
        let put = |from: &str, to: &str| {
            let shape = nodes[Path::new(from)].shape();
            put(&root, Path::new(to), &shape, &mut |file| io::Write::write_all(file, b"x"))
        };
        put("f", "d").unwrap();
        put("d", "f").unwrap();
        assert_eq!((fs::read(at("d")).unwrap(), at("f").is_dir()), (b"x".to_vec(), true));
        fs::write(at("f/mine"), "mine").unwrap();
        assert_eq!(put("f", "f").unwrap_err().kind(), io::ErrorKind::DirectoryNotEmpty);
        assert_eq!(fs::read(at("f/mine")).unwrap(), b"mine");

        // As a process leaves it that is killed before the renaming.
        let left = at(temporary(OsStr::new("f")).to_str().unwrap());
        fs::write(&left, "half").unwrap();
        sweep(&root, Path::new("f")).unwrap();
        sweep(&root, Path::new("d")).unwrap();
        assert!(!left.exists() && at("f/mine").exists() && at("d").exists());
    }

    #[test]
    fn a_content_that_cannot_be_written_leaves_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("f"), "old").unwrap();
        let root = open(folder.path());
        let node = scan(&root, 100, &|_, _| true).unwrap().nodes.remove(Path::new("f")).unwrap();
        let failed = put(&root, Path::new("f"), &node.shape(), &mut |_| Err(io::Error::other("broken")));
        assert!(failed.is_err());
        assert_eq!(fs::read(folder.path().join("f")).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
    }
}
