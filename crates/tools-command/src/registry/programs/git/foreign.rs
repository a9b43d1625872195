//! Subcommands of `git` that run other programs, or access other version control systems.

use crate::registry::prelude::*;

pub(super) const DIFFTOOL: Subcommand = command(
    "difftool",
    Syntax {
        flags: "-d|--dir-diff -y|--no-prompt --prompt --symlinks --no-symlinks -g|--gui --no-gui --tool-help \
                --trust-exit-code --no-trust-exit-code --cached|--staged --no-index",
        valued: "-t|--tool -x|--extcmd --rotate-to --skip-to",
        ..Syntax::GNU
    },
    &[when(Has("--extcmd"), Hides("`git` with a program of its own choice")), always(RunsLine(At::Value("--extcmd")))],
);

pub(super) const MERGE_INDEX: Subcommand = command(
    "merge-index",
    Syntax { flags: "-o -q", ..Syntax::LEADING },
    &[always(RunsWords(At::From(0))), always(Hides("`git merge-index` with a program"))],
);

pub(super) const FILTERS: Subcommand = command(
    "filter-branch",
    Syntax {
        flags: "-f|--force --prune-empty",
        valued: "--setup --subdirectory-filter --env-filter --tree-filter --index-filter --parent-filter --msg-filter \
                 --commit-filter --tag-name-filter --original -d --state-branch",
        ..Syntax::GNU
    },
    &[
        always(Hides("`git filter-branch` runs its filters")),
        always(RunsLine(At::Value("--env-filter --tree-filter --index-filter --msg-filter --commit-filter"))),
    ],
);

pub(super) const FOR_EACH_REPO: Subcommand =
    ruled("for-each-repo", &[always(Hides("`git` in repositories that a setting names"))]);

pub(super) const LFS: Subcommand = group(
    "lfs",
    &[
        command(
            "push",
            Syntax { flags: "-d|--dry-run -o|--object-id -a|--all --stdin", ..Syntax::EXACT },
            &[when(Lacks("--dry-run"), PUBLISHES)],
        ),
        ruled("lock unlock", &[always(PUBLISHES)]),
        ruled("migrate", &[when(FirstIsNot("info"), Says(Consequence::DiscardsWork, "rewrites history"))]),
        command(
            "prune",
            Syntax { flags: "-d|--dry-run", ..Syntax::EXACT },
            &[when(Lacks("--dry-run"), Says(Consequence::DiscardsWork, "removes large files"))],
        ),
        ruled(
            "install uninstall update",
            &[always(Writes(At::Path(".git/config"))), always(Writes(At::Path(".git/hooks")))],
        ),
    ],
);

pub(super) const SUBTREE: Subcommand = Subcommand {
    names: "subtree",
    syntax: Syntax {
        flags: "-q|--quiet -d|--debug --squash --rejoin --ignore-joins",
        valued: "-P|--prefix -m|--message -b|--branch --annotate --onto",
        ..Syntax::EXACT
    },
    subcommands: &[
        ruled("push", &[always(PUBLISHES)]),
        ruled("add merge pull", &[always(Unpacks(At::Value("--prefix")))]),
        each("split"),
    ],
    ..Subcommand::NEW
};

pub(super) const SVN: Subcommand = Subcommand {
    names: "svn",
    syntax: Syntax { flags: "-q|--quiet -v -l -n|--dry-run", valued: "-r|--revision --username", ..Syntax::EXACT },
    subcommands: &[
        ruled("dcommit set-tree commit-diff branch tag propset", &[when(Lacks("--dry-run"), PUBLISHES)]),
        ruled("clone init fetch", &[always(Connects(At::Remotes)), always(NeedsNetwork)]),
        ruled("reset", &[always(Is(Consequence::DiscardsWork))]),
    ],
    ..Subcommand::NEW
};

pub(super) const SVN_LIKE: Subcommand =
    ruled("cvsexportcommit cvsimport archimport", &[always(PUBLISHES), always(NeedsNetwork)]);

pub(super) const P4: Subcommand = Subcommand {
    names: "p4",
    syntax: Syntax { flags: "-n|--dry-run -v|--verbose", valued: "--git-dir", ..Syntax::EXACT },
    subcommands: &[
        ruled("submit", &[when(Lacks("--dry-run"), PUBLISHES)]),
        ruled("clone sync unshelve", &[always(NeedsNetwork)]),
        each("rebase"),
    ],
    ..Subcommand::NEW
};

pub(super) const FLOW: Subcommand = ruled("flow", &[always(By(flow)), always(Decides(At::From(0)))]);

/// Effects of `git flow KIND ACTION`.
fn flow(parsed: &Parsed<'_>) -> Vec<Effect> {
    let action = parsed.operand(1).map(|word| word.text.as_str()).unwrap_or_default();
    let pushes =
        parsed.command.options().any(|option| option == "--push" || option == "-p" || option == "--pushproduction");
    let deletes = parsed.command.options().any(|option| option == "-D" || option == "--force_delete" || option == "-f");
    match action {
        "publish" => vec![Effect::is(Consequence::Publishes)],
        "finish" | "close" if pushes => vec![Effect::is(Consequence::Publishes)],
        "delete" => vec![Effect::says(Consequence::DiscardsWork, "deletes a branch")],
        "finish" if deletes => vec![Effect::says(Consequence::DiscardsWork, "deletes a branch")],
        _ => Vec::new(),
    }
}
