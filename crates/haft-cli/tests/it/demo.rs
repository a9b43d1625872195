//! `haft demo`: everything it promises holds, and it writes nowhere else.

use std::process::Command;

use crate::support::{Haft, finished, with_toolchain};

#[test]
fn everything_holds_in_a_repository() {
    let haft = Haft::new();
    haft.workspace.file("README.md", "# Sample\n\nTODO: more\n");
    haft.workspace.file("src/main.rs", "fn main() {}\n");
    haft.commit();
    let mut command = haft.command(&["demo", "."]);
    with_toolchain(&mut command);
    let ran = finished(command);
    assert_eq!(ran.code, 0, "{}\n{}", ran.out, ran.err);
    assert!(ran.out.contains("everything held"), "{}", ran.out);
    assert!(ran.out.contains("12 of 12 verdicts as promised"), "{}", ran.out);
    assert!(ran.out.contains("failure lines lost: 0"), "{}", ran.out);
    let mut cargo = Command::new("cargo");
    let path = std::env::var_os("PATH").unwrap_or_default();
    cargo.arg("--version").env_clear().env("PATH", path).env("HOME", haft.home.root());
    with_toolchain(&mut cargo);
    if cargo.output().is_ok_and(|output| output.status.success()) {
        assert!(ran.out.contains("5 requests, 4 calls") && ran.out.contains("the test passes"), "{}", ran.out);
    } else {
        eprintln!("SKIPPED the agent: no `cargo` runs in a fresh home");
    }
    for kept in ["audit.jsonl", "overflow", "checkpoints"] {
        let elsewhere = haft.home.root().join(".local/state/haft").join(kept);
        assert!(!elsewhere.exists(), "what is kept lies in the demo's folder: {}", elsewhere.display());
    }

    let mut entries: Vec<String> = std::fs::read_dir(haft.workspace.root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    entries.sort();
    assert_eq!(entries, [".git", "README.md", "haft-demo", "src"]);
}
