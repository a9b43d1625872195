//! Bash itself, confined: it has no other programs, and reports the names it looks for.
#![expect(clippy::disallowed_methods, reason = "the oracle is bash itself, on lines that name no program there is")]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::figures::MarkedLine;

/// Prints the number of lines read, then each marker that was looked for. Each line runs in a
/// separate shell, which may exit. Bash calls the function for a program that is not found, in
/// inner shells too.
const EVALUATING_SCRIPT: &str = r#"
command_not_found_handle() { case $1 in zz*) builtin printf '%s\n' "$1" >> "LOG";; esac; return 127; }
export -f command_not_found_handle
FUNCNEST=50
__own_count__=0
while IFS= read -r -d '' __own_line__; do
    __own_count__=$((__own_count__ + 1))
    cd "FOLDER"/$__own_count__
    ( ulimit -t 1 -f 2048; :; eval "$__own_line__" ) < /dev/null > /dev/null 2>&1
done < "BATCH"
echo "$__own_count__"
: >> "LOG"
while read -r __own_line__; do echo "$__own_line__"; done < "LOG"
"#;

/// The same for markers that are programs. Each line runs in a separate bash, which is killed if it
/// hangs.
const STARTING_SCRIPT: &str = r#"
__own_count__=0
while IFS= read -r -d '' __own_line__; do
    __own_count__=$((__own_count__ + 1))
    cd "FOLDER"/$__own_count__
    ( ulimit -t 2 -f 2048; exec TIMEOUT -k 1 2 /bin/bash --norc --noprofile -c "$__own_line__" ) < /dev/null > /dev/null 2>&1
done < "BATCH"
cd "FOLDER"
echo "$__own_count__"
: >> "LOG"
while read -r __own_line__; do echo "$__own_line__"; done < "LOG"
"#;

/// A folder in which lines run.
pub(super) struct Oracle {
    folder: TempDir,
}

fn installed(name: &str) -> Option<PathBuf> {
    ["/usr/bin", "/bin", "/usr/local/bin"].iter().map(|folder| Path::new(folder).join(name)).find(|path| path.exists())
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

    /// An oracle whose lines find those of these programs that are installed; `None` if no tool can
    /// kill a line that hangs.
    pub(super) fn with_programs(names: &[&str]) -> Option<Self> {
        installed("timeout").and(installed("setsid"))?;
        let oracle = Self::new();
        for name in names.iter().chain(&["echo", "true", "cat"]) {
            let link = oracle.folder.path().join("bin").join(name);
            if let Some(path) = installed(name).filter(|_| !link.exists()) {
                symlink(path, link).expect("a program");
            }
        }
        Some(oracle)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.folder.path().join("bin").join(name).exists()
    }

    /// The markers that these lines start as programs.
    pub(super) fn started(&self, lines: &[&MarkedLine]) -> BTreeSet<String> {
        self.run(lines).1
    }

    /// The markers that name a non-empty file in the inner folder after their lines have run.
    pub(super) fn written(&self, lines: &[&MarkedLine]) -> BTreeSet<String> {
        let (own, _) = self.run(lines);
        let is_written = |(at, one): &(usize, &&MarkedLine)| {
            let place = own.path().join("work").join((at + 1).to_string()).join("folder").join(&one.marker);
            fs::metadata(place).is_ok_and(|file| file.len() > 0)
        };
        lines.iter().enumerate().filter(is_written).map(|(_, one)| one.marker.clone()).collect()
    }

    /// Runs each line in a separate folder that contains a file and a folder.
    fn run(&self, lines: &[&MarkedLine]) -> (TempDir, BTreeSet<String>) {
        let own = tempfile::tempdir_in(self.folder.path()).expect("a folder");
        let markers = own.path().join("markers");
        fs::create_dir(&markers).expect("a folder for markers");
        let program = own.path().join("marker");
        let log = own.path().join("log");
        fs::write(&program, format!("#!/bin/bash\necho \"${{0##*/}}\" >> '{}'\n", log.display())).expect("a program");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a program that runs");
        for (at, MarkedLine { marker, .. }) in lines.iter().enumerate() {
            symlink(&program, markers.join(marker)).expect("a marker");
            let work = own.path().join("work").join((at + 1).to_string());
            fs::create_dir_all(work.join("folder")).expect("a folder to work in");
            fs::write(work.join("x"), "x\n").expect("a file");
        }
        let timeout = installed("timeout").unwrap_or_default();
        let script = STARTING_SCRIPT.replace("TIMEOUT", &timeout.to_string_lossy());
        // In a separate session no line reaches the terminal of the person who runs the tests.
        let mut bash = Command::new(installed("setsid").unwrap_or_default());
        bash.args(["-w", "/bin/bash"]);
        let path = format!("{}:{}", markers.display(), self.folder.path().join("bin").display());
        let started = run(bash, own.path(), &path, &script, lines);
        (own, started)
    }

    /// The markers that these lines look for as programs.
    pub(super) fn evaluated(&self, lines: &[&MarkedLine]) -> BTreeSet<String> {
        let own = tempfile::tempdir_in(self.folder.path()).expect("a folder");
        // No line reads what another one wrote.
        for at in 1..=lines.len() {
            fs::create_dir_all(own.path().join("work").join(at.to_string())).expect("a folder to work in");
        }
        let path = self.folder.path().join("bin").to_string_lossy().into_owned();
        run(Command::new("/bin/bash"), own.path(), &path, EVALUATING_SCRIPT, lines)
    }
}

/// Runs a script over lines, in a folder whose `work` contains a folder for each of them.
fn run(mut bash: Command, own: &Path, path: &str, script: &str, lines: &[&MarkedLine]) -> BTreeSet<String> {
    let spelled = |name: &str| own.join(name).to_string_lossy().into_owned();
    let batch: String = lines.iter().flat_map(|one| [one.line.as_str(), "\0"]).collect();
    fs::write(spelled("batch"), batch).expect("the lines");
    let script =
        script.replace("FOLDER", &spelled("work")).replace("LOG", &spelled("log")).replace("BATCH", &spelled("batch"));
    fs::write(spelled("script"), script).expect("the script");
    bash.args(["--norc", "--noprofile"]).arg(spelled("script")).env_clear();
    bash.env("PATH", path).env("HOME", own).current_dir(own.join("work"));
    let printed = bash.stdin(Stdio::null()).stderr(Stdio::null()).output().expect("bash").stdout;
    let printed = String::from_utf8_lossy(&printed).into_owned();
    let mut printed = printed.lines().map(str::to_owned);
    let read = printed.next();
    if read != Some(lines.len().to_string()) {
        let lines: Vec<&str> = lines.iter().map(|one| one.line.as_str()).collect();
        panic!("bash ended before the last line of {lines:#?}");
    }
    printed.collect()
}
