//! Identifies the folder in which calls change files. Undo is refused in another folder at the same
//! path, for example if it is not mounted or was recreated.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::state::Name;

/// A folder in which a call changed something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folder {
    /// Absolute path.
    pub path: Name,
    /// Its inode number.
    pub inode: u64,
    /// Creation time in nanoseconds since 1970, if the file system stores it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<u64>,
}

impl Folder {
    /// The folder at a path; `None` if there is none.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        let nanoseconds = |made: SystemTime| u64::try_from(made.duration_since(UNIX_EPOCH).ok()?.as_nanos()).ok();
        let made = metadata.created().ok().and_then(nanoseconds);
        Some(Self { path: Name(path.to_owned()), inode: metadata.ino(), made })
    }

    /// Whether there is another folder at its path, or none.
    pub(crate) fn is_replaced(&self) -> bool {
        Self::at(&self.path.0).is_none_or(|now| !self.is_same(&now))
    }

    /// Inode numbers change with a mount on some file systems; the creation time does not.
    fn is_same(&self, now: &Self) -> bool {
        match (self.made, now.made) {
            (Some(then), Some(now)) => then == now,
            _ => self.inode == now.inode,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_known_by_when_it_was_made_else_by_its_number() {
        let folder = |inode, made| Folder { path: Name("/w".into()), inode, made };
        assert!(folder(1, Some(5)).is_same(&folder(2, Some(5))));
        assert!(!folder(1, Some(5)).is_same(&folder(1, Some(6))));
        assert!(folder(1, None).is_same(&folder(1, Some(6))) && !folder(1, None).is_same(&folder(2, None)));
    }
}
