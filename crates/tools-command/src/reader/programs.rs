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
    /// A variable.
    Sets(String, Value),
    /// A file of code.
    Script(Value),
}

use Verdict::{Line, Opaque, Sets, Words};

/// Everything a program would run through its arguments.
pub(super) fn look(command: &Command) -> Vec<Verdict> {
    let name = command.name();
    match name {
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
        "vim" | "vi" | "nvim" | "ex" | "view" | "vimdiff" => editor(command),
        "emacs" | "emacsclient" => options(command, &["--eval", "--execute", "--load", "--funcall"], "lf"),
        "less" | "more" | "most" => prefixed(command, '+'),
        "man" => options(command, &["--pager", "--html", "--preprocessor"], "PH"),
        "cpio" => options(command, &["--rsh-command"], ""),
        "mysql" | "mariadb" | "psql" | "sqlite3" | "duckdb" | "mongo" | "mongosh" | "redis-cli" | "sqlite" => {
            database(command)
        }
        "cmake" => cmake(command),
        "go" => options(
            command,
            &["-toolexec", "--toolexec", "-exec", "--exec", "-vettool", "-overlay", "-ldflags=-extld", "-C"],
            "",
        ),
        "bundle" | "bundler" if command.args.first().is_some_and(|arg| arg.text == "exec") => runner(command, 1),
        "docker" | "podman" | "nerdctl" => container(command),
        "zip" => options(command, &["--unzip-command"], "T"),
        "gcc" | "cc" | "g++" | "clang" => options(command, &["-wrapper"], ""),
        "cscope" | "ctags" | "pandoc" | "ansible" | "ansible-playbook" => {
            options(command, &["--filter", "--lua-filter", "--options", "--pdf-engine"], "F")
        }
        _ => Vec::new(),
    }
}

/// Whether a program's arguments are looked at here, or are data for it.
pub(super) fn is_known(name: &str) -> bool {
    const KNOWN: [&str; 61] = [
        "ansible",
        "ansible-playbook",
        "bmake",
        "bsdtar",
        "bundle",
        "bundler",
        "cargo",
        "cc",
        "clang",
        "cmake",
        "conda",
        "cpio",
        "cscope",
        "ctags",
        "docker",
        "duckdb",
        "emacs",
        "emacsclient",
        "ex",
        "g++",
        "gcc",
        "gmake",
        "go",
        "gtar",
        "hatch",
        "just",
        "less",
        "make",
        "mamba",
        "man",
        "mariadb",
        "micromamba",
        "mongo",
        "mongosh",
        "more",
        "most",
        "mysql",
        "nerdctl",
        "ninja",
        "nvim",
        "pandoc",
        "pdm",
        "pipenv",
        "pipx",
        "pixi",
        "podman",
        "poetry",
        "psql",
        "redis-cli",
        "rustup",
        "rye",
        "sqlite",
        "sqlite3",
        "tar",
        "uv",
        "uvx",
        "vi",
        "view",
        "vim",
        "vimdiff",
        "zip",
    ];
    KNOWN.contains(&name)
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
