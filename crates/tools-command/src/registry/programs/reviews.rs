//! Less common version control systems, and tools that send stacks of changes to a forge.

use crate::registry::prelude::*;

const ANY: Program = Program { flags: "-h|--help -v|--version -n|--dry-run -*", ..Program::EXACT };
const ASKS: ArgumentCondition = Lacks("-h --help -n --dry-run");
const DISCARDS: Does = Is(Consequence::DiscardsWork);
const SETTINGS: Does = Hides("settings and aliases that later calls obey");

pub(super) static ALL: &[Program] = &[
    Program {
        family: &[
            "arc", "git-lfs", "moz-phab", "git-town", "gt", "graphite", "spr", "git-spr", "git-machete", "ghstack",
            "git-review", "repo-upload", "git-branchless", "git-pr", "stg",
        ],
        rules: &[
            when_all(
                &[
                    Operand(
                        "diff land patch-land submit ship propose push upload sync update merge ss s pr publish amend-publish backport hack-push commit-land ready mr create-pr",
                    ),
                    ASKS,
                ],
                PUBLISHES,
            ),
            when(First("hide wipe undo delete kill prune-branches restack-abort"), DISCARDS),
            when(First("config set-config alias install-certificate auth init-config"), SETTINGS),
            when(First("test run exec"), Hides("a command for each of some commits")),
        ],
        examples: &[
            ("arc land", Expect::Asks("publishes")),
            ("gt stack submit", Expect::Asks("publishes")),
            ("git-town ship", Expect::Asks("publishes")),
            ("spr diff", Expect::Asks("publishes")),
            ("gt auth --token x", Expect::Opaque("later calls obey")),
            ("git-lfs push origin main", Expect::Asks("publishes")),
        ],
        plain_lines: &["gt log", "git-town status"],
        ..ANY
    },
    Program {
        family: &["fossil", "sl", "sapling", "bzr", "brz", "darcs", "pijul", "p4", "perforce", "tf"],
        valued: "-R -m|--message -r|--rev --config --cwd -d -c -p -u -P",
        flags: "-h|--help -v|--version -n|--dry-run -C|--clean -f|--force -a|--all -*",
        rules: &[
            when_all(
                &[First("push sync submit send commit-push dcommit import shelve-push pr ci-push"), ASKS],
                PUBLISHES,
            ),
            when_all(
                &[
                    First(
                        "revert purge clean strip unrecord obliterate uncommit rebase-abort hide prune shun scrub goto",
                    ),
                    Has("-C --clean --force -f --all -a"),
                ],
                DISCARDS,
            ),
            when(First("purge clean strip unrecord obliterate hide shun scrub"), DISCARDS),
            when(Has("--config"), SETTINGS),
            when(First("settings config user remote-url login passwd"), SETTINGS),
            when(First("server ui http serve"), NeedsNetwork),
            when_all(&[First("bisect"), Operand("run")], Hides("a command for each of some commits")),
        ],
        examples: &[
            ("sl push", Expect::Asks("publishes")),
            ("fossil sync", Expect::Asks("publishes")),
            ("darcs push h", Expect::Asks("publishes")),
            ("p4 submit -d x", Expect::Asks("publishes")),
            ("sl --config alias.x=!id x", Expect::Opaque("later calls obey")),
            ("darcs obliterate --last 1", Expect::Asks("discards changes")),
        ],
        plain_lines: &["sl status", "fossil timeline"],
        ..ANY
    },
    Program {
        names: &["cvs"],
        valued: "-d -e -m -r",
        flags: "-Q -q -n -z# -f -x -C",
        rules: &[
            when(First("commit ci com import add remove rm tag rtag admin edit watch"), PUBLISHES),
            when(Has("-e"), Hides("an editor of its own choice")),
            when_all(&[First("update up"), Has("-C")], DISCARDS),
            when(First("login logout passwd"), SETTINGS),
        ],
        examples: &[
            ("cvs commit -m x", Expect::Asks("publishes")),
            ("cvs -e ./x commit", Expect::Opaque("its own choice")),
        ],
        plain_lines: &["cvs log x"],
        ..Program::EXACT
    },
];
