//! What the kernel holds for a command.

use serde_json::json;
use tools_core::EnvOverlay;
use tools_sandbox::kernel::Probe;
use tools_shell::{SandboxChoice, ShellConfig};

use crate::support::Shell;

/// Whether this machine has namespaces; says so when it has not.
fn has_namespaces() -> bool {
    match &Probe::cached().namespaces {
        Ok(()) => true,
        Err(missing) => {
            eprintln!("SKIPPED: {missing}");
            false
        }
    }
}

#[tokio::test]
async fn the_workspace_can_be_written_and_nothing_else() {
    if !has_namespaces() {
        return;
    }
    let shell = Shell::new();
    let outside = shell.outside.join("mark");
    let came = shell.run(&format!("echo x > inside; echo x > {}; cat inside", outside.display())).await;
    assert_eq!(came.stdout(), "x\n");
    assert!(!outside.exists());
    assert_eq!(came.field("sandbox")["level"], json!("namespaces"));
}

#[tokio::test]
async fn secret_files_cannot_be_read_but_git_still_works() {
    if !has_namespaces() {
        return;
    }
    let shell = Shell::new();
    std::fs::create_dir(shell.outside.join("secrets")).unwrap();
    std::fs::write(shell.outside.join("secrets/key"), "SECRET").unwrap();
    std::fs::write(shell.work.join(".env"), "SECRET").unwrap();
    let came = shell.run(&format!("cat .env {}/secrets/key; echo end", shell.outside.display())).await;
    assert_eq!(came.stdout(), "end\n");
}

#[tokio::test]
async fn credentials_of_the_call_are_its_own() {
    let mut shell = Shell::new();
    let overlay: EnvOverlay = [("SKILL_TOKEN".to_owned(), "given".to_owned())].into();
    shell.cx = shell.cx.with_env(overlay);
    let came = shell.run("echo $SKILL_TOKEN").await;
    assert_eq!(came.stdout(), "given\n");
}

#[tokio::test]
async fn files_in_the_temp_folder_survive_until_the_next_call() {
    let shell = Shell::new();
    shell.run("echo kept > $TMPDIR/file").await;
    assert_eq!(shell.run("cat $TMPDIR/file").await.stdout(), "kept\n");
}

#[tokio::test]
async fn less_than_the_best_is_said_aloud() {
    let shell = Shell::with(&ShellConfig { sandbox: SandboxChoice::Off, ..ShellConfig::default() });
    let came = shell.run("true").await;
    let sandbox = came.field("sandbox");
    assert_eq!(sandbox["level"], json!("off"));
    assert_ne!(sandbox["not_stopped"], json!([]));
}

#[tokio::test]
async fn a_command_that_fills_the_temp_folder_is_stopped() {
    let mut config = ShellConfig::default();
    config.limits.temporary_files = "1 MiB".to_owned();
    let shell = Shell::with(&config);
    let came = shell.run("head -c 5000000 /dev/zero > $TMPDIR/big; sleep 20; echo end").await;
    assert_eq!((came.code(), came.stdout().as_str()), (Some("temporary_files_full"), ""), "{:?}", came.error);
    assert_eq!(shell.run("rm $TMPDIR/big; echo end").await.stdout(), "end\n");
}
