//! The file `mcp.lock.json`: replaced atomically under a separate lock.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, OFlags, flock};
use serde::{Deserialize, Serialize};
use tools_sandbox::{open_lock, read_plain, replace_file};

use super::Definition;
use crate::McpError;

/// Version of the file format.
const VERSION: u32 = 1;
/// Maximum size of the file in bytes.
const MAX_FILE: u64 = 64 << 20;

/// Accepted tools of each server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockFile {
    /// Version of the file format.
    pub version: u32,
    /// By the key of the server.
    pub servers: BTreeMap<String, ServerPins>,
}

impl Default for LockFile {
    fn default() -> Self {
        Self { version: VERSION, servers: BTreeMap::new() }
    }
}

/// Accepted tools of one server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerPins {
    /// Digest of what was started when it was accepted.
    pub launch: String,
    /// Whether a person has reviewed it; `false` if it was accepted at the first contact.
    pub reviewed: bool,
    /// The accepted definitions, in the order of their names.
    pub tools: Vec<Pin>,
}

/// An accepted definition and its digest, which detects changes by hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The digest of the definition.
    pub sha256: String,
    /// The definition.
    pub definition: Definition,
}

impl ServerPins {
    /// The accepted definition with this name; `None` also if its digest does not match.
    pub fn get(&self, tool: &str) -> Option<&Definition> {
        self.definitions().find(|definition| definition.name() == tool)
    }

    /// All accepted definitions whose digest matches.
    pub fn definitions(&self) -> impl Iterator<Item = &Definition> {
        self.tools.iter().filter(|pin| pin.definition.digest() == pin.sha256).map(|pin| &pin.definition)
    }

    /// Accepts a definition; it replaces the one with its name.
    pub fn accept(&mut self, definition: Definition) {
        self.forget(definition.name());
        self.tools.push(Pin { sha256: definition.digest(), definition });
        self.tools.sort_by(|a, b| a.definition.name().cmp(b.definition.name()));
    }

    /// Removes the definition with this name.
    pub fn forget(&mut self, tool: &str) {
        self.tools.retain(|pin| pin.definition.name() != tool);
    }
}

/// Store of the accepted definitions.
#[derive(Debug, Clone)]
pub struct LockStore {
    file: PathBuf,
}

impl LockStore {
    /// A store in this file, which need not exist.
    pub fn new(file: impl Into<PathBuf>) -> Self {
        Self { file: file.into() }
    }

    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Loads the accepted tools; none if there is no file, or an empty one, which a sandbox may
    /// have put in its place.
    ///
    /// # Errors
    /// [`McpError::Lock`] if the file cannot be read, is invalid, or has a later format.
    pub fn load(&self) -> Result<LockFile, McpError> {
        let fault = |problem: String| McpError::Lock(format!("`{}`: {problem}", self.file.display()));
        let text = match read_plain(&self.file, OFlags::empty(), MAX_FILE, |_| Ok(())) {
            Ok(text) if text.is_empty() => return Ok(LockFile::default()),
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(LockFile::default()),
            Err(error) => return Err(fault(error.to_string())),
        };
        let lock: LockFile = serde_json::from_slice(&text).map_err(|error| fault(error.to_string()))?;
        if lock.version != VERSION {
            return Err(fault(format!("its form is {}, known is {VERSION}", lock.version)));
        }
        Ok(lock)
    }

    /// Changes the accepted tools, on top of changes by other processes. Nothing is written if
    /// nothing changes.
    ///
    /// # Errors
    /// [`McpError::Lock`] if the file cannot be read or written: then it is unchanged.
    pub fn change<T>(&self, change: impl FnOnce(&mut LockFile) -> T) -> Result<T, McpError> {
        let fault = |error: io::Error| McpError::Lock(format!("`{}`: {error}", self.file.display()));
        let _held = self.hold().map_err(fault)?;
        let before = self.load()?;
        let mut after = before.clone();
        let made = change(&mut after);
        if after != before {
            self.write(&after).map_err(fault)?;
        }
        Ok(made)
    }

    /// Waits until no other process changes the file.
    fn hold(&self) -> io::Result<File> {
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder)?;
        }
        let held = open_lock(&self.file.with_extension("json.flock"))?;
        flock(&held, FlockOperation::LockExclusive)?;
        Ok(held)
    }

    fn write(&self, lock: &LockFile) -> io::Result<()> {
        let mut text = serde_json::to_string_pretty(lock)?;
        text.push('\n');
        replace_file(&self.file, 0o600, text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn accepted(store: &LockStore) -> Result<(), McpError> {
        store.change(|lock| drop(lock.servers.insert("s".to_owned(), ServerPins::default())))
    }

    #[test]
    fn what_others_put_beside_the_file_is_neither_written_through_nor_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let store = LockStore::new(at("mcp.lock.json"));
        fs::write(at("other"), "kept").unwrap();
        symlink(at("other"), at(&format!("mcp.lock.json.{}", std::process::id()))).unwrap();
        fs::write(at("mcp.lock.json"), "").unwrap();
        accepted(&store).unwrap();
        assert_eq!(
            (store.load().unwrap().servers.len(), fs::read_to_string(at("other")).unwrap().as_str()),
            (1, "kept")
        );

        fs::remove_file(at("mcp.lock.json.flock")).unwrap();
        symlink(at("new"), at("mcp.lock.json.flock")).unwrap();
        accepted(&store).unwrap_err();
        assert!(!at("new").exists());
        fs::remove_file(at("mcp.lock.json")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, at("mcp.lock.json"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        store.load().unwrap_err();
    }
}
