//! A folder for a test, with a digest of everything in it.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::{fs, io};

use tempfile::TempDir;
use tools_core::sha256_hex;

/// A temporary folder that is removed when the value is dropped.
///
/// Its methods panic if the file system fails: the test cannot continue.
#[derive(Debug)]
pub struct Workspace {
    dir: TempDir,
    root: PathBuf,
}

impl Default for Workspace {
    fn default() -> Self {
        Self::new()
    }
}

impl Workspace {
    /// An empty folder.
    pub fn new() -> Self {
        let dir = TempDir::new().expect("a temporary folder can be made");
        let root = dir.path().canonicalize().expect("the folder was just made");
        Self { dir, root }
    }

    /// Its canonical path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The path of an entry in it.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.join(name)
    }

    /// Writes a file, and creates its parents.
    pub fn file(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).expect("parents can be made");
        }
        fs::write(&path, content).expect("the file can be written");
        path
    }

    /// Makes a folder and its parents.
    pub fn dir(&self, name: impl AsRef<Path>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(&path).expect("the folder can be made");
        path
    }

    /// Creates a symbolic link at `name` with the target `target`.
    pub fn link(&self, name: impl AsRef<Path>, target: impl AsRef<Path>) -> PathBuf {
        let path = self.path(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).expect("parents can be made");
        }
        symlink(target, &path).expect("the link can be made");
        path
    }

    /// The bytes of a file; `None` if it does not exist.
    pub fn read(&self, name: impl AsRef<Path>) -> Option<Vec<u8>> {
        fs::read(self.path(name)).ok()
    }

    /// A digest of everything in it: names, kinds, modes, contents, link targets.
    pub fn digest(&self) -> String {
        let mut content = Vec::new();
        collect(&mut content, self.dir.path()).expect("the workspace can be read");
        sha256_hex(&content)
    }
}

fn collect(content: &mut Vec<u8>, dir: &Path) -> io::Result<()> {
    let mut entries = fs::read_dir(dir)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, meta) = (entry.path(), entry.metadata()?);
        content.extend(path.as_os_str().as_bytes());
        content.extend(meta.mode().to_le_bytes());
        if meta.is_symlink() {
            content.extend(fs::read_link(&path)?.as_os_str().as_bytes());
        } else if meta.is_dir() {
            collect(content, &path)?;
        } else if meta.is_file() {
            content.extend(fs::read(&path)?);
        }
        content.push(0);
    }
    Ok(())
}
