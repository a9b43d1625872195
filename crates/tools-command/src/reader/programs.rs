//! Programs that run other programs by an option, a subcommand or a script of their own. One function per program; what is
//! not understood is opaque.

use super::command::{Command, ELSEWHERE, Input, PLACEHOLDER, Value};

/// What a program's arguments make it do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Something that is not seen through.
    Opaque(String),
    /// A line for a shell.
    Line(Value),
    /// Another command.
    Words(Vec<Value>),
    /// Another command in which a placeholder is replaced.
    Found(Vec<Value>, String),
    /// A variable.
    Sets(String, Value),
    /// A file of code.
    Script(Value),
}

use Verdict::{Found, Line, Opaque, Sets, Words};

/// Everything a program would run through its arguments.
pub(super) fn look(command: &Command) -> Vec<Verdict> {
    let name = command.name();
    match name {
        "find" | "gfind" => find(command),
        "fd" | "fdfind" => fd(command),
        "tar" | "gtar" | "bsdtar"
            if command.args.first().is_some_and(|arg| !arg.text.starts_with('-') && arg.text.contains(['I', 'F'])) =>
        {
            vec![Opaque(format!("`{name}` runs what an option says"))]
        }
        "tar" | "gtar" | "bsdtar" => options(
            command,
            &[
                "--to-command",
                "--use-compress-program",
                "--checkpoint-action",
                "--rsh-command",
                "--info-script",
                "--new-volume-script",
                "--rmt-command",
            ],
            "IF",
        ),
        "make" | "gmake" | "bmake" | "ninja" | "just" => make(command),
        "gdb" | "lldb" => debugger(command),
        "vim" | "vi" | "nvim" | "ex" | "view" | "vimdiff" | "ed" => editor(command),
        "emacs" | "emacsclient" => options(command, &["--eval", "--execute", "--load", "--funcall"], "lf"),
        "less" | "more" | "most" => prefixed(command, '+'),
        "man" => options(command, &["--pager", "--html", "--preprocessor"], "PH"),
        "cpio" => options(command, &["--rsh-command"], ""),
        "java" | "javaw" => java(command),
        "mysql" | "mariadb" | "psql" | "sqlite3" | "duckdb" | "mongo" | "mongosh" | "redis-cli" | "sqlite" => {
            database(command)
        }
        "at" | "batch" => vec![Opaque(format!("`{name}` runs commands later"))],
        "crontab" => {
            if command.has_arg("-l") {
                Vec::new()
            } else {
                vec![Opaque("`crontab` runs commands later".to_owned())]
            }
        }
        "trap" => trap(command),
        "alias" => command
            .args
            .iter()
            // Whoever uses it adds arguments.
            .filter_map(|arg| {
                let (_, line) = arg.text.split_once('=')?;
                Some(Line(Value { text: format!("{line} {ELSEWHERE}"), ..arg.clone() }))
            })
            .collect(),
        "hash" => options(command, &[], "p"),
        "enable" => options(command, &[], "f"),
        "bind" => options(command, &[], "xf"),
        "fc" => vec![Opaque("`fc` runs commands of the history".to_owned())],
        "history" => options(command, &[], "s"),
        "script" => script(command),
        "capsh" | "start-stop-daemon" | "sg" | "newgrp" | "m4" | "dc" if runs(command) => {
            vec![Opaque(format!("`{name}` that runs what it is given"))]
        }
        "xterm" | "uxterm" | "urxvt" | "rxvt" | "konsole" | "gnome-terminal" | "alacritty" | "kitty" | "foot"
        | "st" => {
            vec![Opaque(format!("`{name}` runs commands in a window of its own"))]
        }
        "cmake" => cmake(command),
        "go" => options(
            command,
            &["-toolexec", "--toolexec", "-exec", "--exec", "-vettool", "-overlay", "-ldflags=-extld", "-C"],
            "",
        ),
        "bundle" | "bundler" | "direnv" | "mise" | "asdf" | "nix"
            if command.args.first().is_some_and(|arg| arg.text == "exec") =>
        {
            runner(command, 1)
        }
        "op" | "doppler" | "infisical" if command.args.iter().any(|arg| arg.text == "run") => {
            let at = command.args.iter().position(|arg| arg.text == "run").unwrap_or_default();
            behind_dashes(command, at + 1)
        }
        "aws-vault" | "chamber" if command.args.iter().any(|arg| arg.text == "exec") => {
            let at = command.args.iter().position(|arg| arg.text == "exec").unwrap_or_default();
            behind_dashes(command, at + 1)
        }
        "dotenv" => behind_dashes(command, 0),
        "nodemon" => options(command, &["--exec"], "x"),
        "nix-shell" => options(command, &["--run", "--command"], ""),
        "flock" => flock(command),
        "su" | "runuser" => options(command, &["--command", "--session-command"], "c"),
        "docker" | "podman" | "nerdctl" => container(command),
        "tmux" | "screen" | "zellij" | "abduco" | "dtach" => terminal(command),
        "expect" => options(command, &["--exec", "--sh-exec", "--lua-exec"], "ce"),
        "zip" => options(command, &["--unzip-command"], "T"),
        "gcc" | "cc" | "g++" | "clang" => options(command, &["-wrapper"], ""),
        "cscope" | "ctags" | "pandoc" | "ansible" | "ansible-playbook" => {
            options(command, &["--filter", "--lua-filter", "--options", "--pdf-engine"], "F")
        }
        "parallel" | "sem" => {
            let lines = command.args.iter().skip_while(|arg| !arg.text.starts_with(":::"));
            let begins = command.args.first().is_some_and(|arg| arg.text.starts_with(":::"));
            lines.skip(1).filter(|_| begins).cloned().map(Line).collect()
        }
        "jobs" => options(command, &[], "x"),
        _ => Vec::new(),
    }
}

