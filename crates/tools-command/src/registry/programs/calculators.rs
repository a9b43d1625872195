//! Small languages: line editors, calculators, macro processors.

use crate::effect::Effect;
use crate::reader::Input;
use crate::registry::{
    ArgumentCondition::{Fed, Lacks, OperandStarts},
    At, Does, Expect, Parsed, Program, Syntax, always, when,
};

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["ed", "red"],
        is_family: true,
        syntax: Syntax { flags: "-E -G -l -r -s -v --quiet --silent -x", valued: "-p|--prompt", ..Syntax::GNU },
        rules: &[
            when(&[Fed], Does::Hides("an editor that follows commands")),
            when(&[OperandStarts("!")], Does::Hides("an editor that follows commands")),
            always(Does::Writes(At::Nth(0))),
        ],
        examples: &[
            ("ed -s <<< '!id'", Expect::Opaque("follows commands")),
            ("ed '!id'", Expect::Opaque("follows commands")),
            ("ed x", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["dc"],
        syntax: Syntax { flags: "-h -V -x -i", valued: "-e|--expression -f|--file", ..Syntax::GNU },
        rules: &[
            always(Does::By(shouts)),
            always(Does::RunsScript(At::Value("--file"))),
            always(Does::RunsScript(At::All)),
        ],
        examples: &[
            ("dc -e '!id'", Expect::Opaque("runs what `!` says")),
            ("cat x | dc", Expect::Opaque("runs what `!` says")),
            ("dc <<< '!id'", Expect::Opaque("runs what `!` says")),
            ("dc -e '2 3 + p'", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["bc"],
        syntax: Syntax {
            flags: "-l|--mathlib -q|--quiet -s|--standard -w|--warn -i|--interactive",
            valued: "-e|--expression -f|--file",
            ..Syntax::GNU
        },
        rules: &[always(Does::Reads(At::All))],
        is_exhaustive: true,
        examples: &[("bc -lq <<< '1/3'", Expect::Plain), ("bc x.bc", Expect::Reads("x.bc"))],
        ..Program::NEW
    },
    Program {
        names: &["m4", "gm4"],
        syntax: Syntax {
            flags: "-E|--fatal-warnings -i|--interactive -P|--prefix-builtins -Q|--quiet|--silent -s|--synclines -G|--traditional -g|--gnu -c",
            valued: "-I|--include -D|--define -U|--undefine -L|--nesting-limit -F|--freeze-state -R|--reload-state -d|--debug -t|--trace \
                     -o|--debugfile -l|--arglength -B -H -S -T -N",
            ..Syntax::GNU
        },
        rules: &[when(&[Lacks("--version --help")], Does::Hides("`m4` runs what its text says"))],
        examples: &[
            ("m4 <<< 'syscmd(uname)'", Expect::Opaque("runs what its text says")),
            ("m4 x.m4", Expect::Opaque("runs what its text says")),
            ("m4 --version", Expect::Plain),
        ],
        ..Program::NEW
    },
];

/// Code of `dc` in which `!` may run a command.
fn shouts(parsed: &Parsed<'_>) -> Vec<Effect> {
    let fed = match &parsed.command.input {
        Input::None => false,
        Input::Text(text) => text.contains('!'),
        Input::Unknown => true,
    };
    let given = parsed.values("--expression").any(|code| code.text.contains('!') || !code.is_exact);
    (fed || given).then(|| Effect::hidden("`dc` runs what `!` says")).into_iter().collect()
}
