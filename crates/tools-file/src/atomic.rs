//! Replaces a file so that a reader, or a crash, sees the old content or the new, never a mix.
//! Callers decide the new content.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;

use rustix::fs::{Gid, Mode, Uid, XattrFlags};
use tools_sandbox::{Directory, Entry, FileKind, Metadata, Replace, set_modified};

use crate::cancel::Cancel;
use crate::digest::Digest;
use crate::error::FileError;
use crate::temporary_files::{InUse, TemporaryFiles};
use crate::temporary_name::unique_name;

/// The regular file under a name, held open. Before it is replaced, it is compared with what was
/// read earlier.
pub(crate) struct ExistingFile {
    pub(crate) metadata: Metadata,
    /// `None` when it is longer than the limit.
    pub(crate) content: Option<Vec<u8>>,
    /// Also open for writing, in case the name cannot be replaced; `None` when the file is a
    /// running program, which cannot be written.
    file: Option<File>,
}

/// The manner in which the content was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteMethod {
    Renamed,
    /// Written over the old content, because the name is a mount point or the directory accepts no
    /// new names.
    InPlace,
}

impl ExistingFile {
    /// Opens what `entry` names, if anything.
    ///
    /// # Errors
    /// `NotAFile` for anything but a regular file, `ReadOnly` when it may not be written.
    pub(crate) fn open(entry: &Entry, asked: &Path, limit: u64) -> Result<Option<Self>, FileError> {
        let Some(metadata) = entry.metadata()? else {
            return Ok(None);
        };
        if metadata.kind != FileKind::File {
            return Err(FileError::NotAFile { path: asked.to_path_buf(), kind: metadata.kind });
        }
        let directory = entry.directory();
        let (mut file, writable) = match directory.open_writable(entry.name()) {
            Ok(file) => (file, true),
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                (directory.open(entry.name()).map_err(|error| FileError::io(asked, error))?, false)
            }
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return Err(FileError::ReadOnly { path: asked.to_path_buf() });
            }
            Err(error) => return Err(FileError::io(asked, error)),
        };
        let metadata = Metadata::of(&file).map_err(|error| FileError::io(asked, error))?;
        if metadata.kind != FileKind::File {
            return Err(FileError::NotAFile { path: asked.to_path_buf(), kind: metadata.kind });
        }
        let mut content = Vec::new();
        if metadata.size <= limit {
            content.reserve(usize::try_from(metadata.size).unwrap_or_default() + 1);
            let mut bounded = (&mut file).take(limit.saturating_add(1));
            bounded.read_to_end(&mut content).map_err(|error| FileError::io(asked, error))?;
        }
        let whole = metadata.size <= limit && content.len() as u64 <= limit;
        Ok(Some(Self { metadata, content: whole.then_some(content), file: writable.then_some(file) }))
    }

    /// Computes the digest of a content that is too long to hold in memory.
    pub(crate) fn digest(&self, mut digest: Digest, asked: &Path, cancel: &Cancel) -> Result<Digest, FileError> {
        let Some(mut file) = self.file.as_ref() else {
            return Err(FileError::ReadOnly { path: asked.to_path_buf() });
        };
        let fail = |error: io::Error| FileError::io(asked, error);
        file.rewind().map_err(fail)?;
        let mut buffer = vec![0; 256 * 1024];
        loop {
            cancel.check()?;
            match file.read(&mut buffer) {
                Ok(0) => return Ok(digest),
                Ok(length) => digest.write(&buffer[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(fail(error)),
            }
        }
    }

    /// Whether the file has other hard links, which keep the old content. Their purpose is unknown,
    /// so the content is shown only on request.
    pub(crate) fn is_shared(&self) -> bool {
        self.metadata.links > 1
    }

    /// Whether the name still refers to this content.
    fn is_current(&self, entry: &Entry) -> Result<bool, FileError> {
        Ok(entry.metadata()?.is_some_and(|now| {
            (now.id, now.size, now.modified, now.changed)
                == (self.metadata.id, self.metadata.size, self.metadata.modified, self.metadata.changed)
        }))
    }
}

impl WriteMethod {
    /// A note for the result; empty in the ordinary case.
    pub(crate) fn remark(self, was_shared: bool) -> &'static str {
        match (self, was_shared) {
            (Self::InPlace, _) => "\n[written in place: the file could not be exchanged as a whole]",
            (Self::Renamed, true) => {
                "\n[the file has other names (hard links), which keep the old content; no diff is shown]"
            }
            (Self::Renamed, false) => "",
        }
    }
}

