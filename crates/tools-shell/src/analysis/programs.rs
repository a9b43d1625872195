//! Programs that run other programs by an option, a subcommand or a script of their own. One function per program; what is
//! not understood is opaque.

use super::command::{Command, Input, Value};

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
    /// A name or an expression that the shell evaluates.
    Evaluates(Value),
}

use Verdict::{Evaluates, Found, Line, Opaque, Sets, Words};

/// Everything a program would run through its arguments.
pub(super) fn look(command: &Command) -> Vec<Verdict> {
    let name = command.name();
    let mut found = match name {
        "find" | "gfind" => find(command),
        "fd" | "fdfind" => fd(command),
        "git" => git(command),
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
        "cargo" => cargo(command),
        "npx" | "npm" | "pnpm" | "yarn" | "bunx" => packages(command),
        "gdb" | "lldb" => debugger(command),
        "vim" | "vi" | "nvim" | "ex" | "view" | "vimdiff" | "ed" => editor(command),
        "emacs" | "emacsclient" => options(command, &["--eval", "--execute", "--load", "--funcall"], "lf"),
        "less" | "more" | "most" => prefixed(command, '+'),
        "man" => options(command, &["--pager", "--html", "--preprocessor"], "PH"),
        "rg" | "ag" | "ack" | "grep" => options(command, &["--pre", "--hostname-bin", "--pager"], ""),
        "split" => options(command, &["--filter"], ""),
        "sort" => options(command, &["--compress-program"], ""),
        "cpio" => options(command, &["--rsh-command"], ""),
        "dmesg" => options(command, &["--pager"], "P"),
        "rsync" => options(command, &["--rsh", "--rsync-path", "--daemon"], "e"),
        "ssh" | "scp" | "sftp" => options(command, &[], "oFSP"),
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
            .filter_map(|arg| Some(Line(Value { text: arg.text.split_once('=')?.1.to_owned(), ..arg.clone() })))
            .collect(),
        "hash" => options(command, &[], "p"),
        "enable" => options(command, &[], "f"),
        "bind" => options(command, &[], "xf"),
        "complete" | "compgen" => options(command, &[], "CFW"),
        "mapfile" | "readarray" => options(command, &[], "C"),
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
        "rpm" | "rpmbuild" | "rpmspec" => {
            options(command, &["--eval", "--define", "--pipe", "--load", "--rcfile", "--macros"], "ED")
        }
        "apt" | "apt-get" | "aptitude" | "apt-cache" => options(command, &["--option", "--config-file"], "oc"),
        "cmake" => cmake(command),
        "ip" => match command.args.iter().position(|arg| arg.text == "exec") {
            Some(at) => vec![Words(command.args.get(at + 2..).unwrap_or_default().to_vec())],
            None => Vec::new(),
        },
        "go" => options(
            command,
            &["-toolexec", "--toolexec", "-exec", "--exec", "-vettool", "-overlay", "-ldflags=-extld", "-C"],
            "",
        ),
        "rustup" if command.args.first().is_some_and(|arg| arg.text == "run") => runner(command, 2),
        "uv" | "poetry" | "pdm" | "pipenv" | "hatch" | "rye" | "pixi"
            if command.args.first().is_some_and(|arg| arg.text == "run") =>
        {
            runner(command, 1)
        }
        "bundle" | "bundler" | "direnv" | "mise" | "asdf" | "nix"
            if command.args.first().is_some_and(|arg| arg.text == "exec") =>
        {
            runner(command, 1)
        }
        "uvx" | "pipx" if command.args.first().is_some_and(|arg| arg.text != "list") => {
            runner(command, usize::from(name == "pipx"))
        }
        "flock" => flock(command),
        "su" | "runuser" => options(command, &["--command", "--session-command"], "c"),
        "docker" | "podman" | "nerdctl" => container(command),
        "tmux" | "screen" | "zellij" | "abduco" | "dtach" => terminal(command),
        "expect" | "socat" | "ncat" => options(command, &["--exec", "--sh-exec", "--lua-exec"], "ce"),
        "zip" => options(command, &["--unzip-command"], "T"),
        "gcc" | "cc" | "g++" | "clang" => options(command, &["-wrapper"], ""),
        "openssl" => options(command, &["-engine", "-provider-path"], ""),
        "nmap" => options(command, &["--script", "--interactive"], ""),
        "cscope" | "ctags" | "pandoc" | "ansible" | "ansible-playbook" => {
            options(command, &["--filter", "--lua-filter", "--options", "--pdf-engine"], "F")
        }
        "jobs" => options(command, &[], "x"),
        _ => Vec::new(),
    };
    found.extend(declarations(command));
    found
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

/// Variables that builtins set or evaluate (`export X=…` is read as an assignment already; `env` handles its own).
fn declarations(command: &Command) -> Vec<Verdict> {
    let mut found = Vec::new();
    let args = &command.args;
    let read = match &command.input {
        _ if command.has_short("u") => unknown(),
        Input::Text(text) => Value::exact(text.clone()),
        Input::None => Value::exact(""),
        Input::Unknown => unknown(),
    };
    match command.name() {
        "let" => found.extend(args.iter().cloned().map(Evaluates)),
        "unset" => found.extend(args.iter().filter_map(subscripted)),
        "test" | "[" => found.extend(after_option(args, &["-v", "-R"]).filter_map(subscripted)),
        "wait" => found.extend(after_option(args, &["-p"]).filter_map(subscripted)),
        "printf" => {
            let attached = args
                .first()
                .and_then(|arg| Some(Value { text: arg.text.strip_prefix("-v")?.to_owned(), ..arg.clone() }));
            let target = attached
                .filter(|name| !name.text.is_empty())
                .or_else(|| after_option(&args[..args.len().min(2)], &["-v"]).next().cloned());
            if let Some(name) = target {
                let texts = args.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" ");
                let is_exact = args.iter().all(|arg| arg.is_exact) && !texts.contains('\\');
                found.extend(subscripted(&name));
                found.push(Sets(name.text, Value { text: texts, is_exact, has_pattern: false }));
            }
        }
        "read" | "mapfile" | "readarray" => {
            let valued = if command.name() == "read" { "adinNptu" } else { "dnOsuCc" };
            let mut words = args.iter();
            let mut has_name = false;
            while let Some(arg) = words.next() {
                let option = arg.text.strip_prefix('-').filter(|rest| !rest.is_empty() && *rest != "-");
                let Some(letters) = option else {
                    has_name |= arg.text != "--";
                    found.extend(subscripted(arg));
                    found.push(Sets(arg.text.clone(), read.clone()));
                    continue;
                };
                if let Some(at) = letters.find(|c: char| valued.contains(c)) {
                    let attached = letters.get(at + 1..).unwrap_or_default();
                    let value = if attached.is_empty() { words.next().cloned() } else { Some(Value::exact(attached)) };
                    if letters[at..].starts_with('a') && command.name() == "read" {
                        has_name = true;
                        found.extend(value.map(|name| Sets(name.text, read.clone())));
                    }
                }
            }
            if !has_name {
                found.push(Sets(if command.name() == "read" { "REPLY" } else { "MAPFILE" }.to_owned(), read));
            }
        }
        "getopts" => found.extend(args.get(1).map(|name| Sets(name.text.clone(), unknown_option()))),
        "export" | "declare" | "typeset" | "readonly" | "local" => {
            let is_integer = command.has_short("i");
            for arg in args.iter().filter(|arg| !arg.text.starts_with('-')) {
                if let Some((name, value)) = arg.text.split_once('=') {
                    let name = name.trim_matches(['"', '\'']).trim_end_matches('+');
                    found.extend(subscripted(&Value { text: name.to_owned(), ..arg.clone() }));
                    let bare = name.split('[').next().unwrap_or_default().to_owned();
                    found.push(Sets(bare, Value { text: value.to_owned(), ..arg.clone() }));
                } else if is_integer || !arg.is_exact || arg.text.contains('[') {
                    found.push(Evaluates(arg.clone()));
                }
            }
            if is_integer {
                // The values are expressions; those read as assignments stand in the line.
                found.push(Evaluates(Value { text: command.line.clone(), is_exact: false, has_pattern: false }));
            }
            // A reference to another variable hides which one is meant.
            if command.has_short("n") && command.name() != "export" {
                found.push(Opaque("a variable that stands for another".to_owned()));
            }
        }
        _ => {}
    }
    found
}

