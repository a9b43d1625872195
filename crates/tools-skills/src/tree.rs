//! The files of a skill: a list of them, and a digest of all that they hold.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use tools_core::sha256_hex;

use crate::{SkillError, skill::read_inside};

/// The most files and folders of a skill, and the most bytes of them together.
const MAX_FILES: usize = 2_000;
const MAX_BYTES: u64 = 64 << 20;
/// How deep folders lie at most.
const DEEPEST: usize = 16;

/// Files of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// Its files but `SKILL.md`, relative to its folder, in order.
    pub files: Vec<PathBuf>,
    /// A digest of the names and the content of all of them.
    pub digest: String,
}

/// Looks through the folder of a skill. Links are taken for the files that they lead to, inside of
/// the folder alone.
///
/// # Errors
/// A link that leads out or in a circle, a folder that is too large, and what the system says.
pub fn tree(folder: &Path) -> Result<Tree, SkillError> {
    let mut looking = TreeWalk { folder, files: vec![], bytes: 0 };
    looking.look(folder, 0)?;
    let mut files = looking.files;
    files.sort();
    let mut all = String::new();
    for (path, digest) in &files {
        // A length before each name: no name can pass for two.
        let name = path.to_string_lossy();
        let _ = writeln!(all, "{} {name} {digest}", name.len());
    }
    let is_resource = |path: &PathBuf| !path.to_string_lossy().eq_ignore_ascii_case("skill.md");
    let names = files.into_iter().map(|(path, _)| path).filter(is_resource);
    Ok(Tree { files: names.collect(), digest: sha256_hex(all.as_bytes()) })
}

struct TreeWalk<'a> {
    folder: &'a Path,
    files: Vec<(PathBuf, String)>,
    bytes: u64,
}

impl TreeWalk<'_> {
    fn look(&mut self, at: &Path, depth: usize) -> Result<(), SkillError> {
        let relative = |path: &Path| path.strip_prefix(self.folder).unwrap_or(path).to_path_buf();
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
                self.look(&path, depth + 1)?;
                continue;
            }
            let name = path.strip_prefix(self.folder).unwrap_or(&path).to_path_buf();
            if kind.is_symlink() && path.metadata().is_ok_and(|metadata| metadata.is_dir()) {
                // A folder that is reached twice, or leads back to one above it.
                return Err(SkillError::Link(name.to_string_lossy().into_owned()));
            }
            let content = read_inside(self.folder, &path, MAX_BYTES - self.bytes)?;
            self.bytes += content.len() as u64;
            self.files.push((name, sha256_hex(&content)));
            if self.files.len() > MAX_FILES {
                return Err(SkillError::TooLarge { what: "the skill".to_owned(), most: format!("{MAX_FILES} files") });
            }
        }
        Ok(())
    }
}
