//! Copies everything that a command could change before it runs, to a place that it cannot write.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use tools_sandbox::{Directory, FileKind, PathError, PrivateFolder, Roots, temporary_places, tree};

use super::scope::SnapshotScope;

/// Maximum number of entries in a snapshot.
const MAX_ENTRIES: usize = 1_000_000;

/// The reason why there is no snapshot.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SnapshotError {
    #[error("the files in scope have more than {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("the workspace has more than {MAX_ENTRIES} entries")]
    TooMany,
    #[error("`{path}` cannot be read")]
    Unreadable { path: String },
    #[error("there is no folder outside the workspace for the copies")]
    NoPlace,
    #[error("a command in the background is not copied for")]
    Background,
    #[error("{0}")]
    Path(#[from] PathError),
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// The former state of one writable folder.
pub(crate) struct FolderSnapshot {
    pub(crate) root: Directory,
    pub(crate) before: tree::Scan,
    /// The name of each file's copy in the backup.
    pub(crate) copies: BTreeMap<PathBuf, String>,
}

/// The whole snapshot and the folder of its copies, which is removed on drop unless it is kept.
pub(crate) struct Snapshot {
    pub(crate) kept: Vec<FolderSnapshot>,
    pub(crate) folder: PrivateFolder,
    pub(crate) copies: Directory,
    pub(crate) scope: SnapshotScope,
}

impl Snapshot {
    /// Copies the files in `roots` and in `scope`, at most `limit` bytes; 0 for no limit.
    pub(crate) fn take(roots: &[PathBuf], scope: &SnapshotScope, limit: u64) -> Result<Self, SnapshotError> {
        let folder = outside(roots)?;
        let place = folder.path();
        let copies = Roots::open(&[], place)?.open_directory(place, place)?;
        let mut kept = Vec::new();
        let mut size = 0;
        for (index, path) in innermost(roots).into_iter().enumerate() {
            let root = Roots::open(&[], path)?.open_directory(path, path)?;
            let wants = |path: &Path, kind| kind == FileKind::Directory || scope.covers(path);
            let before = tree::scan(&root, MAX_ENTRIES, &wants)?;
            if before.is_cut {
                return Err(SnapshotError::TooMany);
            }
            if let Some(closed) = before.closed.first() {
                return Err(SnapshotError::Unreadable { path: closed.to_string_lossy().into_owned() });
            }
            let files = before.nodes.values().filter(|node| node.metadata.kind == FileKind::File);
            size += files.map(|node| node.metadata.size).sum::<u64>();
            if limit > 0 && size > limit {
                return Err(SnapshotError::TooLarge { limit });
            }
            kept.push(copy_all(root, before, &copies, index)?);
        }
        Ok(Self { kept, folder, copies, scope: scope.clone() })
    }

    /// The folder of the copies.
    pub(crate) fn place(&self) -> &Path {
        self.folder.path()
    }
}

fn copy_all(
    root: Directory,
    mut before: tree::Scan,
    copies: &Directory,
    index: usize,
) -> Result<FolderSnapshot, SnapshotError> {
    let mut names = BTreeMap::new();
    let mut gone = Vec::new();
    let mut parent: Option<(PathBuf, Directory)> = None;
    for (path, node) in before.nodes.iter().filter(|(_, node)| node.metadata.kind == FileKind::File) {
        let (above, name) = (path.parent().unwrap_or(Path::new("")), path.file_name().unwrap_or_default());
        if parent.as_ref().is_none_or(|(open, _)| open != above) {
            parent = Some((above.to_owned(), root.subdirectory(above)?));
        }
        let Some((_, directory)) = &parent else { continue };
        let from = match directory.open(name) {
            Ok(from) => from,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                gone.push(path.clone());
                continue;
            }
            Err(_) => return Err(SnapshotError::Unreadable { path: path.to_string_lossy().into_owned() }),
        };
        let copy = format!("{index}-{}", names.len());
        let to = copies.create_new(copy.as_ref(), 0o600)?;
        if node.metadata.size > 0 {
            tree::copy(&from, &to)?;
        }
        names.insert(path.clone(), copy);
    }
    before.nodes.retain(|path, _| !gone.contains(path));
    Ok(FolderSnapshot { root, before, copies: names })
}

/// The roots without those inside another one.
fn innermost(roots: &[PathBuf]) -> Vec<&Path> {
    let inside = |path: &PathBuf| roots.iter().any(|other| other != path && path.starts_with(other));
    let mut outer: Vec<&Path> = roots.iter().filter(|path| !inside(path)).map(PathBuf::as_path).collect();
    outer.dedup();
    outer
}

/// A private folder that no command of `roots` can write.
fn outside(roots: &[PathBuf]) -> Result<PrivateFolder, SnapshotError> {
    let mut places = temporary_places();
    places.retain(|place| !roots.iter().any(|root| place.starts_with(root)));
    PrivateFolder::create_in_first(&places).map_err(|_| SnapshotError::NoPlace)
}
