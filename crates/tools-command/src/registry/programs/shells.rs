//! Shells: how they get a line, a script or input to run.

use crate::reader::{Command, Input, PLACEHOLDER, Value};
use crate::registry::prelude::*;

/// Shells that read their options as `bash` does.
pub(crate) const POSIX: &[&str] = &[
    "bash", "sh", "dash", "zsh", "ksh", "ksh93", "mksh", "lksh", "oksh", "loksh", "pdksh", "posh", "ash", "hush",
    "rbash", "yash", "bosh", "rksh", "rzsh", "bash5", "zsh-5*", "bash-5*", "osh", "ysh",
];
/// Shells with other option syntax.
pub(crate) const OTHER: &[&str] =
    &["fish", "csh", "tcsh", "pwsh", "powershell", "nu", "elvish", "xonsh", "rc", "es", "ion", "scsh", "dtksh"];

/// Settings that make a shell read commands from its history.
const HISTORY: [&str; 2] = ["history", "histexpand"];

pub(crate) const DOTS: &str = "patterns that match names with a dot in front";

/// Whether a setting makes a shell's patterns match names with a leading dot: other programs obey
/// such files.
pub(crate) fn matches_dots(setting: &str) -> bool {
    matches!(setting.to_lowercase().replace('_', "").as_str(), "dotglob" | "globdots")
}

pub(super) static ALL: &[Program] = &[
    Program {
        family: POSIX,
        flags: "-a -b -c -e -f -h -i -k -l -m -n -p -r -s -t -u -v -x -B -C -D -E -H -P -T --debug --debugger --dump-po-strings \
                    --dump-strings --login --noediting --noprofile --norc --posix --pretty-print --protected --restricted --verbose \
                    --wordexp --no-rcs --no-globalrcs",
        valued: "-o -O --init-file --rcfile --emulate",
        style: Style::Exact,
        rules: &[when(Lacks("-n"), By(posix)), when(Has("-n"), By(posix))],
        is_exhaustive: true,
        examples: &[
            ("bash -c 'sudo id'", Expect::Denied("takes other rights")),
            ("bash -lc 'sudo id'", Expect::Denied("takes other rights")),
            ("bash -oc posix 'sudo id'", Expect::Denied("takes other rights")),
            ("bash -Oc extglob 'sudo id'", Expect::Denied("takes other rights")),
            ("bash +O extglob -c 'sudo id'", Expect::Denied("takes other rights")),
            ("bash --rcfile x -c 'sudo id'", Expect::Denied("takes other rights")),
            ("bash -norc -c 'sudo id'", Expect::Denied("takes other rights")),
            ("sh -c -- 'sudo id'", Expect::Denied("takes other rights")),
            ("sh -cx -- 'sudo id'", Expect::Denied("takes other rights")),
            ("zsh -c 'sudo id'", Expect::Denied("takes other rights")),
            ("bash -s -- x <<< 'sudo id'", Expect::Denied("takes other rights")),
            ("bash -s x <<< 'id'", Expect::Opaque("runs what it reads")),
            ("bash -x", Expect::Opaque("runs what it reads")),
            ("bash -", Expect::Opaque("runs what it reads")),
            ("cat x | bash", Expect::Opaque("runs what it reads")),
            ("bash --odd -c 'ls'", Expect::Opaque("`--odd` of `bash`")),
            ("bash -c \"$(cat x)\"", Expect::Opaque("known only then")),
            ("bash --rcfile x -i", Expect::Opaque("runs what it reads")),
            ("bash --rcfile x -i -c :", Expect::Opaque("a file of its own")),
            ("echo x > a.sh; bash a.sh", Expect::Opaque("written by this very line")),
            ("bash /dev/stdin <<< ls", Expect::Opaque("read from a descriptor")),
            ("bash -o histexpand -o history -c 'ls'", Expect::Opaque("by its history")),
            ("bash -c", Expect::Opaque("without the line")),
            ("bash -O dotglob -c 'ls *'", Expect::Opaque("a dot in front")),
            ("shopt -s dotglob; bash -c 'ls *'", Expect::Opaque("a dot in front")),
            ("bash -c 'x=dotglob; shopt -s \"$x\"'", Expect::Opaque("a dot in front")),
            ("bash -c 'shopt -s $(echo dotglob)'", Expect::Opaque("a dot in front")),
        ],
        plain_lines: &[
            "bash -O nullglob -c 'shopt -s failglob'", "bash -n x.sh", "bash -x build.sh --release",
            "sh -c 'cd sub && make'", "sh -c 'for f; do wc -l \"$f\"; done' sh a b", "bash --version",
        ],
        ..Program::LEADING
    },
    Program {
        names: &["fish"],
        flags: "-i|--interactive -l|--login -n|--no-execute -N|--no-config -P|--private -v",
        valued: "-c|--command -C|--init-command -d|--debug -o|--debug-output -f|--features -p|--profile --profile-startup \
                     -D|--debug-stack-frames",
        rules: &[
            always(RunsLine(At::Value("--command --init-command"))),
            when(Lacks("--command --no-execute"), RunsScript(At::Nth(0))),
            when_all(&[Lacks("--command --version -v"), AtMost(0)], Hides("a shell that runs what it reads")),
        ],
        is_exhaustive: true,
        examples: &[
            ("fish -c 'sudo id'", Expect::Denied("takes other rights")),
            ("fish -NC 'sudo id' x.fish", Expect::Denied("takes other rights")),
            ("fish", Expect::Opaque("runs what it reads")),
            ("fish --odd -c ls", Expect::Opaque("`--odd` of `fish`")),
        ],
        plain_lines: &["fish x.fish"],
        ..Program::LEADING
    },
    Program {
        family: &["csh", "tcsh", "rc", "es"],
        flags: "-b -d -e -f -i -l -m -n -q -s -t -v -V -x -X -p",
        valued: "-D",
        last: "-c",
        rules: &[
            always(RunsLine(At::Value("-c"))),
            when(Lacks("-c"), RunsScript(At::Nth(0))),
            when_all(&[Lacks("-c --version"), AtMost(0)], Hides("a shell that runs what it reads")),
        ],
        examples: &[
            ("tcsh -fc 'sudo id'", Expect::Denied("takes other rights")),
            ("csh -c 'sudo id'", Expect::Denied("takes other rights")),
            ("csh", Expect::Opaque("runs what it reads")),
        ],
        plain_lines: &["tcsh x.csh"],
        ..Program::LEADING
    },
    Program {
        family: &["pwsh", "powershell", "nu", "elvish", "xonsh", "ion", "scsh", "dtksh"],
        flags: "-NoProfile -NonInteractive -NoLogo -Login -n -l --no-config-file --no-std-lib --no-rc -norc -i",
        valued: "-ExecutionPolicy -WorkingDirectory -OutputFormat -InputFormat --config --env-config",
        last: "-File -f",
        style: Style::Single,
        rules: &[always(RunsScript(At::Value("-File"))), when(Lacks("-File --version -Version -v"), By(foreign))],
        examples: &[
            ("pwsh -Command 'rm x'", Expect::Opaque("a shell of another language")),
            ("pwsh -NoProfile -c 'rm x'", Expect::Opaque("a shell of another language")),
            ("pwsh -EncodedCommand abc", Expect::Opaque("a shell of another language")),
            ("nu -c 'rm x'", Expect::Opaque("a shell of another language")),
            ("powershell rm x", Expect::Opaque("a shell of another language")),
            ("pwsh", Expect::Opaque("a shell of another language")),
        ],
        plain_lines: &["pwsh -NoProfile -File x.ps1", "pwsh x.ps1", "nu build.nu"],
        ..Program::GNU
    },
];

