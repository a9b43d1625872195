//! bash itself, confined: it has no program but itself, and tells which names it looked for.
#![expect(clippy::disallowed_methods, reason = "the oracle is bash itself, on lines that name no program there is")]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// Each line runs in a shell of its own, which may end as it likes. bash calls the function for a
/// program that is not found, in inner shells too.
const SCRIPT: &str = r#"
command_not_found_handle() { case $1 in zz*) builtin printf '%s\n' "$1" >> "LOG";; esac; return 127; }
export -f command_not_found_handle
FUNCNEST=50
__own_count__=0
while IFS= read -r -d '' __own_line__; do
    __own_count__=$((__own_count__ + 1))
    cd FOLDER/$__own_count__
    ( ulimit -t 1 -f 2048; :; eval "$__own_line__" ) < /dev/null > /dev/null 2>&1
done < BATCH
echo "$__own_count__"
: >> "LOG"
while read -r __own_line__; do echo "$__own_line__"; done < "LOG"
"#;

/// A folder in which lines run.
pub(super) struct Oracle {
    folder: TempDir,
}

impl Oracle {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let programs = folder.path().join("bin");
        fs::create_dir_all(&programs).expect("a folder for programs");
        symlink("/bin/bash", programs.join("bash")).expect("bash");
        let env = ["/usr/bin/env", "/bin/env"].into_iter().find(|env| Path::new(env).exists()).expect("env");
        symlink(env, programs.join("env")).expect("env");
        Self { folder }
    }

    /// The markers that these lines run; each line has a marker of its own, which begins with `zz`.
    pub(super) fn markers(&self, lines: &[String]) -> BTreeSet<String> {
        let own = tempfile::tempdir_in(self.folder.path()).expect("a folder");
        let path = |name: &str| own.path().join(name);
        // What one line writes no other reads.
        for at in 1..=lines.len() {
            fs::create_dir_all(path("work").join(at.to_string())).expect("a folder to work in");
        }
        fs::write(path("batch"), lines.join("\0") + "\0").expect("the lines");
        let spelled = |path: PathBuf| path.to_string_lossy().into_owned();
        let script = SCRIPT
            .replace("FOLDER", &spelled(path("work")))
            .replace("LOG", &spelled(path("log")))
            .replace("BATCH", &spelled(path("batch")));
        fs::write(path("script"), script).expect("the script");
        let mut bash = Command::new("/bin/bash");
        bash.args(["--norc", "--noprofile"]).arg(path("script")).env_clear();
        bash.env("PATH", self.folder.path().join("bin")).current_dir(path("work"));
        let said = bash.stdin(Stdio::null()).stderr(Stdio::null()).output().expect("bash").stdout;
        let said = String::from_utf8_lossy(&said).into_owned();
        let mut told = said.lines().map(str::to_owned);
        assert_eq!(told.next(), Some(lines.len().to_string()), "bash ended before the last line of {lines:#?}");
        told.collect()
    }
}
