//! Commands that are taken back: however they change files, what was there is there again.

use std::{fs, os::unix::fs::MetadataExt as _, os::unix::fs::PermissionsExt as _, path::Path};

use proptest::{prelude::*, test_runner::TestRunner};
use serde_json::json;
use tools_core::{EventKind, Stack, ToolCall, keys};
use tools_shell::{Bash, ShellConfig, ShellPolicyHandle};
use tools_testkit::{EventLog, FakeClock};

use crate::support::Shell;

fn transactional() -> ShellConfig {
    ShellConfig { transactional: true, auto_rollback: true, confirm_patterns: Vec::new(), ..ShellConfig::default() }
}

/// Everything below a folder: name, mode, modification time and content or link target.
fn state(folder: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(path) = pending.pop() {
        let meta = fs::symlink_metadata(&path).unwrap();
        let content = match meta.file_type() {
            kind if kind.is_symlink() => format!("-> {}", fs::read_link(&path).unwrap().display()),
            kind if kind.is_file() => format!("{:?}", fs::read(&path).unwrap()),
            kind if kind.is_dir() => {
                pending.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
                "dir".to_owned()
            }
            _ => "other".to_owned(),
        };
        lines.push(format!("{} {:o} {}.{} {content}", path.display(), meta.mode(), meta.mtime(), meta.mtime_nsec()));
    }
    lines.sort();
    lines
}

