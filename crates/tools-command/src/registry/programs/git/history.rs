//! Subcommands of `git` that may lose changes or the way back to them.

use super::tree;
use crate::reader::Value;
use crate::registry::prelude::*;

const DISCARDS: Does = Is(Consequence::DiscardsWork);

/// Options that `checkout`, `switch` and `restore` share.
const TREE: &str = "-q|--quiet --progress --no-progress -m|--merge --recurse-submodules --no-recurse-submodules \
                    --ours --theirs -p|--patch --ignore-skip-worktree-bits --overlay --no-overlay --ignore-unmerged \
                    --pathspec-file-nul -l --guess --no-guess --ignore-other-worktrees --overwrite-ignore \
                    --no-overwrite-ignore --no-track -d|--detach -f|--force";

pub(super) const BISECT: Subcommand = group("bisect", &[command("run", Syntax::LEADING, RUNS_OPERANDS)]);

pub(super) const BRANCH: Subcommand = command(
    "branch",
    Syntax {
        flags: "-v|-vv|--verbose -q|--quiet -r|--remotes -a|--all -d|--delete -D -m|--move -M -c|--copy -C|--force-copy -l|--list \
                --show-current --create-reflog --edit-description -f|--force --no-column --no-color -i|--ignore-case \
                --recurse-submodules --unset-upstream --no-track --omit-empty --no-abbrev",
        valued: "-u|--set-upstream-to --contains --no-contains --merged --no-merged --sort --points-at --format",
        optional: "-t|--track --color --abbrev --column",
        ..Syntax::GNU
    },
    &[
        when(
            Has("-D -M --force-copy --force"),
            Says(Consequence::DiscardsWork, "may lose commits of a branch that is not merged"),
        ),
        when(Has("--set-upstream-to --unset-upstream --edit-description"), Writes(At::Path(".git/config"))),
    ],
);

pub(super) const CHECKOUT: Subcommand = command(
    "checkout",
    Syntax {
        flags: TREE,
        valued: "-b -B --orphan --conflict --pathspec-from-file -U|--unified --inter-hunk-context",
        optional: "-t|--track",
        ..Syntax::GNU
    },
    &[
        when(Has("--force --pathspec-from-file"), DISCARDS),
        when(Has("-B"), Says(Consequence::DiscardsWork, "may lose commits of a branch")),
        when(Lacks("-b --orphan"), By(tree::discards_several)),
    ],
);

pub(super) const SWITCH: Subcommand = command(
    "switch",
    Syntax {
        flags: "-q|--quiet --progress --no-progress -m|--merge --recurse-submodules --no-recurse-submodules --guess \
                --no-guess --ignore-other-worktrees --overwrite-ignore --no-track -d|--detach -f|--force \
                --discard-changes",
        valued: "-c|--create -C|--force-create --orphan --conflict",
        optional: "-t|--track",
        ..Syntax::GNU
    },
    &[
        when(Has("--force --discard-changes"), DISCARDS),
        when(Has("--force-create"), Says(Consequence::DiscardsWork, "may lose commits of a branch")),
    ],
);

pub(super) const RESTORE: Subcommand = command(
    "restore",
    Syntax {
        flags: "-S|--staged -W|--worktree -q|--quiet --progress --no-progress -m|--merge --recurse-submodules \
                --no-recurse-submodules --ours --theirs -2 -3 -p|--patch --ignore-skip-worktree-bits --overlay \
                --no-overlay --ignore-unmerged --pathspec-file-nul",
        valued: "-s|--source --conflict --pathspec-from-file -U|--unified --inter-hunk-context",
        ..Syntax::GNU
    },
    &[
        when(Lacks("--staged"), By(tree::discards_several)),
        when(Has("--worktree"), By(tree::discards_several)),
        when_all(&[Lacks("--staged"), Has("--pathspec-from-file")], DISCARDS),
    ],
);

pub(super) const COMMIT: Subcommand = Subcommand {
    names: "commit",
    syntax: Syntax {
        flags: "-a|--all -p|--patch --interactive -i|--include -o|--only -n|--no-verify --verify -q|--quiet -v|--verbose \
                -s|--signoff --no-signoff --amend --no-edit -e|--edit --allow-empty --allow-empty-message --reset-author \
                --short --branch --porcelain --long -z|--null --dry-run --status --no-status --no-gpg-sign \
                --pathspec-file-nul --ahead-behind --no-post-rewrite",
        valued: "-m|--message -F|--file --author --date --reuse-message --reedit-message --fixup --squash --trailer \
                 -t|--template --cleanup --pathspec-from-file",
        optional: "-u|--untracked-files -S|--gpg-sign",
        ..Syntax::GNU
    },
    ..Subcommand::NEW
};

pub(super) const RESET: Subcommand = command(
    "reset",
    Syntax {
        flags: "-q|--quiet --no-quiet --mixed --soft --hard --merge --keep -p|--patch -N|--intent-to-add --refresh \
                --no-refresh --pathspec-file-nul",
        valued: "--pathspec-from-file -U|--unified --inter-hunk-context",
        optional: "--recurse-submodules --no-recurse-submodules",
        ..Syntax::GNU
    },
    &[when(Has("--hard --keep --merge"), DISCARDS)],
);

pub(super) const READ_TREE: Subcommand = command(
    "read-tree",
    Syntax {
        flags: "-m --reset -u -i -n|--dry-run -v --trivial --aggressive --empty --no-sparse-checkout --recurse-submodules \
                -q|--quiet",
        valued: "--index-output --prefix --exclude-per-directory",
        ..Syntax::GNU
    },
    &[when_all(&[Has("--reset"), Lacks("--dry-run")], DISCARDS)],
);

