//! Copying, moving, linking, removing and truncating files.

use crate::registry::{At, Consequence, Does, Expect, Program, Syntax, When, always, when};

/// Options that `cp` and `mv` share.
const COPY: &str = "-f|--force -i|--interactive -n|--no-clobber -T|--no-target-directory -u|--update -v|--verbose \
                    --strip-trailing-slashes --debug -Z";

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["rm"],
        syntax: Syntax {
            flags: "-f|--force -i -I -r|-R|--recursive -d|--dir -v|--verbose --one-file-system --no-preserve-root --preserve-root",
            optional: "--interactive",
            ..Syntax::GNU
        },
        rules: &[
            when(&[When::Has("--recursive")], Does::DeletesTrees(At::All)),
            when(&[When::Lacks("--recursive")], Does::Deletes(At::All)),
        ],
        is_exhaustive: true,
        examples: &[
            ("rm a b", Expect::Deletes("b")),
            ("rm -rf -- -x", Expect::Deletes("-x")),
            ("rm --rec x", Expect::Deletes("x")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["mv"],
        syntax: Syntax {
            flags: COPY,
            valued: "-t|--target-directory -S|--suffix",
            optional: "-b|--backup",
            ..Syntax::GNU
        },
        rules: &[
            when(&[When::Lacks("--target-directory")], Does::DeletesTrees(At::AllButLast)),
            when(&[When::Lacks("--target-directory")], Does::Writes(At::Last)),
            when(&[When::Has("--target-directory")], Does::DeletesTrees(At::All)),
            always(Does::Writes(At::Value("--target-directory"))),
        ],
        is_exhaustive: true,
        examples: &[
            ("mv a b", Expect::Writes("b")),
            ("mv a b", Expect::Deletes("a")),
            ("mv -t .git/hooks x", Expect::Writes(".git/hooks")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["truncate"],
        syntax: Syntax { flags: "-c|--no-create -o|--io-blocks", valued: "-s|--size -r|--reference", ..Syntax::GNU },
        rules: &[always(Does::Is(Consequence::Destroys)), always(Does::Writes(At::All))],
        is_exhaustive: true,
        examples: &[("truncate -s 0 x", Expect::Asks("destroys files")), ("truncate -s0 x", Expect::Writes("x"))],
        ..Program::NEW
    },
];
