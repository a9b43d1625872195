//! Notes of a process for later processes: removed when it ends normally, kept when it is killed.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use uuid::Uuid;

/// Maximum length in bytes of notes that are read.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A file of notes in a folder shared by several processes of one user. It is created with the
/// first note, locked while its owner lives, and removed when this value is dropped.
#[derive(Debug)]
pub struct ProcessNotes {
    folder: PathBuf,
    extension: &'static str,
    file: Option<(PathBuf, File)>,
    length: u64,
}

impl ProcessNotes {
    /// Notes in a file with this extension in `folder`, which is created with the first note.
    pub fn in_folder(folder: impl Into<PathBuf>, extension: &'static str) -> Self {
        Self { folder: folder.into(), extension, file: None, length: 0 }
    }

    /// Adds a note. It survives this process, but not a power failure, since it is not flushed to
    /// disk. If the process is killed while writing, part of the note may remain.
    ///
    /// # Errors
    /// The system's error. Earlier notes stay.
    pub fn add(&mut self, note: &[u8]) -> io::Result<()> {
        let (_, file) = match &mut self.file {
            Some(file) => file,
            missing => missing.insert(create(&self.folder, self.extension)?),
        };
        if let Err(error) = file.write_all(note) {
            // Remove the partial note if there was no space for it.
            let _ = file.set_len(self.length);
            return Err(error);
        }
        self.length += note.len() as u64;
        Ok(())
    }

    /// Removes all notes.
    pub fn clear(&mut self) {
        self.length = 0;
        // The file is open for appending, so the next note starts at the beginning.
        if self.file.as_ref().is_some_and(|(_, file)| file.set_len(0).is_err()) {
            self.remove();
        }
    }

    fn remove(&mut self) {
        if let Some((path, _)) = self.file.take() {
            let _ = fs::remove_file(path);
        }
    }
}

impl Drop for ProcessNotes {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Passes the notes of killed processes in `folder` to `take`, one file after the other, and
/// removes each for which it returns `true`. Notes of living processes, files of other users and
/// links are left alone; no other process gets the same notes meanwhile.
///
/// Unreadable files stay for the next time.
pub fn take_notes_left_behind(folder: &Path, extension: &str, mut take: impl FnMut(&[u8]) -> bool) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.extension().is_none_or(|found| found != extension) {
            continue;
        }
        let Ok(Some(mut file)) = locked(&path) else { continue };
        let mut notes = Vec::new();
        if (&mut file).take(MAX_BYTES).read_to_end(&mut notes).is_ok() && (notes.is_empty() || take(&notes)) {
            let _ = fs::remove_file(&path);
        }
    }
}

fn create(folder: &Path, extension: &str) -> io::Result<(PathBuf, File)> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    loop {
        let path = folder.join(format!("{}.{extension}", Uuid::new_v4().simple()));
        let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(&path)?;
        // Before it is locked, another process may take the file for an abandoned one and remove
        // it.
        if file.try_lock().is_ok() && is_named(&path, &file)? {
            return Ok((path, file));
        }
    }
}

/// The file of this name, locked; `None` if its owner lives, it belongs to another user, or it has
/// been removed meanwhile.
fn locked(path: &Path) -> io::Result<Option<File>> {
    // Neither follow a link nor wait for the other end of a pipe.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.uid() != rustix::process::geteuid().as_raw() {
        return Ok(None);
    }
    match file.try_lock() {
        Ok(()) => Ok(is_named(path, &file)?.then_some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Whether the name still refers to the file.
fn is_named(path: &Path, file: &File) -> io::Result<bool> {
    let held = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(named) => Ok((named.dev(), named.ino()) == (held.dev(), held.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(folder: &Path) -> Vec<String> {
        let mut found = Vec::new();
        take_notes_left_behind(folder, "notes", |notes| {
            found.push(String::from_utf8(notes.to_vec()).unwrap());
            true
        });
        found
    }

    /// Simulates the kernel when a process is killed: the lock is released, the file stays.
    fn kill(mut notes: ProcessNotes) {
        drop(notes.file.take());
    }

    #[test]
    fn notes_are_handed_on_only_when_their_process_is_dead() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("running");
        let mut notes = ProcessNotes::in_folder(&folder, "notes");
        assert!(!folder.exists(), "nothing is made for nothing");
        notes.add(b"one\n").unwrap();
        notes.clear();
        notes.add(b"two\n").unwrap();
        assert!(left(&folder).is_empty(), "its process lives");
        kill(notes);
        assert_eq!(left(&folder), ["two\n"]);
        assert!(left(&folder).is_empty(), "they are handed on once");
        let mut ended = ProcessNotes::in_folder(&folder, "notes");
        ended.add(b"three").unwrap();
        drop(ended);
        assert!(left(&folder).is_empty() && fs::read_dir(&folder).unwrap().count() == 0);
    }

    #[test]
    fn what_is_not_taken_stays() {
        let place = tempfile::tempdir().unwrap();
        let mut notes = ProcessNotes::in_folder(place.path(), "notes");
        notes.add(b"one").unwrap();
        kill(notes);
        take_notes_left_behind(place.path(), "notes", |_| false);
        take_notes_left_behind(place.path(), "others", |_| panic!("no notes of this kind"));
        assert_eq!(left(place.path()), ["one"]);
    }

    #[test]
    fn links_and_pipes_are_no_notes() {
        let place = tempfile::tempdir().unwrap();
        let (target, folder) = (place.path().join("target"), place.path().join("running"));
        fs::write(&target, "mine").unwrap();
        fs::create_dir(&folder).unwrap();
        std::os::unix::fs::symlink(&target, folder.join("a.notes")).unwrap();
        let fifo = folder.join("b.notes");
        rustix::fs::mknodat(rustix::fs::CWD, fifo, rustix::fs::FileType::Fifo, Mode::RUSR, 0).unwrap();
        assert!(left(&folder).is_empty());
        assert_eq!((fs::read_to_string(&target).unwrap(), fs::read_dir(&folder).unwrap().count()), ("mine".into(), 2));
        let mut unwritable = ProcessNotes::in_folder(target.join("below"), "notes");
        assert!(unwritable.add(b"x").is_err());
    }
}
