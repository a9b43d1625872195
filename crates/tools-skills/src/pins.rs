//! Agreements of people: for each folder of a skill, the digest of its files.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::SkillError;

/// The list of agreements, in a file. Cheap to clone; the file is read at each use.
#[derive(Debug, Clone)]
pub struct Pins(PathBuf);

impl Pins {
    /// The list in the file at `path`, which may not exist.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// The list of the user with this `state` folder.
    pub fn of_user(state: &Path) -> Self {
        Self::at(state.join("skills").join("trusted.json"))
    }

    /// Whether somebody agreed to the current content of a skill.
    ///
    /// # Errors
    /// [`SkillError::Pins`]: an unreadable list contains no agreement.
    pub fn has(&self, folder: &Path, digest: &str) -> Result<bool, SkillError> {
        Ok(self.read()?.get(&key(folder)).is_some_and(|pinned| pinned == digest))
    }

    /// Whether the skill in a folder was ever agreed to, even if it has changed since.
    ///
    /// # Errors
    /// [`SkillError::Pins`].
    pub fn knows(&self, folder: &Path) -> Result<bool, SkillError> {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        Ok(self.read()?.contains_key(&key(&folder)))
    }

    /// Stores an agreement to the current content of a skill.
    ///
    /// # Errors
    /// [`SkillError::Pins`].
    pub fn add(&self, folder: &Path, digest: &str) -> Result<(), SkillError> {
        let mut pins = self.read()?;
        pins.insert(key(folder), digest.to_owned());
        self.write(&pins)
    }

    /// Revokes an agreement; `false` if there was none.
    ///
    /// # Errors
    /// [`SkillError::Pins`].
    pub fn remove(&self, folder: &Path) -> Result<bool, SkillError> {
        let mut pins = self.read()?;
        let had = pins.remove(&key(folder)).is_some();
        if had {
            self.write(&pins)?;
        }
        Ok(had)
    }

    fn read(&self) -> Result<BTreeMap<String, String>, SkillError> {
        match std::fs::read(&self.0) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| SkillError::Pins(io::Error::other(error))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(error) => Err(SkillError::Pins(error)),
        }
    }

    /// Replaces the file atomically.
    fn write(&self, pins: &BTreeMap<String, String>) -> Result<(), SkillError> {
        let write = || {
            if let Some(folder) = self.0.parent() {
                tools_sandbox::make_private_folder(folder)?;
            }
            let text = serde_json::to_vec_pretty(pins)?;
            tools_sandbox::replace_file(&self.0, 0o600, &text)
        };
        write().map_err(SkillError::Pins)
    }
}

fn key(folder: &Path) -> String {
    folder.to_string_lossy().into_owned()
}