/// Whether a program is a shell, by its name.
pub(crate) fn is_shell(name: &str) -> bool {
    let is_named = |known: &str| known.strip_suffix('*').map_or(name == known, |start| name.starts_with(start));
    POSIX.iter().chain(OTHER).any(|known| is_named(known))
}

/// A script by its name; everything else is code in a language that is not analysed.
fn foreign(parsed: &Parsed<'_>) -> Vec<Effect> {
    match parsed
        .command
        .args
        .iter()
        .find(|arg| !matches!(arg.text.as_str(), "-NoProfile" | "-NoLogo" | "-NonInteractive" | "-n"))
    {
        // Windows PowerShell reads its first word as code.
        Some(file) if file.is_exact && !file.text.starts_with('-') && parsed.command.name() != "powershell" => {
            vec![Effect::Script(file.clone())]
        }
        _ => vec![Effect::hidden("a shell of another language")],
    }
}

/// Meaning of a shell's arguments.
#[derive(Default)]
struct ShellArguments {
    line: bool,
    input: bool,
    /// Index of the first argument that is not an option.
    operand: usize,
    odd: Option<String>,
    files: Vec<Value>,
    only_says: bool,
    only_reads: bool,
}

/// The line, file or input that a shell runs.
fn posix(parsed: &Parsed<'_>) -> Vec<Effect> {
    let command = parsed.command;
    let told = options(&command.args);
    let mut found: Vec<Effect> = told.files.iter().cloned().map(Effect::Script).collect();
    if !told.files.is_empty() {
        found.push(Effect::hidden("a shell that starts with a file of its own"));
    }
    if let Some(odd) = &told.odd {
        found.push(Effect::hidden(format!("the option `{odd}` of `{}` is not known", command.name())));
        let lines = command.args.iter().filter(|arg| arg.is_exact && !arg.text.starts_with('-'));
        found.extend(lines.cloned().map(Effect::Line));
        found.extend(fed(&command.input));
        return found;
    }
    if told.only_says {
        return found;
    }
    if command.args[..told.operand.min(command.args.len())].iter().any(|arg| HISTORY.contains(&arg.text.as_str())) {
        found.push(Effect::hidden("a shell that replaces words by its history"));
    }
    if command.args[..told.operand.min(command.args.len())].iter().any(|arg| !arg.is_exact || matches_dots(&arg.text)) {
        found.push(Effect::hidden(DOTS));
    }
    match command.args.get(told.operand) {
        Some(line) if told.line => found.push(Effect::Line(line.clone())),
        None if told.line => found.push(Effect::hidden("a shell without the line that it is told to run")),
        Some(file) if !told.input && is_unknown(file, command) => {
            found.push(Effect::hidden("a script whose name is known only when it runs"));
            found.push(Effect::Script(file.clone()));
        }
        Some(file) if !told.input => {
            let name = Effect::Script(file.clone());
            found.push(if told.only_reads { Effect::path(file.clone(), tools_core::Access::Read) } else { name });
        }
        _ => {
            found.push(Effect::hidden("a shell that runs what it reads"));
            found.extend(fed(&command.input));
        }
    }
    found
}

