//! Entries of a tree, and a whole tree as one list.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};

use super::look::{Bounds, look};
use crate::{Directory, FileKind, Metadata};

/// A file system entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its metadata.
    pub metadata: Metadata,
    /// Target of a symbolic link.
    pub link: Option<PathBuf>,
    /// Whether the last change is so recent that another change could leave all times as they are.
    pub is_fresh: bool,
}

/// Properties of an entry apart from its content: sufficient to create it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// Its kind.
    pub kind: ShapeKind,
    /// Its permission bits.
    pub mode: u32,
    /// Its owner.
    pub uid: u32,
    /// Its group.
    pub gid: u32,
    /// Time of its last content change: seconds and nanoseconds.
    pub modified: (i64, u64),
}

/// Kind of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShapeKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link and its target.
    Symlink(PathBuf),
    /// A named pipe.
    Fifo,
    /// A kind that cannot be created again.
    Other,
}

impl Node {
    /// Its properties apart from its content.
    pub fn shape(&self) -> Shape {
        let kind = match (self.metadata.kind, &self.link) {
            (FileKind::File, _) => ShapeKind::File,
            (FileKind::Directory, _) => ShapeKind::Directory,
            (FileKind::Symlink, Some(target)) => ShapeKind::Symlink(target.clone()),
            (FileKind::Fifo, _) => ShapeKind::Fifo,
            _ => ShapeKind::Other,
        };
        let Metadata { mode, uid, gid, modified, .. } = self.metadata;
        Shape { kind, mode, uid, gid, modified }
    }

    /// Whether this is a directory.
    pub fn is_directory(&self) -> bool {
        self.metadata.kind == FileKind::Directory
    }

    /// Whether `now`, found under the same name later, is the same unchanged entry. Never true by
    /// mistake; always false for a fresh entry.
    pub fn is_untouched(&self, now: &Self) -> bool {
        let (then, now_is) = (&self.metadata, &now.metadata);
        if self.is_directory() && now.is_directory() {
            return self.shape() == now.shape();
        }
        !self.is_fresh && then == now_is && self.link == now.link
    }
}

/// A whole tree at one moment, in one list.
#[derive(Debug, Clone, Default)]
pub struct Scan {
    /// By path relative to the root, parents before children; the root itself under the empty path.
    pub nodes: BTreeMap<PathBuf, Node>,
    /// Directories that could not be listed.
    pub closed: Vec<PathBuf>,
    /// Whether the tree had more entries than the maximum.
    pub is_cut: bool,
}

/// Lists `root` and the entries in it that `wants` selects, at most `most` entries. Directories are
/// entered whether they are selected or not.
///
/// # Errors
/// If `root` itself cannot be read.
pub fn scan(root: &Directory, most: usize, wants: &dyn Fn(&Path, FileKind) -> bool) -> io::Result<Scan> {
    let never = AtomicBool::new(false);
    let bounds = Bounds { entries: most, until: None, cancelled: &never };
    let look = look(root, &bounds, &|_, _| false)?;
    let mut nodes = BTreeMap::from([(PathBuf::new(), look.root)]);
    for (folder, entries) in look.folders {
        let named = entries.into_iter().map(|entry| (folder.join(&entry.name), entry.node));
        nodes.extend(named.filter(|(path, node)| wants(path, node.metadata.kind)));
    }
    Ok(Scan { nodes, closed: look.closed, is_cut: look.cut.is_some() })
}
