//! Canonical form of paths that need not exist: for rules, masks and messages, not for access.

use std::{
    collections::HashMap,
    path::{Component, Path, PathBuf},
};

/// Canonical form of many paths in the same folders, each folder resolved once. For one batch of
/// paths, not to be kept.
///
/// ```
/// use std::path::{Path, PathBuf};
/// use tools_sandbox::kernel::Canonical;
///
/// let mut canonical = Canonical::default();
/// assert_eq!(canonical.of(Path::new("/missing")), None);
/// assert_eq!(canonical.by_words(Path::new("/missing/a")), PathBuf::from("/missing/a"));
/// ```
#[derive(Debug, Default)]
pub struct Canonical {
    /// Folders that were looked up; `None` for missing ones.
    known: HashMap<PathBuf, Option<PathBuf>>,
}

impl Canonical {
    /// Like [`Path::canonicalize`]; `None` if it does not exist or cannot be reached.
    pub fn of(&mut self, path: &Path) -> Option<PathBuf> {
        if is_plain(path) { self.of_plain(path) } else { path.canonicalize().ok() }
    }

    fn of_plain(&mut self, path: &Path) -> Option<PathBuf> {
        if let Some(known) = self.known.get(path) {
            return known.clone();
        }
        let found = match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => self.of_plain(parent).and_then(|parent| {
                let path = parent.join(name);
                match std::fs::symlink_metadata(&path) {
                    Ok(found) if found.is_symlink() => path.canonicalize().ok(),
                    Ok(_) => Some(path),
                    Err(_) => None,
                }
            }),
            _ => Some(path.to_owned()),
        };
        self.known.insert(path.to_owned(), found.clone());
        found
    }

    /// The canonical form of the longest existing part, followed by the rest as spelled.
    pub fn by_words(&mut self, path: &Path) -> PathBuf {
        if is_plain(path) {
            return self.plain_by_words(path);
        }
        let mut rest = Vec::new();
        let mut existing = path;
        loop {
            if let Some(mut resolved) = self.of(existing) {
                for part in rest.iter().rev() {
                    match part {
                        Component::ParentDir => {
                            resolved.pop();
                        }
                        Component::CurDir => {}
                        other => resolved.push(other),
                    }
                }
                return resolved;
            }
            let (Some(parent), Some(last)) = (existing.parent(), existing.components().next_back()) else {
                return path.to_owned();
            };
            rest.push(last);
            existing = parent;
        }
    }

    /// Starts at the top, so that a long, mostly missing path is not looked up part by part.
    fn plain_by_words(&mut self, path: &Path) -> PathBuf {
        let mut parts = path.components();
        let (mut existing, mut resolved) = (PathBuf::new(), PathBuf::new());
        while let Some(part) = parts.next() {
            existing.push(part);
            let Some(found) = self.of_plain(&existing) else {
                resolved.push(part);
                resolved.extend(parts);
                return resolved;
            };
            resolved = found;
        }
        resolved
    }
}

/// Whether a path is absolute and contains no `.` or `..`.
fn is_plain(path: &Path) -> bool {
    path.is_absolute() && path.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)))
}

/// Like [`Canonical::by_words`], for one path.
pub fn resolve_by_words(path: &Path) -> PathBuf {
    Canonical::default().by_words(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_paths_lead_where_each_would_alone() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join("a/b")).unwrap();
        std::fs::write(base.join("a/b/file"), "").unwrap();
        std::os::unix::fs::symlink("a", base.join("link")).unwrap();
        std::os::unix::fs::symlink("missing", base.join("dangling")).unwrap();
        let mut canonical = Canonical::default();
        for name in [
            "a/b/file",
            "link/b/file",
            "link",
            "dangling",
            "dangling/x",
            "a/missing/x",
            "a/b/file/x",
            "a/../a",
            "a//b/.",
        ] {
            let path = base.join(name);
            for _ in 0..2 {
                assert_eq!(canonical.of(&path), path.canonicalize().ok(), "{name}");
                assert_eq!(canonical.by_words(&path), resolve_by_words(&path), "{name}");
            }
        }
    }

    #[test]
    fn what_does_not_exist_is_appended_to_what_does() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        std::os::unix::fs::symlink(&base, base.join("link")).unwrap();
        assert_eq!(resolve_by_words(&base.join("link/new/../file")), base.join("file"));
        assert_eq!(resolve_by_words(Path::new("/nonexistent/a")), Path::new("/nonexistent/a"));
    }
}