fn is_unknown(file: &Value, command: &Command) -> bool {
    !file.is_exact || file.has_pattern || command.is_open && file.text.contains(PLACEHOLDER)
}

fn fed(input: &Input) -> Option<Effect> {
    match input {
        Input::Text(text) => Some(Effect::Line(Value::exact(text.clone()))),
        Input::None | Input::Unknown => None,
    }
}

/// Reads options like `bash`: long ones with one or two dashes, and the values of `-o` and `-O`
/// after the cluster.
fn options(args: &[Value]) -> ShellArguments {
    let mut told = ShellArguments::default();
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        let text = arg.text.as_str();
        if !arg.is_exact {
            if text.starts_with(['-', '+']) {
                told.odd = Some(text.to_owned());
            }
            break;
        }
        if text == "-" || text == "--" {
            at += 1;
            break;
        }
        if !text.starts_with(['-', '+']) || text.len() < 2 {
            break;
        }
        at += 1;
        if !long(text, args, &mut at, &mut told) {
            short(text, &mut at, &mut told);
        }
    }
    told.operand = at;
    told
}

/// Reads a long option; `false` if the text is not one.
fn long(text: &str, args: &[Value], at: &mut usize, told: &mut ShellArguments) -> bool {
    let name = text.trim_start_matches('-');
    match name.split('=').next().unwrap_or_default() {
        "help" | "version" => told.only_says = true,
        "debug" | "debugger" | "dump-po-strings" | "dump-strings" | "login" | "noediting" | "noprofile" | "norc"
        | "posix" | "pretty-print" | "protected" | "restricted" | "verbose" | "wordexp" | "no-rcs" | "no-globalrcs"
        | "no-rc" => {}
        "rcfile" | "init-file" if !name.contains('=') => {
            told.files.extend(args.get(*at).cloned());
            *at += 1;
        }
        "emulate" if !name.contains('=') => *at += 1,
        _ if text.starts_with("--") => {
            told.odd.get_or_insert_with(|| text.to_owned());
        }
        _ => return false,
    }
    true
}

/// Reads a cluster of short options.
fn short(text: &str, at: &mut usize, told: &mut ShellArguments) {
    for letter in text.chars().skip(1) {
        match letter {
            'c' if text.starts_with('-') => told.line = true,
            's' if text.starts_with('-') => told.input = true,
            'n' if text.starts_with('-') => told.only_reads = true,
            'o' | 'O' => *at += 1,
            'a' | 'b' | 'e' | 'f' | 'h' | 'k' | 'l' | 'm' | 'p' | 'r' | 't' | 'u' | 'v' | 'x' | 'B' | 'C' | 'D'
            | 'E' | 'H' | 'P' | 'T' | 'I' | 'V' | 'd' | 'F' | 'c' | 's' | 'i' | 'n' | 'X' | 'G' => {}
            _ => {
                told.odd.get_or_insert_with(|| text.to_owned());
                return;
            }
        }
    }
}
