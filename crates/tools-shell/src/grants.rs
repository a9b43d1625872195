//! Decides which of the files that outside programs obey a line may change: those it names, since a
//! line runs only if everything it names was approved, and those that git checks out with a branch.
//! Pure.

use std::path::{Path, PathBuf};

use tools_command::{Analysis, Command, Effect};
use tools_core::{Access, ConfiguredFiles, Subject, is_guarded, leads_to_guarded};
use tools_sandbox::kernel::ObeyedEntry;
use tools_sandbox::obeyed::Agreement;

use crate::transaction::{reads, writes_nothing_itself};

/// Subcommands of git that change files of the work tree, including files that programs obey, since
/// they belong to a branch. A patch is not a branch: its text may have been written just before.
const BRINGING: &[&str] = &[
    "bisect",
    "checkout",
    "cherry-pick",
    "clean",
    "clone",
    "merge",
    "mv",
    "pull",
    "read-tree",
    "rebase",
    "reset",
    "restore",
    "revert",
    "rm",
    "sparse-checkout",
    "stash",
    "submodule",
    "subtree",
    "switch",
    "worktree",
];

/// Subcommands that write the upstream of a branch or the source of a submodule to the
/// configuration.
const CONFIGURING: &[&str] =
    &["branch", "checkout", "clone", "fetch", "pull", "push", "sparse-checkout", "submodule", "switch", "worktree"];

/// Subcommands that create and remove further work trees and their links to the repository.
const KEEPING_TREES: &[&str] = &["gc", "worktree"];

/// Subcommands that change neither.
const OTHERS: &[&str] = &[
    "add",
    "blame",
    "commit",
    "describe",
    "diff",
    "gc",
    "grep",
    "log",
    "ls-files",
    "ls-remote",
    "reflog",
    "remote",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "status",
    "tag",
];

/// Path of a repository's configuration.
const CONFIGURATION: &str = ".git/config";

/// The obeyed files that a line may change.
#[derive(Debug, Default)]
pub(crate) struct Grants {
    /// Paths that it names as written or deleted.
    named: Vec<NamedPath>,
    /// Whether git may change files of the work tree.
    brings: bool,
    /// Whether git may change its own configuration, and no other program of the line could.
    configures: bool,
    /// Whether git may change the links of further work trees to their repository, under the same
    /// condition.
    keeps_trees: bool,
}

#[derive(Debug)]
struct NamedPath {
    path: PathBuf,
    access: Access,
    /// Whether the approval includes changes of obeyed files below the path: an approval of `touch
    /// src` covers only `src`.
    opens_below: bool,
}

impl Grants {
    /// The grants of a line with these subjects, which were all judged.
    pub(crate) fn of(found: &Analysis, subjects: &[Subject]) -> Self {
        let may_configure = only_git(found) || !found.commands.iter().any(sets_configuration);
        let named = subjects.iter().filter_map(|subject| match subject {
            // Nobody is asked about git's own settings, so beside other programs this path grants
            // nothing.
            Subject::Path { path, .. } if path.ends_with(CONFIGURATION) && !may_configure => None,
            Subject::Path { path, access: access @ (Access::Write | Access::Delete), .. } => {
                Some(NamedPath { path: path.clone(), access: *access, opens_below: false })
            }
            _ => None,
        });
        let is = |list: &[&str], command: &Command| subcommand(command).is_some_and(|name| list.contains(&name));
        let any = |list: &[&str]| found.commands.iter().any(|command| is(list, command));
        let is_git = |command| [BRINGING, CONFIGURING, OTHERS].iter().any(|list| is(list, command));
        let is_git_alone =
            writes_nothing_itself(found) && found.commands.iter().all(|command| is_git(command) || reads(command));
        Self {
            named: named.collect(),
            brings: any(BRINGING),
            configures: is_git_alone && any(CONFIGURING),
            keeps_trees: is_git_alone && any(KEEPING_TREES),
        }
    }

    /// Limits the grants to these canonical roots. A path that contains a root names nothing in it.
    /// Other folders include the files below them if they were judged as obeyed or are deleted.
    pub(crate) fn within(self, roots: &[PathBuf], configured: &ConfiguredFiles) -> Self {
        let named = self.named.into_iter().filter(|named| !roots.iter().any(|root| root.starts_with(&named.path)));
        let judged = |path: &Path| {
            let inside = roots.iter().find_map(|root| path.strip_prefix(root).ok()).unwrap_or(path);
            is_guarded(inside) || leads_to_guarded(inside) || configured.names(path) || configured.leads_to(path)
        };
        let opened = named
            .map(|named| NamedPath { opens_below: named.access == Access::Delete || judged(&named.path), ..named });
        Self { named: opened.collect(), ..self }
    }
}

impl Agreement for Grants {
    fn lift(&self, entry: &ObeyedEntry) -> bool {
        let is_named = |named: &NamedPath| {
            (entry.path.starts_with(&named.path) && (named.opens_below || entry.path == named.path))
                || named.path.starts_with(&entry.path)
        };
        let is_for_git = match entry.is_of_git {
            true if is_of_tree(&entry.path) => self.keeps_trees,
            true => self.configures && entry.path.ends_with("config"),
            false => self.brings,
        };
        is_for_git || self.named.iter().any(is_named)
    }

    fn cover(&self, path: &Path, is_of_git: bool) -> bool {
        self.named.iter().any(|named| path.starts_with(&named.path)) || (self.brings && !is_of_git)
    }

    fn lead_below(&self, path: &Path) -> bool {
        self.named.iter().any(|named| named.path.starts_with(path))
    }
}