pub(super) const STASH: Subcommand = Subcommand {
    names: "stash",
    syntax: Syntax {
        flags: "-p|--patch -S|--staged -k|--keep-index --no-keep-index -q|--quiet -u|--include-untracked \
                --no-include-untracked -a|--all --index --only-untracked --pathspec-file-nul",
        valued: "-m|--message --pathspec-from-file",
        ..Syntax::GNU
    },
    subcommands: &[ruled("drop clear", &[always(DISCARDS)]), each("push save list show pop apply branch create store")],
    ..Subcommand::NEW
};

pub(super) const TAG: Subcommand = command(
    "tag",
    Syntax {
        flags: "-l|--list -a|--annotate -s|--sign --no-sign -d|--delete -v|--verify -f|--force -i|--ignore-case \
                --create-reflog -e|--edit --omit-empty",
        valued: "-m|--message -F|--file -u|--local-user --cleanup --contains --no-contains --merged --no-merged --sort \
                 --points-at --format --trailer",
        optional: "-n --column --color",
        ..Syntax::GNU
    },
    &[
        when(Has("--delete"), Says(Consequence::DiscardsWork, "deletes a tag")),
        when(Has("--force"), Says(Consequence::DiscardsWork, "moves a tag")),
    ],
);

pub(super) const REBASE: Subcommand = command(
    "rebase",
    Syntax {
        flags: "--continue --skip --abort --quit --edit-todo --show-current-patch -i|--interactive -q|--quiet \
                -v|--verbose -n|--no-stat --stat --no-verify --verify -f|--force-rebase|--no-ff --ff --fork-point \
                --no-fork-point --root --autosquash --no-autosquash --autostash --no-autostash --keep-base --apply \
                --merge|-m --no-rebase-merges --signoff --no-signoff --committer-date-is-author-date \
                --reset-author-date|--ignore-date --ignore-whitespace --update-refs --no-update-refs \
                --reschedule-failed-exec --no-reschedule-failed-exec --rerere-autoupdate --no-gpg-sign \
                --reapply-cherry-picks --no-reapply-cherry-picks --keep-empty --no-keep-empty",
        valued: "--onto -s|--strategy -X|--strategy-option -x|--exec -C --whitespace --empty",
        optional: "-r|--rebase-merges -S|--gpg-sign",
        ..Syntax::GNU
    },
    &[MERGES, always(RunsLine(At::Value("--exec")))],
);

/// Built-in merge strategies; for any other name `git` starts a program.
const STRATEGIES: [&str; 6] = ["octopus", "ort", "ours", "recursive", "resolve", "subtree"];

fn strategy(parsed: &Parsed<'_>) -> Vec<Effect> {
    let is_own = |name: &Value| name.is_exact && STRATEGIES.contains(&name.text.as_str());
    let other = parsed.values("--strategy").find(|name| !is_own(name));
    other.map(|_| Effect::hidden("`git` with a program that merges")).into_iter().collect()
}

pub(super) const MERGES: Rule = when(Has("--strategy"), By(strategy));

pub(super) const MERGE: Subcommand =
    command("merge", Syntax { valued: "-s|--strategy -m -F|--file -X", ..Syntax::GNU }, &[MERGES]);

pub(super) const PICK: Subcommand =
    command("cherry-pick revert", Syntax { valued: "--strategy -m|--mainline -X", ..Syntax::GNU }, &[MERGES]);

pub(super) const UPDATE_REF: Subcommand =
    ruled("update-ref", &[always(Says(Consequence::DiscardsWork, "moves or deletes a reference"))]);

pub(super) const REFS: Subcommand = group(
    "refs",
    &[ruled("delete update", &[always(Says(Consequence::DiscardsWork, "moves or deletes a reference"))])],
);

const WAY_BACK: Does = Says(Consequence::DiscardsWork, "discards the way back to earlier states");

pub(super) const REFLOG: Subcommand = Subcommand {
    names: "reflog",
    syntax: Syntax {
        flags: "-n|--dry-run --all --oneline --stat -p|--patch --abbrev-commit --no-abbrev-commit --no-decorate --reverse",
        optional: "-# --max-count --date --format --pretty --since --until --after --before --skip --author --grep-reflog",
        ..Syntax::GNU
    },
    subcommands: &[ruled("expire delete drop", &[when(Lacks("--dry-run"), WAY_BACK)])],
    ..Subcommand::NEW
};

pub(super) const GC: Subcommand = command(
    "gc",
    Syntax {
        flags: "--aggressive --auto --detach --no-detach -q|--quiet --force --keep-largest-pack --no-prune --cruft \
                --no-cruft",
        valued: "--max-cruft-size --expire-to",
        optional: "--prune",
        ..Syntax::GNU
    },
    &[when(Has("--prune"), WAY_BACK)],
);

pub(super) const PRUNE: Subcommand = command(
    "prune",
    Syntax { flags: "-n|--dry-run -v|--verbose --progress", valued: "--expire", ..Syntax::GNU },
    &[when(Lacks("--dry-run"), WAY_BACK)],
);

pub(super) const FAST_IMPORT: Subcommand =
    ruled("fast-import", &[always(Says(Consequence::DiscardsWork, "moves any reference"))]);

pub(super) const FILTER_REPO: Subcommand = command(
    "filter-repo",
    Syntax { flags: "--analyze --dry-run", ..Syntax::EXACT },
    &[
        when(Lacks("--analyze --dry-run"), Says(Consequence::DiscardsWork, "rewrites the whole history")),
        always(Hides("`git filter-repo`, whose callbacks are code")),
    ],
);
