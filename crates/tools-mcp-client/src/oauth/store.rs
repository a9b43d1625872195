//! Stores logins in files: one for each server and address, private to its owner, replaced
//! atomically. A separate lock is held while tokens are renewed, so that no rotated token is lost.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, OFlags, flock};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tokio::time::{Instant, sleep};
use tools_sandbox::{open_lock, read_plain, replace_file};

use super::{client::Client, fault::LoginError, scopes::Scopes, token::Tokens};
use crate::pins::hexadecimal;

/// Version of the file format.
const VERSION: u32 = 1;
/// Number of hexadecimal digits of the address's digest in the file name.
const DIGITS: usize = 16;
const MAX_FILE_BYTES: u64 = 256 << 10;
/// Time to wait for another process that renews the same login.
const LOCK_PATIENCE: Duration = Duration::from_secs(90);
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// Content of the file.
#[derive(Serialize, Deserialize)]
struct Text {
    version: u32,
    /// The address of the server. The file is valid for this address only.
    url: String,
    #[serde(flatten)]
    stored: Stored,
}

/// Stored state for a server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stored {
    /// The login; `None` before the first, and if only `wanted` is known.
    pub(crate) login: Option<Login>,
    /// What the server required when it last refused a request.
    pub(crate) wanted: Option<Wanted>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Login {
    /// The authorization server; a change must not go unnoticed.
    pub(crate) issuer: String,
    pub(crate) token_endpoint: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) revocation_endpoint: Option<String>,
    /// Resource of the tokens.
    pub(crate) resource: String,
    pub(crate) client: Client,
    pub(crate) asked: Scopes,
    /// Scopes that the authorization server granted.
    pub(crate) granted: Scopes,
    /// `None` if the authorization server no longer accepts the refresh token.
    pub(crate) tokens: Option<Tokens>,
}

/// Requirements of a server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Wanted {
    #[serde(default)]
    pub(crate) scopes: Scopes,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) resource_metadata: Option<String>,
}

/// The folder of all logins.
#[derive(Debug, Clone)]
pub struct LoginStore {
    folder: PathBuf,
}

impl LoginStore {
    /// A store in this folder, which need not exist.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The place of one server's login.
    pub(crate) fn of(&self, id: &str, url: &str) -> LoginFile {
        let digest = hexadecimal(&Sha256::digest(url.as_bytes()));
        LoginFile { folder: self.folder.clone(), name: format!("{id}-{}", &digest[..DIGITS]), url: url.to_owned() }
    }
}

/// The file of one login.
#[derive(Debug, Clone)]
pub(crate) struct LoginFile {
    folder: PathBuf,
    name: String,
    url: String,
}

/// Lock: nobody else changes the login while it is held.
#[derive(Debug)]
pub(crate) struct LoginLock {
    _lock: File,
}

impl LoginFile {
    fn file(&self) -> PathBuf {
        self.folder.join(format!("{}.json", self.name))
    }

    fn fault(problem: &dyn std::fmt::Display) -> LoginError {
        LoginError::Store(problem.to_string())
    }

    /// Reads the stored state; empty if there is no file.
    pub(crate) fn load(&self) -> Result<Stored, LoginError> {
        let is_own = |about: &fs::Metadata| {
            let is_own = !is_open(about) && about.uid() == rustix::process::geteuid().as_raw();
            if is_own { Ok(()) } else { Err(io::Error::other("its file is not this user's alone")) }
        };
        let text = match read_plain(&self.file(), OFlags::NOFOLLOW, MAX_FILE_BYTES, is_own) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Stored::default()),
            Err(error) => return Err(Self::fault(&error)),
        };
        // Errors of serde contain parts of the text.
        let read: Text = serde_json::from_slice(&text).map_err(|_| Self::fault(&"its file has not the form of one"))?;
        if read.version != VERSION {
            return Err(Self::fault(&format!("its form is {}, known is {VERSION}", read.version)));
        }
        Ok(if read.url == self.url { read.stored } else { Stored::default() })
    }

    /// Waits until nobody else changes the login.
    pub(crate) async fn hold(&self) -> Result<LoginLock, LoginError> {
        let fault = |error: &io::Error| Self::fault(error);
        private_folder(&self.folder).map_err(|error| fault(&error))?;
        let lock = open_lock(&self.folder.join(format!("{}.lock", self.name))).map_err(|error| fault(&error))?;
        let until = Instant::now() + LOCK_PATIENCE;
        loop {
            match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(LoginLock { _lock: lock }),
                Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) if Instant::now() < until => {
                    sleep(LOCK_PAUSE).await;
                }
                Err(error) => return Err(fault(&error.into())),
            }
        }
    }

    /// Replaces the stored state atomically.
    pub(crate) fn save(&self, _held: &LoginLock, stored: Stored) -> Result<(), LoginError> {
        let fault = |error: io::Error| Self::fault(&error);
        let text = Text { version: VERSION, url: self.url.clone(), stored };
        let text = serde_json::to_vec(&text).map_err(|error| fault(error.into()))?;
        replace_file(&self.file(), 0o600, &text).map_err(fault)
    }

    /// Deletes the state; returns whether there was any.
    pub(crate) fn remove(&self, _held: &LoginLock) -> Result<bool, LoginError> {
        match fs::remove_file(self.file()) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(Self::fault(&error)),
        }
    }
}

