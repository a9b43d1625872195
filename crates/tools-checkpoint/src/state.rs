//! State of a path at one moment, in a serializable form.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tools_sandbox::tree::{Node, Shape, ShapeKind};

use crate::hash::Hash;

/// A path as text: bytes that are not UTF-8, and `%`, are encoded as `%XX`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name(pub PathBuf);

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = String::new();
        for chunk in self.0.as_os_str().as_bytes().utf8_chunks() {
            text.push_str(&chunk.valid().replace('%', "%25"));
            for byte in chunk.invalid() {
                let _ = write!(text, "%{byte:02x}");
            }
        }
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut parts = text.split('%');
        let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
        for part in parts {
            let byte = part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
            bytes.push(byte.ok_or_else(|| serde::de::Error::custom("`%` without two digits"))?);
            bytes.extend_from_slice(&part.as_bytes()[2..]);
        }
        Ok(Self(PathBuf::from(OsString::from_vec(bytes))))
    }
}

/// Kind of an entry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// A regular file.
    #[default]
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A socket or a device, which cannot be recreated.
    Other,
}

/// State of a path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Its kind.
    pub kind: EntryKind,
    /// Its permission bits.
    pub mode: u32,
    /// Its owner and group.
    pub owner: (u32, u32),
    /// Modification time: seconds and nanoseconds.
    pub modified: (i64, u64),
    /// Its length; 0 for anything but a file.
    pub size: u64,
    /// Hash of a file's content; `None` if it was not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Target of a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Name>,
    /// Other names of the same file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<Name>,
    /// Extended attributes, including access control lists: names and values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<(String, Vec<u8>)>,
}

impl State {
    /// State of an entry, with its content stored under `hash`.
    pub(crate) fn of(node: &Node, hash: Option<Hash>) -> Self {
        let hash = hash.map(|hash| hash.to_string());
        let shape = node.shape();
        let (kind, target) = match shape.kind {
            ShapeKind::File => (EntryKind::File, None),
            ShapeKind::Directory => (EntryKind::Directory, None),
            ShapeKind::Symlink(target) => (EntryKind::Symlink, Some(Name(target))),
            ShapeKind::Fifo => (EntryKind::Fifo, None),
            ShapeKind::Other => (EntryKind::Other, None),
        };
        let size = if kind == EntryKind::File { node.metadata.size } else { 0 };
        let owner = (shape.uid, shape.gid);
        Self { kind, mode: shape.mode, owner, modified: shape.modified, size, hash, target, ..Self::default() }
    }

    /// Properties needed to recreate it.
    pub(crate) fn shape(&self) -> Shape {
        let kind = match (self.kind, &self.target) {
            (EntryKind::File, _) => ShapeKind::File,
            (EntryKind::Directory, _) => ShapeKind::Directory,
            (EntryKind::Symlink, Some(target)) => ShapeKind::Symlink(target.0.clone()),
            (EntryKind::Fifo, _) => ShapeKind::Fifo,
            _ => ShapeKind::Other,
        };
        Shape { kind, mode: self.mode, uid: self.owner.0, gid: self.owner.1, modified: self.modified }
    }

    /// Whether both have the same content, whatever their times. Contents that were not stored are
    /// compared by length and time.
    pub(crate) fn holds_the_same(&self, other: &Self) -> bool {
        let known = self.hash.is_some() && other.hash.is_some();
        (self.kind, self.mode, &self.target) == (other.kind, other.mode, &other.target)
            && match self.kind {
                EntryKind::File if known => self.hash == other.hash,
                EntryKind::File => (self.size, self.modified) == (other.size, other.modified),
                _ => true,
            }
    }
}

/// A path relative to the workspace, for people.
pub(crate) fn shown(path: &Path, workspace: &Path) -> String {
    path.strip_prefix(workspace).unwrap_or(path).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_can_be_written_down() {
        for bytes in [&b"plain/\xc3\xa4"[..], b"100%25", b"\xff\xfe/%zz\n", b""] {
            let name = Name(PathBuf::from(OsString::from_vec(bytes.to_vec())));
            let text = serde_json::to_string(&name).unwrap();
            assert_eq!(serde_json::from_str::<Name>(&text).unwrap(), name, "{text}");
        }
        assert!(serde_json::from_str::<Name>("\"%é\"").is_err());
    }
}
