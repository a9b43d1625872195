//! Look-up of paths in the table. Pure, and fast enough for every entry of a workspace.

use std::collections::HashMap;
use std::path::{Component, Path};
use std::sync::LazyLock;

use super::pattern::{Piece, SuffixMatch, fit, is_name, pieces};
use super::table::{ObeyedClass, ObeyedFile, ROWS};

/// Entry of the table for a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObeyedMatch {
    /// The entry.
    pub obeyed: &'static ObeyedFile,
    /// Number of path components before the match.
    pub start: usize,
}

struct Row {
    obeyed: ObeyedFile,
    pieces: Vec<Piece>,
}

/// The table, indexed by the first name of each pattern.
struct Index {
    by_name: HashMap<&'static str, Vec<Row>>,
    /// Patterns whose first name has a wildcard.
    open: Vec<Row>,
    /// Patterns that start at the root.
    rooted: Vec<Row>,
    longest: usize,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut index = Index { by_name: HashMap::new(), open: vec![], rooted: vec![], longest: 0 };
    for (class, by, patterns) in ROWS {
        for pattern in *patterns {
            let row = Row { obeyed: ObeyedFile { pattern, by, class: *class }, pieces: pieces(pattern) };
            match row.pieces.first() {
                _ if pattern.starts_with('/') => index.rooted.push(row),
                Some(Piece::Name(name)) => {
                    index.longest = index.longest.max(name.len());
                    index.by_name.entry(*name).or_default().push(row);
                }
                _ => index.open.push(row),
            }
        }
    }
    index
});

/// Finds the entry of the table for `path`, relative or absolute: `path` is, or lies in, something
/// that programs obey. Among several entries the strictest wins, then the one that starts first.
/// Case is ignored, since a repository may be checked out on a file system that ignores it.
pub fn find_obeyed(path: &Path) -> Option<ObeyedMatch> {
    let mut best: Option<ObeyedMatch> = None;
    each_fit(path, |row, start, fit| {
        let is_stricter = best.is_none_or(|best| row.obeyed.class > best.obeyed.class);
        if fit == SuffixMatch::Whole && is_stricter {
            best = Some(ObeyedMatch { obeyed: &row.obeyed, start });
        }
    });
    best
}

/// Whether a change of `path` needs a question.
pub fn is_guarded(path: &Path) -> bool {
    find_obeyed(path).is_some_and(|found| found.obeyed.class != ObeyedClass::Reported)
}

/// Whether `path` is the beginning of a guarded path (`.github`): a folder moved there may bring
/// guarded files with it.
pub fn leads_to_guarded(path: &Path) -> bool {
    let mut leads = false;
    each_fit(path, |row, _, fit| leads |= fit == SuffixMatch::Beginning && row.obeyed.class == ObeyedClass::Guarded);
    leads
}