/// Whether a program's arguments are looked at here, or are data for it.
pub(super) fn is_known(name: &str) -> bool {
    const KNOWN: [&str; 172] = [
        ".",
        ":",
        "abduco",
        "alacritty",
        "alias",
        "ansible",
        "ansible-playbook",
        "asdf",
        "at",
        "aws-vault",
        "batch",
        "bg",
        "bind",
        "bmake",
        "break",
        "bsdtar",
        "builtin",
        "bundle",
        "bundler",
        "bunx",
        "busybox",
        "caller",
        "capsh",
        "cargo",
        "cc",
        "cd",
        "chamber",
        "clang",
        "cmake",
        "command",
        "compgen",
        "complete",
        "conda",
        "continue",
        "cpio",
        "crontab",
        "cscope",
        "ctags",
        "dc",
        "declare",
        "direnv",
        "dirs",
        "disown",
        "docker",
        "doppler",
        "dotenv",
        "dtach",
        "duckdb",
        "ed",
        "emacs",
        "emacsclient",
        "enable",
        "eval",
        "ex",
        "exec",
        "exit",
        "expect",
        "export",
        "fc",
        "fd",
        "fdfind",
        "fg",
        "find",
        "flock",
        "foot",
        "g++",
        "gcc",
        "gdb",
        "getopts",
        "gfind",
        "git",
        "gmake",
        "gnome-terminal",
        "go",
        "gtar",
        "hash",
        "hatch",
        "help",
        "history",
        "infisical",
        "java",
        "javaw",
        "jobs",
        "just",
        "kitty",
        "konsole",
        "less",
        "let",
        "lldb",
        "local",
        "logout",
        "m4",
        "make",
        "mamba",
        "man",
        "mapfile",
        "mariadb",
        "micromamba",
        "mise",
        "mongo",
        "mongosh",
        "more",
        "most",
        "mysql",
        "nerdctl",
        "newgrp",
        "ninja",
        "nix",
        "nix-shell",
        "nodemon",
        "npm",
        "npx",
        "nvim",
        "op",
        "pandoc",
        "parallel",
        "pdm",
        "pipenv",
        "pipx",
        "pixi",
        "pnpm",
        "podman",
        "poetry",
        "popd",
        "psql",
        "pushd",
        "read",
        "readarray",
        "readonly",
        "redis-cli",
        "return",
        "runuser",
        "rustup",
        "rxvt",
        "rye",
        "screen",
        "script",
        "sem",
        "set",
        "sg",
        "shift",
        "shopt",
        "source",
        "sqlite",
        "sqlite3",
        "st",
        "start-stop-daemon",
        "su",
        "suspend",
        "tar",
        "times",
        "tmux",
        "toybox",
        "trap",
        "type",
        "typeset",
        "ulimit",
        "umask",
        "unset",
        "urxvt",
        "uv",
        "uvx",
        "uxterm",
        "vi",
        "view",
        "vim",
        "vimdiff",
        "wait",
        "xterm",
        "yarn",
        "zellij",
        "zip",
    ];
    KNOWN.contains(&name) || super::shells::is_shell(name) || super::shells::language(name).is_some()
}

