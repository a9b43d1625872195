//! Files that programs outside of any sandbox obey, as rules see them: what is one, and which
//! patterns name one. Pure.

use std::path::Path;

use tools_core::{ObeyedClass, find_obeyed, is_guarded, leads_to_guarded};

/// What obeys the file that a change of `path` would reach; `None` when nothing does, or only
/// builds do. A path inside the working directory is given relative to it.
pub(super) fn guarded_by(path: &Path) -> Option<&'static str> {
    match find_obeyed(path) {
        Some(found) if found.obeyed.class != ObeyedClass::Reported => Some(found.obeyed.by),
        _ => leads_to_guarded(path).then_some("other programs"),
    }
}

/// Whether what a pattern says before its first wildcard is such a file or folder: then its author
/// meant it.
pub(super) fn names_guarded(pattern: &str) -> bool {
    let path = pattern.trim().trim_start_matches("> ").trim_start();
    let path = path.trim_start_matches("./").trim_start_matches("~/").trim_start_matches("**/");
    let named = match path.find(['*', '?', '[', '{']) {
        // Half a name names nothing.
        Some(wildcard) => path[..wildcard].rfind('/').map_or("", |end| &path[..end]),
        None => path,
    };
    let named = Path::new(named);
    is_guarded(named) || (named == Path::new(path) && leads_to_guarded(named))
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
            assert_eq!(names_guarded(pattern), expected, "{pattern}");
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
