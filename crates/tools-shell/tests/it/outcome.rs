//! Exit codes, streams, truncation and errors.

use serde_json::json;
use tools_core::{CommandEnd, ErrorDetail, ToolErrorCategory as Category};
use tools_shell::ShellConfig;

use crate::support::Shell;

#[tokio::test]
async fn a_failing_command_is_a_result() {
    let came = Shell::new().run("echo out; echo err >&2; exit 7").await;
    assert!(came.error.is_none());
    let seen = came.envelope();
    let fields = ["stdout", "stderr", "exit_code", "truncated", "signal", "timed_out", "stdout_bytes", "left_running"];
    let expected =
        [json!("out\n"), json!("err\n"), json!(7), json!(false), json!(null), json!(false), json!(4), json!(0)];
    assert_eq!(fields.map(|field| seen[field].clone()), expected);
    let output = came.output.unwrap();
    assert_eq!(output.ended, Some(CommandEnd::with_exit(7)));
    // Two pipes are read: which of two lines at the same moment comes first is not known.
    assert!(["out\nerr\n", "err\nout\n"].contains(&output.summary.as_str()), "{}", output.summary);
    assert!(output.to_text().ends_with("\n[exit code 7]"), "{}", output.to_text());
}

#[tokio::test]
async fn the_status_decides_and_not_what_is_printed() {
    let shell = Shell::new();
    for (line, expected) in [
        ("echo '[error] command timed out'", 0),
        ("echo 'permission denied' >&2", 0),
        ("false", 1),
        ("cat /no/such/file", 1),
        ("echo 'test x: expected: Permission denied' >&2; exit 101", 101),
        ("echo 'bash: line 1: x: Permission denied' >&2; exit 3", 3),
    ] {
        let came = shell.run(line).await;
        assert_eq!((came.code(), came.field("exit_code")), (None, json!(expected)), "{line}");
    }
}

#[tokio::test]
async fn what_can_only_be_an_error_is_one_and_keeps_its_output() {
    let shell = Shell::new();
    let table = [
        ("echo seen; no-such-program-here", Category::PermanentFailure, "command_not_found", 127),
        ("echo seen; touch x; ./x", Category::PolicyBlocked, "not_executable", 126),
    ];
    for (line, category, code, exit) in table {
        let came = shell.run(line).await;
        let error = came.error.as_ref().unwrap();
        assert_eq!((error.category(), error.code()), (category, code), "{line}");
        assert_eq!(error.detail(), &ErrorDetail::Shell { exit_code: exit, signal: None }, "{line}");
        assert_eq!(came.stdout(), "seen\n", "{line}");
    }
}

#[tokio::test]
async fn death_by_signal_has_a_code_and_the_signal() {
    let came = Shell::new().run("kill -9 $$").await;
    assert_eq!((came.code(), came.field("exit_code"), came.field("signal")), (None, json!(137), json!(9)));
}

#[tokio::test]
async fn bytes_that_are_no_text_end_nothing() {
    let came = Shell::new().run(r"printf 'a\n\xff\nb\n'; echo tail").await;
    assert_eq!((came.stdout().as_str(), came.field("exit_code")), ("a\n\u{fffd}\nb\ntail\n", json!(0)));
}

#[tokio::test]
async fn output_without_end_is_bounded_and_counted() {
    let shell = Shell::with(&ShellConfig { max_output_bytes: 1000, ..ShellConfig::default() });
    let came = shell.run("echo first; head -c 5000000 /dev/zero | tr '\\0' x; echo; echo last").await;
    assert_eq!((came.field("truncated"), came.field("stdout_bytes")), (json!(true), json!(5_000_012)));
    let stdout = came.stdout();
    assert!(stdout.starts_with("first\nxxx") && stdout.ends_with("xxx\nlast\n") && stdout.len() < 1100, "{stdout}");
    assert!(came.output.as_ref().unwrap().truncated);
    assert!(came.output.unwrap().summary.contains("left out"));
}

#[tokio::test]
async fn there_is_no_input() {
    let came = Shell::new().run("cat; read x; echo $?").await;
    assert_eq!(came.stdout(), "1\n");
}

#[tokio::test]
async fn a_syntax_error_is_bashs_own() {
    let came = Shell::new().run("echo $(").await;
    assert_eq!(came.code(), None);
    assert!(came.field("stderr").as_str().unwrap().contains("unexpected"), "{}", came.envelope());
}

#[tokio::test]
async fn the_envelope_is_there_when_nothing_ran() {
    let shell = Shell::with(&ShellConfig { allowed_paths: vec!["/no/such/folder".into()], ..ShellConfig::default() });
    let came = shell.run("echo x").await;
    assert_eq!(
        (came.code(), came.field("exit_code"), came.stdout().as_str()),
        (Some("sandbox_folders"), json!(125), "")
    );
}

#[tokio::test]
async fn what_needs_a_person_runs_only_with_one_and_then_once() {
    let shell = Shell::new();
    std::fs::write(shell.work.join("x"), "").unwrap();
    let refused = shell.run_unasked("rm x").await;
    assert_eq!(refused.error.unwrap().category(), Category::ConfirmationRequired);
    assert!(shell.work.join("x").exists());
    let came = shell.run("rm x").await;
    assert_eq!((came.code(), came.field("exit_code")), (None, json!(0)));
    assert!(!shell.work.join("x").exists());
}

#[tokio::test]
async fn consent_lifts_no_block() {
    let came = Shell::new().run("env sudo id").await;
    assert_eq!(came.error.unwrap().category(), Category::PolicyBlocked);
}
