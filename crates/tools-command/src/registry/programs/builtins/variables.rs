//! Builtins that set variables or evaluate their arguments as names and expressions; the reader
//! does so with them.

use crate::registry::{Expect, Program, Style, Syntax};

pub(in crate::registry::programs) static ALL: &[Program] = &[
    Program {
        names: &["export", "declare", "typeset", "local", "readonly", "integer", "float"],
        is_family: true,
        syntax: Syntax {
            flags: "-a -A -f -F -g -i -I -l -n -p -r -t -u -x -T -U -h -H -E -L -R -Z",
            style: Style::Exact,
            ..Syntax::GNU
        },
        is_exhaustive: true,
        examples: &[
            ("export PATH=/tmp:$PATH", Expect::Opaque("PATH")),
            ("export \"LD_PRELOAD=./x\"", Expect::Opaque("LD_PRELOAD")),
            ("export \"$x=t5\"", Expect::Opaque("whose name is known only when it runs")),
            ("declare -n r='x'", Expect::Opaque("stands for another")),
            ("declare -i y='a[0$(uname>&2)]'", Expect::Opaque("kept in a variable")),
            ("declare -a x='($(sudo id))'", Expect::Opaque("kept in a variable")),
            ("declare -A x='([a]=$(sudo id))'", Expect::Opaque("kept in a variable")),
            ("export -a x='($(sudo id))'", Expect::Opaque("kept in a variable")),
            ("export EDITOR=true X=1", Expect::Plain),
            ("declare -A m=([a]=1)", Expect::Plain),
            ("declare -p PATH", Expect::Plain),
            ("export -f f", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["let"],
        syntax: Syntax::LEADING,
        is_exhaustive: true,
        examples: &[("let 'a[$(uname)]=1'", Expect::Opaque("used in an expression")), ("let x=1+2", Expect::Plain)],
        ..Program::NEW
    },
    Program {
        names: &["unset"],
        syntax: Syntax { flags: "-f -v -n", ..Syntax::GNU },
        is_exhaustive: true,
        examples: &[("unset 'a[$(uname)]'", Expect::Opaque("used in an expression")), ("unset X Y", Expect::Plain)],
        ..Program::NEW
    },
    Program {
        names: &["read"],
        syntax: Syntax { flags: "-e -r -s -E -k -q", valued: "-a -A -d -i -n -N -p -t -u", ..Syntax::GNU },
        is_exhaustive: true,
        examples: &[
            ("read PATH <<< ./evil", Expect::Opaque("PATH")),
            ("read -ra PATH < f", Expect::Opaque("PATH")),
            ("read 'a[0$(uname>&2)]' < f", Expect::Opaque("used in an expression")),
            ("read \"$x\" <<< 1", Expect::Opaque("whose name is known only when it runs")),
            ("read -r x < f", Expect::Plain),
            ("read -rp 'Name: ' -t 5 x", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["mapfile", "readarray"],
        syntax: Syntax { flags: "-t", valued: "-d -n -O -s -u -C -c", ..Syntax::GNU },
        is_exhaustive: true,
        examples: &[
            ("mapfile -C 'sudo id' -c 1 x", Expect::Denied("takes other rights")),
            ("mapfile -c1 -Csudo <<< x", Expect::Denied("takes other rights")),
            ("mapfile PATH < f", Expect::Opaque("PATH")),
            ("mapfile -t lines < f", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["getopts"],
        syntax: Syntax::LEADING,
        is_exhaustive: true,
        examples: &[("getopts x PATH", Expect::Opaque("PATH")), ("getopts ab: opt", Expect::Plain)],
        ..Program::NEW
    },
];
