//! What every executor promises, and what gates see of a line before it runs.

use serde_json::json;
use tools_core::{CallContext, Subject, ToolCall, ToolExecutor};
use tools_shell::{Bash, NetworkMode, ShellConfig, ShellPolicyHandle};

async fn subjects(command: &str) -> Vec<Subject> {
    let bash = Bash::new(ShellPolicyHandle::new(ShellConfig::default().compile().unwrap())).into_executor();
    let call = ToolCall::new("bash", json!({ "command": command })).unwrap();
    bash.inspect(&call, &CallContext::new("/nonexistent/w")).await.unwrap().subjects
}

#[tokio::test]
async fn gates_see_the_line_and_each_part_of_it() {
    let seen = serde_json::to_value(subjects("cd app && env A=1 cargo test 2>&1 | tail -80 > out").await).unwrap();
    let exec = |line: &str, program: &str, argv: &[&str], via: &[&str]| {
        let mut value = json!({"kind": "exec", "line": line, "program": program, "argv": argv});
        if !via.is_empty() {
            value["via"] = json!(via);
        }
        value
    };
    let expected = json!([
        exec("cd app && env A=1 cargo test 2>&1 | tail -80 > out", "", &[], &[]),
        exec("cd app", "cd", &["app"], &[]),
        exec("env A=1 cargo test 2>&1", "env", &["A=1", "cargo", "test"], &[]),
        exec("cargo test 2>&1", "cargo", &["test"], &["env"]),
        exec("tail -80 > out", "tail", &["-80"], &[]),
        {"kind": "path", "path": "/nonexistent/w/app/out", "access": "write", "by": "redirection"},
    ]);
    assert_eq!(seen, expected);
}

#[tokio::test]
async fn what_cannot_be_seen_through_is_a_subject() {
    assert!(subjects("$x").await.iter().any(|subject| matches!(subject, Subject::Opaque { .. })));
}

#[tokio::test]
async fn a_simple_line_is_one_subject() {
    assert_eq!(subjects("ls -l").await.len(), 1);
}

#[tokio::test]
async fn the_tool_holds_to_the_executors_contract() {
    let workspace = tools_testkit::Workspace::new();
    let bash = Bash::new(ShellPolicyHandle::new(ShellConfig::default().compile().unwrap())).into_executor();
    let samples = [("echo a > b", false), ("cat x | sort", false), ("true", false), ("touch x", true)];
    let samples =
        samples.map(|(line, job)| ToolCall::new("bash", json!({ "command": line, "background": job })).unwrap());
    tools_testkit::contract::check(bash, &workspace, &samples).await;
}

#[tokio::test]
async fn a_blocked_line_comes_with_what_would_do_instead() {
    let config = ShellConfig {
        network: NetworkMode::Off,
        blocked_commands: vec!["terraform apply".to_owned()],
        ..ShellConfig::default()
    };
    let bash = Bash::new(ShellPolicyHandle::new(config.compile().unwrap())).into_executor();
    for (line, instead) in [
        ("sudo ls", "with the rights you have"),
        ("shutdown now", "Leave the machine running"),
        ("curl example.org", "what is on this machine"),
        ("cat < /dev/tcp/localhost/80", "what is on this machine"),
        ("rm -rf /", "one by one"),
        ("echo x > /dev/sda", "Write to a file"),
        ("mkfs.ext4 x", "Write to a file"),
        ("dd if=/dev/sda of=x", "Write to a file"),
        ("f() { f & }; f", "a number of processes"),
        ("terraform apply", "another way"),
    ] {
        let call = ToolCall::new("bash", json!({ "command": line })).unwrap();
        let error = bash.inspect(&call, &CallContext::new("/nonexistent/w")).await.unwrap_err();
        assert_eq!(error.code(), "command_blocked", "{line}");
        assert!(error.suggestion().contains(instead), "{line}: {}", error.suggestion());
    }
}
