//! Tests the binary with programs of other publishers. The test packages are separate workspaces,
//! because they would change the features of everyone else's dependencies.

mod conformance;
mod models;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{command, failure::Failure, repository};

/// The official client and schema of the Agent Client Protocol.
const ACP: &str = "interop/acp/Cargo.toml";
/// Agents from npm, with a scripted model.
const HOSTS: &str = "interop/hosts";
/// Installs the Claude Code program for this machine. Install scripts of packages are not run;
/// without this one there is only a placeholder.
const LINKS_CLAUDE: &str = "@anthropic-ai/claude-code/install.cjs";
/// Environment variable with a folder of installed programs; programs missing in it are skipped.
const PROGRAMS: &str = "HAFT_INTEROP_HOSTS";

/// Builds the binary and runs the tests with it.
pub(crate) fn run() -> Result<(), Failure> {
    command::run(&mut build())?;
    command::run(&mut acp())
}

/// Configures real hosts with the binary, and runs them. Prints a note and skips hosts that cannot
/// be installed.
pub(crate) fn hosts(names: &[&str]) -> Result<(), Failure> {
    let root = repository::root();
    let Some(programs) = programs(root)? else { return Ok(()) };
    command::run(&mut build())?;
    let manifest = root.join(HOSTS).join("Cargo.toml");
    let mut driver = command::cargo(&["run", "--locked", "--quiet", "--manifest-path"]);
    driver.arg(manifest).arg("--target-dir").arg(root.join("target/interop")).arg("--");
    command::run(driver.arg(root.join("target/debug/haft")).arg(programs).args(names))
}

/// Runs the official conformance suite, or prints a note if it cannot be installed.
pub(crate) fn conformance() -> Result<(), Failure> {
    let root = repository::root();
    match installed(root, "interop conformance", conformance::FOLDER, "target/interop/conformance")? {
        Some(modules) => conformance::run(root, &modules),
        None => Ok(()),
    }
}

/// Runs an agent against a server of the providers' protocols from npm, or prints a note if it
/// cannot be installed.
pub(crate) fn models() -> Result<(), Failure> {
    let root = repository::root();
    let Some(modules) = installed(root, "interop models", models::FOLDER, "target/interop/models")? else {
        return Ok(());
    };
    command::run(&mut build())?;
    models::run(root, &modules)
}

/// The folder with the programs of the hosts; `None` if npm is missing or cannot fetch them.
fn programs(root: &Path) -> Result<Option<PathBuf>, Failure> {
    if let Some(named) = std::env::var_os(PROGRAMS) {
        return Ok(Some(named.into()));
    }
    let Some(modules) = installed(root, "interop hosts", HOSTS, "target/interop/npm")? else { return Ok(None) };
    let script = modules.join(LINKS_CLAUDE);
    if script.is_file() {
        command::run(command::command("node").arg(script))?;
    }
    Ok(Some(modules.join(".bin")))
}

/// Installs the packages of the `package.json` in `from` to `to`; `None` if npm is missing or
/// cannot fetch them.
fn installed(root: &Path, what: &str, from: &str, to: &str) -> Result<Option<PathBuf>, Failure> {
    let folder = root.join(to);
    fs::create_dir_all(&folder).map_err(Failure::io(format!("creating `{}`", folder.display())))?;
    let (from, to) = (root.join(from).join("package.json"), folder.join("package.json"));
    fs::copy(&from, &to).map_err(Failure::io(format!("copying `{}`", from.display())))?;
    let mut npm = command::command("npm");
    npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"]).current_dir(&folder);
    match npm.status() {
        Ok(status) if status.success() => Ok(Some(folder.join("node_modules"))),
        Ok(_) => {
            println!("{what}: skipped, npm could not install the packages");
            Ok(None)
        }
        Err(_) => {
            println!("{what}: skipped, there is no npm");
            Ok(None)
        }
    }
}

fn build() -> Command {
    command::cargo(&["build", "--locked", "--workspace", "--bin", "haft"])
}

fn acp() -> Command {
    let root = repository::root();
    let mut tests = command::cargo(&["test", "--locked", "--manifest-path", ACP]);
    tests.arg("--target-dir").arg(root.join("target/interop")).env("HAFT", root.join("target/debug/haft"));
    tests
}