/// A name that is more than a plain one: its subscript is evaluated.
fn subscripted(name: &Value) -> Option<Verdict> {
    let is_plain = name.is_exact && name.text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    (!is_plain).then(|| Evaluates(name.clone()))
}

/// A value that only the moment of the run decides.
fn unknown() -> Value {
    Value { text: "$(read)".to_owned(), is_exact: false, has_pattern: false }
}

/// One letter, but no one knows which.
fn unknown_option() -> Value {
    Value { text: "?".to_owned(), is_exact: false, has_pattern: false }
}

/// The arguments right after these.
fn after_option<'a>(args: &'a [Value], options: &'static [&'static str]) -> impl Iterator<Item = &'a Value> {
    args.windows(2).filter(|pair| options.contains(&pair[0].text.as_str())).map(|pair| &pair[1])
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
            found.push(Found(rest[..end].to_vec(), "{}".to_owned()));
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
    let at = command.args.iter().position(|arg| ["-x", "-X", "--exec", "--exec-batch"].contains(&arg.text.as_str()));
    let rest = at.and_then(|at| command.args.get(at + 1..)).unwrap_or_default();
    if at.is_some() { vec![Found(rest.to_vec(), "{}".to_owned())] } else { Vec::new() }
}

fn git(command: &Command) -> Vec<Verdict> {
    let mut found = Vec::new();
    let mut args = command.args.as_slice();
    while let Some((arg, rest)) = args.split_first() {
        let text = arg.text.as_str();
        args = rest;
        match text {
            "-c" | "--config-env" => {
                let setting = rest.first().cloned().unwrap_or_default();
                args = rest.get(1..).unwrap_or_default();
                found.extend(git_setting(&setting));
            }
            "-C" | "--git-dir" | "--work-tree" | "--namespace" => args = rest.get(1..).unwrap_or_default(),
            _ if text.starts_with("--exec-path=") || text.starts_with("--config-env=") => {
                found.push(Opaque("`git` with programs from elsewhere".to_owned()));
            }
            _ if text.starts_with("-c") && text.len() > 2 && !text.starts_with("--") => {
                found.extend(git_setting(&Value { text: text[2..].to_owned(), ..arg.clone() }));
            }
            _ if text.starts_with('-') => {}
            _ => {
                found.extend(git_subcommand(arg, rest));
                break;
            }
        }
    }
    found
}

