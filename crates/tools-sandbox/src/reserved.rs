//! Files that no tool may change: the rules that judge the tool and the record of its actions.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    handle::{FileId, Metadata},
    kernel::Canonical,
};

/// Files that no tool may change. They may be read like any other.
///
/// A file is also reserved under the names that rotation gives it (`audit.jsonl.1`,
/// `audit-42.jsonl`); a folder includes everything in it. The folders above a reserved file can
/// neither be moved nor deleted.
#[derive(Debug, Clone, Default)]
pub struct ReservedFiles {
    files: Arc<[PathBuf]>,
    folders: Arc<HashSet<FileId>>,
}

impl ReservedFiles {
    /// Reserves `files`: absolute paths; neither they nor their folders need exist.
    pub fn new(files: &[PathBuf]) -> Self {
        let (mut known, mut looked_at) = (Canonical::default(), HashSet::new());
        let (mut folders, mut canonical) = (HashSet::new(), Vec::new());
        for file in files {
            let (Some(parent), Some(name)) = (file.parent(), file.file_name()) else { continue };
            let parent = known.by_words(parent);
            // Most lie in the same few folders; above a folder that was looked up, everything was.
            for folder in parent.ancestors() {
                if !looked_at.insert(folder.to_owned()) {
                    break;
                }
                folders.extend(rustix::fs::stat(folder).ok().map(|found| Metadata::from(found).id));
            }
            canonical.push(parent.join(name));
        }
        Self { files: canonical.into(), folders: Arc::new(folders) }
    }

    /// Whether `canonical` is reserved.
    pub fn covers(&self, canonical: &Path) -> bool {
        self.files.iter().any(|file| {
            canonical.starts_with(file) || (canonical.parent() == file.parent() && is_left_behind(canonical, file))
        })
    }

    /// The folders that hold reserved files, and everything above them.
    pub(crate) fn folders(&self) -> &HashSet<FileId> {
        &self.folders
    }
}

/// Whether `path` is a rotated form of `file` in the same folder: `audit.jsonl.1`,
/// `audit-42.jsonl`.
fn is_left_behind(path: &Path, file: &Path) -> bool {
    let text = |part: Option<&std::ffi::OsStr>| part.and_then(std::ffi::OsStr::to_str).unwrap_or_default().to_owned();
    let (name, reserved) = (text(path.file_name()), text(file.file_name()));
    if reserved.is_empty() {
        return false;
    }
    let numbered = text(path.file_stem()).strip_prefix(&format!("{}-", text(file.file_stem()))).is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) && path.extension() == file.extension()
    });
    numbered || name.starts_with(&format!("{reserved}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_reserved_with_what_it_leaves_behind() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let reserved = ReservedFiles::new(&[root.join("audit.jsonl"), root.join("missing/x")]);
        let check = |name: &str, expected: bool| assert_eq!(reserved.covers(&root.join(name)), expected, "{name}");
        check("audit.jsonl", true);
        check("audit.jsonl.1", true);
        check("audit-000042.jsonl", true);
        check("audit-notes.jsonl", false);
        check("audit-42.json", false);
        check("audit.jsonl/below", true);
        check("audit.json", false);
        check("audit.jsonl2", false);
        check("below/audit.jsonl", false);
        check("missing/x", true);
        check("missing/y", false);
        assert!(!ReservedFiles::default().covers(&root.join("audit.jsonl")));
    }
}