/// Whether a command only looks at the files it names, or changes no text in them.
pub(super) fn only_looks(command: &Command) -> bool {
    let first = command.args.first().map(|arg| arg.text.as_str()).unwrap_or_default();
    match command.name() {
        "cat" | "ls" | "chmod" | "chown" | "test" | "[" | "head" | "tail" | "file" | "stat" | "wc" | "grep"
        | "egrep" | "rg" | "shellcheck" | "echo" | "printf" | "cd" | "command" | "which" | "type" | "less" | "more"
        | "touch" | "readlink" | "realpath" | "basename" | "dirname" | "md5sum" | "sha256sum" | "sha1sum" | "diff"
        | "cmp" | "du" | "nl" | "od" | "xxd" | "hexdump" | "strings" | "rm" | "mkdir" | "pylint" | "mypy"
        | "flake8" | "set" | "export" | "env" | "exec" | "time" | "timeout" | "nice" | "nohup" | "source" | "."
        | "read" | "mapfile" => true,
        "git" => ["add", "diff", "log", "status", "show", "blame", "commit", "ls-files"].contains(&first),
        "sed" => !command.options().any(|option| option.contains('i')),
        _ => false,
    }
}

/// Opaque when one of these options is there: long ones by name, short ones by letter.
fn options(command: &Command, long: &[&str], short: &str) -> Vec<Verdict> {
    let name = command.name();
    let mut found = Vec::new();
    let mut args = command.args.iter();
    while let Some(arg) = args.next() {
        let text = arg.text.as_str();
        let Some(option) = long.iter().find(|option| {
            let stem = text.split('=').next().unwrap_or_default();
            // Unambiguous beginnings of long options count too.
            stem == **option || (stem.len() > 4 && stem.starts_with("--") && option.starts_with(stem))
        }) else {
            let cluster = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            if let Some(at) = cluster.and_then(|cluster| cluster.find(|c: char| short.contains(c))) {
                found.push(Opaque(format!(
                    "`{name}` runs what the option `{}` says",
                    &text[..(at + 2).min(text.len())]
                )));
                let attached = text.get(at + 2..).unwrap_or_default();
                let value = if attached.is_empty() {
                    args.next().cloned()
                } else {
                    Some(Value { text: attached.to_owned(), ..arg.clone() })
                };
                found.extend(value.filter(|value| value.is_exact).map(Line));
            }
            continue;
        };
        found.push(Opaque(format!("`{name}` runs what the option `{option}` says")));
        let value = match text.split_once('=') {
            Some((_, value)) => Some(Value { text: value.to_owned(), ..arg.clone() }),
            None => args.next().cloned(),
        };
        found.extend(value.filter(|value| value.is_exact).map(Line));
    }
    found
}

/// Whether a program that may run what it is given is given something.
fn runs(command: &Command) -> bool {
    let args = &command.args;
    match command.name() {
        "capsh" => args.iter().any(|arg| arg.text == "--" || arg.text == "==" || arg.text.starts_with("--shell")),
        "start-stop-daemon" => true,
        "sg" | "newgrp" => args.len() > 1,
        "m4" => command.input != Input::None || args.iter().any(|arg| arg.text.contains("syscmd")) || !args.is_empty(),
        _ => {
            let text =
                matches!(&command.input, Input::Text(text) if text.contains('!')) || command.input == Input::Unknown;
            text || args.iter().any(|arg| arg.text.contains('!'))
        }
    }
}

/// Words after so many arguments and the options that follow them.
fn runner(command: &Command, from: usize) -> Vec<Verdict> {
    let rest = command.args.get(from..).unwrap_or_default();
    let Some(first) = rest.iter().find(|arg| !arg.text.starts_with('-')) else { return Vec::new() };
    let at = rest.iter().position(|arg| arg == first).unwrap_or_default();
    // An option may take the first word as its value: the second is looked at too.
    let mut found = vec![Words(rest[at..].to_vec())];
    if at > 0 && rest[at - 1].text != "--" && rest.len() > at + 1 {
        found.push(Words(rest[at + 1..].to_vec()));
    }
    found
}

