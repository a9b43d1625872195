//! Builtins that run words, lines and scripts, now or later, and builtins that change the folder.

use crate::reader::{ELSEWHERE, Value};
use crate::registry::apply::joined;
use crate::registry::prelude::*;

pub(in crate::registry::programs) static ALL: &[Program] = &[
    Program {
        names: &["eval"],
        rules: &[when(AtLeast(1), Hides("`eval` of a text")), always(By(evaluated))],
        is_exhaustive: true,
        examples: &[
            ("eval sudo id", Expect::Denied("takes other rights")),
            ("eval -- 'sudo id'", Expect::Denied("takes other rights")),
            ("eval \"$x\"", Expect::Opaque("`eval` of a text")),
            ("eval 'ls'", Expect::Opaque("`eval` of a text")),
        ],
        ..Program::LEADING
    },
    Program {
        names: &["source", "."],
        valued: "-p",
        rules: &[always(RunsScript(At::Nth(0))), always(By(sourced))],
        is_exhaustive: true,
        examples: &[
            ("source /dev/stdin <<< ls", Expect::Opaque("from a descriptor")),
            ("echo x > a.sh; source ./a.sh", Expect::Opaque("written by this very line")),
            ("source $x", Expect::Opaque("known only when it runs")),
        ],
        plain_lines: &["source .venv/bin/activate"],
        ..Program::LEADING
    },
    Program {
        names: &["exec"],
        flags: "-c -l",
        valued: "-a",
        rules: RUNS_OPERANDS,
        is_exhaustive: true,
        examples: &[
            ("exec -a x sudo id", Expect::Denied("takes other rights")),
            ("exec -cl sudo id", Expect::Denied("takes other rights")),
            ("exec bash -c 'sudo id'", Expect::Denied("takes other rights")),
            ("exec --odd sudo id", Expect::Opaque("`--odd` of `exec`")),
        ],
        ..Program::LEADING
    },
    Program {
        names: &["command"],
        flags: "-p -v -V",
        rules: &[when(Lacks("-v -V"), RunsWords(At::From(0)))],
        is_exhaustive: true,
        prints: &[("command", Prints::NamesWith("-v"))],
        examples: &[
            ("command -p sudo id", Expect::Denied("takes other rights")),
            ("command -- sudo id", Expect::Denied("takes other rights")),
        ],
        plain_lines: &["command -v sudo", "command -pV sudo"],
        ..Program::LEADING
    },
    Program {
        family: &["builtin", "noglob", "nocorrect"],
        rules: RUNS_OPERANDS,
        is_exhaustive: true,
        examples: &[
            ("builtin eval sudo id", Expect::Denied("takes other rights")),
            ("builtin exec sudo id", Expect::Denied("takes other rights")),
        ],
        plain_lines: &["builtin cd x"],
        ..Program::LEADING
    },
    Program {
        names: &["trap"],
        flags: "-l -p -P",
        rules: &[when_all(&[Lacks("-l -p -P"), AtLeast(2), FirstIsNot("-")], RunsLine(At::Nth(0)))],
        is_exhaustive: true,
        examples: &[
            ("trap 'sudo id' EXIT", Expect::Denied("takes other rights")),
            ("trap -- 'sudo id' 0", Expect::Denied("takes other rights")),
            ("trap \"$x\" EXIT", Expect::Opaque("known only then")),
        ],
        plain_lines: &["trap 'echo done' EXIT", "trap - INT", "trap -l"],
        ..Program::LEADING
    },
    Program {
        names: &["alias"],
        flags: "-p -g -s -L -m -r",
        rules: &[always(By(aliased))],
        is_exhaustive: true,
        examples: &[
            ("alias ls='sudo id'", Expect::Denied("takes other rights")),
            ("alias -g x='sudo id'", Expect::Denied("takes other rights")),
            ("alias x=\"$y\"", Expect::Opaque("known only then")),
        ],
        plain_lines: &["alias ll='ls -l'"],
        ..Program::GNU
    },
    Program {
        names: &["hash"],
        flags: "-l -r -d -t -v",
        valued: "-p",
        rules: &[when(Has("-p"), Hides("`hash` lets a name start another program"))],
        examples: &[("hash -p /usr/bin/sudo ls", Expect::Opaque("another program"))],
        plain_lines: &["hash -r"],
        ..Program::LEADING
    },
    Program {
        names: &["enable"],
        flags: "-a -d -n -p -s",
        valued: "-f",
        rules: &[when(Has("-f"), Hides("`enable` loads a builtin from a file"))],
        examples: &[("enable -f ./x.so y", Expect::Opaque("from a file"))],
        plain_lines: &["enable -n echo"],
        ..Program::LEADING
    },
    Program {
        names: &["bind"],
        flags: "-l -p -P -s -S -v -V -X",
        valued: "-m -f -q -u -r -x",
        rules: &[when(Has("-x -f"), Hides("`bind` lets a key run a command")), always(RunsLine(At::Value("-x")))],
        examples: &[("bind -x '\"a\":sudo id'", Expect::Opaque("lets a key run"))],
        plain_lines: &["bind -l"],
        ..Program::GNU
    },
    Program {
        family: &["complete", "compgen", "compopt"],
        flags: "-a -b -c -d -e -f -g -j -k -p -r -s -u -v -D -E -I",
        valued: "-o -A -G -W -F -C -X -P -S -V",
        rules: &[],
        examples: &[
            ("compgen -C 'sudo id'", Expect::Denied("takes other rights")),
            ("compgen -W '$(uname>&2)'", Expect::Opaque("words that are expanded")),
        ],
        plain_lines: &["complete -F function command", "compgen -c", "compgen -W 'a b' x"],
        ..Program::GNU
    },
    Program {
        family: &["fc", "r"],
        flags: "-l -n -r -s",
        valued: "-e",
        style: Style::Exact,
        rules: &[when(Lacks("-l"), Hides("`fc` runs commands of the history"))],
        examples: &[("fc -s", Expect::Opaque("of the history"))],
        plain_lines: &["fc -l"],
        ..Program::LEADING
    },
    Program {
        names: &["history"],
        flags: "-c -a -n -r -w -p -s",
        valued: "-d",
        rules: &[
            when(Has("-s -p"), Hides("`history` takes words as commands")),
            when(Has("-a -w"), Writes(At::Nth(0))),
        ],
        examples: &[
            ("history -s sudo id", Expect::Opaque("takes words as commands")),
            ("history -w .envrc", Expect::Writes(".envrc")),
        ],
        plain_lines: &["history 5"],
        ..Program::LEADING
    },
    Program {
        names: &["jobs"],
        flags: "-l -n -p -r -s",
        last: "-x",
        rules: &[always(RunsWords(At::Behind("-x")))],
        is_exhaustive: true,
        examples: &[("jobs -x sudo id", Expect::Denied("takes other rights"))],
        plain_lines: &["jobs -l"],
        ..Program::LEADING
    },
    Program {
        family: &["cd", "pushd", "popd", "chdir"],
        flags: "-L -P -e -@ -q -s -n -#",
        rules: &[always(By(folder))],
        is_exhaustive: true,
        examples: &[("cd / && rm -rf x", Expect::Deletes("x"))],
        plain_lines: &["cd src && pushd x && popd", "cd"],
        ..Program::GNU
    },
    Program {
        family: &[
            ":", "umask", "ulimit", "type", "times", "wait", "bg", "fg", "disown", "suspend", "logout", "exit",
            "return", "break", "continue", "shift", "dirs", "caller", "help", "unalias", "shopt", "set", "setopt",
            "unsetopt", "emulate",
        ],
        flags: "-*",
        valued: "-o -O -p",
        is_exhaustive: true,
        examples: &[("wait -p 'a[$(uname)]'", Expect::Opaque("used in an expression"))],
        plain_lines: &["type -a bash", "set -euo pipefail", "ulimit -n 4096"],
        ..Program::LEADING
    },
];

