//! Files that only git itself should write: plans of unfinished operations, and links from a work
//! tree to its repository. Checks that they are as git writes them.

use std::path::Path;

use super::small_file::{MAX_FILE_BYTES, read};

/// Merge strategies built into git. For any other, git runs `git merge-NAME`.
const STRATEGIES: &[&str] = &["octopus", "ort", "ours", "recursive", "resolve", "subtree"];

/// Whether `path` is named like a plan of git; its content decides whether it matters.
pub fn is_plan(path: &Path) -> bool {
    path.ends_with("rebase-merge/git-rebase-todo")
        || path.ends_with("rebase-merge/strategy")
        || path.ends_with("sequencer/opts")
        || path.ends_with(".git/rebase-merge")
        || path.ends_with(".git/sequencer")
}

/// Whether git runs a command from the plan at `path` when somebody continues it. An existing file
/// that cannot be read as a plan counts as one that does.
pub fn plan_runs_commands(path: &Path) -> bool {
    let is_file = path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    let text = read(path).ok().flatten().filter(|text| is_file && (text.len() as u64) < MAX_FILE_BYTES);
    let Some(text) = text else { return path.symlink_metadata().is_ok() };
    runs_commands(path, &String::from_utf8_lossy(&text))
}

/// Whether `path` leads from an additional work tree to its own repository, as `git worktree add`
/// writes it. Otherwise git would obey another configuration.
pub fn leads_to_own_repository(path: &Path) -> bool {
    let is_place = path.ends_with("commondir")
        && path.parent().and_then(Path::parent).is_some_and(|above| above.ends_with("worktrees"));
    let is_file = || path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    is_place && is_file() && read(path).ok().flatten().is_some_and(|text| text.trim_ascii() == b"../..")
}

fn runs_commands(path: &Path, text: &str) -> bool {
    let is_foreign = |strategy: &str| !STRATEGIES.contains(&strategy.trim().trim_matches('"'));
    if path.ends_with("git-rebase-todo") {
        return text.lines().any(|line| matches!(line.split_ascii_whitespace().next(), Some("exec" | "x")));
    }
    if path.ends_with("strategy") {
        return is_foreign(text);
    }
    text.lines()
        .filter_map(|line| line.split_once('='))
        .any(|(key, value)| key.trim() == "strategy" && is_foreign(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_in_a_plan_are_found() {
        for (path, text, expected) in [
            ("rebase-merge/git-rebase-todo", "pick 1 x\n# exec y\nlabel exec\n", false),
            ("rebase-merge/git-rebase-todo", "pick 1 x\n  exec make\n", true),
            ("rebase-merge/git-rebase-todo", "x\tmake\n", true),
            ("rebase-merge/strategy", "ort\n", false),
            ("rebase-merge/strategy", "../x\n", true),
            ("sequencer/opts", "[options]\n\tstrategy-option = ours\n\tstrategy = ort\n", false),
            ("sequencer/opts", "[options]\n\tstrategy = evil\n", true),
        ] {
            let path = Path::new("/w/.git").join(path);
            assert!(is_plan(&path));
            assert_eq!(runs_commands(&path, text), expected, "{} {text}", path.display());
        }
    }

    #[test]
    fn what_is_no_file_counts_as_one_with_commands() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join(".git/rebase-merge");
        std::fs::create_dir(place.path().join(".git")).unwrap();
        assert!(!plan_runs_commands(&path));
        std::os::unix::fs::symlink("elsewhere", &path).unwrap();
        assert!(is_plan(&path) && plan_runs_commands(&path));
    }

    #[test]
    fn a_work_tree_leads_to_its_own_repository_or_elsewhere() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("worktrees/w/commondir");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let check = |text: &str, expected: bool| {
            std::fs::write(&file, text).unwrap();
            assert_eq!(leads_to_own_repository(&file), expected, "{text}");
        };
        check("../..\n", true);
        check("../../../evil\n", false);
        check("../..\n../../evil", false);
        assert!(!leads_to_own_repository(&place.path().join("worktrees/commondir")));
    }
}
