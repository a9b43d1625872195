//! Folders and files that stand where nothing may come to be while processes run: a mount needs
//! something to be mounted over. They are empty, shared by all sandboxes of this process that want
//! them, and removed with the last one.

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use rustix::fs::CWD;

use crate::unclosed;

/// How many sandboxes want each folder or file that was made here.
static MADE: Mutex<Option<HashMap<PathBuf, usize>>> = Mutex::new(None);

/// What one sandbox wants.
#[derive(Debug, Default)]
pub(super) struct Placeholders(Vec<PathBuf>);

impl Placeholders {
    /// Makes what is `absent`, and keeps what another sandbox made of `held`. What cannot be made
    /// cannot be made by a child either, which has no rights that we lack.
    pub(super) fn new<'a>(absent: &[PathBuf], files: &[PathBuf], held: impl Iterator<Item = &'a Path>) -> Self {
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        let made = made.get_or_insert_default();
        let mut wanted: Vec<PathBuf> = held.filter(|path| made.contains_key(*path)).map(Path::to_owned).collect();
        wanted.extend(
            absent
                .iter()
                .filter(|path| made.contains_key(*path) || keeping_time(path, |path| fs::create_dir(path)).is_ok())
                .cloned(),
        );
        let make_file = |path: &PathBuf| keeping_time(path, |path| fs::File::create_new(path)).is_ok();
        wanted.extend(files.iter().filter(|path| made.contains_key(*path) || make_file(path)).cloned());
        wanted.sort();
        wanted.dedup();
        for path in &wanted {
            *made.entry(path.clone()).or_default() += 1;
        }
        Self(wanted)
    }
}

impl Drop for Placeholders {
    fn drop(&mut self) {
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        let made = made.get_or_insert_default();
        for path in &self.0 {
            let Some(count) = made.get_mut(path) else { continue };
            *count -= 1;
            if *count == 0 {
                made.remove(path);
                remove(path);
            }
        }
    }
}

/// Removes a placeholder, but not when something was put into it from outside meanwhile. A folder
/// that a process closed to its user is opened for that.
fn remove(path: &Path) {
    let remove = || match fs::symlink_metadata(path)? {
        found if found.is_file() && found.len() == 0 => keeping_time(path, |path| fs::remove_file(path)),
        found if found.is_dir() => keeping_time(path, |path| fs::remove_dir(path)),
        _ => Ok(()),
    };
    let folder = || unclosed::handle(CWD, path.parent().unwrap_or(path));
    let _ = unclosed::in_unclosed(folder, remove);
}

/// Changes an entry and gives its folder the time that it had: nobody's work came or went, and
/// whoever compares times should see that of others only.
fn keeping_time<T>(path: &Path, change: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    let folder = path.parent().and_then(|folder| fs::File::open(folder).ok());
    let before = folder.as_ref().and_then(|folder| folder.metadata().ok()?.modified().ok());
    let result = change(path);
    if let (Some(folder), Some(before), true) = (folder, before, result.is_ok()) {
        let _ = folder.set_times(fs::FileTimes::new().set_modified(before));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_one_takes_the_folder_with_it() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("hooks");
        let time = || fs::metadata(root.path()).unwrap().modified().unwrap();
        let before = time();
        let first = Placeholders::new(std::slice::from_ref(&path), &[], std::iter::empty());
        let second = Placeholders::new(&[], &[], std::iter::once(path.as_path()));
        let third = Placeholders::new(std::slice::from_ref(&path), &[], std::iter::empty());
        drop(first);
        drop(third);
        assert!(path.is_dir());
        drop(second);
        assert!(!path.exists());
        assert_eq!(time(), before, "the folder looks as if nothing had been");
    }

    #[test]
    fn it_goes_from_a_folder_that_was_closed_meanwhile() {
        use std::os::unix::fs::PermissionsExt as _;
        for mode in [0o000, 0o200, 0o634] {
            let root = tempfile::tempdir().unwrap();
            let folder = root.path().join("closed");
            fs::create_dir(&folder).unwrap();
            let made = Placeholders::new(&[folder.join("hooks")], &[], std::iter::empty());
            let set = |mode| fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
            set(mode);
            drop(made);
            assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, mode);
            set(0o700);
            assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "{mode:o}");
        }
    }

    #[test]
    fn a_file_goes_unless_something_was_written_to_it() {
        let root = tempfile::tempdir().unwrap();
        let (empty, filled) = (root.path().join("a"), root.path().join("b"));
        let both = Placeholders::new(&[], &[empty.clone(), filled.clone()], std::iter::empty());
        assert!(empty.is_file());
        fs::write(&filled, "x").unwrap();
        drop(both);
        assert!(!empty.exists() && filled.exists());
    }

    #[test]
    fn what_was_there_or_was_filled_stays() {
        let root = tempfile::tempdir().unwrap();
        let (own, others) = (root.path().join("a"), root.path().join("b"));
        fs::create_dir(&others).unwrap();
        let both = Placeholders::new(&[own.clone(), others.clone()], &[], std::iter::empty());
        fs::write(own.join("x"), "").unwrap();
        drop(both);
        assert!(own.join("x").exists() && others.exists());
    }
}