/// Whether others may read, write or enter it.
fn is_open(about: &fs::Metadata) -> bool {
    about.mode() & 0o077 != 0
}

/// Creates the folder; an existing one is made private.
fn private_folder(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let about = fs::symlink_metadata(folder)?;
    if about.is_dir() && !is_open(&about) {
        return Ok(());
    }
    if !about.is_dir() {
        return Err(io::Error::other("the folder of logins is a link or a file"));
    }
    fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::oauth::client::Method;

    fn login() -> Login {
        Login {
            issuer: "https://a".to_owned(),
            token_endpoint: "https://a/t".to_owned(),
            revocation_endpoint: None,
            resource: "https://s/mcp".to_owned(),
            client: Client { id: "c".to_owned(), method: Method::None, secret: Some("cl13nt".to_owned()) },
            asked: Scopes::default(),
            granted: Scopes::default(),
            tokens: Some(Tokens { access: "acc3ss".to_owned(), refresh: Some("r3fresh".to_owned()), expires: Some(7) }),
        }
    }

    #[tokio::test]
    async fn a_login_comes_back_for_its_address_alone() {
        let folder = tempfile::tempdir().unwrap();
        let store = LoginStore::new(folder.path().join("a/logins"));
        let slot = store.of("far", "https://s/mcp");
        assert_eq!(slot.load().unwrap().login, None);
        let held = slot.hold().await.unwrap();
        let stored = Stored { login: Some(login()), wanted: None };
        slot.save(&held, stored.clone()).unwrap();
        assert_eq!(slot.load().unwrap(), stored);
        assert!(!format!("{stored:?}").contains("acc3ss") && !format!("{stored:?}").contains("r3fresh"));
        assert!(!format!("{stored:?}").contains("cl13nt"));
        assert_eq!(store.of("far", "https://other/mcp").load().unwrap().login, None);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&slot.file()), mode(&slot.folder)), (0o600, 0o700));
        // A file with another address is ignored.
        fs::copy(slot.file(), store.of("far", "https://other/mcp").file()).unwrap();
        assert_eq!(store.of("far", "https://other/mcp").load().unwrap().login, None);
        assert!(slot.remove(&held).unwrap() && !slot.remove(&held).unwrap());
    }

    #[tokio::test]
    async fn a_file_that_others_can_read_or_that_is_a_link_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let slot = LoginStore::new(folder.path()).of("far", "https://s/mcp");
        let held = slot.hold().await.unwrap();
        slot.save(&held, Stored { login: Some(login()), wanted: None }).unwrap();
        fs::set_permissions(slot.file(), fs::Permissions::from_mode(0o644)).unwrap();
        assert!(slot.load().unwrap_err().to_string().contains("this user's alone"));
        let elsewhere = folder.path().join("elsewhere");
        fs::rename(slot.file(), &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, slot.file()).unwrap();
        assert!(slot.load().is_err());
        fs::remove_file(slot.file()).unwrap();
        replace_file(&slot.file(), 0o600, b"{\"version\":1,\"acc3ss").unwrap();
        let error = slot.load().unwrap_err().to_string();
        assert!(!error.contains("acc3ss"), "{error}");
    }

    #[tokio::test]
    async fn one_at_a_time_holds_a_login() {
        let folder = tempfile::tempdir().unwrap();
        let slot = LoginStore::new(folder.path()).of("far", "https://s/mcp");
        let held = slot.hold().await.unwrap();
        let other = slot.clone();
        let waiting = tokio::spawn(async move { other.hold().await.map(drop) });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(held);
        waiting.await.unwrap().unwrap();
    }
}
