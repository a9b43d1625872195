//! What is written down about one call.

use serde::{Deserialize, Serialize};

use crate::folder::Folder;
use crate::repository;
use crate::state::{EntryKind, Name, State};

/// One thing a call changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Where, absolute.
    pub path: Name,
    /// State before the call; `None` for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<State>,
    /// State after the call; `None` for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<State>,
    /// Whether somebody else changed it too while the call ran, so that it cannot be told whose
    /// what is.
    #[serde(default, skip_serializing_if = "is_false")]
    pub shared: bool,
}

impl Change {
    /// Whether it is worth telling: new times of a folder are kept to be restored, and come from
    /// what lies in it; git notes in its index what it has looked at.
    pub fn is_telling(&self) -> bool {
        match (&self.before, &self.after) {
            (Some(_), Some(_)) if repository::is_bookkeeping(&self.path.0) => false,
            (Some(before), Some(after)) => before.kind != EntryKind::Directory || !before.holds_the_same(after),
            _ => true,
        }
    }
}

/// The folder git keeps a repository in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repository {
    /// Where, absolute.
    pub path: Name,
    /// Fingerprint that shows whether it was used since.
    pub fingerprint: String,
}

/// Changes of one call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Its number in this workspace.
    pub number: u64,
    /// When it ended, RFC 3339, UTC.
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
    /// The folders that its changes lie in, as they were after it; left out by versions before this
    /// field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<Folder>,
    /// The repositories whose insides it changed, as they were after it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repositories: Vec<Repository>,
    /// Gaps of the coverage, one sentence each. Without any changes: the whole call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<String>,
    /// Changes by others during the call, which stay.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Name>,
    /// The call that this took back, where it is no call but an undo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<u64>,
    /// The first record of the undo that this one belongs to, where one undo took several calls
    /// back; left out by versions before this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<u64>,
    /// Whether this undo, or its redo, has begun and not ended. The next undo or redo of the same
    /// call continues it. Until it ends, `repositories` do not cover the files that it changes.
    #[serde(default, skip_serializing_if = "is_false")]
    pub under_way: bool,
    /// Whether it was taken back.
    #[serde(default)]
    pub undone: bool,
    /// Whether taking it back was tried and something had to stay: then it is taken back only by
    /// its number.
    #[serde(default, skip_serializing_if = "is_false")]
    pub tried: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_false(value: &bool) -> bool {
    !value
}
