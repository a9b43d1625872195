//! Programs that start another one in other circumstances: priority, time, environment.

use crate::registry::{At, Does, Expect, Program, Syntax, always};

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["timeout"],
        syntax: Syntax {
            flags: "-v|--verbose -f|--foreground -p|--preserve-status",
            valued: "-k|--kill-after -s|--signal",
            ..Syntax::LEADING
        },
        rules: &[always(Does::RunsWords(At::From(1)))],
        examples: &[
            ("timeout 5 rm -rf x", Expect::Runs("rm -rf x")),
            ("timeout -k 1 5 ls", Expect::Runs("ls")),
            ("timeout --odd 5 ls", Expect::Opaque("`--odd` of `timeout`")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["nice"],
        syntax: Syntax { flags: "-#", valued: "-n|--adjustment", ..Syntax::LEADING },
        rules: &[always(Does::RunsWords(At::From(0)))],
        examples: &[("nice -5 ls -l", Expect::Runs("ls -l")), ("nice -n5 ls", Expect::Runs("ls"))],
        ..Program::NEW
    },
];