/// The words behind `--`; without it, those of [`runner`].
fn behind_dashes(command: &Command, from: usize) -> Vec<Verdict> {
    if let Some(at) = command.args.iter().position(|arg| arg.text == "--").filter(|at| *at >= from) {
        return vec![Words(command.args.get(at + 1..).unwrap_or_default().to_vec())];
    }
    let mut found = runner(command, from);
    // A file or a profile may stand in front of the command.
    let behind = command.args.iter().skip(from).skip_while(|arg| arg.text.starts_with('-'));
    let next: Vec<Value> = behind.skip(1).cloned().collect();
    if !next.is_empty() {
        found.push(Words(next));
    }
    found
}

fn cmake(command: &Command) -> Vec<Verdict> {
    let mut found = options(command, &["-P"], "");
    if let Some(at) = command.args.iter().position(|arg| arg.text == "env").filter(|_| command.has_arg("-E")) {
        let rest = command.args.get(at + 1..).unwrap_or_default();
        let settings = rest.iter().take_while(|arg| arg.text.starts_with('-') || arg.text.contains('='));
        let skipped = settings.clone().count();
        found.extend(settings.filter_map(|arg| {
            let (name, value) = arg.text.split_once('=')?;
            Some(Sets(name.to_owned(), Value { text: value.to_owned(), ..arg.clone() }))
        }));
        found.push(Words(rest[skipped..].to_vec()));
    }
    if command.args.iter().any(|arg| arg.text.contains("_LAUNCHER") || arg.text.contains("CMAKE_MAKE_PROGRAM")) {
        found.push(Opaque("`cmake` with programs of its own choice".to_owned()));
    }
    found
}

fn find(command: &Command) -> Vec<Verdict> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(arg) = command.args.get(at) {
        at += 1;
        if ["-exec", "-execdir", "-ok", "-okdir"].contains(&arg.text.as_str()) {
            let rest = command.args.get(at..).unwrap_or_default();
            let end = rest.iter().position(|word| word.text == ";" || word.text == "+").unwrap_or(rest.len());
            found.push(Found(rest[..end].to_vec(), PLACEHOLDER.to_owned()));
            at += end;
        } else if arg.text.starts_with("-fprint") || arg.text == "-fls" {
            found.push(Opaque("`find` writes a file".to_owned()));
        }
    }
    // What ends a command is there, but not what begins it.
    if found.is_empty() && command.args.iter().any(|arg| arg.is_exact && arg.text == ";") {
        found.push(Opaque("`find` with an expression known only when it runs".to_owned()));
    }
    found
}

fn fd(command: &Command) -> Vec<Verdict> {
    for (at, arg) in command.args.iter().enumerate() {
        let Some(attached) = option_value(&arg.text, "xX", &["exec", "exec-batch"]) else { continue };
        let mut rest = command.args.get(at + 1..).unwrap_or_default().to_vec();
        if !attached.is_empty() {
            rest.insert(0, Value { text: attached.to_owned(), ..arg.clone() });
        }
        // Each path is put in place of these, and behind the rest where none of them stands.
        let mut is_replaced = false;
        for word in &mut rest {
            for placeholder in ["{/.}", "{//}", "{/}", "{.}"] {
                word.text = word.text.replace(placeholder, PLACEHOLDER);
            }
            is_replaced |= word.text.contains(PLACEHOLDER);
        }
        if !is_replaced {
            rest.push(Value::exact(PLACEHOLDER));
        }
        return vec![Found(rest, PLACEHOLDER.to_owned())];
    }
    Vec::new()
}

/// What option of a command is meant by an argument: short ones alone, in a cluster or with their value attached, long
/// ones also by an unambiguous beginning. Gives the value that is attached, which may be empty.
fn option_value<'a>(arg: &'a str, short: &str, long: &[&str]) -> Option<&'a str> {
    if let Some(name) = arg.strip_prefix("--") {
        let (name, value) = name.split_once('=').unwrap_or((name, ""));
        let is_meant = !name.is_empty() && long.iter().any(|long| long.starts_with(name) && name.len() > 2);
        return is_meant.then_some(value);
    }
    let cluster = arg.strip_prefix('-')?;
    let at = cluster.find(|c: char| short.contains(c))?;
    cluster.get(at + 1..)
}

