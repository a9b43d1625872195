//! Finds programs of the machine that a test needs, and running processes.
#![expect(clippy::disallowed_methods, reason = "the machine is asked by tests alone")]

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The path of the first of these programs in `PATH`; `None` when none is installed.
pub fn program(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|file| file.is_file())
}

/// Whether all of these programs are installed. Prints a missing one, so that the output shows a
/// skipped test.
pub fn installed(names: &[&str]) -> bool {
    let missing = names.iter().find(|name| program(&[name]).is_none());
    if let Some(missing) = missing {
        eprintln!("SKIPPED: no `{missing}` here");
    }
    missing.is_none()
}

/// Whether this machine allows the namespaces that confine commands. Prints a note otherwise, so
/// that the output shows a skipped test.
pub fn namespaces() -> bool {
    let mut unshare = Command::new("unshare");
    unshare.args(["--user", "--map-root-user", "--mount", "--pid", "--fork", "--net", "true"]);
    let is_given = unshare.stdin(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success());
    if !is_given {
        eprintln!("SKIPPED: no user namespaces here");
    }
    is_given
}

/// Number of processes that have `argument` among their arguments.
pub fn processes_with(argument: &str) -> usize {
    let entries = std::fs::read_dir("/proc").expect("the kernel tells").flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| line.split(|byte| *byte == 0).any(|own| own == argument.as_bytes())).count()
}

/// Waits until `holds` returns `true`; returns `false` if it does not within ten seconds.
pub fn eventually(mut holds: impl FnMut() -> bool) -> bool {
    let until = Instant::now() + Duration::from_secs(10);
    while !holds() {
        if Instant::now() > until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}