/// Puts `content` under the name of `entry`, replacing `existing`.
///
/// Keeps the permission bits and, where the system allows, the owner. Refuses when another program
/// changed the name in the meantime.
pub(crate) fn replace(
    entry: &Entry,
    existing: Option<&ExistingFile>,
    content: &[u8],
    asked: &Path,
    (unfinished, cancel): (&TemporaryFiles, &Cancel),
) -> Result<WriteMethod, FileError> {
    let fail = |error: io::Error| FileError::io(asked, error);
    // The replacement of a private file is private from the start: a program that opened it early
    // could read it later.
    let mode = if existing.is_some() { 0o600 } else { 0o666 };
    let mut temporary = match (Temporary::create(entry.directory(), mode, unfinished), existing) {
        (Ok(temporary), _) => temporary,
        (Err(error), Some(existing)) if is_closed(&error) => return write_over(existing, content, asked),
        (Err(error), _) => return Err(fail(error)),
    };
    if let Some(existing) = existing
        && !temporary.adopt(existing)
    {
        // The file has another owner, whom a new file would silently replace.
        return write_over(existing, content, asked);
    }
    temporary.file.write_all(content).and_then(|()| temporary.file.sync_all()).map_err(fail)?;
    cancel.check()?;
    let replace = match existing {
        Some(existing) if existing.is_current(entry)? => Replace::Allowed,
        None => Replace::Never,
        Some(_) => {
            return Err(FileError::ChangedMeanwhile { path: asked.to_path_buf() });
        }
    };
    match (temporary.rename(entry.name(), replace), existing) {
        (Ok(()), _) => Ok(WriteMethod::Renamed),
        (Err(error), Some(existing)) if cannot_rename(&error) => write_over(existing, content, asked),
        (Err(error), None) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(FileError::ChangedMeanwhile { path: asked.to_path_buf() })
        }
        (Err(error), _) => Err(fail(error)),
    }
}

/// Overwrites the open file, and restores the old content if that fails halfway.
fn write_over(existing: &ExistingFile, content: &[u8], asked: &Path) -> Result<WriteMethod, FileError> {
    let Some(file) = &existing.file else {
        return Err(FileError::ReadOnly { path: asked.to_path_buf() });
    };
    let write = |bytes: &[u8]| -> io::Result<()> {
        let mut file = file;
        file.rewind()?;
        file.write_all(bytes)?;
        file.set_len(bytes.len() as u64)?;
        file.sync_all()
    };
    match write(content) {
        Ok(()) => Ok(WriteMethod::InPlace),
        Err(error) => {
            // Best effort: the file still has the space of the old content.
            if let Some(content) = &existing.content {
                let _ = write(content);
            }
            Err(FileError::io(asked, error))
        }
    }
}

/// Whether the error means that the directory accepts no new names.
fn is_closed(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// Whether the error means that the name cannot be replaced, such as that of a mount point.
fn cannot_rename(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ResourceBusy | io::ErrorKind::CrossesDevices | io::ErrorKind::PermissionDenied
    )
}

/// A new file without a name, or under a random one. It is removed unless it is given its real
/// name.
pub(crate) struct Temporary<'a> {
    directory: &'a Directory,
    name: Option<(OsString, InUse<'a>)>,
    pub(crate) file: File,
    unfinished: &'a TemporaryFiles,
}

impl<'a> Temporary<'a> {
    pub(crate) fn create(directory: &'a Directory, mode: u32, unfinished: &'a TemporaryFiles) -> io::Result<Self> {
        if let Ok(file) = directory.create_unnamed(mode) {
            return Ok(Self { directory, name: None, file, unfinished });
        }
        let (name, file) = Self::create_named(directory, mode, unfinished)?;
        Ok(Self { directory, name: Some(name), file, unfinished })
    }