/// Whether git keeps this path for a further work tree.
fn is_of_tree(path: &Path) -> bool {
    path.parent().and_then(Path::parent).is_some_and(|above| above.ends_with("worktrees"))
}

/// Whether no program but git could write anything.
fn only_git(found: &Analysis) -> bool {
    let is_git = |command: &Command| command.program.is_exact && command.via.is_empty() && command.name() == "git";
    writes_nothing_itself(found) && found.commands.iter().all(|command| is_git(command) || reads(command))
}

/// Whether a command is git and writes its own configuration.
fn sets_configuration(command: &Command) -> bool {
    let is_there = |effect: &Effect| matches!(effect, Effect::Path { path, access: Access::Write, .. } if path.text.ends_with(CONFIGURATION));
    command.name() == "git" && command.effects.iter().any(is_there)
}

/// The subcommand of git; `None` for other programs and after an unknown option.
fn subcommand(command: &Command) -> Option<&str> {
    let is_git = command.program.is_exact && command.via.is_empty() && command.name() == "git";
    let mut words = command.args.iter().filter(|_| is_git);
    loop {
        match words.next().filter(|word| word.is_exact)?.text.as_str() {
            "--no-pager" => {}
            "-C" => drop(words.next()),
            other => return Some(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use tools_command::{Surroundings, analyse};

    use super::*;

    fn of(line: &str, named: &[&str]) -> Grants {
        let subjects: Vec<_> = named.iter().map(|path| Subject::path(*path, Access::Write)).collect();
        Grants::of(&analyse(line, &Surroundings::default()), &subjects)
            .within(&["/w".into()], &ConfiguredFiles::default())
    }

    fn entry(path: &str, is_of_git: bool) -> ObeyedEntry {
        let class = tools_core::ObeyedClass::Guarded;
        ObeyedEntry {
            path: path.into(),
            by: "git",
            class,
            is_folder: false,
            is_link: false,
            is_of_git,
            is_configured: false,
            held: None,
        }
    }

    #[test]
    fn what_a_line_names_is_lifted_with_the_folder_it_lies_in() {
        let grants = of("echo x > f", &["/w/.vscode/tasks.json"]);
        assert!(grants.lift(&entry("/w/.vscode", false)));
        assert!(!grants.lift(&entry("/w/.envrc", false)));
        assert!(grants.cover(Path::new("/w/.vscode/tasks.json"), false));
        assert!(!grants.cover(Path::new("/w/.vscode/settings.json"), false));
        assert!(grants.lead_below(Path::new("/w/.vscode")));
    }

    #[test]
    fn a_folder_that_is_named_opens_nothing_that_nobody_was_asked_about() {
        let lifts = |named: &str, path: &str| of("touch x", &[named]).lift(&entry(path, false));
        assert!(!lifts("/w", "/w/.envrc") && !lifts("/", "/w/.envrc") && !lifts("/w/src", "/w/src/CLAUDE.md"));
        assert!(lifts("/w/.github", "/w/.github/workflows") && lifts("/w/src/CLAUDE.md", "/w/src/CLAUDE.md"));
        assert!(!of("touch .", &["/w"]).cover(Path::new("/w/.envrc"), false));
        let deleted =
            Grants::of(&analyse("rm -r app", &Surroundings::default()), &[Subject::path("/w/app", Access::Delete)]);
        assert!(deleted.within(&["/w".into()], &ConfiguredFiles::default()).lift(&entry("/w/app/.envrc", false)));
    }

    #[test]
    fn what_git_sets_is_lifted_where_git_is_alone() {
        let lifts = |line: &str| of(line, &["/w/.git/config"]).lift(&entry("/w/.git/config", true));
        assert!(lifts("git config user.name x") && lifts("cd a; git remote add o u && git log | head -1"));
        assert!(!lifts("git config user.name x; python3 x.py"));
        assert!(lifts("cp x .git/config"), "somebody was asked");
    }

    #[test]
    fn git_may_remove_further_work_trees() {
        let lifts = |line: &str| of(line, &[]).lift(&entry("/w/.git/worktrees/t/commondir", true));
        assert!(lifts("git worktree remove ../t") && lifts("git gc && git status"));
        assert!(!lifts("git worktree list; python3 x.py") && !lifts("git checkout main"));
    }

    #[test]
    fn git_may_change_its_work_tree_and_what_branches_follow() {
        let check = |line: &str, brings: bool, configures: bool| {
            let grants = of(line, &[]);
            let lifted = |path: &str, is_of_git| grants.lift(&entry(path, is_of_git));
            assert_eq!((lifted("/w/.envrc", false), lifted("/w/.git/config", true)), (brings, configures), "{line}");
            assert!(!lifted("/w/.git/hooks", true), "{line}");
            assert_eq!(grants.cover(Path::new("/w/.envrc"), false), brings, "{line}");
        };
        check("git checkout main", true, true);
        check("git stash && git -C a pull --rebase", true, true);
        check("cd a; git --no-pager merge x 2>/dev/null | tail -3", true, false);
        check("git add -A && git commit -m x && git push -u origin x", false, true);
        check("git pull && make", true, false);
        check("git branch -d x; python3 x.py", false, false);
        check("git checkout x > .git/config", true, false);
        for line in [
            "git -C checkout x",
            "git -c a.b=c checkout x",
            "git $x checkout",
            "git config a.b c",
            "git commit -m x",
            "git apply x.patch",
            "git am x.patch",
            "env git checkout x",
            "python3 x.py",
            "ls",
        ] {
            check(line, false, false);
        }
    }
}
