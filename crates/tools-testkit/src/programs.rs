//! Programs of the machine that a test needs, and processes that run on it.
#![expect(clippy::disallowed_methods, reason = "the machine is asked by tests alone")]

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The path of the first of these programs that `PATH` has; `None` when none is installed.
pub fn program(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|file| file.is_file())
}

/// Whether all of these programs are installed. Prints what is missing, so that a test that returns
/// then is seen to be skipped.
pub fn installed(names: &[&str]) -> bool {
    let missing = names.iter().find(|name| program(&[name]).is_none());
    if let Some(missing) = missing {
        eprintln!("SKIPPED: no `{missing}` here");
    }
    missing.is_none()
}

/// Whether this machine gives its users the namespaces by which commands are confined. Says so
/// where it does not, so that a test that returns then is seen to be skipped.
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

/// Waits until `holds`; `false` when it does not within ten seconds.
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
