//! Version control beside the well-known ones, and tools that hand stacks of changes to a forge.

use crate::registry::{
    ArgumentCondition::{self, First, Has, Lacks, Operand},
    Consequence, Does, Expect, Program, Syntax, when,
};

const ANY: Syntax = Syntax { flags: "-h|--help -v|--version -n|--dry-run -*", ..Syntax::EXACT };
const ASKS: ArgumentCondition = Lacks("-h --help -n --dry-run");
const PUBLISHES: Does = Does::Is(Consequence::Publishes);
const DISCARDS: Does = Does::Is(Consequence::DiscardsWork);
const SETTINGS: Does = Does::Hides("settings and aliases that later calls obey");

pub(super) static ALL: &[Program] = &[
    Program {
        names: &[
            "arc", "git-lfs", "moz-phab", "git-town", "gt", "graphite", "spr", "git-spr", "git-machete", "ghstack",
            "git-review", "repo-upload", "git-branchless", "git-pr", "stg",
        ],
        is_family: true,
        syntax: ANY,
        rules: &[
            when(
                &[
                    Operand(
                        "diff land patch-land submit ship propose push upload sync update merge ss s pr publish amend-publish backport hack-push commit-land ready mr create-pr",
                    ),
                    ASKS,
                ],
                PUBLISHES,
            ),
            when(&[First("hide wipe undo delete kill prune-branches restack-abort")], DISCARDS),
            when(&[First("config set-config alias install-certificate auth init-config")], SETTINGS),
            when(&[First("test run exec")], Does::Hides("a command for each of some commits")),
        ],
        examples: &[
            ("arc land", Expect::Asks("publishes")),
            ("gt stack submit", Expect::Asks("publishes")),
            ("git-town ship", Expect::Asks("publishes")),
            ("spr diff", Expect::Asks("publishes")),
            ("gt auth --token x", Expect::Opaque("later calls obey")),
            ("gt log", Expect::Plain),
            ("git-lfs push origin main", Expect::Asks("publishes")),
            ("git-town status", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["fossil", "sl", "sapling", "bzr", "brz", "darcs", "pijul", "p4", "perforce", "tf"],
        is_family: true,
        syntax: Syntax {
            valued: "-R -m|--message -r|--rev --config --cwd -d -c -p -u -P",
            flags: "-h|--help -v|--version -n|--dry-run -C|--clean -f|--force -a|--all -*",
            ..ANY
        },
        rules: &[
            when(&[First("push sync submit send commit-push dcommit import shelve-push pr ci-push"), ASKS], PUBLISHES),
            when(
                &[
                    First(
                        "revert purge clean strip unrecord obliterate uncommit rebase-abort hide prune shun scrub goto",
                    ),
                    Has("-C --clean --force -f --all -a"),
                ],
                DISCARDS,
            ),
            when(&[First("purge clean strip unrecord obliterate hide shun scrub")], DISCARDS),
            when(&[Has("--config")], SETTINGS),
            when(&[First("settings config user remote-url login passwd")], SETTINGS),
            when(&[First("server ui http serve")], Does::NeedsNetwork),
            when(&[First("bisect"), Operand("run")], Does::Hides("a command for each of some commits")),
        ],
        examples: &[
            ("sl push", Expect::Asks("publishes")),
            ("fossil sync", Expect::Asks("publishes")),
            ("darcs push h", Expect::Asks("publishes")),
            ("p4 submit -d x", Expect::Asks("publishes")),
            ("sl --config alias.x=!id x", Expect::Opaque("later calls obey")),
            ("darcs obliterate --last 1", Expect::Asks("discards changes")),
            ("sl status", Expect::Plain),
            ("fossil timeline", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["cvs"],
        syntax: Syntax { valued: "-d -e -m -r", flags: "-Q -q -n -z# -f -x -C", ..Syntax::EXACT },
        rules: &[
            when(&[First("commit ci com import add remove rm tag rtag admin edit watch")], PUBLISHES),
            when(&[Has("-e")], Does::Hides("an editor of its own choice")),
            when(&[First("update up"), Has("-C")], DISCARDS),
            when(&[First("login logout passwd")], SETTINGS),
        ],
        examples: &[
            ("cvs commit -m x", Expect::Asks("publishes")),
            ("cvs -e ./x commit", Expect::Opaque("its own choice")),
            ("cvs log x", Expect::Plain),
        ],
        ..Program::NEW
    },
];
