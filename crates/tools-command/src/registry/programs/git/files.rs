//! Subcommands of `git` that name files to read, write or remove.

use super::objects;
use crate::registry::prelude::*;

/// Options of the `git diff` family with a value; it is harmless not to know the rest.
const DIFF_VALUED: &str = "-U|--unified --output --output-indicator-new -S -G -O --inter-hunk-context --diff-algorithm \
                           --anchored --diff-filter --word-diff-regex --ws-error-highlight --src-prefix --dst-prefix \
                           --line-prefix --relative-to --format --since --after --until --before --author --committer \
                           --grep --max-count --skip -n -L --glob --exclude --date";
const DIFF_FLAGS: &str = "-p|--patch -s|--no-patch --raw --minimal --patience --histogram --numstat --shortstat \
                          --summary --name-only --name-status --no-renames --check --full-index --binary -a|--text -R \
                          -b -w -z --exit-code --quiet --ext-diff --no-ext-diff --textconv --no-textconv --no-index \
                          --cached|--staged --merge-base --no-prefix --pickaxe-all -i --all --oneline -q -r -t -c -m \
                          --graph --follow -l -g -W -D -F -E -P";

/// Further effects of every command that shows differences.
const SHOWS: [Rule; 3] = [
    always(Writes(At::Value("--output"))),
    when(Has("--ext-diff"), Hides("`git` with a program that shows differences")),
    always(By(objects::named)),
];

const DIFF_SYNTAX: Syntax =
    Syntax { flags: DIFF_FLAGS, valued: DIFF_VALUED, optional: "--stat --color -M -B -#", ..Syntax::GNU };

pub(super) const DIFF: Subcommand =
    command("diff", DIFF_SYNTAX, &[SHOWS[0], SHOWS[1], SHOWS[2], when(Has("--no-index"), Reads(At::All))]);

const fn shows(names: &'static str) -> Subcommand {
    command(names, DIFF_SYNTAX, &SHOWS)
}

pub(super) const LOG: Subcommand = shows("log");
pub(super) const SHOW: Subcommand = shows("show");
pub(super) const WHATCHANGED: Subcommand = shows("whatchanged");
pub(super) const DIFF_TREE: Subcommand = shows("diff-tree");
pub(super) const DIFF_INDEX: Subcommand = shows("diff-index");
pub(super) const DIFF_FILES: Subcommand = shows("diff-files");

pub(super) const FORMAT_PATCH: Subcommand = command(
    "format-patch",
    Syntax {
        flags: "--stdout -k|--keep-subject -n|--numbered -N|--no-numbered -s|--signoff --cover-letter -q|--quiet --root \
                --ext-diff -p -#",
        valued: "-o|--output-directory --output --start-number -v|--reroll-count --to --cc --in-reply-to --subject-prefix \
                 --suffix --base --signature --signature-file",
        optional: "--attach --inline --thread --from --rfc",
        ..Syntax::GNU
    },
    &[SHOWS[0], SHOWS[1], always(Writes(At::Value("--output-directory")))],
);

pub(super) const GREP: Subcommand = command(
    "grep",
    Syntax {
        flags: "--cached --no-index --untracked --no-exclude-standard --exclude-standard --recurse-submodules \
                -v|--invert-match -i|--ignore-case -w|--word-regexp -a|--text --textconv --no-textconv -I -r|--recursive \
                --no-recursive -E|--extended-regexp -G|--basic-regexp -F|--fixed-strings -P|--perl-regexp \
                -n|--line-number --column -h -H --full-name -l|--files-with-matches|--name-only -L|--files-without-match \
                -z|--null -o|--only-matching -c|--count --no-color --break --heading -p|--show-function \
                -W|--function-context --and --or --not --all-match -q|--quiet --ext-grep -#",
        valued: "--max-depth -m|--max-count -A|--after-context -B|--before-context -C|--context --threads -f -e",
        optional: "--color -O|--open-files-in-pager",
        ..Syntax::GNU
    },
    &[
        when(Has("--open-files-in-pager"), Hides("`git grep` that opens a pager")),
        always(RunsLine(At::Value("--open-files-in-pager"))),
        always(Reads(At::Value("-f"))),
        always(By(objects::named)),
    ],
);

