//! The conversations that are kept, one file each, in the user's state folder, where no tool reads.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tools_agent::StoredHistory;
use tools_core::{SessionId, sha256_hex};

use crate::config::places;

/// The kept conversations of this user.
#[derive(Debug, Clone)]
pub struct Sessions(PathBuf);

/// A kept conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeptSession {
    /// The session: approvals, stored output and checkpoints belong to it.
    pub session: SessionId,
    /// The folder it worked in.
    pub workdir: PathBuf,
    /// The beginning of what the user said first.
    pub title: String,
    /// Number of its turns.
    pub turns: u64,
    /// When it was written last.
    pub written: Timestamp,
    /// The conversation.
    pub history: StoredHistory,
}

impl Sessions {
    /// Those of this user.
    pub fn of_user() -> Self {
        Self(places::state_dir().join("sessions"))
    }

    /// Keeps a conversation; one of the same session is replaced, whole or not at all.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn keep(&self, session: &KeptSession) -> io::Result<()> {
        tools_sandbox::make_private_folder(&self.0)?;
        let file = self.file(&session.session);
        let unfinished = file.with_extension("new");
        let mut out = fs::File::create(&unfinished)?;
        out.write_all(&serde_json::to_vec(session)?)?;
        out.sync_all()?;
        fs::rename(&unfinished, &file)
    }

    /// All of them, the latest first. What cannot be read is left out.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn list(&self) -> io::Result<Vec<KeptSession>> {
        let entries = match fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
            Err(error) => return Err(error),
        };
        let files = entries.filter_map(Result::ok).map(|entry| entry.path());
        let is_kept = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
        let mut all: Vec<KeptSession> = files.filter(is_kept).filter_map(|file| read(&file).ok()).collect();
        all.sort_by(|a, b| b.written.cmp(&a.written).then_with(|| a.session.cmp(&b.session)));
        Ok(all)
    }

    /// The one of a session; `None` when there is none.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn find(&self, session: &SessionId) -> io::Result<Option<KeptSession>> {
        match read(&self.file(session)) {
            Ok(kept) => Ok(Some(kept)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The latest one of a folder; `None` when there is none.
    ///
    /// # Errors
    /// When the folder of the sessions cannot be read.
    pub fn latest(&self, workdir: &Path) -> io::Result<Option<KeptSession>> {
        Ok(self.list()?.into_iter().find(|session| session.workdir == workdir))
    }

    /// Removes the one of a session. Whether there was one.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(&self, session: &SessionId) -> io::Result<bool> {
        match fs::remove_file(self.file(session)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The file of a session: its name is no path, whatever the session is called.
    fn file(&self, session: &SessionId) -> PathBuf {
        self.0.join(format!("{}.json", &sha256_hex(session.as_str().as_bytes())[..32]))
    }
}

fn read(file: &Path) -> io::Result<KeptSession> {
    Ok(serde_json::from_slice(&fs::read(file)?)?)
}
