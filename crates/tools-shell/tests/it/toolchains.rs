//! The usual toolchains, really run inside the confinement. What this machine lacks is skipped, and
//! said so.

use serde_json::json;
use tools_shell::{NetworkMode, ShellConfig};
use tools_testkit::installed;

use crate::support::Shell;

/// Runs a line that must succeed without a network, and tells what it printed.
async fn works(shell: &Shell, line: &str) -> String {
    let came = shell.run(line).await;
    assert_eq!((came.code(), came.field("exit_code")), (None, json!(0)), "{line}\n{}", came.envelope());
    came.stdout()
}

/// A shell without a network; `None` after saying which of the programs this machine lacks.
fn offline(programs: &[&str]) -> Option<Shell> {
    let config = ShellConfig { timeout: 300, network: NetworkMode::Off, ..ShellConfig::default() };
    installed(programs).then(|| Shell::with(&config))
}

#[tokio::test]
async fn cargo_builds_and_tests() {
    let Some(shell) = offline(&["cargo", "rustc"]) else { return };
    works(&shell, "cargo init --offline --quiet --vcs none --lib --name tiny .").await;
    let tested = works(&shell, "cargo test --offline 2>&1").await;
    assert!(tested.contains("test result: ok. 1 passed"), "{tested}");
    assert!(shell.work.join("target/debug").is_dir());
}

#[tokio::test]
async fn cargo_uses_crates_that_were_fetched_before() {
    let Some(shell) = offline(&["cargo", "rustc"]) else { return };
    works(&shell, "cargo init --offline --quiet --vcs none --name user .").await;
    let found = shell.run("cargo add --offline --quiet itoa").await;
    if found.field("exit_code") != json!(0) {
        eprintln!("SKIPPED: no crate `itoa` was fetched before: {}", found.field("stderr"));
        return;
    }
    std::fs::write(shell.work.join("src/main.rs"), "fn main() { println!(\"{}\", itoa::Buffer::new().format(42)); }")
        .unwrap();
    assert_eq!(works(&shell, "cargo run --offline --quiet").await, "42\n");
}

#[tokio::test]
async fn node_and_npm_work() {
    let Some(shell) = offline(&["node", "npm"]) else { return };
    works(&shell, "mkdir dep && cd dep && npm init -y && echo 'module.exports = 42' > index.js").await;
    works(&shell, "npm init -y && npm install --offline --no-audit --no-fund ./dep").await;
    let line = "node -e \"console.log(require('dep'), require('child_process').execSync('echo child').toString())\"";
    assert_eq!(works(&shell, line).await, "42 child\n\n");
}

#[tokio::test]
async fn python_makes_environments() {
    if !tools_testkit::namespaces() {
        return;
    }
    let Some(shell) = offline(&["python3"]) else { return };
    let has_venv = shell.run("python3 -c 'import venv, ensurepip'").await.field("exit_code") == json!(0);
    if !has_venv {
        eprintln!("SKIPPED: no `venv` here");
        return;
    }
    works(&shell, "python3 -m venv env").await;
    assert!(works(&shell, "env/bin/pip --version").await.starts_with("pip "));
    let line = "env/bin/python -c 'import multiprocessing as m; print(m.Pool(2).map(abs, [-1, 2]))'";
    assert_eq!(works(&shell, line).await, "[1, 2]\n");
}

#[tokio::test]
async fn c_is_compiled_by_make() {
    let Some(shell) = offline(&["gcc", "make"]) else { return };
    std::fs::write(shell.work.join("main.c"), "#include <stdio.h>\nint main(void) { puts(\"built\"); }\n").unwrap();
    std::fs::write(shell.work.join("Makefile"), "main: main.c\n\tgcc -o main main.c\n").unwrap();
    assert!(works(&shell, "make -j2 && ./main").await.ends_with("built\n"));
}

#[tokio::test]
async fn git_commits() {
    let Some(shell) = offline(&["git"]) else { return };
    std::fs::write(shell.work.join("a"), "a").unwrap();
    works(&shell, "git init -q && git config user.name me && git config user.email me@localhost").await;
    works(&shell, "git add a && git commit -qm first && git checkout -qb other && git status --porcelain").await;
    assert_eq!(works(&shell, "git log --format=%s | cat").await, "first\n");
}

#[tokio::test]
async fn go_builds() {
    let Some(shell) = offline(&["go"]) else { return };
    std::fs::write(shell.work.join("main.go"), "package main\nfunc main() { println(42) }\n").unwrap();
    // The shell alone gives no caches, and the user's own need not be there.
    let build = "GOCACHE=\"$TMPDIR/go\" GOFLAGS=-mod=mod go build -o tiny .";
    works(&shell, &format!("go mod init tiny && {build} && ./tiny")).await;
}

#[tokio::test]
async fn a_cache_can_be_written_and_what_lies_beside_it_cannot() {
    let base = tempfile::tempdir_in("/var/tmp").unwrap();
    let home = base.path().canonicalize().unwrap();
    std::fs::create_dir_all(home.join("manager/cache")).unwrap();
    std::fs::write(home.join("manager/credentials"), "kept").unwrap();
    let cache = home.join("manager/cache").to_str().unwrap().to_owned();
    let shell =
        Shell::with(&ShellConfig { caches: vec![cache.clone(), "/no/such/cache".into()], ..ShellConfig::default() });
    let came = shell.run(&format!("echo x > {cache}/file; echo y > {cache}/../credentials; cat {cache}/file")).await;
    assert_eq!(came.stdout(), "x\n");
    if came.field("sandbox")["level"] == json!("off") {
        eprintln!("SKIPPED the other half: no confinement here");
        return;
    }
    assert_eq!(std::fs::read_to_string(home.join("manager/credentials")).unwrap(), "kept");
}
