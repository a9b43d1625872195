//! The files of a skill: their list, and a digest of their content.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use tools_core::sha256_hex;

use crate::{SkillError, skill::read_inside};

/// Maximum number of files and folders of a skill; the next constant limits their total size.
const MAX_FILES: usize = 2_000;
const MAX_BYTES: u64 = 64 << 20;
/// Maximum depth of folders.
const DEEPEST: usize = 16;

/// Files of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// Its files except `SKILL.md`, relative to its folder, sorted.
    pub files: Vec<PathBuf>,
    /// Unreadable entries of its folder and the reasons, a sentence each.
    pub left_out: Vec<String>,
    /// Digest of the names and contents of all files, and of the names of unreadable entries.
    pub digest: String,
}

/// Lists the folder of a skill. Links are followed inside of the folder only; unreadable entries
/// are left out and reported.
///
/// # Errors
/// A folder that is too large, or that cannot be read at all.
pub fn tree(folder: &Path) -> Result<Tree, SkillError> {
    let mut looking = TreeWalk { folder, files: vec![], left_out: vec![], bytes: 0 };
    looking.look(folder, 0)?;
    let TreeWalk { mut files, mut left_out, .. } = looking;
    files.sort();
    left_out.sort();
    let mut all = String::new();
    for (path, digest) in &files {
        // Each name is prefixed by its length, so that names cannot be confused.
        let name = path.to_string_lossy();
        let _ = writeln!(all, "{} {name} {digest}", name.len());
    }
    for said in &left_out {
        let _ = writeln!(all, "{} {said}", said.len());
    }
    let is_resource = |path: &PathBuf| !path.to_string_lossy().eq_ignore_ascii_case("skill.md");
    let names = files.into_iter().map(|(path, _)| path).filter(is_resource);
    Ok(Tree { files: names.collect(), left_out, digest: sha256_hex(all.as_bytes()) })
}

struct TreeWalk<'a> {
    folder: &'a Path,
    files: Vec<(PathBuf, String)>,
    left_out: Vec<String>,
    bytes: u64,
}

impl TreeWalk<'_> {
    fn look(&mut self, at: &Path, depth: usize) -> Result<(), SkillError> {
        let folder = self.folder;
        let relative = |path: &Path| path.strip_prefix(folder).unwrap_or(path).to_path_buf();
        if depth > DEEPEST {
            let what = format!("the folder `{}`", relative(at).display());
            return Err(SkillError::TooLarge { what, most: format!("{DEEPEST} levels") });
        }
        let entries = std::fs::read_dir(at).map_err(SkillError::unreadable(at))?;
        for entry in entries {
            let entry = entry.map_err(SkillError::unreadable(at))?;
            let path = entry.path();
            let kind = entry.file_type().map_err(SkillError::unreadable(&path))?;
            if kind.is_dir() {
                match self.look(&path, depth + 1) {
                    Err(error @ SkillError::Unreadable { .. }) => self.leave_out(&relative(&path), &error),
                    looked => looked?,
                }
                continue;
            }
            let name = relative(&path);
            let read = if kind.is_symlink() && path.metadata().is_ok_and(|metadata| metadata.is_dir()) {
                // A folder that is reached twice, or is its own ancestor.
                Err(SkillError::Link(name.to_string_lossy().into_owned()))
            } else {
                read_inside(self.folder, &path, MAX_BYTES - self.bytes)
            };
            let content = match read {
                Ok(content) => content,
                Err(error @ SkillError::TooLarge { .. }) => return Err(error),
                Err(error) => {
                    self.leave_out(&name, &error);
                    continue;
                }
            };
            self.bytes += content.len() as u64;
            self.files.push((name, sha256_hex(&content)));
            if self.files.len() + self.left_out.len() > MAX_FILES {
                return Err(SkillError::TooLarge { what: "the skill".to_owned(), most: format!("{MAX_FILES} files") });
            }
        }
        Ok(())
    }

    fn leave_out(&mut self, name: &Path, error: &SkillError) {
        let why = match error {
            // The full path would reveal this machine's layout.
            SkillError::Unreadable { .. } => format!("`{}` cannot be read", name.display()),
            error => error.to_string(),
        };
        self.left_out.push(why);
    }
}
