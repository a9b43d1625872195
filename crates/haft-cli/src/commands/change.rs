//! Rewrites a user's file in one step and keeps a copy of its old text.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// Maximum number of backups to look for.
const MAX_BACKUPS: u32 = 10_000;

/// Planned change of one file.
pub(super) struct Change {
    pub(super) file: PathBuf,
    /// Text before the change; `None` if the file does not exist yet.
    pub(super) before: Option<String>,
    pub(super) after: String,
}

impl Change {
    /// Saves the old text under the first free backup number.
    pub(super) fn backup(&self) -> Result<Option<PathBuf>, String> {
        let Some(before) = &self.before else { return Ok(None) };
        let name = self.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for number in 1..=MAX_BACKUPS {
            let copy = self.file.with_file_name(format!("{name}.bak-{number}"));
            let open = OpenOptions::new().write(true).create_new(true).mode(mode(&self.file)).open(&copy);
            match open {
                Ok(mut open) => {
                    let written = open.write_all(before.as_bytes()).and_then(|()| open.sync_all());
                    written.map_err(|error| format!("`{}`: {error}", copy.display()))?;
                    return Ok(Some(copy));
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(format!("`{}`: {error}", copy.display())),
            }
        }
        Err(format!("`{}` has {MAX_BACKUPS} copies already; remove some", self.file.display()))
    }

    /// Replaces the file with the new text in a single step.
    pub(super) fn replace(&self) -> Result<(), String> {
        haft::replace_file(&self.file, mode(&self.file), self.after.as_bytes())
            .map_err(|error| format!("`{}`: {error}", self.file.display()))
    }

    /// Creates the file's folder if needed, backs up the old text and replaces the file; returns
    /// the backup's path.
    pub(super) fn store(&self) -> Result<Option<PathBuf>, String> {
        self.make_folder()?;
        let copy = self.backup()?;
        self.replace()?;
        Ok(copy)
    }

    /// Creates the folder of the file and its parents.
    pub(super) fn make_folder(&self) -> Result<(), String> {
        let Some(folder) = self.file.parent() else { return Ok(()) };
        fs::create_dir_all(folder).map_err(|error| format!("`{}`: {error}", folder.display()))
    }

    /// The change as a patch.
    pub(super) fn diff(&self) -> String {
        let before = self.before.as_deref().unwrap_or_default();
        let name = self.file.display().to_string();
        haft::checkpoint::patch(before, &self.after, [&name, &name])
    }
}

/// Reads a file; `None` if there is none. Does not block on a FIFO, which a repository could
/// contain in its place.
pub(super) fn read(file: &Path) -> Result<Option<String>, String> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(file);
    let text = opened.and_then(|mut opened| {
        if !opened.metadata()?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        let mut text = String::new();
        opened.read_to_string(&mut text).map(|_| text)
    });
    match text {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("`{}`: {error}", file.display())),
    }
}

/// Mode of a file; a file that does not exist yet is readable by its owner only.
fn mode(file: &Path) -> u32 {
    fs::metadata(file).map_or(0o600, |meta| meta.permissions().mode() & 0o777)
}
