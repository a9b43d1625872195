//! Builtins that set variables, or evaluate their arguments as names and expressions. The reader
//! follows those effects itself.

use crate::registry::prelude::*;

pub(in crate::registry::programs) static ALL: &[Program] = &[
    Program {
        family: &["export", "declare", "typeset", "local", "readonly", "integer", "float"],
        flags: "-a -A -f -F -g -i -I -l -n -p -r -t -u -x -T -U -h -H -E -L -R -Z",
        style: Style::Exact,
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
        ],
        plain_lines: &["export EDITOR=true X=1", "declare -A m=([a]=1)", "declare -p PATH", "export -f f"],
        ..Program::GNU
    },
    Program {
        names: &["let"],
        is_exhaustive: true,
        examples: &[("let 'a[$(uname)]=1'", Expect::Opaque("used in an expression"))],
        plain_lines: &["let x=1+2"],
        ..Program::LEADING
    },
    Program {
        names: &["unset"],
        flags: "-f -v -n",
        is_exhaustive: true,
        examples: &[("unset 'a[$(uname)]'", Expect::Opaque("used in an expression"))],
        plain_lines: &["unset X Y"],
        ..Program::GNU
    },
    Program {
        names: &["read"],
        flags: "-e -r -s -E -k -q",
        valued: "-a -A -d -i -n -N -p -t -u",
        is_exhaustive: true,
        examples: &[
            ("read PATH <<< ./evil", Expect::Opaque("PATH")),
            ("read -ra PATH < f", Expect::Opaque("PATH")),
            ("read 'a[0$(uname>&2)]' < f", Expect::Opaque("used in an expression")),
            ("read \"$x\" <<< 1", Expect::Opaque("whose name is known only when it runs")),
        ],
        plain_lines: &["read -r x < f", "read -rp 'Name: ' -t 5 x"],
        ..Program::GNU
    },
    Program {
        names: &["mapfile", "readarray"],
        flags: "-t",
        valued: "-d -n -O -s -u -C -c",
        is_exhaustive: true,
        examples: &[
            ("mapfile -C 'sudo id' -c 1 x", Expect::Denied("takes other rights")),
            ("mapfile -c1 -Csudo <<< x", Expect::Denied("takes other rights")),
            ("mapfile PATH < f", Expect::Opaque("PATH")),
        ],
        plain_lines: &["mapfile -t lines < f"],
        ..Program::GNU
    },
    Program {
        names: &["getopts"],
        is_exhaustive: true,
        examples: &[("getopts x PATH", Expect::Opaque("PATH"))],
        plain_lines: &["getopts ab: opt"],
        ..Program::LEADING
    },
];
