//! Time, background processes and dropped calls.

use std::time::Duration;

use serde_json::json;
use tools_shell::ShellConfig;

use crate::support::{Shell, runs};

#[tokio::test]
async fn a_command_whose_time_is_up_keeps_what_it_printed_and_leaves_nothing() {
    let shell = Shell::with(&ShellConfig { timeout: 1, ..ShellConfig::default() });
    let mark = format!("shell-timeout-{}", std::process::id());
    let line =
        format!("echo step1; (setsid bash -c 'exec -a {mark} sleep 99' &) ; bash -c 'exec -a {mark} sleep 99' & wait");
    let came = shell.run(&line).await;
    assert_eq!(came.code(), Some("command_timeout"));
    assert_eq!(
        (came.stdout().as_str(), came.field("exit_code"), came.field("timed_out")),
        ("step1\n", json!(124), json!(true))
    );
    assert!(!runs(&mark));
}

#[tokio::test]
async fn what_stays_in_the_background_does_not_hold_the_call() {
    let shell = Shell::new();
    let mark = format!("shell-background-{}", std::process::id());
    let came = shell.run(&format!("echo hi; bash -c 'exec -a {mark} sleep 99' &")).await;
    assert_eq!((came.code(), came.stdout().as_str(), came.field("left_running")), (None, "hi\n", json!(1)));
    assert!(!runs(&mark));
}

#[tokio::test]
async fn a_dropped_call_ends_its_processes() {
    let shell = Shell::new();
    let mark = format!("shell-drop-{}", std::process::id());
    let line = format!("bash -c 'exec -a {mark} sleep 99'");
    let task = tokio::spawn(async move { shell.run(&line).await.code() });
    while !runs(&mark) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    task.abort();
    assert!(task.await.is_err());
    assert!(!runs(&mark));
}