/// Sections and keys of settings that run nothing.
const PLAIN_SETTINGS: &[&str] = &[
    "user.",
    "color.",
    "init.defaultbranch",
    "core.autocrlf",
    "core.quotepath",
    "core.filemode",
    "core.abbrev",
    "core.ignorecase",
    "core.symlinks",
    "core.eol",
    "core.safecrlf",
    "advice.",
    "pull.",
    "push.default",
    "push.autosetupremote",
    "fetch.",
    "merge.ff",
    "merge.conflictstyle",
    "rebase.autostash",
    "rebase.autosquash",
    "branch.",
    "log.",
    "status.",
    "diff.algorithm",
    "diff.renames",
    "diff.colormoved",
    "diff.noprefix",
    "diff.mnemonicprefix",
    "commit.gpgsign",
    "commit.verbose",
    "tag.gpgsign",
    "tag.sort",
    "gc.auto",
    "rerere.",
    "column.",
    "i18n.",
    "safe.directory",
    "http.postbuffer",
    "protocol.version",
    "submodule.recurse",
    "index.",
    "feature.",
    "help.autocorrect",
    "remote.origin.url",
    "core.longpaths",
    "core.commentchar",
    "core.whitespace",
    "core.preloadindex",
    "core.untrackedcache",
];

fn is_plain_setting(key: &str) -> bool {
    let key = key.to_lowercase();
    PLAIN_SETTINGS.iter().any(|plain| if plain.ends_with('.') { key.starts_with(plain) } else { key == *plain })
}

fn git_setting(setting: &Value) -> Vec<Verdict> {
    let (key, value) = setting.text.split_once('=').unwrap_or((&setting.text, ""));
    let key_lower = key.to_lowercase();
    let is_harmless_value = setting.is_exact && (["", "true", "false", "cat", "less", "0", "1"].contains(&value));
    if is_plain_setting(key) || (is_harmless_value && !key_lower.starts_with("alias.")) {
        return Vec::new();
    }
    let mut found = vec![Opaque(format!("the `git` setting `{key}` may run a program"))];
    if setting.is_exact {
        let line = value.trim_start_matches('!');
        found.push(Line(Value::exact(line)));
    }
    found
}