pub(super) const ADD: Subcommand = Subcommand { names: "add|stage", ..Subcommand::NEW };

pub(super) const RM: Subcommand = command(
    "rm",
    Syntax {
        flags: "-n|--dry-run -q|--quiet --cached -f|--force -r --ignore-unmatch --sparse --pathspec-file-nul",
        valued: "--pathspec-from-file",
        ..Syntax::GNU
    },
    &[
        when_all(
            &[Has("-r --force --pathspec-from-file"), Lacks("--cached --dry-run")],
            Says(Consequence::Destroys, "deletes files"),
        ),
        when(Lacks("--cached --dry-run"), DeletesTrees(At::All)),
    ],
);

pub(super) const MV: Subcommand = command(
    "mv",
    Syntax { flags: "-v|--verbose -n|--dry-run -f|--force -k --sparse", ..Syntax::GNU },
    &[when(Lacks("--dry-run"), DeletesTrees(At::AllButLast)), when(Lacks("--dry-run"), Writes(At::Last))],
);

pub(super) const CLEAN: Subcommand = command(
    "clean",
    Syntax {
        flags: "-d -f|--force -i|--interactive -n|--dry-run -q|--quiet -x -X",
        valued: "-e|--exclude",
        ..Syntax::GNU
    },
    &[when(Lacks("--dry-run"), Says(Consequence::Destroys, "deletes files"))],
);

pub(super) const APPLY: Subcommand = command(
    "apply",
    Syntax {
        flags: "--stat --numstat --summary --check --index -N|--intent-to-add --3way|-3 --ours --theirs --union --cached \
                --apply --no-add -R|--reverse --allow-binary-replacement|--binary --reject -z --inaccurate-eof \
                --recount --ignore-space-change --ignore-whitespace --unidiff-zero --unsafe-paths --allow-overlap \
                --allow-empty -v|--verbose -q|--quiet",
        valued: "--build-fake-ancestor -p -C --directory --exclude --include --whitespace",
        ..Syntax::GNU
    },
    &[
        when(Has("--unsafe-paths"), Hides("a patch that may change files outside of the repository")),
        always(Reads(At::All)),
        always(Writes(At::Value("--build-fake-ancestor"))),
    ],
);

pub(super) const ARCHIVE: Subcommand = command(
    "archive",
    Syntax {
        flags: "-v|--verbose -l|--list --worktree-attributes -#",
        valued: "-o|--output --format --prefix --add-file --add-virtual-file --remote --exec --mtime",
        ..Syntax::GNU
    },
    &[
        always(Writes(At::Value("--output"))),
        always(Reads(At::Value("--add-file"))),
        always(By(super::remotes::remote)),
        always(By(super::remotes::names_helper)),
        when(Has("--exec"), super::remotes::OTHER_SIDE),
        always(RunsLine(At::Value("--exec"))),
    ],
);

pub(super) const BUNDLE: Subcommand =
    group("bundle", &[ruled("create", &[always(Writes(At::Nth(0)))]), each("verify list-heads unbundle")]);

pub(super) const CHECKOUT_INDEX: Subcommand = command(
    "checkout-index",
    Syntax {
        flags: "-u|--index -q|--quiet -f|--force -a|--all -n|--no-create -z --stdin --temp",
        valued: "--prefix --stage",
        ..Syntax::GNU
    },
    &[
        when_all(&[Has("--force"), Lacks("--prefix")], Is(Consequence::DiscardsWork)),
        always(Writes(At::Value("--prefix"))),
    ],
);

