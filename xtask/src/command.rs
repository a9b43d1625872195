//! Starts child processes for the chores.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{failure::Failure, repository};

/// A command that runs in the root of the repository.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(repository::root());
    command
}

/// The cargo that started this program, so that a toolchain override stays in effect.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut cargo = command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(arguments);
    cargo
}

/// Runs a command with the terminal of this process.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    let line = line(command);
    let status = command.status().map_err(Failure::io(format!("starting `{line}`")))?;
    if status.success() { Ok(()) } else { Err(Failure::Child { line, status }) }
}

/// Runs a command and returns its standard output.
pub(crate) fn capture(command: &mut Command) -> Result<String, Failure> {
    let line = line(command);
    let output = command.stderr(Stdio::inherit()).output().map_err(Failure::io(format!("starting `{line}`")))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(Failure::Child { line, status: output.status })
    }
}

/// Whether `cargo NAME` is an installed subcommand.
pub(crate) fn has_subcommand(name: &str) -> bool {
    let probe = cargo(&[name, "--version"]).stdin(Stdio::null()).output();
    probe.is_ok_and(|output| output.status.success())
}

/// The command line for display.
pub(crate) fn line(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    std::iter::once(program).chain(command.get_args()).map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_childs_exit_code_becomes_ours() {
        let failure = run(command("sh").args(["-c", "exit 7"])).unwrap_err();
        assert_eq!(failure.exit_code(), 7);
        assert_eq!(failure.to_string(), "`sh -c exit 7` ended with exit status: 7");
    }

    #[test]
    fn a_killed_child_is_a_failure() {
        let failure = run(command("sh").args(["-c", "kill -9 $$"])).unwrap_err();
        assert_eq!(failure.exit_code(), 1);
    }

    #[test]
    fn a_missing_program_is_named() {
        let failure = run(&mut command("no-such-program-here")).unwrap_err();
        assert!(failure.to_string().starts_with("starting `no-such-program-here`: "), "{failure}");
    }
}
