//! The record of one call.

use serde::{Deserialize, Serialize};

use crate::folder::Folder;
use crate::repository;
use crate::state::{EntryKind, Name, State};

/// One thing a call changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Absolute path.
    pub path: Name,
    /// State before the call; `None` for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<State>,
    /// State after the call; `None` for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<State>,
    /// Whether somebody else changed it too while the call ran, so that the parts cannot be
    /// separated.
    #[serde(default, skip_serializing_if = "is_false")]
    pub shared: bool,
}

impl Change {
    /// Whether it is worth reporting. A folder's new times are recorded for undo but only follow
    /// from its content; git's index only notes which files git has read.
    pub fn is_reportable(&self) -> bool {
        match (&self.before, &self.after) {
            (Some(_), Some(_)) if repository::is_bookkeeping(&self.path.0) => false,
            (Some(before), Some(after)) => before.kind != EntryKind::Directory || !before.holds_the_same(after),
            _ => true,
        }
    }
}

/// The git folder of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repository {
    /// Absolute path.
    pub path: Name,
    /// Fingerprint that shows whether it was used since.
    pub fingerprint: String,
}

/// Changes of one call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Its number in this workspace.
    pub number: u64,
    /// Time when it ended, RFC 3339, UTC.
    pub at: String,
    /// The call.
    pub call_id: String,
    /// Its tool.
    pub tool: String,
    /// The session that made it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// The call in one line: a command line, a path.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub what: String,
    /// The changes, by path.
    pub changes: Vec<Change>,
    /// Folders of its changes, as they were after it; missing in records of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<Folder>,
    /// Repositories whose git folders it changed, as they were after it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repositories: Vec<Repository>,
    /// Gaps of the coverage, one sentence each. Without any changes: the whole call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<String>,
    /// Changes by others during the call, which stay.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Name>,
    /// The undone call, if this is a record of an undo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<u64>,
    /// The first record of the undo that this one belongs to, if one undo covers several calls;
    /// missing in records of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<u64>,
    /// Whether this undo, or its redo, has begun and not ended. The next undo or redo of the same
    /// call continues it. Until it ends, `repositories` do not cover the files that it changes.
    #[serde(default, skip_serializing_if = "is_false")]
    pub under_way: bool,
    /// Whether it was undone.
    #[serde(default)]
    pub undone: bool,
    /// Whether an undo was tried and could not restore everything: then only its number selects it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub tried: bool,
    /// Whether an undo restored a part of it. Not stored: `Checkpoints::list` sets it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub partly_undone: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_false(value: &bool) -> bool {
    !value
}
