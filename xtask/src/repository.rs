//! The root and the files of the repository, without build output and hidden folders.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// The root of the workspace that contains this program.
pub(crate) fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package)
}

/// The folder in which cargo builds the workspace, unless its configuration sets another one.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// One text file, read once for all checks.
#[derive(Debug, Clone)]
pub(crate) struct File {
    /// Relative to the root, with `/` between the parts.
    pub(crate) path: String,
    /// The file's text.
    pub(crate) text: String,
}

/// Every file below `folder` (relative to `root`) whose name ends with one of `endings`, sorted by
/// path. A folder that does not exist has no files. Symbolic links are not followed.
pub(crate) fn files(root: &Path, folder: &str, endings: &[&str]) -> Result<Vec<File>, Failure> {
    let mut found = Vec::new();
    let mut pending = vec![root.join(folder)];
    while let Some(folder) = pending.pop() {
        let mut listing = list(&folder)?;
        listing.folders.retain(|folder| !is_output(folder));
        pending.append(&mut listing.folders);
        found.append(&mut listing.files);
    }
    read_all(root, &found, endings)
}

/// The files in the root itself whose name ends with one of `endings`, sorted by path.
pub(crate) fn top_files(root: &Path, endings: &[&str]) -> Result<Vec<File>, Failure> {
    read_all(root, &list(root)?.files, endings)
}

#[derive(Default)]
struct Listing {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

fn list(folder: &Path) -> Result<Listing, Failure> {
    let mut listing = Listing::default();
    if !folder.is_dir() {
        return Ok(listing);
    }
    let what = format!("reading folder `{}`", folder.display());
    for entry in fs::read_dir(folder).map_err(Failure::io(&what))? {
        let entry = entry.map_err(Failure::io(&what))?;
        let kind = entry.file_type().map_err(Failure::io(&what))?;
        if kind.is_dir() {
            listing.folders.push(entry.path());
        } else if kind.is_file() {
            listing.files.push(entry.path());
        }
    }
    Ok(listing)
}

/// Whether a folder contains build output or is hidden.
fn is_output(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') || name.starts_with("target")
}

fn read_all(root: &Path, paths: &[PathBuf], endings: &[&str]) -> Result<Vec<File>, Failure> {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let wanted = paths.iter().filter(|path| endings.iter().any(|ending| name(path).ends_with(ending)));
    let mut files = wanted.map(|path| read(root, path)).collect::<Result<Vec<_>, _>>()?;
    files.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(files)
}

fn read(root: &Path, path: &Path) -> Result<File, Failure> {
    let bytes = fs::read(path).map_err(Failure::io(format!("reading `{}`", path.display())))?;
    let relative = path.strip_prefix(root).unwrap_or(path);
    Ok(File { path: relative.to_string_lossy().replace('\\', "/"), text: String::from_utf8_lossy(&bytes).into_owned() })
}

/// Whether a path names Rust source.
pub(crate) fn is_rust(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == "rs")
}
