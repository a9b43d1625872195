//! What became of each part of a pipeline, and that asking changes nothing.

use std::process::Command;

use serde_json::json;
use tools_shell::ShellConfig;

use crate::support::Shell;

#[tokio::test]
async fn a_failure_in_the_middle_does_not_look_green() {
    let came = Shell::new().run("(echo red; exit 101) | cat").await;
    assert_eq!((came.code(), came.field("exit_code")), (None, json!(0)));
    assert_eq!(came.field("pipe_status"), json!([101, 0]));
    assert_eq!(
        came.output.unwrap().to_text(),
        "red\n[exit code 0, but `(echo red; exit 101)` (part 1 of 2) ended with 101]"
    );
}

#[tokio::test]
async fn every_level_of_confinement_can_tell() {
    for sandbox in [tools_shell::SandboxChoice::BestEffort, tools_shell::SandboxChoice::Off] {
        let shell = Shell::with(&ShellConfig { sandbox, ..ShellConfig::default() });
        assert_eq!(shell.run("false | true").await.field("pipe_status"), json!([1, 0]), "{sandbox:?}");
    }
}

#[tokio::test]
async fn what_a_part_writes_to_the_descriptor_is_not_believed() {
    let came = Shell::new().run("(echo 0 0 >&211; exit 3) | cat").await;
    assert_eq!(came.field("pipe_status"), json!([3, 0]));
}

#[tokio::test]
async fn without_a_last_pipeline_there_is_nothing_to_tell() {
    let shell = Shell::new();
    for line in ["true", "false | true; true", "false | true && exec true", "trap 'echo t' EXIT; false | true"] {
        assert_eq!(shell.run(line).await.field("pipe_status"), json!(null), "{line}");
    }
}

/// Bash as it is: streams and status.
#[expect(clippy::disallowed_methods, reason = "bash outside of everything of ours is what this compares with")]
fn plain(line: &str, folder: &std::path::Path) -> (String, String, i32) {
    use std::os::unix::process::ExitStatusExt;
    let bash = Command::new("/bin/bash")
        .args(["--norc", "--noprofile", "-c", line])
        .current_dir(folder)
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let code = bash.status.code().unwrap_or_else(|| 128 + bash.status.signal().unwrap());
    (String::from_utf8(bash.stdout).unwrap(), String::from_utf8(bash.stderr).unwrap(), code)
}

#[tokio::test]
async fn a_command_runs_as_in_plain_bash() {
    let shell = Shell::new();
    let lines = [
        "set -e; false | true | false; echo no | cat",
        "set -x; false | true",
        "set -u; echo a | cat; echo $missing | cat",
        "set -o pipefail; (exit 3) | true",
        "! false | true",
        "echo $(; a | b",
        "echo a\n\n)\necho b | cat",
        "exec 2>&1; echo $LINENO | no_such_program_at_all",
        "echo \"$BASH_EXECUTION_STRING $- $# $BASH_SUBSHELL\" | cat",
        "env | grep -c BASH_ENV",
        "false | true; echo ${PIPESTATUS[@]} | cat",
        "IFS=,; false | true",
        "printf() { echo mine; }; false | true",
        "true | kill -9 $$",
        "true | kill $$",
        "echo x | exec cat",
        "exit 7 | cat",
        "echo a | (cat; exit 9)",
        "exec 211>&-; false | true",
        "ulimit -n 64; false | true",
        "ls /dev/fd/212 2>/dev/null | cat",
    ];
    for line in lines {
        let came = shell.run(line).await;
        let (stdout, stderr, code) = plain(line, &shell.work);
        // The parts of a pipeline write at the same time.
        let path = |text: &str| {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        let seen = (came.stdout(), path(came.field("stderr").as_str().unwrap()), came.field("exit_code"));
        assert_eq!(seen, (stdout, path(&stderr), json!(code)), "{line}");
    }
}
