//! Where a path leads that may not exist yet: for rules and messages. Access itself goes by other ways.

use std::path::{Component, Path, PathBuf};

/// The canonical form of the longest part that exists, with the rest appended by its words.
pub fn resolve_by_words(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    let mut existing = path;
    loop {
        if let Ok(mut resolved) = existing.canonicalize() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_exist_is_appended_to_what_does() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        std::os::unix::fs::symlink(&base, base.join("link")).unwrap();
        assert_eq!(resolve_by_words(&base.join("link/new/../file")), base.join("file"));
        assert_eq!(resolve_by_words(Path::new("/nonexistent/a")), Path::new("/nonexistent/a"));
    }
}
