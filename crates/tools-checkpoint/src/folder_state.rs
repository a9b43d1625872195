//! The state of a workspace at one moment: all of it, or some paths.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use tools_sandbox::tree::{self, Bounds, CutReason, Node, Skips, TreeWatch};
use tools_sandbox::{Directory, FileKind, Roots};

use crate::{error::CheckpointError, hash::Hash};

/// A folder with this file has content that can be regenerated. <https://bford.info/cachedir/>
const TAG: &str = "CACHEDIR.TAG";
const TAG_SIGNATURE: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";

/// One entry of a folder, and its content hash if stored.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) name: OsString,
    pub(crate) node: Node,
    pub(crate) hash: Option<Hash>,
}

/// State of a folder, or of the part that was read. Paths are relative to it.
#[derive(Debug, Clone)]
pub(crate) struct FolderState {
    pub(crate) root: PathBuf,
    /// Sorted by name. States of the same folder share equal parts.
    pub(crate) folders: HashMap<PathBuf, Arc<Vec<Item>>>,
    /// Folders whose times may change with their content, and that are listed nowhere else.
    pub(crate) alone: BTreeMap<PathBuf, Node>,
    pub(crate) skipped: BTreeSet<PathBuf>,
    pub(crate) closed: BTreeSet<PathBuf>,
    pub(crate) count: usize,
}

/// What is skipped.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    pub(crate) skip: Vec<String>,
    /// Folder of the store.
    pub(crate) own: PathBuf,
}

/// Opens the folder.
pub(crate) fn open(folder: &Path) -> Result<Directory, CheckpointError> {
    Ok(Roots::open(&[], folder)?.open_directory(folder, folder)?)
}

impl Rules {
    /// Whether a change of this name can change the rule for its folder.
    pub(crate) fn depend_on(name: &OsStr) -> bool {
        name == TAG
    }

    pub(crate) fn skips(&self, root: &Directory, path: &Path, names: &[(OsString, FileKind)]) -> bool {
        let name = path.file_name().unwrap_or_default();
        self.skip.iter().any(|skipped| name == OsStr::new(skipped))
            || (names.iter().any(|(name, kind)| name == TAG && *kind == FileKind::File) && is_tagged(root, path))
            || root.path().join(path) == self.own
    }
}

fn is_tagged(root: &Directory, path: &Path) -> bool {
    let mut begin = Vec::new();
    let opened = root.subdirectory(path).and_then(|folder| folder.open(TAG.as_ref()));
    let read = opened.and_then(|file| file.take(TAG_SIGNATURE.len() as u64).read_to_end(&mut begin));
    read.is_ok() && begin == TAG_SIGNATURE
}

impl FolderState {
    /// Reads everything in `root` that is not skipped.
    ///
    /// # Errors
    /// If there are too many entries, it takes too long, or it was cancelled.
    pub(crate) fn everything(
        root: &Directory,
        bounds: &Bounds<'_>,
        skips: &Skips<'_>,
        watch: Option<&TreeWatch>,
    ) -> Result<Self, CheckpointError> {
        let look = tree::look_below(root, vec![PathBuf::new()], bounds, skips, watch)?;
        if let Some(cut) = look.cut {
            return Err(too_much(cut, bounds.entries));
        }
        let mut seen = Self::nothing(root);
        seen.alone.insert(PathBuf::new(), look.root.clone());
        seen.take(Path::new(""), look);
        Ok(seen)
    }

    /// Reads these paths in `root` and everything below them.
    pub(crate) fn at(root: &Directory, paths: &[PathBuf], bounds: &Bounds<'_>) -> Result<Self, CheckpointError> {
        let mut seen = Self::nothing(root);
        for path in paths {
            let relative = path.strip_prefix(root.path()).unwrap_or(path);
            let above = relative.parent().unwrap_or(Path::new(""));
            let Some(name) = relative.file_name() else {
                // The root itself.
                let look = tree::look(root, bounds, &|_, _| false)?;
                if let Some(cut) = look.cut {
                    return Err(too_much(cut, bounds.entries));
                }
                seen.take(Path::new(""), look);
                continue;
            };
            let parent = match root.subdirectory(above) {
                Ok(parent) => parent,
                Err(error) if is_no_folder(&error) => continue,
                Err(error) => return Err(error.into()),
            };
            if let Some(own) = own(root, above)? {
                seen.alone.insert(above.to_owned(), own);
            }
            let list = Arc::make_mut(seen.folders.entry(above.to_owned()).or_default());
            let Some(node) = tree::node(&parent, name)? else { continue };
            let is_directory = node.is_directory();
            if let Err(place) = list.binary_search_by(|item| item.name.as_os_str().cmp(name)) {
                list.insert(place, Item { name: name.to_owned(), node, hash: None });
            }
            if is_directory {
                let look = tree::look(&parent.directory(name)?, bounds, &|_, _| false)?;
                if let Some(cut) = look.cut {
                    return Err(too_much(cut, bounds.entries));
                }
                seen.take(relative, look);
            }
        }
        Ok(seen)
    }

    fn nothing(root: &Directory) -> Self {
        Self {
            root: root.path().to_owned(),
            folders: HashMap::new(),
            alone: BTreeMap::new(),
            skipped: BTreeSet::new(),
            closed: BTreeSet::new(),
            count: 0,
        }
    }

