//! Which lines are known to change nothing. Everything else gets a snapshot: an unknown command costs one, nothing more.

use tools_command::{Analysis, Command};

/// Programs that write nothing whatever their arguments are.
const READERS: &[&str] = &[
    ":",
    "[",
    "basename",
    "cat",
    "cd",
    "cksum",
    "cmp",
    "comm",
    "cut",
    "date",
    "df",
    "diff",
    "dirname",
    "du",
    "echo",
    "exit",
    "expand",
    "false",
    "fold",
    "free",
    "grep",
    "head",
    "id",
    "ls",
    "md5sum",
    "nl",
    "nproc",
    "od",
    "paste",
    "printenv",
    "printf",
    "ps",
    "pwd",
    "readlink",
    "realpath",
    "rev",
    "seq",
    "sha1sum",
    "sha256sum",
    "sleep",
    "stat",
    "tac",
    "tail",
    "test",
    "tr",
    "true",
    "type",
    "uname",
    "uptime",
    "wc",
    "which",
    "whoami",
];

/// Whether the line is known to change nothing.
pub(crate) fn only_reads(found: &Analysis) -> bool {
    writes_nothing_itself(found) && found.commands.iter().all(reads)
}

/// Whether the line can be seen through and no redirection in it writes a file.
pub(crate) fn writes_nothing_itself(found: &Analysis) -> bool {
    found.opaque.is_empty() && found.writes.iter().all(|target| target.is_exact && target.text == "/dev/null")
}

/// Whether a command is known to change nothing.
pub(crate) fn reads(command: &Command) -> bool {
    let program = command.program.text.as_str();
    let system = ["/bin/", "/usr/bin/"].iter().find_map(|folder| program.strip_prefix(folder));
    command.program.is_exact && command.via.is_empty() && READERS.contains(&system.unwrap_or(program))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tools_command::{Surroundings, analyse};

    #[test]
    fn what_is_not_known_to_read_may_write() {
        let check = |line: &str, expected: bool| {
            assert_eq!(only_reads(&analyse(line, &Surroundings::default())), expected, "{line}");
        };
        check("ls -l | grep x 2>/dev/null; echo $?", true);
        check("cat a && head -3 b", true);
        check("/bin/true; /usr/bin/stat f", true);
        for writes in [
            "echo x > f",
            "echo x >> f",
            "rm f",
            "mv a b",
            "cp a b",
            "dd of=f",
            "truncate -s0 f",
            "tee f",
            "python3 x.py",
            "find . -delete",
            "git checkout .",
            "$x f",
            "cat f | sh",
            "eval \"$y\"",
            "echo $(rm f)",
            "cat < a > $out",
            "./ls",
            "/work/bin/ls",
            "/bin/../work/ls",
            "PATH=. ls",
            "PATH=.:$PATH; ls",
            "export PATH=.; ls",
            "LD_PRELOAD=./x.so ls",
            "BASH_ENV=x ls",
            "ls() { rm f; }; ls",
            "alias ls=rm; ls f",
            "hash -p ./evil ls; ls",
            ". ./f; ls",
            "enable -f ./x.so ls; ls",
            "ls &> f",
            "ls >| f",
            "echo x >& f",
            "cat <> f",
            "trap 'rm f' EXIT; ls",
            "printf x | tee f",
            "coproc rm f",
            "ls <(rm f)",
            "echo ${x:=$(rm f)}",
        ] {
            check(writes, false);
        }
    }
}
