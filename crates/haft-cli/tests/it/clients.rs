//! Clients that are not ours: the official Python SDK and the official inspector, on a real git
//! repository.
//!
//! Both are installed from their package registries into a temporary folder. Where that cannot be
//! done the test says so on standard error and passes: it is about their behaviour, not about the
//! network.

use std::path::{Path, PathBuf};
use std::process::Command;

use tools_testkit::Workspace;

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools-mcp/tests/clients")
}

/// Runs a command and gives its standard output and whether it worked.
fn tried(command: &mut Command) -> (bool, String) {
    match command.output() {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
            (output.status.success(), text)
        }
        Err(error) => (false, error.to_string()),
    }
}

fn skipped(what: &str, why: &str) {
    let why: String = why.lines().rev().take(3).collect::<Vec<_>>().join(" | ");
    eprintln!("SKIPPED {what}: {why}");
}

/// The server as the scripts take it: they fill in the repository and its configuration.
fn server(home: &Workspace) -> [String; 8] {
    let text = |text: &str| text.to_owned();
    [
        text("env"),
        format!("HOME={}", home.root().display()),
        text("HAFT_CONFIG={config}"),
        text(env!("CARGO_BIN_EXE_haft")),
        text("mcp"),
        text("serve"),
        text("--workdir"),
        text("{root}"),
    ]
}

#[test]
fn the_python_sdk_lists_and_runs_the_tools() {
    let home = Workspace::new();
    let environment = home.path("venv");
    let (made, said) = tried(Command::new("python3").args(["-m", "venv"]).arg(&environment));
    if !made {
        return skipped("python sdk, no virtual environment", &said);
    }
    let python = environment.join("bin/python");
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "mcp>=2.3,<3"];
    let (installed, said) = tried(Command::new(&python).args(install));
    if !installed {
        return skipped("python sdk, pip cannot install `mcp`", &said);
    }
    let (passed, said) =
        tried(Command::new(&python).arg(scripts().join("python_client.py")).arg("--").args(server(&home)));
    assert!(passed, "{said}");
    assert!(said.contains("PASS") && !said.contains("FAIL"), "{said}");
}

#[test]
fn the_inspector_lists_and_runs_the_tools() {
    let home = Workspace::new();
    // The inspector wants a newer Node than many machines have; the registry has one as a package.
    let install = ["install", "--silent", "--no-audit", "--no-fund", "node@22", "@modelcontextprotocol/inspector@2"];
    let folder = home.dir("npm");
    let (installed, said) = tried(Command::new("npm").args(install).current_dir(&folder).env("HOME", home.root()));
    if !installed {
        return skipped("inspector, npm cannot install it", &said);
    }
    let binaries = folder.join("node_modules/.bin");
    let path = format!("{}:{}", binaries.display(), std::env::var("PATH").unwrap_or_default());
    let (passed, said) =
        tried(Command::new("sh").arg(scripts().join("inspector.sh")).args(server(&home)).env("PATH", path));
    assert!(passed, "{said}");
    assert!(said.contains("PASS") && !said.contains("FAIL"), "{said}");
}
