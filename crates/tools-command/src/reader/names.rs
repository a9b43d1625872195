//! Names of variables with a special meaning in bash.

/// Integer variables: bash evaluates what is assigned to them as an expression.
const INTEGERS: [&str; 20] = [
    "RANDOM", "SRANDOM", "SECONDS", "HISTCMD", "OPTIND", "OPTERR", "LINENO", "BASHPID", "BASH_SUBSHELL",
    "BASH_MONOSECONDS", "EPOCHSECONDS", "EPOCHREALTIME", "PPID", "UID", "EUID", "HISTSIZE", "HISTFILESIZE", "COLUMNS",
    "LINES", "TMOUT",
];

/// Variables that bash fills with texts: a line, its arguments, names of folders and functions.
const TEXTS: [&str; 17] = [
    "_", "BASH_COMMAND", "BASH_EXECUTION_STRING", "BASH_ARGV", "BASH_ARGV0", "BASH_SOURCE", "BASH_ALIASES",
    "BASH_CMDS", "FUNCNAME", "DIRSTACK", "PWD", "OLDPWD", "COMP_LINE", "COMP_WORDS", "COMPREPLY", "READLINE_LINE",
    "HISTFILE",
];

/// Whether bash evaluates what is assigned to this variable.
pub(super) fn is_integer(name: &str) -> bool {
    INTEGERS.contains(&name)
}

/// Whether bash itself maintains this variable as an array.
pub(super) fn is_array(name: &str) -> bool {
    ["BASH_ALIASES", "BASH_CMDS", "DIRSTACK", "PIPESTATUS"].contains(&name)
}

/// Whether bash itself puts texts into this variable.
pub(super) fn holds_text(name: &str) -> bool {
    TEXTS.contains(&name)
}

/// Whether a variable is an ordinary one: only assignments change it.
pub(super) fn is_ordinary(name: &str) -> bool {
    let special = ["IFS", "HOME", "PATH", "HOSTNAME", "OPTARG", "REPLY", "MAPFILE", "GROUPS", "PIPESTATUS", "SHLVL"];
    is_name(name)
        && !is_integer(name)
        && !holds_text(name)
        && !special.contains(&name)
        && !["BASH", "COMP", "SHELL", "EPOCH"].iter().any(|start| name.starts_with(start))
}

/// Whether a text is the name of a variable.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