fn make(command: &Command) -> Vec<Verdict> {
    let mut found = Vec::new();
    let is_make = !matches!(command.name(), "ninja" | "just");
    let mut args = command.args.iter();
    while let Some(arg) = args.next() {
        let text = arg.text.as_str();
        if let Some((name, value)) = text.split_once('=').filter(|(name, _)| !name.starts_with('-')) {
            let name = name.trim_end_matches([':', '+', '?', '!']);
            // A value of `make` is text in its own language, which runs what `$(shell …)` and `!=` say.
            let runs = value.contains(['$', '`']) || text.contains("!=") || !arg.is_exact && value.contains('(');
            if matches!(name, "SHELL" | ".SHELLFLAGS" | "MAKE" | "MAKEFLAGS" | "MAKEFILES")
                || (runs && arg.is_exact && is_make)
            {
                found.push(Opaque("`make` with a variable that runs a program".to_owned()));
            }
        } else if is_make && option_value(text, "E", &["eval"]).is_some() && !text.starts_with("--e=") {
            found.push(Opaque("`make` runs what the option `--eval` says".to_owned()));
        } else if let Some(value) = option_value(text, "f", &["file", "makefile"]) {
            let file = if value.is_empty() {
                args.next().cloned()
            } else {
                Some(Value { text: value.to_owned(), ..arg.clone() })
            };
            if file.as_ref().is_some_and(|file| file.text == "-") {
                found.push(Opaque("a makefile that is not seen".to_owned()));
            }
            found.extend(file.map(Verdict::Script));
        }
    }
    found
}

fn debugger(command: &Command) -> Vec<Verdict> {
    let mut found = Vec::new();
    let harmless =
        ["bt", "run", "r", "quit", "q", "info", "thread", "set", "continue", "c", "p", "print", "where", "frame"];
    for (at, arg) in command.args.iter().enumerate() {
        if ["-ex", "-iex", "--ex", "-o", "--eval-command", "-eval-command", "-x", "-s", "--source", "--command"]
            .contains(&arg.text.as_str())
        {
            let next = command.args.get(at + 1);
            let first = next.and_then(|next| next.text.split_whitespace().next()).unwrap_or_default();
            let calls =
                next.is_some_and(|next| next.text.contains('(') || next.text.contains('!') || next.text.contains('|'));
            if !next.is_some_and(|next| next.is_exact) || !harmless.contains(&first) || calls {
                found.push(Opaque("a debugger that runs a command".to_owned()));
            }
        } else if arg.text.starts_with("--eval-command=") || arg.text.starts_with("--command=") {
            found.push(Opaque("a debugger that runs a command".to_owned()));
        } else if arg.text == "--args" {
            found.push(Words(command.args.get(at + 1..).unwrap_or_default().to_vec()));
        }
    }
    found
}

fn editor(command: &Command) -> Vec<Verdict> {
    let runs = command.args.iter().any(|arg| {
        let script = arg.text.as_str();
        script.starts_with('+')
            || ["-c", "--cmd", "-S", "-s", "-u", "-e", "-es"].contains(&script)
            || script.contains('!')
    });
    let scripted = command.input != Input::None;
    if runs || scripted { vec![Opaque("an editor that follows commands".to_owned())] } else { Vec::new() }
}

fn prefixed(command: &Command, prefix: char) -> Vec<Verdict> {
    let runs = command.args.iter().any(|arg| {
        arg.text.starts_with(prefix)
            && arg.text.len() > 1
            && !arg.text.chars().skip(1).all(|c| c.is_ascii_digit() || c == 'G' || c == 'F')
    });
    if runs { vec![Opaque(format!("`{}` that follows commands", command.name()))] } else { Vec::new() }
}

fn java(command: &Command) -> Vec<Verdict> {
    let signs = ["-XX:OnOutOfMemoryError", "-XX:OnError", "-javaagent", "-agentpath", "-agentlib", "-XX:Flags", "@"];
    let runs = command.args.iter().any(|arg| signs.iter().any(|sign| arg.text.starts_with(sign)));
    if runs { vec![Opaque("`java` that runs a command or loads an agent".to_owned())] } else { Vec::new() }
}

fn database(command: &Command) -> Vec<Verdict> {
    let escapes = |text: &str| {
        let lower = text.to_lowercase();
        text.contains("\\!")
            || text.contains("\\o |")
            || text.contains("\\g |")
            // Beginnings of the commands count too.
            || dot_command(&lower, &[".shell", ".system", ".load", ".excel", ".once |", ".output |", ".import |", ".archive", ".cd"])
            || lower.contains("edit(")
            || lower.contains("load_extension")
            || lower.contains("system ") && text.trim_start().starts_with("system")
            || lower.contains("to program")
            || lower.contains("from program")
            || lower.contains("sys_exec")
            || lower.contains("into outfile")
            || lower.contains(".import |")
            || lower.contains(".once |")
            || lower.contains(".output |")
            || lower.contains("pg_read_file")
            || lower.contains("\\copy")
    };
    let input = matches!(&command.input, Input::Text(text) if escapes(text));
    if input
        || command.args.iter().any(|arg| escapes(&arg.text))
        || command.args.iter().any(|arg| arg.text.starts_with("--pager") || arg.text.starts_with("-init"))
    {
        vec![Opaque("a database client that runs a command".to_owned())]
    } else {
        Vec::new()
    }
}

