//! Programs that run other programs by an option, a subcommand or a script of their own. One function per program; what is
//! not understood is opaque.

use super::command::{Command, Value};

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
        "make" | "gmake" | "bmake" | "ninja" | "just" => make(command),
        "cmake" => cmake(command),
        "go" => options(
            command,
            &["-toolexec", "--toolexec", "-exec", "--exec", "-vettool", "-overlay", "-ldflags=-extld", "-C"],
            "",
        ),
        "bundle" | "bundler" if command.args.first().is_some_and(|arg| arg.text == "exec") => runner(command, 1),
        "gcc" | "cc" | "g++" | "clang" => options(command, &["-wrapper"], ""),
        "cscope" | "ctags" | "pandoc" => {
            options(command, &["--filter", "--lua-filter", "--options", "--pdf-engine"], "F")
        }
        _ => Vec::new(),
    }
}

/// Whether a program's arguments are looked at here, or are data for it.
pub(super) fn is_known(name: &str) -> bool {
    const KNOWN: [&str; 27] = [
        "bmake", "bundle", "bundler", "cargo", "cc", "clang", "cmake", "cscope", "ctags", "g++", "gcc", "gmake", "go",
        "hatch", "just", "make", "ninja", "pandoc", "pdm", "pipenv", "pipx", "pixi", "poetry", "rustup", "rye", "uv",
        "uvx",
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
