//! Where the repository is and which files it has. Build output and hidden folders are not part of it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::command::Failure;

/// The root of the workspace this program was built in.
pub(crate) fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package)
}

/// One text file, read once and handed to every check.
#[derive(Debug, Clone)]
pub(crate) struct File {
    /// Relative to the root, with `/` between the parts.
    pub(crate) path: String,
    /// The file's text.
    pub(crate) text: String,
}

/// Every file below `folder` (relative to `root`) whose name ends with one of `endings`, sorted by path.
/// A folder that does not exist has no files. Symbolic links are not followed.
pub(crate) fn files(root: &Path, folder: &str, endings: &[&str]) -> Result<Vec<File>, Failure> {
    let mut found = Vec::new();
    let mut pending: Vec<PathBuf> = vec![root.join(folder)];
    while let Some(folder) = pending.pop() {
        if !folder.is_dir() {
            continue;
        }
        let what = format!("reading folder `{}`", folder.display());
        for entry in fs::read_dir(&folder).map_err(Failure::io(&what))? {
            let entry = entry.map_err(Failure::io(&what))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type().map_err(Failure::io(&what))?;
            if kind.is_dir() && !name.starts_with('.') && !name.starts_with("target") {
                pending.push(entry.path());
            } else if kind.is_file() && endings.iter().any(|ending| name.ends_with(ending)) {
                found.push(read(root, &entry.path())?);
            }
        }
    }
    found.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(found)
}

fn read(root: &Path, path: &Path) -> Result<File, Failure> {
    let bytes = fs::read(path).map_err(Failure::io(format!("reading `{}`", path.display())))?;
    let relative = path.strip_prefix(root).unwrap_or(path);
    Ok(File {
        path: relative.to_string_lossy().replace('\\', "/"),
        text: String::from_utf8_lossy(&bytes).into_owned(),
    })
}

/// Whether a path names Rust source.
pub(crate) fn is_rust(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == "rs")
}