/// Whether a line of a text begins one of these commands, by as few letters as a client takes.
fn dot_command(text: &str, commands: &[&str]) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start();
        let word = line.split_whitespace().next().unwrap_or_default();
        commands.iter().any(|command| {
            let name = command.split(' ').next().unwrap_or_default();
            let needs_pipe = command.ends_with('|');
            word.len() > 2
                && name.starts_with(word)
                && (!needs_pipe || line.contains('|'))
                && !matches!(word, ".s" | ".sc" | ".se")
        })
    })
}

fn trap(command: &Command) -> Vec<Verdict> {
    match command.operands().first() {
        Some(action) if command.args.len() > 1 && action.text != "-" => vec![Line((*action).clone())],
        _ => Vec::new(),
    }
}

fn script(command: &Command) -> Vec<Verdict> {
    let mut found: Vec<Verdict> =
        options(command, &["--command"], "c").into_iter().filter(|verdict| matches!(verdict, Line(_))).collect();
    if super::shells::has_input(command) {
        found.push(Opaque("`script` starts a shell that runs what it reads".to_owned()));
    }
    found
}

fn flock(command: &Command) -> Vec<Verdict> {
    let known = super::options::Options {
        flags: "senuoFvx",
        valued: "wE",
        optional: "",
        long_flags: &["shared", "exclusive", "unlock", "nonblock", "close", "no-fork", "verbose"],
        long_valued: &["timeout", "wait", "conflict-exit-code"],
    };
    let Ok(start) = super::options::skip(&known, &command.args) else {
        return vec![Opaque("`flock` with an option that is not known".to_owned())];
    };
    let rest = command.args.get(start + 1..).unwrap_or_default();
    match rest.split_first() {
        Some((first, rest)) if first.text == "-c" || first.text == "--command" => {
            rest.first().cloned().map(Line).into_iter().collect()
        }
        Some(_) => vec![Words(rest.to_vec())],
        None => Vec::new(),
    }
}

fn container(command: &Command) -> Vec<Verdict> {
    let is_own = |text: &str| {
        ["/:", "/etc", "/root", "/var", "/home:", "/usr", "/boot", "/dev", "/proc", "/sys", "/lib", "/bin"]
            .iter()
            .any(|start| text.starts_with(start))
    };
    let mounts = |text: &str| {
        is_own(text)
            || text.contains("docker.sock")
            || ["source=", "src="].iter().any(|key| {
                text.split(',').filter_map(|part| part.strip_prefix(key)).any(|path| is_own(&format!("{path}:")))
            })
    };
    let reaches = command.args.iter().enumerate().any(|(at, arg)| {
        let text = arg.text.as_str();
        let next = command.args.get(at + 1).map_or("", |next| next.text.as_str());
        let value = |short: &str, long: &[&str]| {
            option_value(text, short, long)
                .map(|value| if value.is_empty() { next } else { value.trim_start_matches('=') })
        };
        let names_host = |long: &[&str]| value("", long).is_some_and(|value| value == "host");
        let cluster = text.starts_with("-v") || text == "-itv" || text.starts_with("--");
        text.starts_with("--privileged")
            || (cluster && value("v", &["volume", "mount"]).is_some_and(mounts))
            || names_host(&["pid", "ipc", "userns", "uts", "cgroupns"])
            || value("", &["cap-add", "device", "security-opt"]).is_some()
    });
    if reaches { vec![Opaque("a container with the machine's own files or rights".to_owned())] } else { Vec::new() }
}

fn terminal(command: &Command) -> Vec<Verdict> {
    let looks = ["ls", "list-sessions", "-V", "-ls", "list-windows", "list-panes", "has-session", "--version"];
    match command.args.first() {
        Some(first) if looks.contains(&first.text.as_str()) => Vec::new(),
        _ => vec![Opaque("a terminal that runs commands on its own".to_owned())],
    }
}
