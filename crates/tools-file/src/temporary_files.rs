//! Records the temporary names in use, so that a later start removes files of a killed program. A
//! record contains only names, is locked while its program lives, and is empty when no file is
//! being written.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tools_core::{Locked as _, ProcessNotes, take_notes_left_behind};
use tools_sandbox::{FileKind, Roots};

use crate::{cancel::Cancel, remove::remove_tree, temporary_name::is_temporary};

/// Extension of record files.
const EXTENSION: &str = "names";

/// The temporary names of one program. Without a folder it records nothing.
#[derive(Debug, Default)]
pub(crate) struct TemporaryFiles(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    record: Option<ProcessNotes>,
    in_use: usize,
}

impl TemporaryFiles {
    /// Keeps the record in `folder`, which is created when needed, and removes files that killed
    /// programs left behind.
    pub(crate) fn in_folder(folder: &Path) -> Self {
        take_notes_left_behind(folder, EXTENSION, |names| {
            // Best effort: a file that cannot be removed stays, under a name that shows its origin.
            names.split(|&byte| byte == 0).for_each(|path| remove(&PathBuf::from(OsString::from_vec(path.to_vec()))));
            true
        });
        Self(Mutex::new(State { record: Some(ProcessNotes::in_folder(folder, EXTENSION)), in_use: 0 }))
    }

    /// Records that `path`, a temporary name, is in use until the value is dropped.
    pub(crate) fn begin(&self, path: &Path) -> InUse<'_> {
        self.with(|state| {
            state.in_use += 1;
            if let Some(record) = &mut state.record
                && record.add(&[path.as_os_str().as_bytes(), b"\0"].concat()).is_err()
            {
                // Not retried: a write must not wait for a folder that is unavailable.
                state.record = None;
            }
        });
        InUse(self)
    }

    fn end(&self) {
        self.with(|state| {
            state.in_use = state.in_use.saturating_sub(1);
            if let (0, Some(record)) = (state.in_use, &mut state.record) {
                record.clear();
            }
        });
    }

    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.0.locked())
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

/// Removes the file `path` if its name is one of our temporary names.
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
    use crate::temporary_name::unique_name;

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
        // As after a program was killed: no process holds the lock of its record.
        let record = fs::read_dir(&state).unwrap().next().unwrap().unwrap().path();
        let left = fs::read(record).unwrap();
        drop(held);
        drop(living);
        fs::write(state.join("left.names"), left).unwrap();
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
