//! Folders that stand where nothing may come to be while processes run: a mount needs something to be mounted over. They are
//! empty, shared by all sandboxes of this process that want them, and removed with the last one.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

/// How many sandboxes want each folder that was made here.
static MADE: Mutex<Option<HashMap<PathBuf, usize>>> = Mutex::new(None);

/// The folders that one sandbox wants.
#[derive(Debug, Default)]
pub(super) struct Placeholders(Vec<PathBuf>);

impl Placeholders {
    /// Makes what is `absent`, and keeps what another sandbox made of `held`. What cannot be made cannot be made by a
    /// child either, which has no rights that we lack.
    pub(super) fn new<'a>(absent: &[PathBuf], held: impl Iterator<Item = &'a Path>) -> Self {
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        let made = made.get_or_insert_default();
        let mut wanted: Vec<PathBuf> = held.filter(|path| made.contains_key(*path)).map(Path::to_owned).collect();
        wanted.extend(absent.iter().filter(|path| made.contains_key(*path) || fs::create_dir(path).is_ok()).cloned());
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
                // Not when something was put into it from outside meanwhile.
                let _ = fs::remove_dir(path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_one_takes_the_folder_with_it() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("hooks");
        let first = Placeholders::new(std::slice::from_ref(&path), std::iter::empty());
        let second = Placeholders::new(&[], std::iter::once(path.as_path()));
        let third = Placeholders::new(std::slice::from_ref(&path), std::iter::empty());
        drop(first);
        drop(third);
        assert!(path.is_dir());
        drop(second);
        assert!(!path.exists());
    }

    #[test]
    fn what_was_there_or_was_filled_stays() {
        let root = tempfile::tempdir().unwrap();
        let (own, others) = (root.path().join("a"), root.path().join("b"));
        fs::create_dir(&others).unwrap();
        let both = Placeholders::new(&[own.clone(), others.clone()], std::iter::empty());
        fs::write(own.join("x"), "").unwrap();
        drop(both);
        assert!(own.join("x").exists() && others.exists());
    }
}
