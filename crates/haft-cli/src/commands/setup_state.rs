//! State that `haft setup` stores in order to revert its changes exactly: digests and positions,
//! never the text of a file.

use std::fs;
use std::path::{Path, PathBuf};

use haft::config::places;
use haft::core::sha256_hex;
use haft::hosts::Host;
use haft::hosts::files::{Spans, inserted, without};
use serde::{Deserialize, Serialize};

use crate::commands::change::{Change, read};

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct HostChange {
    files: Vec<FileRecord>,
}

/// Stored facts of one change of one file.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FileRecord {
    file: PathBuf,
    /// Whether the file did not exist before.
    made: bool,
    /// Digest of the text after the change.
    sha256: String,
    /// Inserted spans; `None` if the change did more than insert.
    inserted: Option<Spans>,
}

impl FileRecord {
    /// Facts to store about a change.
    pub(crate) fn of(change: &Change) -> Self {
        Self {
            file: change.file.clone(),
            made: change.before.is_none(),
            sha256: sha256_hex(change.after.as_bytes()),
            inserted: inserted(change.before.as_deref().unwrap_or_default(), &change.after),
        }
    }
}

impl HostChange {
    fn file(host: Host) -> PathBuf {
        places::state_dir().join("setup").join(format!("{host}.json"))
    }

    /// Reads the stored facts of a host; empty if it was never set up.
    pub(crate) fn read(host: Host) -> Result<Self, String> {
        let Some(text) = read(&Self::file(host))? else { return Ok(Self::default()) };
        // An unreadable file counts as empty: entries are then found by name.
        Ok(serde_json::from_str(&text).unwrap_or_default())
    }

    /// Adds one change.
    pub(crate) fn add(&mut self, file: FileRecord) {
        self.files.push(file);
    }

    /// Writes the facts to the state folder.
    pub(crate) fn store(&self, host: Host) -> Result<(), String> {
        let after = serde_json::to_string(self).map_err(|error| error.to_string())?;
        let change = Change { file: Self::file(host), before: None, after };
        change.make_folder()?;
        change.replace()
    }

    pub(crate) fn forget(host: Host) -> Result<(), String> {
        match fs::remove_file(Self::file(host)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.to_string()),
            _ => Ok(()),
        }
    }

    /// Content of a file before all of our changes.
    pub(crate) fn undone(&self, file: &Path, now: &str) -> OriginalContent {
        let mut text = now.to_owned();
        let mut is_known = false;
        for kept in self.files.iter().rev().filter(|kept| kept.file == file) {
            if sha256_hex(text.as_bytes()) != kept.sha256 {
                if is_known {
                    return OriginalContent::Unknown;
                }
                // A change that was stored but not made: the one before it applies.
                continue;
            }
            if kept.made {
                return OriginalContent::NoFile;
            }
            let Some(before) = kept.inserted.as_ref().and_then(|spans| without(&text, spans)) else {
                return OriginalContent::Unknown;
            };
            (text, is_known) = (before, true);
        }
        if is_known { OriginalContent::Text(text) } else { OriginalContent::Unknown }
    }
}

/// Content of a file before `haft setup`.
pub(crate) enum OriginalContent {
    /// It had this text.
    Text(String),
    /// It did not exist.
    NoFile,
    /// Unknown: the file was changed since by someone else.
    Unknown,
}
