//! Detects lines that change nothing. All others get a snapshot: an unknown command only costs an
//! unneeded copy.

use tools_command::{Analysis, Command, Effect};
use tools_core::Access;

/// Whether the line is known to change nothing.
pub(crate) fn only_reads(found: &Analysis) -> bool {
    writes_nothing_itself(found) && found.commands.iter().all(reads)
}

/// Whether the line can be analysed and no redirection in it writes a file.
pub(crate) fn writes_nothing_itself(found: &Analysis) -> bool {
    found.opaque.is_empty() && found.writes.iter().all(|target| target.is_exact && target.text == "/dev/null")
}

/// Whether a command is known to change nothing: a system program whose effects are all known and
/// contain no change.
pub(crate) fn reads(command: &Command) -> bool {
    let folder = command.program.text.rsplit_once('/').map(|(folder, _)| folder);
    let is_of_system = folder.is_none_or(|folder| matches!(folder, "/bin" | "/usr/bin"));
    let only_looks = |effect: &Effect| matches!(effect, Effect::Path { access: Access::Read, .. });
    is_of_system && command.is_exhaustive && command.via.is_empty() && command.effects.iter().all(only_looks)
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