/// All arguments as one line.
fn evaluated(parsed: &Parsed<'_>) -> Vec<Effect> {
    joined(parsed.operands().cloned().collect()).map(Effect::Line).into_iter().collect()
}

/// A script whose name is not known; it may be a stream.
fn sourced(parsed: &Parsed<'_>) -> Vec<Effect> {
    let file = parsed.operand(0).filter(|file| !file.is_exact || file.has_pattern);
    file.map(|_| Effect::hidden("a script whose name is known only when it runs")).into_iter().collect()
}

/// The line of each alias, with unknown arguments at its end.
fn aliased(parsed: &Parsed<'_>) -> Vec<Effect> {
    let line = |arg: &Value| {
        let (_, line) = arg.text.split_once('=')?;
        Some(Effect::Line(Value { text: format!("{line} {ELSEWHERE}"), ..arg.clone() }))
    };
    parsed.operands().filter_map(line).collect()
}

/// The new folder of the shell.
fn folder(parsed: &Parsed<'_>) -> Vec<Effect> {
    let is_cd = matches!(parsed.command.name(), "cd" | "chdir");
    let target = match parsed.operand(0) {
        None if is_cd => return vec![Effect::Home],
        Some(target) if parsed.command.name() != "popd" && !target.text.starts_with('+') => Some(target.clone()),
        _ => None,
    };
    vec![Effect::Folder(target)]
}
