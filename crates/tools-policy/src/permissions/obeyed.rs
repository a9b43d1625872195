//! Files that programs outside of any sandbox obey, as rules see them: what is one, and which
//! patterns name one. Pure: what repositories' configuration names was read before.

use std::path::Path;

use tools_core::{ConfiguredFiles, ObeyedClass, find_obeyed, is_guarded, leads_to_guarded};

/// The files that programs obey where a call works.
#[derive(Debug, Clone, Copy)]
pub(super) struct Obeyed<'a> {
    pub(super) workdir: &'a Path,
    /// What the configuration of the repositories names that the call's paths lie in.
    pub(super) configured: &'a ConfiguredFiles,
}

impl Obeyed<'_> {
    /// What obeys the file that a change of `path` would reach; `None` when nothing does, or only
    /// builds do.
    pub(super) fn by(self, path: &Path) -> Option<&'static str> {
        let by_name = guarded_by(path.strip_prefix(self.workdir).unwrap_or(path));
        let by_configuration = || {
            let path = self.workdir.join(path);
            (self.configured.names(&path) || self.configured.leads_to(&path)).then_some("git")
        };
        by_name.or_else(by_configuration)
    }

    /// Whether what a pattern says before its first wildcard is such a file or folder: then its
    /// author meant it.
    pub(super) fn is_named_by(self, pattern: &str) -> bool {
        let Some(named) = named(pattern) else { return false };
        let path = self.workdir.join(named.path);
        names_guarded(named)
            || self.configured.names(&path)
            || (named.is_whole && self.configured.leads_to(&path) && path != self.workdir)
    }
}

/// What a pattern says before its first wildcard.
#[derive(Debug, Clone, Copy)]
struct NamedPath<'a> {
    path: &'a Path,
    /// Whether that is all of it.
    is_whole: bool,
}

/// What obeys a file by its name. A path inside the working directory is given relative to it.
fn guarded_by(path: &Path) -> Option<&'static str> {
    match find_obeyed(path) {
        Some(found) if found.obeyed.class != ObeyedClass::Reported => Some(found.obeyed.by),
        _ => leads_to_guarded(path).then_some("other programs"),
    }
}

fn named(pattern: &str) -> Option<NamedPath<'_>> {
    let path = pattern.trim().trim_start_matches("> ").trim_start();
    let path = path.trim_start_matches("./").trim_start_matches("~/").trim_start_matches("**/");
    let named = match path.find(['*', '?', '[', '{']) {
        // Half a name names nothing.
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

    #[test]
    fn folders_on_the_way_count_too() {
        let by = |path: &str| guarded_by(Path::new(path));
        assert_eq!(by(".envrc"), Some("direnv, mise and asdf"));
        assert_eq!(by(".github"), Some("other programs"));
        assert_eq!((by("package.json"), by("src")), (None, None));
    }
}
