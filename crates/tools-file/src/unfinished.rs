//! A record of the temporary names that are in use, so that a later start removes those of a
//! program that was killed. It holds names only, is locked as long as its program lives and is
//! empty whenever nothing is being made.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::{Read as _, Write as _},
    os::unix::ffi::{OsStrExt as _, OsStringExt as _},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use rustix::fs::{FlockOperation, flock};
use tools_sandbox::{Directory, FileKind, Metadata, Roots};

use crate::{
    cancel::Cancel,
    remove::remove_tree,
    temporary_name::{is_temporary, unique_name},
};

/// The longest record that is believed.
const MAX_RECORD_BYTES: u64 = 16 * 1024 * 1024;
/// How its files end.
const EXTENSION: &str = "names";

/// The temporary names of one program. Without a folder it records nothing.
#[derive(Debug, Default)]
pub(crate) struct TemporaryFiles {
    folder: Option<PathBuf>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    record: Option<(Directory, OsString, File)>,
    in_use: usize,
    failed: bool,
}

impl TemporaryFiles {
    /// Keeps the record in `folder`, made when it is first needed, and removes what others have
    /// left behind.
    pub(crate) fn in_folder(folder: &Path) -> Self {
        sweep(folder);
        Self { folder: Some(folder.to_path_buf()), state: Mutex::default() }
    }

    /// Records that `path`, a temporary name, is about to be given. Until the value is dropped.
    pub(crate) fn begin(&self, path: &Path) -> InUse<'_> {
        self.with(|state| {
            state.in_use += 1;
            if state.record.is_none() && !state.failed {
                state.record = self.folder.as_deref().and_then(create);
                // Not tried again: what is written must not wait for a folder that cannot be had.
                state.failed = state.record.is_none();
            }
            if let Some((.., file)) = &mut state.record {
                let _ = file.write_all(&[path.as_os_str().as_bytes(), b"\0"].concat());
            }
        });
        InUse(self)
    }

    fn end(&self) {
        self.with(|state| {
            state.in_use = state.in_use.saturating_sub(1);
            if let (0, Some((.., file))) = (state.in_use, &state.record) {
                let _ = file.set_len(0); // opened for appending: the next name begins at the start again
            }
        });
    }

    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for TemporaryFiles {
    fn drop(&mut self) {
        if let Some((directory, name, _)) = self.with(|state| state.record.take()) {
            let _ = directory.remove_file(&name);
        }
    }
}

/// A temporary name that is in use.
#[must_use]
pub(crate) struct InUse<'a>(&'a TemporaryFiles);

impl Drop for InUse<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// A new record, locked.
fn create(folder: &Path) -> Option<(Directory, OsString, File)> {
    std::fs::create_dir_all(folder).ok()?;
    let directory = open(folder)?;
    let mut name = unique_name();
    name.push(".");
    name.push(EXTENSION);
    let file = directory.create_appendable(&name, 0o600).ok()?;
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    Some((directory, name, file))
}

fn open(folder: &Path) -> Option<Directory> {
    let roots = Roots::open(&[], folder).ok()?;
    roots.open_directory(Path::new("."), folder).ok()
}

/// Removes what the programs left behind whose records nobody holds, and the records. Best effort:
/// what cannot be removed now stays where it is, under a name that says where it comes from.
fn sweep(folder: &Path) {
    let Some(directory) = open(folder) else { return };
    for (name, kind) in directory.entries().unwrap_or_default() {
        if kind != FileKind::File || Path::new(&name).extension() != Some(OsStr::new(EXTENSION)) {
            continue;
        }
        let Ok(mut file) = directory.open(&name) else { continue };
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            continue;
        }
        let mut names = Vec::new();
        let read = (&mut file).take(MAX_RECORD_BYTES).read_to_end(&mut names);
        if read.is_ok() && Metadata::of(&file).is_ok_and(|found| found.uid == rustix::process::geteuid().as_raw()) {
            names.split(|&byte| byte == 0).for_each(|path| remove(&PathBuf::from(OsString::from_vec(path.to_vec()))));
        }
        let _ = directory.remove_file(&name);
    }
}

/// Removes what has the temporary name `path`, if it is one of ours.
fn remove(path: &Path) {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return };
    if !path.is_absolute() || !is_temporary(name) {
        return;
    }
    let Ok(roots) = Roots::open(&[], parent) else { return };
    let Ok(directory) = roots.open_directory(Path::new("."), parent) else { return };
    let Ok(found) = directory.stat(name) else { return };
    if found.uid != rustix::process::geteuid().as_raw() {
        return;
    }
    let _ = match found.kind {
        FileKind::Directory => remove_tree(&directory, name, &roots, &Cancel::never()).is_ok(),
        _ => directory.remove_file(name).is_ok(),
    };
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_a_killed_program_was_making_is_removed_at_the_next_start() {
        let dir = tempfile::tempdir().unwrap();
        let (state, work) = (dir.path().join("state"), dir.path().canonicalize().unwrap().join("work"));
        fs::create_dir_all(work.join("sub")).unwrap();
        let names = [unique_name(), unique_name(), OsString::from("precious")];
        fs::write(work.join(&names[0]), "half").unwrap();
        fs::create_dir(work.join(&names[1])).unwrap();
        fs::write(work.join(&names[1]).join("copy"), "half").unwrap();
        fs::write(work.join(&names[2]), "mine").unwrap();
        let living = TemporaryFiles::in_folder(&state);
        let held: Vec<_> = names.iter().map(|name| living.begin(&work.join(name))).collect();
        let there = || names.each_ref().map(|name| work.join(name).exists());
        drop(TemporaryFiles::in_folder(&state));
        assert_eq!(there(), [true; 3], "its program lives");
        std::mem::forget(held);
        living.with(|state| state.record = None); // as the kernel does when a program is killed: the lock goes
        assert_eq!(fs::read_dir(&state).unwrap().count(), 1);
        drop(TemporaryFiles::in_folder(&state));
        assert_eq!(there(), [false, false, true]);
        assert_eq!(fs::read_dir(&state).unwrap().count(), 0);
    }

    #[test]
    fn the_record_is_empty_when_nothing_is_being_made_and_gone_at_the_end() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        let unfinished = TemporaryFiles::in_folder(&state);
        assert!(!state.exists());
        let length =
            || fs::read_dir(&state).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum::<u64>();
        let (one, two) = (unfinished.begin(Path::new("/a")), unfinished.begin(Path::new("/b")));
        drop(one);
        assert_eq!(length(), 6);
        drop(two);
        assert_eq!(length(), 0);
        drop(unfinished.begin(Path::new("/c")));
        assert_eq!(length(), 0);
        drop(unfinished);
        assert_eq!(fs::read_dir(&state).unwrap().count(), 0);
    }

    #[test]
    fn without_a_folder_nothing_is_recorded() {
        drop(TemporaryFiles::default().begin(Path::new("/a")));
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, "").unwrap();
        drop(TemporaryFiles::in_folder(&file.join("below")).begin(Path::new("/a")));
    }
}
