//! Builtins that run words, lines and scripts, now or later, and those that change the folder.

use crate::effect::Effect;
use crate::reader::{ELSEWHERE, Value};
use crate::registry::{
    ArgumentCondition::{AtLeast, FirstIsNot, Has, Lacks},
    At, Does, Expect, Parsed, Prints, Program, Style, Syntax, always, when,
};

pub(in crate::registry::programs) static ALL: &[Program] = &[
    Program {
        names: &["eval"],
        syntax: Syntax::LEADING,
        rules: &[when(&[AtLeast(1)], Does::Hides("`eval` of a text")), always(Does::By(evaluated))],
        is_exhaustive: true,
        examples: &[
            ("eval sudo id", Expect::Denied("takes other rights")),
            ("eval -- 'sudo id'", Expect::Denied("takes other rights")),
            ("eval \"$x\"", Expect::Opaque("`eval` of a text")),
            ("eval 'ls'", Expect::Opaque("`eval` of a text")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["source", "."],
        syntax: Syntax { valued: "-p", ..Syntax::LEADING },
        rules: &[always(Does::RunsScript(At::Nth(0))), always(Does::By(sourced))],
        is_exhaustive: true,
        examples: &[
            ("source /dev/stdin <<< ls", Expect::Opaque("from a descriptor")),
            ("echo x > a.sh; source ./a.sh", Expect::Opaque("written by this very line")),
            ("source $x", Expect::Opaque("known only when it runs")),
            ("source .venv/bin/activate", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["exec"],
        syntax: Syntax { flags: "-c -l", valued: "-a", ..Syntax::LEADING },
        rules: &[always(Does::RunsWords(At::From(0)))],
        is_exhaustive: true,
        examples: &[
            ("exec -a x sudo id", Expect::Denied("takes other rights")),
            ("exec -cl sudo id", Expect::Denied("takes other rights")),
            ("exec bash -c 'sudo id'", Expect::Denied("takes other rights")),
            ("exec --odd sudo id", Expect::Opaque("`--odd` of `exec`")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["command"],
        syntax: Syntax { flags: "-p -v -V", ..Syntax::LEADING },
        rules: &[when(&[Lacks("-v -V")], Does::RunsWords(At::From(0)))],
        is_exhaustive: true,
        prints: &[("command", Prints::NamesWith("-v"))],
        examples: &[
            ("command -p sudo id", Expect::Denied("takes other rights")),
            ("command -- sudo id", Expect::Denied("takes other rights")),
            ("command -v sudo", Expect::Plain),
            ("command -pV sudo", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["builtin", "noglob", "nocorrect"],
        is_family: true,
        syntax: Syntax::LEADING,
        rules: &[always(Does::RunsWords(At::From(0)))],
        is_exhaustive: true,
        examples: &[
            ("builtin eval sudo id", Expect::Denied("takes other rights")),
            ("builtin exec sudo id", Expect::Denied("takes other rights")),
            ("builtin cd x", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["trap"],
        syntax: Syntax { flags: "-l -p -P", ..Syntax::LEADING },
        rules: &[when(&[Lacks("-l -p -P"), AtLeast(2), FirstIsNot("-")], Does::RunsLine(At::Nth(0)))],
        is_exhaustive: true,
        examples: &[
            ("trap 'sudo id' EXIT", Expect::Denied("takes other rights")),
            ("trap -- 'sudo id' 0", Expect::Denied("takes other rights")),
            ("trap \"$x\" EXIT", Expect::Opaque("known only then")),
            ("trap 'echo done' EXIT", Expect::Plain),
            ("trap - INT", Expect::Plain),
            ("trap -l", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["alias"],
        syntax: Syntax { flags: "-p -g -s -L -m -r", ..Syntax::GNU },
        rules: &[always(Does::By(aliased))],
        is_exhaustive: true,
        examples: &[
            ("alias ls='sudo id'", Expect::Denied("takes other rights")),
            ("alias -g x='sudo id'", Expect::Denied("takes other rights")),
            ("alias x=\"$y\"", Expect::Opaque("known only then")),
            ("alias ll='ls -l'", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["hash"],
        syntax: Syntax { flags: "-l -r -d -t -v", valued: "-p", ..Syntax::LEADING },
        rules: &[when(&[Has("-p")], Does::Hides("`hash` lets a name start another program"))],
        examples: &[("hash -p /usr/bin/sudo ls", Expect::Opaque("another program")), ("hash -r", Expect::Plain)],
        ..Program::NEW
    },
    Program {
        names: &["enable"],
        syntax: Syntax { flags: "-a -d -n -p -s", valued: "-f", ..Syntax::LEADING },
        rules: &[when(&[Has("-f")], Does::Hides("`enable` loads a builtin from a file"))],
        examples: &[("enable -f ./x.so y", Expect::Opaque("from a file")), ("enable -n echo", Expect::Plain)],
        ..Program::NEW
    },
    Program {
        names: &["bind"],
        syntax: Syntax { flags: "-l -p -P -s -S -v -V -X", valued: "-m -f -q -u -r -x", ..Syntax::GNU },
        rules: &[
            when(&[Has("-x -f")], Does::Hides("`bind` lets a key run a command")),
            always(Does::RunsLine(At::Value("-x"))),
        ],
        examples: &[("bind -x '\"a\":sudo id'", Expect::Opaque("lets a key run")), ("bind -l", Expect::Plain)],
        ..Program::NEW
    },
    Program {
        names: &["complete", "compgen", "compopt"],
        is_family: true,
        syntax: Syntax {
            flags: "-a -b -c -d -e -f -g -j -k -p -r -s -u -v -D -E -I",
            valued: "-o -A -G -W -F -C -X -P -S -V",
            ..Syntax::GNU
        },
        rules: &[],
        examples: &[
            ("compgen -C 'sudo id'", Expect::Denied("takes other rights")),
            ("compgen -W '$(uname>&2)'", Expect::Opaque("words that are expanded")),
            ("complete -F function command", Expect::Plain),
            ("compgen -c", Expect::Plain),
            ("compgen -W 'a b' x", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["fc", "r"],
        is_family: true,
        syntax: Syntax { flags: "-l -n -r -s", valued: "-e", style: Style::Exact, ..Syntax::LEADING },
        rules: &[when(&[Lacks("-l")], Does::Hides("`fc` runs commands of the history"))],
        examples: &[("fc -s", Expect::Opaque("of the history")), ("fc -l", Expect::Plain)],
        ..Program::NEW
    },
    Program {
        names: &["history"],
        syntax: Syntax { flags: "-c -a -n -r -w -p -s", valued: "-d", ..Syntax::LEADING },
        rules: &[
            when(&[Has("-s -p")], Does::Hides("`history` takes words as commands")),
            when(&[Has("-a -w")], Does::Writes(At::Nth(0))),
        ],
        examples: &[
            ("history -s sudo id", Expect::Opaque("takes words as commands")),
            ("history -w .envrc", Expect::Writes(".envrc")),
            ("history 5", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["jobs"],
        syntax: Syntax { flags: "-l -n -p -r -s", last: "-x", ..Syntax::LEADING },
        rules: &[always(Does::RunsWords(At::Behind("-x")))],
        is_exhaustive: true,
        examples: &[("jobs -x sudo id", Expect::Denied("takes other rights")), ("jobs -l", Expect::Plain)],
        ..Program::NEW
    },
    Program {
        names: &["cd", "pushd", "popd", "chdir"],
        is_family: true,
        syntax: Syntax { flags: "-L -P -e -@ -q -s -n -#", ..Syntax::GNU },
        rules: &[always(Does::By(folder))],
        is_exhaustive: true,
        examples: &[
            ("cd / && rm -rf x", Expect::Deletes("x")),
            ("cd src && pushd x && popd", Expect::Plain),
            ("cd", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            ":", "umask", "ulimit", "type", "times", "wait", "bg", "fg", "disown", "suspend", "logout", "exit",
            "return", "break", "continue", "shift", "dirs", "caller", "help", "unalias", "shopt", "set", "setopt",
            "unsetopt", "emulate",
        ],
        is_family: true,
        syntax: Syntax { flags: "-*", valued: "-o -O -p", ..Syntax::LEADING },
        is_exhaustive: true,
        examples: &[
            ("type -a bash", Expect::Plain),
            ("set -euo pipefail", Expect::Plain),
            ("ulimit -n 4096", Expect::Plain),
            ("wait -p 'a[$(uname)]'", Expect::Opaque("used in an expression")),
        ],
        ..Program::NEW
    },
];

/// All arguments as one line, where they are known.
fn evaluated(parsed: &Parsed<'_>) -> Vec<Effect> {
    let words: Vec<&Value> = parsed.operands().collect();
    if words.is_empty() || !words.iter().all(|word| word.is_exact) {
        return Vec::new();
    }
    let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    vec![Effect::Line(Value::exact(text))]
}

/// A script whose name is not known: it may be a stream.
fn sourced(parsed: &Parsed<'_>) -> Vec<Effect> {
    let file = parsed.operand(0).filter(|file| !file.is_exact || file.has_pattern);
    file.map(|_| Effect::hidden("a script whose name is known only when it runs")).into_iter().collect()
}

/// The line of each alias: whoever uses it adds arguments.
fn aliased(parsed: &Parsed<'_>) -> Vec<Effect> {
    let line = |arg: &Value| {
        let (_, line) = arg.text.split_once('=')?;
        Some(Effect::Line(Value { text: format!("{line} {ELSEWHERE}"), ..arg.clone() }))
    };
    parsed.operands().filter_map(line).collect()
}

/// Where the shell goes.
fn folder(parsed: &Parsed<'_>) -> Vec<Effect> {
    let is_cd = matches!(parsed.command.name(), "cd" | "chdir");
    let target = match parsed.operand(0) {
        None if is_cd => return vec![Effect::Home],
        Some(target) if parsed.command.name() != "popd" && !target.text.starts_with('+') => Some(target.clone()),
        _ => None,
    };
    vec![Effect::Folder(target)]
}
