//! How a shell or an interpreter is told what to run: a line, a file, its input.

use super::command::{Command, Input, Value};
use crate::code::Language;

const SHELLS: [&str; 14] =
    ["bash", "sh", "dash", "zsh", "ksh", "ksh93", "mksh", "ash", "fish", "rbash", "yash", "csh", "tcsh", "pwsh"];

/// Whether this is a shell.
pub(super) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

/// What a shell or interpreter runs.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// This text.
    Text(Value),
    /// A file by this name.
    File(Value),
    /// Whatever comes in.
    Input,
    /// Something its options say that is not understood.
    Odd(String),
    /// Nothing: it only says what it is.
    Nothing,
}

/// What a shell called like this runs.
pub(super) fn source(command: &Command) -> Source {
    let mut takes_line = false;
    let mut takes_input = false;
    let mut args = command.args.iter();
    while let Some(arg) = args.next() {
        let text = arg.text.as_str();
        if !arg.is_exact && (text.starts_with('-') || takes_line) {
            return if takes_line { Source::Text(arg.clone()) } else { Source::Odd(text.to_owned()) };
        }
        match text {
            "--help" | "--version" => return Source::Nothing,
            "--" | "-" if !takes_line => match args.next() {
                Some(file) => return Source::File(file.clone()),
                None => return Source::Input,
            },
            "--" | "--norc" | "--noprofile" | "--login" | "--posix" | "--restricted" | "--verbose" | "--no-rcs"
            | "--no-globalrcs" => {}
            _ if text.starts_with("--") => return Source::Odd(text.to_owned()),
            "-o" | "+o" | "-O" | "+O" => {
                args.next();
            }
            _ if text.len() > 1 && text.starts_with(['-', '+']) => {
                takes_line |= text.contains('c');
                takes_input |= text.contains('s');
                if text.ends_with(['o', 'O']) {
                    args.next();
                }
            }
            _ if takes_line => return Source::Text(arg.clone()),
            _ if takes_input => return Source::Input,
            _ => return Source::File(arg.clone()),
        }
    }
    if takes_line { Source::Nothing } else { Source::Input }
}

/// The language an interpreter of this name runs, if it is one.
pub(super) fn language(name: &str) -> Option<Language> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    Some(match stem {
        "python" | "pypy" | "ipython" => Language::Python,
        "perl" => Language::Perl,
        "ruby" | "irb" | "jruby" => Language::Ruby,
        "node" | "nodejs" | "bun" | "deno" | "tsx" => Language::Node,
        "lua" | "luajit" | "texlua" => Language::Lua,
        "php" => Language::Php,
        "awk" | "gawk" | "mawk" | "nawk" => Language::Awk,
        "sed" | "gsed" => Language::Sed,
        _ => return None,
    })
}

/// The code an interpreter is given on its command line, and whether it also takes code from its input.
pub(super) fn inline_code(language: Language, command: &Command) -> (Vec<Value>, bool) {
    let letters = match language {
        Language::Python => "c",
        Language::Perl | Language::Ruby => "eE",
        Language::Node => "ep",
        Language::Lua => "e",
        Language::Php => "rBRE",
        Language::Awk | Language::Sed => return (scripts(language, command), false),
    };
    let mut code = Vec::new();
    let mut reads_input = true;
    let mut args = command.args.iter();
    while let Some(arg) = args.next() {
        let text = arg.text.as_str();
        if matches!(text, "--eval" | "--print" | "eval" | "--run") {
            code.extend(args.next().cloned());
        } else if let Some(inline) = text.strip_prefix("--eval=").or_else(|| text.strip_prefix("--print=")) {
            code.push(Value { text: inline.to_owned(), ..arg.clone() });
        } else if text == "-" || text == "/dev/stdin" {
            break;
        } else if text == "-m" && language == Language::Python {
            reads_input = false;
            if args.next().is_some_and(|module| {
                ["timeit", "cProfile", "profile", "trace", "pdb", "code"].contains(&module.text.as_str())
            }) {
                code.extend(args.by_ref().filter(|arg| !arg.text.starts_with('-')).cloned());
            }
            break;
        } else if matches!(text, "--version" | "-V" | "--help" | "-h" | "-v") {
            reads_input = false;
        } else if let Some(cluster) = text.strip_prefix('-').filter(|cluster| !cluster.starts_with('-')) {
            let takes_value = |c: char| match language {
                Language::Perl => "IMmxCi0lFDd".contains(c),
                Language::Ruby => "IrKCFT0xW".contains(c),
                Language::Python => "WX".contains(c),
                _ => "r".contains(c),
            };
            let found = cluster.find(|c: char| letters.contains(c) || takes_value(c));
            if let Some(at) = found.filter(|at| cluster[*at..].starts_with(|c| letters.contains(c))) {
                let rest = cluster.get(at + 1..).unwrap_or_default();
                let attached = (!rest.is_empty()).then(|| Value { text: rest.to_owned(), ..arg.clone() });
                code.extend(attached.or_else(|| args.next().cloned()));
                if language == Language::Python {
                    break;
                }
            } else if matches!(language, Language::Perl | Language::Ruby) && cluster.starts_with(['M', 'm', 'r']) {
                code.push(Value { text: format!("use {}", &cluster[1..]), ..arg.clone() });
            }
        } else if !text.starts_with('-') {
            reads_input = false;
            break;
        }
    }
    let is_interactive = |arg: &Value| {
        let letters = arg.text.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        letters.is_some_and(|letters| letters.split('c').next().unwrap_or_default().contains('i'))
    };
    let goes_on = language == Language::Python
        && command.args.iter().take_while(|arg| arg.text.starts_with('-')).any(is_interactive);
    let reads_input = goes_on || (reads_input && code.is_empty());
    (code, reads_input)
}