fn git_subcommand(name: &Value, args: &[Value]) -> Vec<Verdict> {
    let option = |names: &[&str]| args.iter().position(|arg| names.contains(&arg.text.as_str()));
    let starts = |names: &[&str]| args.iter().any(|arg| names.iter().any(|name| arg.text.starts_with(name)));
    if !name.is_exact {
        return vec![Opaque("a `git` command known only when it runs".to_owned())];
    }
    match name.text.as_str() {
        "bisect" if args.first().is_some_and(|arg| arg.text == "run") => vec![Words(args[1..].to_vec())],
        "submodule" => match option(&["foreach"]) {
            Some(at) => {
                let rest: Vec<Value> =
                    args[at + 1..].iter().filter(|arg| !arg.text.starts_with("--")).cloned().collect();
                let is_exact = rest.iter().all(|arg| arg.is_exact);
                let text = rest.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" ");
                vec![Line(Value { text, is_exact, has_pattern: false })]
            }
            None => Vec::new(),
        },
        "rebase" => {
            let value = option(&["-x", "--exec"]).and_then(|at| args.get(at + 1)).cloned();
            let attached = args.iter().find_map(|arg| arg.text.strip_prefix("--exec="));
            value.or(attached.map(Value::exact)).map(Line).into_iter().collect()
        }
        "filter-branch" => vec![Opaque("`git filter-branch` runs its filters".to_owned())],
        "difftool" | "mergetool" if starts(&["-x", "--extcmd"]) => {
            vec![Opaque("`git` with a program of its own choice".to_owned())]
        }
        "grep" if starts(&["-O", "--open-files-in-pager"]) => vec![Opaque("`git grep` that opens a pager".to_owned())],
        "clone" | "fetch" | "pull" | "ls-remote" | "push" | "archive" | "remote"
            if starts(&["--upload-pack", "--receive-pack", "--exec", "-u=", "ext::", "-c"]) =>
        {
            vec![Opaque("`git` with a program for the other side".to_owned())]
        }
        "config" => {
            let reads = [
                "--get",
                "--get-all",
                "--list",
                "-l",
                "--get-regexp",
                "--unset",
                "--unset-all",
                "get",
                "list",
                "--show-origin",
                "--get-urlmatch",
            ];
            let operands: Vec<&Value> =
                args.iter().filter(|arg| !arg.text.starts_with('-') && arg.text != "set").collect();
            match operands.as_slice() {
                [key, value, ..] if option(&reads).is_none() => git_setting(&Value {
                    text: format!("{}={}", key.text, value.text),
                    is_exact: key.is_exact && value.is_exact,
                    has_pattern: false,
                }),
                _ if option(&["-e", "--edit"]).is_some() => vec![Opaque("`git config` opens an editor".to_owned())],
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

fn make(command: &Command) -> Vec<Verdict> {
    let mut found = options(command, &["--eval"], "");
    for (at, arg) in command.args.iter().enumerate() {
        let next = command.args.get(at + 1).map(|next| next.text.as_str());
        if arg.text.starts_with("SHELL=") || arg.text.starts_with(".SHELLFLAGS") || arg.text.starts_with("MAKE=") {
            found.push(Opaque("`make` with another shell".to_owned()));
        }
        if matches!(arg.text.as_str(), "-f-" | "--file=-" | "--makefile=-")
            || (arg.text == "-f" && matches!(next, Some("-" | "/dev/stdin")))
            || (arg.text == "-f" && command.args.get(at + 1).is_some_and(|next| !next.is_exact))
        {
            found.push(Opaque("a makefile that is not seen".to_owned()));
        }
    }
    found
}

fn cargo(command: &Command) -> Vec<Verdict> {
    command
        .args
        .iter()
        .take_while(|arg| arg.text != "--")
        .filter(|arg| arg.text == "--config" || arg.text.starts_with("--config="))
        .map(|_| Opaque("`cargo` with settings that may run a program".to_owned()))
        .collect()
}

fn packages(command: &Command) -> Vec<Verdict> {
    let mut found = Vec::new();
    let mut args = command.args.iter().peekable();
    while let Some(arg) = args.next() {
        if matches!(arg.text.as_str(), "-c" | "--call") {
            found.extend(args.next().cloned().map(Line));
        } else if let Some(line) = arg.text.strip_prefix("--call=") {
            found.push(Line(Value { text: line.to_owned(), ..arg.clone() }));
        } else if arg.text.starts_with("--script-shell") || arg.text.starts_with("--node-options") {
            found.push(Opaque("scripts run by another shell".to_owned()));
        } else if arg.text == "exec" {
            let rest: Vec<Value> =
                args.clone().skip_while(|arg| arg.text.starts_with('-') && arg.text != "-c").cloned().collect();
            if rest.first().is_some_and(|first| first.text != "-c") {
                found.push(Words(rest));
            }
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
            if !next.is_some_and(|next| next.is_exact) || !harmless.contains(&first) {
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
            || lower.contains(".shell")
            || lower.contains(".system")
            || lower.contains(".load")
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
    let reaches = command.args.windows(2).any(|pair| {
        let volume = |text: &str| {
            text.starts_with("/:")
                || text.starts_with("/etc")
                || text.starts_with("/root")
                || text.starts_with("/var/run")
                || text.starts_with("/home:")
                || text.contains("docker.sock")
        };
        (matches!(pair[0].text.as_str(), "-v" | "--volume" | "--mount")
            && (volume(&pair[1].text) || pair[1].text.contains("source=/,") || pair[1].text.contains("src=/,")))
            || pair.iter().any(|arg| {
                arg.text == "--privileged"
                    || arg.text.starts_with("--pid=host")
                    || arg.text.starts_with("--volume=/:")
                    || arg.text.starts_with("-v/:")
            })
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
