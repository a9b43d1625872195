//! The files that a transaction covers.

use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// `transaction_scope`, compiled.
#[derive(Debug, Clone)]
pub(crate) struct SnapshotScope(Option<GlobSet>);

impl SnapshotScope {
    /// Compiles globs that are matched against paths relative to a writable folder. An empty list
    /// covers everything.
    ///
    /// # Errors
    /// The problem of an invalid glob.
    pub(crate) fn compile(globs: &[String]) -> Result<Self, String> {
        if globs.is_empty() || globs.iter().any(|glob| glob == "**") {
            return Ok(Self(None));
        }
        let mut set = GlobSetBuilder::new();
        for glob in globs {
            let glob = glob.strip_prefix("./").unwrap_or(glob);
            let compiled = GlobBuilder::new(glob).literal_separator(true).build().map_err(|error| error.to_string())?;
            set.add(compiled);
        }
        set.build().map(|set| Self(Some(set))).map_err(|error| error.to_string())
    }

    /// Whether the file at `relative` is covered.
    pub(crate) fn covers(&self, relative: &Path) -> bool {
        self.0.as_ref().is_none_or(|set| set.is_match(relative))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_are_relative_and_none_is_all() {
        let check = |globs: &[&str], path: &str, expected: bool| {
            let globs: Vec<String> = globs.iter().map(|glob| (*glob).to_owned()).collect();
            assert_eq!(SnapshotScope::compile(&globs).unwrap().covers(Path::new(path)), expected, "{globs:?} {path}");
        };
        check(&[], "a/b", true);
        check(&["**"], ".git/x", true);
        check(&["src/**"], "src/a/b.rs", true);
        check(&["./src/**"], "src/a/b.rs", true);
        check(&["src/**"], "doc/a", false);
        check(&["*.rs"], "src/a.rs", false);
        check(&["**/*.rs"], "src/a.rs", true);
        assert!(SnapshotScope::compile(&["[".to_owned()]).is_err());
    }
}