pub(super) const FAST_EXPORT: Subcommand = command(
    "fast-export",
    Syntax { valued: "--export-marks --import-marks --import-marks-if-exists --refspec", ..Syntax::GNU },
    &[always(Writes(At::Value("--export-marks")))],
);

pub(super) const INTERPRET_TRAILERS: Subcommand = command(
    "interpret-trailers",
    Syntax {
        flags: "--in-place --trim-empty --only-trailers --only-input --unfold --parse --no-divider",
        valued: "--where --if-exists --if-missing --trailer",
        ..Syntax::GNU
    },
    &[when(Has("--in-place"), Writes(At::All))],
);

pub(super) const MERGE_FILE: Subcommand = command(
    "merge-file",
    Syntax {
        flags: "-p|--stdout --diff3 --zdiff3 --ours --theirs --union -q|--quiet --object-id",
        valued: "-L --marker-size --diff-algorithm",
        ..Syntax::GNU
    },
    &[when(Lacks("--stdout"), Writes(At::Nth(0))), always(Reads(At::All))],
);

pub(super) const WORKTREE: Subcommand = group(
    "worktree",
    &[
        command(
            "add",
            Syntax {
                flags: "-f|--force --detach -d --checkout --no-checkout --lock -q|--quiet --track --no-track \
                        --guess-remote --no-guess-remote --orphan --relative-paths",
                valued: "-b -B --reason",
                ..Syntax::GNU
            },
            &[
                always(Writes(At::Nth(0))),
                when(Has("-B"), Says(Consequence::DiscardsWork, "may lose commits of a branch")),
            ],
        ),
        command(
            "remove",
            Syntax { flags: "-f|--force", ..Syntax::GNU },
            &[always(DeletesTrees(At::All)), when(Has("--force"), Is(Consequence::DiscardsWork))],
        ),
        command(
            "move",
            Syntax { flags: "-f|--force", ..Syntax::GNU },
            &[always(DeletesTrees(At::Nth(0))), always(Writes(At::Nth(1)))],
        ),
        each("list prune lock unlock repair"),
    ],
);

pub(super) const SUBMODULE: Subcommand = Subcommand {
    names: "submodule",
    syntax: Syntax { flags: "-q|--quiet --cached", ..Syntax::GNU },
    subcommands: &[
        command("foreach", Syntax { flags: "-q|--quiet --recursive", ..Syntax::LEADING }, &[always(RunsLine(At::All))]),
        command(
            "add",
            Syntax { flags: "-f|--force -q", valued: "-b|--branch --name --reference --depth", ..Syntax::GNU },
            &[
                always(Connects(At::Remotes)),
                always(By(super::remotes::names_helper)),
                always(By(super::remotes::cloned)),
                always(Writes(At::Path(".gitmodules"))),
                always(Writes(At::Path(".git/config"))),
            ],
        ),
        command(
            "deinit",
            Syntax { flags: "-f|--force --all", ..Syntax::GNU },
            &[when(Has("--force"), Is(Consequence::DiscardsWork))],
        ),
        command(
            "update",
            Syntax {
                flags: "--init --remote -N|--no-fetch -f|--force --checkout --merge --rebase --recursive --progress \
                        --no-recommend-shallow --recommend-shallow --single-branch --no-single-branch",
                valued: "--reference --depth -j|--jobs --filter",
                ..Syntax::GNU
            },
            &[when(Has("--force"), Is(Consequence::DiscardsWork))],
        ),
        configures("set-url"),
        configures("set-branch"),
        each("status init summary sync absorbgitdirs"),
    ],
    ..Subcommand::NEW
};

/// Effects of changing where submodules point.
const CONFIGURES: &[Rule] = &[always(Writes(At::Path(".gitmodules"))), always(Writes(At::Path(".git/config")))];

const fn configures(names: &'static str) -> Subcommand {
    ruled(names, CONFIGURES)
}
