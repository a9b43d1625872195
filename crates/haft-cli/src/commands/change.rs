//! A file of the user's that a command rewrites: in one step, with a copy of the text as it was.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// The most copies of earlier texts that are looked for.
const MAX_BACKUPS: u32 = 10_000;

/// One file that changes.
pub(super) struct Change {
    pub(super) file: PathBuf,
    /// `None` for a file that is not there yet.
    pub(super) before: Option<String>,
    pub(super) after: String,
}

impl Change {
    /// Keeps the text as it was, under the first number that is free.
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

    /// Puts the new text in the place of the old one in a single step.
    pub(super) fn replace(&self) -> Result<(), String> {
        haft::replace_file(&self.file, mode(&self.file), self.after.as_bytes())
            .map_err(|error| format!("`{}`: {error}", self.file.display()))
    }

    /// Makes the folder of the file if need be, keeps the text as it was and replaces it; the copy.
    pub(super) fn store(&self) -> Result<Option<PathBuf>, String> {
        self.make_folder()?;
        let copy = self.backup()?;
        self.replace()?;
        Ok(copy)
    }

    /// Makes the folder of the file, with all above it.
    pub(super) fn make_folder(&self) -> Result<(), String> {
        let Some(folder) = self.file.parent() else { return Ok(()) };
        fs::create_dir_all(folder).map_err(|error| format!("`{}`: {error}", folder.display()))
    }

    /// What changes, as a patch.
    pub(super) fn diff(&self) -> String {
        let before = self.before.as_deref().unwrap_or_default();
        let name = self.file.display().to_string();
        haft::checkpoint::patch(before, &self.after, [&name, &name])
    }
}

/// The text of a file; `None` where there is none. A repository may bring a FIFO in its place: none
/// is waited for.
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

/// The mode of a file; readable by its user alone when it is not there yet.
fn mode(file: &Path) -> u32 {
    fs::metadata(file).map_or(0o600, |meta| meta.permissions().mode() & 0o777)
}
