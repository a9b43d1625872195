//! Renames a file or folder within its folder so that no program obeys it. Nothing is deleted.

use std::{
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
};

use crate::{Directory, Replace, Roots};

/// Suffix of the new name.
const ENDING: &str = ".held";
/// Maximum number of names tried.
const MAX_TRIES: usize = 100;

/// Renames the entry at `path` below `root`, following no link on the way; returns the new path.
///
/// # Errors
/// The system's error.
pub(super) fn put_aside(root: &Path, path: &Path) -> io::Result<PathBuf> {
    let (parent, name) = opened(root, path)?;
    rename_aside(&parent, name, path)
}

/// Like [`put_aside`], and restores the link that was there before.
///
/// # Errors
/// The system's error.
pub(super) fn exchange_for_link(root: &Path, path: &Path, link: &Path) -> io::Result<PathBuf> {
    let (parent, name) = opened(root, path)?;
    let aside = rename_aside(&parent, name, path)?;
    // No program obeys a missing name, so an error is ignored: the renaming is reported in either
    // case.
    let _ = parent.create_symlink(name, link);
    Ok(aside)
}

/// The folder of `path`, and its name in it.
fn opened<'a>(root: &Path, path: &'a Path) -> io::Result<(Directory, &'a OsStr)> {
    let folder = Roots::open(&[], root)
        .and_then(|roots| roots.open_directory(root, root))
        .map_err(|error| io::Error::other(error.to_string()))?;
    let relative = path.strip_prefix(root).map_err(io::Error::other)?;
    let above = relative.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    Ok((folder.subdirectory(above)?, name))
}

fn rename_aside(parent: &Directory, name: &OsStr, path: &Path) -> io::Result<PathBuf> {
    for number in 1..=MAX_TRIES {
        let mut aside = OsString::from(name);
        aside.push(ENDING);
        if number > 1 {
            aside.push(format!("-{number}"));
        }
        match parent.rename(name, parent, &aside, Replace::Never) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            done => return done.map(|()| path.with_file_name(aside)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_overwritten() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("a")).unwrap();
        for (content, expected) in [("one", "a/.envrc.held"), ("two", "a/.envrc.held-2")] {
            std::fs::write(root.join("a/.envrc"), content).unwrap();
            assert_eq!(put_aside(&root, &root.join("a/.envrc")).unwrap(), root.join(expected));
            assert_eq!(std::fs::read_to_string(root.join(expected)).unwrap(), content);
        }
        assert!(put_aside(&root, &root.join("a/.envrc")).is_err());
    }

    #[test]
    fn links_on_the_way_are_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("work")).unwrap();
        std::fs::create_dir_all(root.join("else")).unwrap();
        std::fs::write(root.join("else/.envrc"), "").unwrap();
        std::os::unix::fs::symlink(root.join("else"), root.join("work/link")).unwrap();
        assert!(put_aside(&root.join("work"), &root.join("work/link/.envrc")).is_err());
        assert!(root.join("else/.envrc").exists());
    }
}
