//! Finds files that programs outside of any sandbox obey, and patterns that name one. Pure: the
//! configuration of repositories was read before.

use std::path::Path;

use tools_core::{ConfiguredFiles, is_guarded, leads_to_guarded, obeyed_by};

/// The files that programs obey where a call works.
#[derive(Debug, Clone, Copy)]
pub(super) struct Obeyed<'a> {
    pub(super) workdir: &'a Path,
    /// The files that the configuration of the repositories around the call's paths names.
    pub(super) configured: &'a ConfiguredFiles,
}

impl Obeyed<'_> {
    /// The program that obeys the file that a change of `path` would reach; `None` if none does, or
    /// only builds do.
    pub(super) fn by(self, path: &Path) -> Option<&'static str> {
        obeyed_by(&self.workdir.join(path), self.workdir, self.configured)
    }

    /// Whether the part of a pattern before its first wildcard is such a file or folder: then its
    /// author meant it.
    pub(super) fn is_named_by(self, pattern: &str) -> bool {
        let Some(named) = named(pattern) else { return false };
        let path = self.workdir.join(named.path);
        names_guarded(named)
            || self.configured.names(&path)
            || (named.is_whole && self.configured.leads_to(&path) && path != self.workdir)
    }
}

/// The part of a pattern before its first wildcard.
#[derive(Debug, Clone, Copy)]
struct NamedPath<'a> {
    path: &'a Path,
    /// Whether the pattern has no wildcard.
    is_whole: bool,
}

fn named(pattern: &str) -> Option<NamedPath<'_>> {
    let path = pattern.trim().trim_start_matches("> ").trim_start();
    let path = path.trim_start_matches("./").trim_start_matches("~/").trim_start_matches("**/");
    let named = match path.find(['*', '?', '[', '{']) {
        // A part of a name identifies nothing, so it is cut off.
        Some(wildcard) => &path[..path[..wildcard].rfind('/')?],
        None => path,
    };
    (!named.is_empty()).then(|| NamedPath { path: Path::new(named), is_whole: Path::new(named) == Path::new(path) })
}

fn names_guarded(named: NamedPath<'_>) -> bool {
    is_guarded(named.path) || (named.is_whole && leads_to_guarded(named.path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_names_what_stands_before_its_first_wildcard() {
        for (pattern, expected) in [
            (".envrc", true),
            ("> .envrc", true),
            ("./.github/workflows/*.yml", true),
            ("**/CLAUDE.md", true),
            ("~/.bashrc", true),
            ("sub/.vscode/**", true),
            (".github", true),
            ("**", false),
            ("*", false),
            (".*", false),
            (".env*", false),
            (".github/**", false),
            ("src/**", false),
            ("echo *", false),
        ] {
            assert_eq!(named(pattern).is_some_and(names_guarded), expected, "{pattern}");
        }
    }
}
