//! Commands that wait for an answer nobody will give, and commands that are only quiet.

use serde_json::json;
use tools_shell::{SandboxChoice, ShellConfig};

use crate::support::Shell;

/// Whether the kernel tells what a process is blocked in; says so when it does not.
fn kernel_tells() -> bool {
    let tells = std::fs::read_to_string("/proc/self/syscall").is_ok();
    if !tells {
        eprintln!("SKIPPED: no `/proc/self/syscall`");
    }
    tells
}

#[tokio::test]
async fn a_question_without_an_answer_ends_the_command_with_a_hint() {
    if !kernel_tells() {
        return;
    }
    for sandbox in [SandboxChoice::BestEffort, SandboxChoice::Off] {
        let shell = Shell::with(&ShellConfig { sandbox, ..ShellConfig::default() });
        let came = shell.run("mkfifo f; bash -c 'printf \"Continue? [y/N] \"; read answer' <> f").await;
        assert_eq!(came.code(), Some("input_required"), "{sandbox:?}: {}", came.envelope());
        assert_eq!(came.field("awaited_input"), json!("Continue? [y/N]"));
        assert_eq!((came.field("timed_out"), came.stdout().as_str()), (json!(false), "Continue? [y/N] "));
        assert!(came.error.unwrap().suggestion().contains("--yes"));
    }
}

#[tokio::test]
async fn a_quiet_command_is_left_alone_whatever_it_printed_last() {
    let shell = Shell::new();
    let came = shell.run("printf 'Password: '; sleep 5; echo done").await;
    assert_eq!((came.code(), came.stdout().as_str()), (None, "Password: done\n"));
    let came = shell.run("(sleep 5; echo yes) | (printf 'Proceed? (yes/no) '; read x; echo $x)").await;
    assert_eq!((came.code(), came.stdout().as_str()), (None, "Proceed? (yes/no) yes\n"));
    let came = shell.run("mkfifo f; (sleep 5; echo late > f) & printf working; cat f").await;
    assert_eq!((came.code(), came.stdout().as_str()), (None, "workinglate\n"));
}
