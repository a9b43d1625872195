//! Small languages: line editors, calculators, macro processors.

use crate::reader::Input;
use crate::registry::prelude::*;

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["ed", "red"],
        flags: "-E -G -l -r -s -v --quiet --silent -x",
        valued: "-p|--prompt",
        rules: &[
            when(Fed, Hides("an editor that follows commands")),
            when(OperandStarts("!"), Hides("an editor that follows commands")),
            always(Writes(At::Nth(0))),
        ],
        examples: &[
            ("ed -s <<< '!id'", Expect::Opaque("follows commands")),
            ("ed '!id'", Expect::Opaque("follows commands")),
        ],
        plain_lines: &["ed x"],
        ..Program::GNU
    },
    Program {
        names: &["dc"],
        flags: "-h -V -x -i",
        valued: "-e|--expression -f|--file",
        rules: &[always(By(shouts)), always(RunsScript(At::Value("--file"))), always(RunsScript(At::All))],
        examples: &[
            ("dc -e '!id'", Expect::Opaque("runs what `!` says")),
            ("cat x | dc", Expect::Opaque("runs what `!` says")),
            ("dc <<< '!id'", Expect::Opaque("runs what `!` says")),
        ],
        plain_lines: &["dc -e '2 3 + p'"],
        ..Program::GNU
    },
    Program {
        names: &["bc"],
        flags: "-l|--mathlib -q|--quiet -s|--standard -w|--warn -i|--interactive",
        valued: "-e|--expression -f|--file",
        rules: &[always(Reads(At::All))],
        is_exhaustive: true,
        examples: &[("bc x.bc", Expect::Reads("x.bc"))],
        plain_lines: &["bc -lq <<< '1/3'"],
        ..Program::GNU
    },
    Program {
        names: &["m4", "gm4"],
        flags: "-E|--fatal-warnings -i|--interactive -P|--prefix-builtins -Q|--quiet|--silent -s|--synclines -G|--traditional -g|--gnu -c",
        valued: "-I|--include -D|--define -U|--undefine -L|--nesting-limit -F|--freeze-state -R|--reload-state -d|--debug -t|--trace \
                     -o|--debugfile -l|--arglength -B -H -S -T -N",
        rules: &[when(Lacks("--version --help"), Hides("`m4` runs what its text says"))],
        examples: &[
            ("m4 <<< 'syscmd(uname)'", Expect::Opaque("runs what its text says")),
            ("m4 x.m4", Expect::Opaque("runs what its text says")),
        ],
        plain_lines: &["m4 --version"],
        ..Program::GNU
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