    fn create_named(
        directory: &'a Directory,
        mode: u32,
        unfinished: &'a TemporaryFiles,
    ) -> io::Result<((OsString, InUse<'a>), File)> {
        loop {
            let name = unique_name();
            let in_use = unfinished.begin(&directory.path().join(&name));
            match directory.create_new(&name, mode) {
                Ok(file) => return Ok(((name, in_use), file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Takes over owner, mode and extended attributes; `false` when the owner cannot be kept.
    fn adopt(&self, existing: &ExistingFile) -> bool {
        let like = &existing.metadata;
        let Ok(own) = Metadata::of(&self.file) else {
            return false;
        };
        if (own.uid, own.gid) != (like.uid, like.gid) {
            let (uid, gid) = (Uid::from_raw(like.uid), Gid::from_raw(like.gid));
            if rustix::fs::fchown(&self.file, Some(uid), Some(gid)).is_err() {
                return false;
            }
        }
        // Without set-uid and set-gid: the kernel also removes them from a file that is written.
        let kept = rustix::fs::fchmod(&self.file, Mode::from_raw_mode(like.mode & 0o1777)).is_ok();
        if let Some(old) = &existing.file {
            copy_attributes(old, &self.file);
        }
        kept
    }

    /// Copies owner and extended attributes from a file that is moved, as far as the system allows.
    pub(crate) fn take_after(&self, source: &File, metadata: &Metadata) {
        let (uid, gid) = (Uid::from_raw(metadata.uid), Gid::from_raw(metadata.gid));
        let _ = rustix::fs::fchown(&self.file, Some(uid), Some(gid));
        copy_attributes(source, &self.file);
    }

    /// Sets the permission bits.
    pub(crate) fn set_mode(&self, mode: u32) -> io::Result<()> {
        Ok(rustix::fs::fchmod(&self.file, Mode::from_raw_mode(mode & 0o777))?)
    }

    /// Gives the file its real name.
    pub(crate) fn rename(&mut self, name: &OsStr, replace: Replace) -> io::Result<()> {
        if self.name.is_none() && replace == Replace::Never {
            match self.directory.link(&self.file, name) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {}
                result => return result,
            }
        }
        let own = self.named()?;
        self.directory.rename(&own, self.directory, name, replace)?;
        self.name = None;
        Ok(())
    }

    /// The random name, given now if the file has none: only a named file can replace another.
    fn named(&mut self) -> io::Result<OsString> {
        if let Some((name, _)) = &self.name {
            return Ok(name.clone());
        }
        let name = unique_name();
        let in_use = self.unfinished.begin(&self.directory.path().join(&name));
        if self.directory.link(&self.file, &name).is_ok() {
            self.name = Some((name.clone(), in_use));
            return Ok(name);
        }
        // This file system cannot name an unnamed file later. Create another one that has a name
        // from the start.
        let like = Metadata::of(&self.file)?;
        let ((name, in_use), file) = Self::create_named(self.directory, 0o600, self.unfinished)?;
        let mut unnamed = std::mem::replace(&mut self.file, file);
        self.name = Some((name.clone(), in_use));
        unnamed.rewind()?;
        io::copy(&mut unnamed, &mut self.file)?;
        rustix::fs::fchown(&self.file, Some(Uid::from_raw(like.uid)), Some(Gid::from_raw(like.gid)))?;
        rustix::fs::fchmod(&self.file, Mode::from_raw_mode(like.mode))?;
        copy_attributes(&unnamed, &self.file);
        self.file.sync_all()?;
        set_modified(&self.file, like.modified)?;
        Ok(name)
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if let Some((name, _)) = &self.name {
            // A failure here has no remedy; the name shows where the file comes from.
            let _ = self.directory.remove_file(name);
        }
    }
}

/// Copies access lists, labels and other extended attributes. Best effort: some belong to the
/// system, some file systems have none.
fn copy_attributes(from: &File, to: &File) {
    let mut names = vec![0; 16 * 1024];
    let Ok(length) = rustix::fs::flistxattr(from, &mut names) else { return };
    let mut value = vec![0; 64 * 1024];
    for name in names[..length].split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
        // The kernel also drops capabilities when a program is changed.
        if name == b"security.capability" {
            continue;
        }
        if let Ok(length) = rustix::fs::fgetxattr(from, name, &mut value) {
            let _ = rustix::fs::fsetxattr(to, name, &value[..length], XattrFlags::empty());
        }
    }
}