/// Compares every suffix of `path` with the patterns that may begin there.
fn each_fit(path: &Path, mut tell: impl FnMut(&'static Row, usize, SuffixMatch)) {
    let index = &*INDEX;
    let names: Vec<Option<&str>> = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_str()),
            _ => None,
        })
        .collect();
    if path.is_absolute() {
        for row in &index.rooted {
            tell(row, 0, fit(&row.pieces, &names));
        }
    }
    let mut lower = [0; 64];
    for (start, name) in names.iter().enumerate() {
        let Some(name) = name else { continue };
        let rest = &names[start..];
        if name.len() <= index.longest.min(lower.len()) {
            let lower = &mut lower[..name.len()];
            lower.copy_from_slice(name.as_bytes());
            lower.make_ascii_lowercase();
            let rows = std::str::from_utf8(lower).ok().and_then(|name| index.by_name.get(name));
            for row in rows.into_iter().flatten() {
                tell(row, start, fit(&row.pieces, rest));
            }
        }
        let open = index.open.iter().filter(|row| row.pieces.first().is_some_and(|first| is_name(*first, name)));
        for row in open {
            tell(row, start, fit(&row.pieces, rest));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(path: &str) -> Option<ObeyedClass> {
        find_obeyed(Path::new(path)).map(|found| found.obeyed.class)
    }

    #[test]
    fn what_runs_outside_without_a_build_is_guarded() {
        for path in [
            ".git/config",
            "a/b/.git/config.worktree",
            ".git/hooks",
            "sub/.git/hooks/post-checkout",
            ".git/info/attributes",
            ".git/modules/lib/x/config",
            ".git/modules/lib/x/hooks/pre-push",
            ".git/worktrees/w/config.worktree",
            ".git/worktrees/w/commondir",
            "sub/.git/worktrees/w/commondir",
            ".git/modules/lib/worktrees/w/commondir",
            ".git/modules/lib/x/worktrees/w/config.worktree",
            ".git",
            ".gitmodules",
            ".vscode",
            "pkg/.vscode/tasks.json",
            ".idea/workspace.xml",
            "x.code-workspace",
            "x.sublime-project",
            ".helix/languages.toml",
            ".theia/tasks.json",
            ".hg/hgrc",
            "QWEN.md",
            "WARP.md",
            ".rules",
            ".trae/rules/x.md",
            ".nvim.lua",
            ".mcp.json",
            "CLAUDE.md",
            "docs/AGENTS.md",
            ".claude/commands/a.md",
            ".cursor/rules/x.mdc",
            ".github/copilot-instructions.md",
            ".github/workflows/ci.yml",
            ".gitlab-ci.yml",
            "Jenkinsfile",
            ".envrc",
            ".mise.local.toml",
            ".tool-versions",
            "/home/me/.bashrc",
            "/home/me/.ssh/authorized_keys",
            "/home/me/.config/systemd/user/x.service",
            ".npmrc",
            ".pdbrc",
            ".ghci",
            ".ocamlinit",
            "apps/.iex.exs",
            ".octaverc",
            "rust-analyzer.toml",
            ".rust-analyzer.toml",
            ".cargo/config.toml",
            "/etc/hosts",
            "/USR/bin/x",
            ".GIT/Config",
        ] {
            assert_eq!(class(path), Some(ObeyedClass::Guarded), "{path}");
        }
    }

    #[test]
    fn what_builds_obey_is_reported() {
        for path in [
            "package.json",
            "pkg/a/package.json",
            "Makefile",
            "build.rs",
            "conftest.py",
            "requirements-dev.txt",
            "vite.config.ts",
            "CMakeLists.txt",
            ".gitattributes",
            "docker-compose.prod.yml",
            "Dockerfile",
            "src/Cargo.toml",
            "tools/bazel",
            "WORKSPACE",
            ".rspec",
        ] {
            assert_eq!(class(path), Some(ObeyedClass::Reported), "{path}");
        }
    }

    #[test]
    fn what_a_commit_runs_asks() {
        for path in [
            ".husky/pre-commit",
            ".husky/_/h",
            ".pre-commit-config.yaml",
            "lefthook.yml",
            ".bsp/sbt.json",
            ".git/rebase-merge/git-rebase-todo",
        ] {
            assert_eq!((class(path), is_guarded(Path::new(path))), (Some(ObeyedClass::Asked), true), "{path}");
        }
    }

    #[test]
    fn everything_else_is_obeyed_by_nothing() {
        for path in [
            "",
            "/",
            "src/main.rs",
            ".git/index",
            ".git/rebase-merge/done",
            ".git/HEAD",
            ".git/worktrees/w/gitdir",
            ".git/worktrees/w/HEAD",
            ".git/objects/ab/cdef",
            ".git/refs/heads/hooks",
            ".gitignore",
            ".github/ISSUE_TEMPLATE.md",
            "etc/hosts",
            "config",
            "hooks/x",
            ".env",
            "README.md",
            "vscode/tasks.json",
            "target/debug/build/x/output",
        ] {
            assert_eq!(class(path), None, "{path}");
        }
    }

    #[test]
    fn the_start_of_a_pattern_is_known() {
        let start = |path: &str| find_obeyed(Path::new(path)).map(|found| found.start);
        assert_eq!(start("a/.git/config"), Some(1));
        assert_eq!(start("/w/a/.github/workflows/x.yml"), Some(2));
        assert_eq!(start(".vscode/.git/config"), Some(0));
    }

    #[test]
    fn folders_on_the_way_to_guarded_files_are_known() {
        for (path, expected) in
            [(".github", true), ("a/.config", true), (".git", true), ("gradle", false), ("src", false), ("", false)]
        {
            assert_eq!(leads_to_guarded(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn patterns_are_in_lower_case_and_occur_once() {
        let mut all: Vec<&str> = ROWS.iter().flat_map(|(_, _, patterns)| patterns.iter().copied()).collect();
        assert!(all.iter().all(|pattern| !pattern.bytes().any(|byte| byte.is_ascii_uppercase())));
        all.sort_unstable();
        let count = all.len();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
