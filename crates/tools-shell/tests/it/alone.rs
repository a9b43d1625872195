//! The tool as a library has it that composes nothing around it.

use std::fs;

use serde_json::json;
use tools_core::{Approval, CallContext, CallerId, SystemClock, ToolCall, ToolExecutor as _};
use tools_shell::{Bash, ShellConfig, ShellPolicyHandle};

use crate::support::came;

#[tokio::test]
async fn a_closed_file_in_what_git_keeps_asks() {
    let work = tempfile::tempdir_in("/var/tmp").unwrap();
    let bash = Bash::new(ShellPolicyHandle::new(ShellConfig::default().compile().unwrap())).into_executor();
    let cx = CallContext::new(work.path());
    for (command, asks) in [
        ("git show HEAD:.env", true),
        ("git -C sub show HEAD~3:.env", true),
        ("cd sub && git cat-file -p main:.env", true),
        ("git log -p -- .env", true),
        ("git blame .env", true),
        ("git show HEAD:src/main.rs", false),
        ("git show HEAD", false),
        ("cat .env", false),
    ] {
        let call = ToolCall::new("bash", json!({ "command": command })).unwrap();
        let confirm = bash.inspect(&call, &cx).await.unwrap().confirm;
        assert_eq!(confirm.is_some_and(|reason| reason.reason.contains("what git keeps of")), asks, "{command}");
    }
}

async fn stdout(work: &std::path::Path, config: &ShellConfig, command: &str) -> String {
    let bash = Bash::new(ShellPolicyHandle::new(config.compile().unwrap())).into_executor();
    let call = ToolCall::new("bash", json!({ "command": command })).unwrap();
    let approval = Approval::grant(&call, CallerId::generate(), &SystemClock);
    came(bash.execute_tool_call_confirmed(&call, &approval, &CallContext::new(work)).await).stdout()
}

#[tokio::test]
async fn credentials_of_the_workspace_are_masked() {
    let work = tempfile::tempdir_in("/var/tmp").unwrap();
    fs::write(work.path().join(".env"), "KEY=in-the-file\n").unwrap();
    fs::write(work.path().join("plain"), "in-plain\n").unwrap();
    let seen = stdout(work.path(), &ShellConfig::default(), "cat .env plain").await;
    assert_eq!(seen, "in-plain\n");
}

#[tokio::test]
async fn the_home_is_seen_only_where_it_is_named() {
    let Some(home) = tools_sandbox::home().and_then(|home| home.canonicalize().ok()) else {
        eprintln!("skipped: there is no home");
        return;
    };
    let Ok(place) = tempfile::Builder::new().prefix("notes-").tempdir_in(&home) else {
        eprintln!("skipped: the home cannot be written");
        return;
    };
    fs::write(place.path().join("diary"), "in-the-diary\n").unwrap();
    let work = tempfile::tempdir_in("/var/tmp").unwrap();
    let command = format!("cat {}/diary", place.path().display());
    assert_eq!(stdout(work.path(), &ShellConfig::default(), &command).await, "");
    let config =
        ShellConfig { read_paths: vec![place.path().to_string_lossy().into_owned()], ..ShellConfig::default() };
    assert_eq!(stdout(work.path(), &config, &command).await, "in-the-diary\n");
}