fn furnish(work: &Path) {
    for dir in ["dir/deep", ".git/objects"] {
        fs::create_dir_all(work.join(dir)).unwrap();
    }
    let files = ["a.txt", "b with space", "dir/c.txt", "dir/deep/d", "empty", ".git/config", "run.sh", "closed"];
    for (index, name) in files.iter().enumerate() {
        fs::write(work.join(name), if *name == "empty" { String::new() } else { format!("{index} line\nmore\n") })
            .unwrap();
    }
    fs::set_permissions(work.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(work.join("closed"), fs::Permissions::from_mode(0o400)).unwrap();
    std::os::unix::fs::symlink("a.txt", work.join("link")).unwrap();
    std::os::unix::fs::symlink("/nowhere", work.join("dangling")).unwrap();
}

#[tokio::test]
async fn whatever_a_failed_command_changed_is_as_it_was() {
    let shell = Shell::with(&transactional());
    furnish(&shell.work);
    let before = state(&shell.work);
    for change in [
        "rm a.txt",
        "rm -rf dir",
        "mv a.txt z; mv dir other",
        "echo more >> a.txt",
        "echo x > ./new; mkdir -p n/e/w; touch n/e/w/f",
        "chmod 000 a.txt dir; chmod -x run.sh",
        "find . -mindepth 1 -delete",
        "python3 -c \"open('a.txt','r+').write('X')\"",
        "python3 -c \"import shutil; shutil.rmtree('dir'); open('dir','w').write('now a file')\"",
        "rm a.txt; mkdir a.txt; touch a.txt/inside",
        "rm link; ln -s elsewhere link; rm dangling; echo file > dangling",
        "touch -d 2001-01-01 a.txt dir",
        "truncate -s 0 a.txt; printf x | tee dir/c.txt",
        "sed -i s/line/LINE/ a.txt dir/c.txt; cp a.txt dir/deep/d",
        "ln -f a.txt hard; rm -f closed; mkfifo pipe",
        "perl -pi -e 's/more/less/' a.txt; python3 -c \"import shutil; shutil.rmtree('.git')\"",
    ] {
        let came = shell.run(&format!("{change}; exit 2")).await;
        assert!(came.output.is_some(), "{change}: {:?}", came.error);
        assert_eq!(came.field("exit_code"), 2, "{change}");
        assert_eq!(state(&shell.work), before, "{change}");
        assert!(came.field("rollback")["backup"].is_null(), "{change}");
    }
    let noted = shell.cx.journal().value(keys::ROLLBACK).unwrap();
    assert!(noted["restored"].as_u64().unwrap() > 0, "{noted}");
}

#[tokio::test]
async fn the_result_says_what_was_put_back() {
    let shell = Shell::with(&transactional());
    furnish(&shell.work);
    let came = shell.run("rm a.txt; touch new; exit 1").await;
    assert_eq!(came.field("rollback"), serde_json::json!({"restored": 1, "deleted": 1}));
    assert!(came.output.unwrap().to_text().ends_with("; rolled back: 1 restored, 1 removed]"));
}

#[tokio::test]
async fn whoever_watches_is_told() {
    let shell = Shell::new();
    let bash = Bash::new(ShellPolicyHandle::new(transactional().compile().unwrap()));
    let log = EventLog::default();
    let cx = shell.cx.clone().with_events(log.sink(&FakeClock::default()));
    let call = ToolCall::new("bash", json!({ "command": "touch one two; exit 1" })).unwrap();
    let failed = Stack::new(Vec::new(), bash.into_executor()).dispatch(call, &cx).await;
    assert_eq!(failed.unwrap().raw_response.unwrap()["rollback"], json!({ "restored": 0, "deleted": 2 }));
    let told = log.events().into_iter().map(|event| event.kind);
    let rollbacks: Vec<_> = told.filter(|kind| matches!(kind, EventKind::Rollback { .. })).collect();
    assert_eq!(rollbacks, [EventKind::Rollback { restored: 0, deleted: 2 }]);
}

#[tokio::test]
async fn what_succeeds_or_fails_otherwise_stays() {
    let shell = Shell::with(&transactional());
    furnish(&shell.work);
    for (command, is_there) in [("touch one", true), ("touch two; exit 3", true), ("touch three; exit 1", false)] {
        let came = shell.run(command).await;
        assert_eq!(came.envelope().get("rollback").is_some(), !is_there, "{command}");
    }
    let names = ["one", "two", "three"].map(|name| shell.work.join(name).exists());
    assert_eq!(names, [true, true, false]);
}

#[tokio::test]
async fn only_what_is_in_scope_is_put_back() {
    let shell = Shell::with(&ShellConfig { transaction_scope: vec!["dir/**".to_owned()], ..transactional() });
    furnish(&shell.work);
    shell.run("rm a.txt dir/c.txt; touch new dir/new; exit 1").await;
    let there = ["a.txt", "dir/c.txt", "new", "dir/new"].map(|name| shell.work.join(name).exists());
    assert_eq!(there, [false, true, true, false]);
}

#[tokio::test]
async fn too_much_to_copy_refuses_or_is_said() {
    let small = ShellConfig { max_snapshot_bytes: 10, ..transactional() };
    let strict = Shell::with(&ShellConfig { snapshot_required: true, ..small.clone() });
    furnish(&strict.work);
    let came = strict.run("touch new").await;
    assert_eq!(came.code(), Some("snapshot_failed"));
    assert!(!strict.work.join("new").exists());
    assert_eq!(strict.run("cat a.txt").await.code(), None, "reading needs no snapshot");

    let lenient = Shell::with(&small);
    furnish(&lenient.work);
    let came = lenient.run("touch new; exit 1").await;
    assert!(came.envelope().get("rollback").is_none());
    assert!(lenient.work.join("new").exists());
    let warnings = lenient.cx.journal().warnings().join(" ");
    assert!(warnings.contains("without a snapshot"), "{warnings}");
}

/// One change, as a line of shell or Python.
fn change() -> impl Strategy<Value = String> {
    let name =
        prop::sample::select(vec!["a.txt", "dir/c.txt", "dir", "dir/deep", "link", "run.sh", "x", "x/y", ".git"]);
    let verb = prop::sample::select(vec![
        "rm -rf A",
        "mv A B",
        "cp -r A B",
        "echo x > A",
        "mkdir -p A",
        "chmod 711 A",
        "touch -d 1999-09-09 A",
        "ln -sfn A B",
        "find A -type f -delete",
        "python3 -c \"open('A','a').write('more')\"",
        "truncate -s 3 A",
    ]);
    (verb, name.clone(), name).prop_map(|(verb, a, b)| verb.replace('A', a).replace('B', b))
}

#[test]
fn any_changes_are_taken_back() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let config = ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() };
    let shell = Shell::with(&transactional());
    furnish(&shell.work);
    let before = state(&shell.work);
    TestRunner::new(config)
        .run(&prop::collection::vec(change(), 1..8), |changes| {
            let script = format!("({}) 2>/dev/null; exit 1", changes.join("; "));
            let came = runtime.block_on(shell.run(&script));
            prop_assert_eq!(came.field("exit_code"), 1, "{:?}", came.error);
            prop_assert_eq!(state(&shell.work), before.clone(), "{}", script);
            Ok(())
        })
        .unwrap();
}