    pub(crate) fn take(&mut self, below: &Path, look: tree::TreeListing) {
        let at = |path: PathBuf| if below.as_os_str().is_empty() { path } else { joined(below, &path) };
        self.count += look.count;
        self.skipped.extend(look.skipped.into_iter().map(at));
        self.closed.extend(look.closed.into_iter().map(at));
        self.folders.extend(look.folders.into_iter().map(|(path, entries)| {
            let items = entries.into_iter().map(|tree::Entry { name, node }| Item { name, node, hash: None });
            (at(path), Arc::new(items.collect()))
        }));
    }

    /// All entries, by folder.
    pub(crate) fn items(&self) -> impl Iterator<Item = (&Path, &Item)> {
        self.folders.iter().flat_map(|(path, items)| items.iter().map(|item| (path.as_path(), item)))
    }

    /// All regular files.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&Path, &Item)> {
        self.items().filter(|(_, item)| item.node.metadata.kind == FileKind::File)
    }

    /// The entry with this name.
    pub(crate) fn item(&self, folder: &Path, name: &OsStr) -> Option<&Item> {
        let items = self.folders.get(folder)?;
        items.binary_search_by(|item| item.name.as_os_str().cmp(name)).ok().map(|place| &items[place])
    }

    /// The state of the folder itself.
    pub(crate) fn folder(&self, folder: &Path) -> Option<&Node> {
        let in_parent = folder.parent().zip(folder.file_name()).and_then(|(parent, name)| self.item(parent, name));
        self.alone.get(folder).or_else(|| in_parent.map(|item| &item.node))
    }

    /// Notes that the content of a file is stored.
    pub(crate) fn keep(&mut self, folder: &Path, name: &OsStr, hash: Hash) {
        let Some(items) = self.folders.get_mut(folder).map(Arc::make_mut) else { return };
        if let Ok(place) = items.binary_search_by(|item| item.name.as_os_str().cmp(name)) {
            items[place].hash = Some(hash);
        }
    }

    /// Hashes of all stored contents.
    pub(crate) fn hashes(&self) -> impl Iterator<Item = Hash> {
        self.folders.values().flat_map(|items| items.iter()).filter_map(|item| item.hash)
    }

    /// Other paths of the same file.
    pub(crate) fn names_of(&self, node: &Node, path: &Path) -> Vec<PathBuf> {
        if node.metadata.links < 2 || node.metadata.kind != FileKind::File {
            return Vec::new();
        }
        let all = self.folders.iter().flat_map(|(folder, items)| items.iter().map(move |item| (folder, item)));
        let same = all.filter(|(_, item)| item.node.metadata.id == node.metadata.id);
        let mut names: Vec<PathBuf> = same.map(|(folder, item)| joined(folder, Path::new(&item.name))).collect();
        names.retain(|name| name != path);
        names.sort();
        names
    }

    /// All files, by device and inode.
    pub(crate) fn identities(&self) -> impl Iterator<Item = (u64, u64)> {
        let ids = self.folders.values().flat_map(|items| items.iter()).map(|item| item.node.metadata.id);
        ids.map(|id| (id.device(), id.inode()))
    }
}

/// Whether a part of the path to a folder is missing, or is not a folder.
pub(crate) fn is_no_folder(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        || error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

/// The state of a folder itself.
pub(crate) fn own(root: &Directory, folder: &Path) -> io::Result<Option<Node>> {
    match folder.file_name() {
        None => Ok(Some(Node { metadata: root.metadata()?, link: None, is_fresh: true })),
        Some(name) => tree::node(&root.subdirectory(folder.parent().unwrap_or(Path::new("")))?, name),
    }
}

/// The path to read in order to see changes of `path`: its topmost missing part, since a call may
/// create folders on the way.
pub(crate) fn watched(root: &Directory, path: &Path) -> PathBuf {
    let relative = path.strip_prefix(root.path()).unwrap_or(path);
    let mut reached = PathBuf::new();
    for name in relative {
        let is_there = root.subdirectory(&reached).is_ok_and(|parent| parent.stat(name).is_ok());
        reached.push(name);
        if !is_there {
            break;
        }
    }
    joined(root.path(), &reached)
}

/// The innermost of the folders `roots` that contains a path.
pub(crate) fn innermost<'a>(roots: &'a [PathBuf], path: &Path) -> Option<&'a PathBuf> {
    innermost_by(roots, path, |root| root)
}

/// The element of `all` whose folder is the innermost that contains a path.
pub(crate) fn innermost_by<'a, T>(all: &'a [T], path: &Path, root: impl Fn(&T) -> &Path) -> Option<&'a T> {
    all.iter().filter(|one| path.starts_with(root(one))).max_by_key(|one| root(one).as_os_str().len())
}

/// Joins paths; an empty `below` adds no slash.
pub(crate) fn joined(above: &Path, below: &Path) -> PathBuf {
    if below.as_os_str().is_empty() { above.to_owned() } else { above.join(below) }
}

pub(crate) fn too_much(cut: CutReason, most: usize) -> CheckpointError {
    match cut {
        CutReason::Entries => CheckpointError::TooMany { most },
        CutReason::Time => CheckpointError::TooSlow,
        CutReason::Cancelled => CheckpointError::Cancelled,
    }
}

/// Limits of a read.
pub(crate) fn bounds(entries: usize, until: Instant, cancelled: &AtomicBool) -> Bounds<'_> {
    Bounds { entries, until: Some(until), cancelled }
}
