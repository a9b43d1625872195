//! Stores each conversation in a file. Its writer holds a kernel lock on a file beside it, which
//! ends with the process.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use rustix::fs::{FlockOperation, flock};
use tools_core::{SessionId, sha256_hex};
use tools_sandbox::{open_lock, replace_file};

use super::store::{SessionHold, SessionStore, SessionsError};
use super::{SavedSession, SessionEntry};

/// Maximum number of attempts to lock a file that its last holder removes concurrently.
const TRIES: u32 = 20;

/// Conversations in a folder that only its owner can access.
#[derive(Debug, Clone)]
pub struct FolderSessions(PathBuf);

impl FolderSessions {
    /// Conversations in this folder, which is created when the first one is locked.
    pub fn at(folder: PathBuf) -> Self {
        Self(folder)
    }

    /// The file of a session. Its name is safe, whatever the session's name is.
    fn file(&self, session: &SessionId) -> PathBuf {
        self.0.join(format!("{}.json", &sha256_hex(session.as_str().as_bytes())[..32]))
    }

    fn lock(&self, session: &SessionId) -> Result<LockedFile, SessionsError> {
        tools_sandbox::make_private_folder(&self.0)?;
        let file = self.file(session);
        let path = file.with_extension("lock");
        for _ in 0..TRIES {
            let lock = open_lock(&path)?;
            if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
                return Err(SessionsError::InUse("another process of this machine writes it".to_owned()));
            }
            // The last holder may have removed the file in between: then somebody else could create
            // and lock a new one.
            let is_there =
                fs::metadata(&path).is_ok_and(|there| lock.metadata().is_ok_and(|own| own.ino() == there.ino()));
            if is_there {
                return Ok(LockedFile { file, path, _lock: lock });
            }
        }
        Err(SessionsError::InUse("other processes of this machine open and close it".to_owned()))
    }
}

/// Permits writing a file while its lock is held.
struct LockedFile {
    file: PathBuf,
    path: PathBuf,
    _lock: File,
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // Removed while the lock is held: whoever opened the file before finds it gone.
        let _ = fs::remove_file(&self.path);
    }
}

#[async_trait]
impl SessionHold for LockedFile {
    async fn keep(&self, session: &SavedSession) -> Result<(), SessionsError> {
        Ok(replace_file(&self.file, 0o600, &serde_json::to_vec(session).map_err(io::Error::from)?)?)
    }

    async fn release(self: Box<Self>) {}
}

#[async_trait]
impl SessionStore for FolderSessions {
    async fn hold(&self, session: &SessionId) -> Result<Box<dyn SessionHold>, SessionsError> {
        Ok(Box::new(self.lock(session)?))
    }

    async fn list(&self) -> Result<Vec<SessionEntry>, SessionsError> {
        let folder = self.0.clone();
        let listed = tokio::task::spawn_blocking(move || entries(&folder)).await;
        Ok(listed.map_err(|error| SessionsError::Away(error.into()))??)
    }

    async fn read(&self, sessions: &[SessionId]) -> Result<Vec<SavedSession>, SessionsError> {
        let mut found = Vec::new();
        for session in sessions {
            match read(&self.file(session)) {
                Ok(kept) => found.push(kept),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) if sessions.len() > 1 => {
                    tracing::warn!(%error, %session, "a saved session cannot be read");
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(found)
    }

    async fn remove(&self, session: &SessionId) -> Result<bool, SessionsError> {
        let _held = self.lock(session)?;
        match fs::remove_file(self.file(session)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

fn entries(folder: &Path) -> io::Result<Vec<SessionEntry>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
        Err(error) => return Err(error),
    };
    let files = entries.filter_map(Result::ok).map(|entry| entry.path());
    let is_kept = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
    let mut all: Vec<SessionEntry> =
        files.filter(is_kept).filter_map(|file| Some(SessionEntry::from(&read(&file).ok()?))).collect();
    all.sort_by(|a, b| b.written.cmp(&a.written).then_with(|| a.session.cmp(&b.session)));
    Ok(all)
}

fn read(file: &Path) -> io::Result<SavedSession> {
    Ok(serde_json::from_slice(&fs::read(file)?)?)
}
