//! Variables that make other programs run something or load something: setting one is a command in disguise.

/// Values of such variables that are certainly harmless.
const HARMLESS: [&str; 12] =
    ["", "cat", "less", "less -R", "less -FRX", "more", "true", ":", "/bin/true", "/bin/cat", "0", "1"];

/// Names that tell a program what to run or to load, in full or with a `*` at one end.
const DANGEROUS: &[&str] = &[
    "LD_*",
    "DYLD_*",
    "BASH_ENV",
    "ENV",
    "PS0",
    "PS1",
    "PS2",
    "PS4",
    "PROMPT_COMMAND",
    "BASH_FUNC_*",
    "SHELLOPTS",
    "BASHOPTS",
    "*PAGER",
    "EDITOR",
    "VISUAL",
    "*_EDITOR",
    "GIT_SSH*",
    "GIT_EXTERNAL_DIFF",
    "GIT_PROXY_COMMAND",
    "GIT_ASKPASS",
    "GIT_CONFIG*",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
    "GIT_DIR",
    "GIT_HOOKS*",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "RUSTC",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTDOC",
    "CARGO_BUILD_RUSTC*",
    "CARGO_TARGET_*",
    "CARGO_ALIAS_*",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "PERL5OPT",
    "PERL5LIB",
    "PERL5DB",
    "RUBYOPT",
    "RUBYLIB",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "LESSOPEN",
    "LESSCLOSE",
    "BROWSER",
    "MANOPT",
    "TAR_OPTIONS",
    "RSYNC_RSH",
    "CVS_RSH",
    "ZDOTDIR",
    "GCONV_PATH",
    "LUA_INIT*",
    "PHPRC",
    "MAKEFLAGS",
    "GNUMAKEFLAGS",
    "FZF_DEFAULT_COMMAND",
    "RIPGREP_CONFIG_PATH",
    "npm_config_script_shell",
    "npm_config_node_options",
];

/// Why setting this variable to this value cannot be let by; `None` when it can.
pub(super) fn objection(name: &str, value: &str, is_exact: bool) -> Option<String> {
    let because = || Some(format!("the variable `{name}` decides what other programs run"));
    match name {
        "PATH" | "CDPATH" | "NODE_PATH" | "PYTHONPATH" => (!is_plain_path(value)).then(because).flatten(),
        // Memory limits and warnings are the everyday use.
        "NODE_OPTIONS" => {
            let loads = ["-r", "--require", "--import", "--loader", "--experimental-loader", "--eval", "-e"];
            let harmless = is_exact
                && !value.split_whitespace().any(|word| loads.contains(&word.split('=').next().unwrap_or_default()));
            (!harmless).then(because).flatten()
        }
        _ if !DANGEROUS.iter().any(|pattern| matches(pattern, name)) => None,
        _ if is_exact && HARMLESS.contains(&value) => None,
        _ => because(),
    }
}

/// Whether every part of a search path is absolute, the path itself, or below the home or working folder.
fn is_plain_path(value: &str) -> bool {
    value.trim_matches('"').split(':').all(|part| {
        part.starts_with("/usr/")
            || part.starts_with("/bin")
            || part.starts_with("/opt/")
            || part.starts_with("/sbin")
            || matches!(part, "$PATH" | "${PATH}" | "$PYTHONPATH" | "${PYTHONPATH}" | "$NODE_PATH")
            || part.starts_with("$HOME/")
            || part.starts_with("~/")
            || part.starts_with("$PWD/")
            || part.starts_with("./")
            || matches!(part, "src" | "lib")
    })
}

fn matches(pattern: &str, name: &str) -> bool {
    if let Some(end) = pattern.strip_prefix('*') {
        name.ends_with(end)
    } else if let Some(start) = pattern.strip_suffix('*') {
        name.starts_with(start)
    } else {
        pattern == name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_run_things_are_told_from_the_rest() {
        let stopped = [
            ("LD_PRELOAD", "./x.so"),
            ("BASH_ENV", "./x"),
            ("GIT_EDITOR", "sudo id"),
            ("PAGER", "sudo id"),
            ("PATH", ".:$PATH"),
            ("PATH", "/tmp/x"),
            ("NODE_OPTIONS", "--require ./x"),
            ("CARGO_TARGET_X86_RUNNER", "sudo"),
            ("PS4", "$(id)"),
        ];
        for (name, value) in stopped {
            assert!(objection(name, value, true).is_some(), "{name}={value}");
        }
        let passed = [
            ("CI", "1"),
            ("RUST_BACKTRACE", "1"),
            ("GIT_PAGER", "cat"),
            ("PAGER", "cat"),
            ("GIT_EDITOR", "true"),
            ("FOO", "x"),
            ("NODE_OPTIONS", "--max-old-space-size=4096"),
            ("PATH", "$HOME/bin:$PATH"),
            ("GIT_AUTHOR_NAME", "A"),
            ("IFS", ","),
        ];
        for (name, value) in passed {
            assert!(objection(name, value, true).is_none(), "{name}={value}");
        }
    }
}