/// The scripts among the arguments of `sed` or `awk`.
fn scripts(language: Language, command: &Command) -> Vec<Value> {
    let mut found = Vec::new();
    let mut has_file = false;
    let mut operands = Vec::new();
    let mut args = command.args.iter();
    while let Some(arg) = args.next() {
        let text = arg.text.as_str();
        let takes = match language {
            Language::Sed => ["-e", "--expression"],
            _ => ["-e", "--source"],
        };
        if takes.contains(&text) {
            found.extend(args.next().cloned());
        } else if let Some(script) = text.strip_prefix("--expression=").or_else(|| text.strip_prefix("--source=")) {
            found.push(Value { text: script.to_owned(), ..arg.clone() });
        } else if matches!(text, "-f" | "--file") {
            has_file = true;
            args.next();
        } else if matches!(text, "-F" | "-v" | "-l") && language != Language::Sed {
            args.next();
        } else if language == Language::Sed
            && text.starts_with('-')
            && !text.starts_with("--")
            && text.contains('e')
            && text.len() > 2
            && !text.starts_with("-i")
        {
            let attached = text.split_once('e').map_or("", |(_, script)| script);
            found.extend(if attached.is_empty() {
                args.next().cloned()
            } else {
                Some(Value { text: attached.to_owned(), ..arg.clone() })
            });
        } else if !text.starts_with('-') {
            operands.push(arg.clone());
        }
    }
    if found.is_empty() && !has_file {
        found.extend(operands.into_iter().next());
    }
    found
}

/// The files an interpreter takes its code from. `by_operand`: the first operand is one, not an argument.
pub(super) fn script_files(language: Language, command: &Command, by_operand: bool) -> Vec<Value> {
    let mut found = Vec::new();
    let is_filter = matches!(language, Language::Awk | Language::Sed);
    let long: &[&str] = match language {
        Language::Awk => &["--file", "--exec", "--include"],
        Language::Sed => &["--file"],
        Language::Php => &["--file", "--process-file"],
        Language::Node => &["--require", "--import", "--loader"],
        _ => &[],
    };
    let letters = match language {
        Language::Awk => "fEi",
        Language::Sed => "f",
        Language::Php => "fF",
        Language::Node | Language::Ruby => "r",
        _ => "",
    };
    let mut args = command.args.iter();
    while let Some(arg) = args.next() {
        let text = arg.text.as_str();
        if text == "--" {
            break;
        }
        let attached = |rest: &str| Value { text: rest.to_owned(), ..arg.clone() };
        if let Some(name) = text.strip_prefix("--") {
            let (name, value) = name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
            if long.iter().any(|long| name.len() > 1 && long.trim_start_matches('-').starts_with(name)) {
                found.extend(value.map_or_else(|| args.next().cloned(), |value| Some(attached(value))));
            }
        } else if let Some(cluster) = text.strip_prefix('-').filter(|cluster| !cluster.is_empty()) {
            let valued = match language {
                Language::Awk => "Fvel",
                Language::Sed => "el",
                _ => "",
            };
            match cluster.find(|c: char| letters.contains(c) || valued.contains(c)) {
                Some(at) if cluster[at..].starts_with(|c| letters.contains(c)) => {
                    let rest = cluster.get(at + 1..).unwrap_or_default();
                    found.extend(if rest.is_empty() { args.next().cloned() } else { Some(attached(rest)) });
                }
                Some(at) if is_filter && at + 1 == cluster.len() => {
                    args.next();
                }
                _ => {}
            }
        } else if !is_filter {
            break;
        }
    }
    let operand = command.operands().into_iter().find(|operand| operand.text != "-" || operand.text.len() > 1);
    found.extend(operand.filter(|_| by_operand && !is_filter).cloned());
    found
}

/// Whether a command takes its input from somewhere that may hold commands.
pub(super) fn has_input(command: &Command) -> bool {
    match &command.input {
        Input::None => false,
        Input::Text(text) => !text.trim().is_empty(),
        Input::Unknown => true,
    }
}
