//! Approvals of commands that run scripts: they hold while the scripts are as they were, and a
//! question shows what changed.

use std::os::unix::fs::symlink;

use serde_json::json;

use crate::client::Client;
use crate::support::{Haft, Ran};
use crate::terminal::Terminal;

fn call(haft: &Haft, command: &str) -> Ran {
    haft.run(&["call", "bash", &json!({ "command": command }).to_string()])
}

/// The question about a command, answered; with it what is shown after.
fn answered(haft: &Haft, command: &str, answer: &str) -> (String, String, i32) {
    let mut terminal = Terminal::start(haft, &["call", "bash", &json!({ "command": command }).to_string()]);
    let question = terminal.wait_for("\r\n> ");
    terminal.types(answer);
    let (rest, code) = terminal.end();
    (question, rest, code)
}

/// Without the line breaks of a long line, whose places depend on the workspace's path.
fn unbroken(text: &str) -> String {
    text.replace("\n      │ ", "")
}

#[test]
fn an_approval_holds_until_the_script_changes_and_the_question_shows_how() {
    let haft = Haft::new();
    haft.workspace.file("x.sh", "echo one\necho two\n");
    let (question, shown, code) = answered(&haft, "bash x.sh", "a");
    assert!(question.contains("run ") && question.contains("x.sh (sha256:"), "{question}");
    assert!(code == 0 && shown.contains("one"), "{shown}");
    // Nobody is there to be asked.
    let again = call(&haft, "bash x.sh");
    assert!(again.code == 0 && again.out.contains("one"), "{again:?}");
    let kept = std::fs::read_to_string(haft.home.path(".local/state/haft/approvals.jsonl")).expect("it is kept");
    assert!(kept.contains("\"scripts\":[{\"path\":") && kept.contains("\"digest\":\"sha256:"), "{kept}");

    haft.workspace.file("x.sh", "echo one\necho three\n");
    let refused = call(&haft, "bash x.sh");
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(unbroken(&refused.err).contains("not as agreed to with \"bash x.sh\""), "{refused:?}");
    let (question, _, code) = answered(&haft, "bash x.sh", "n");
    assert!(unbroken(&question).contains("x.sh has changed since it was approved:"), "{question}");
    assert!(question.contains("│ -echo two\n      │ +echo three"), "{question}");
    assert!(question.contains("+1 -1 lines"), "{question}");
    assert_eq!(code, 3);
    let (_, shown, code) = answered(&haft, "bash x.sh", "a");
    assert!(code == 0 && shown.contains("three"), "{shown}");
    assert_eq!(call(&haft, "bash x.sh").code, 0);
    // As it was before that: agreed to no more.
    haft.workspace.file("x.sh", "echo one\necho two\n");
    assert_eq!(call(&haft, "bash x.sh").code, 3);
}

#[test]
fn whatever_says_what_runs_is_remembered() {
    let haft = Haft::new();
    haft.workspace.file("Makefile", "all:\n\t@echo made\n");
    haft.workspace.file("package.json", "{}");
    haft.workspace.file("sub/x.sh", "#!/bin/sh\necho ran\n");
    haft.workspace.file("sub/y.py", "print('ran')\n");
    let program = haft.workspace.path("sub/x.sh");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&program, mode).expect("it is ours");
    let check = |command: &str, file: &str, changed: &str| {
        let (question, ..) = answered(&haft, command, "a");
        assert!(question.contains("[a] always"), "{command}: {question}");
        assert_eq!(call(&haft, command).code, 0, "{command}");
        let before = haft.workspace.read(file).expect("it is there");
        haft.workspace.file(file, changed);
        let refused = call(&haft, command);
        assert_eq!(refused.code, 3, "{command}: {refused:?}");
        haft.workspace.file(file, String::from_utf8(before).expect("it is text"));
        assert_eq!(call(&haft, command).code, 0, "{command}: as it was");
    };
    check("make", "Makefile", "all:\n\t@echo other\n");
    check("./sub/x.sh", "sub/x.sh", "#!/bin/sh\necho other\n");
    check("cd sub && timeout 9 sh x.sh", "sub/x.sh", "echo other\n");
    check("sh sub/x.sh | cat; touch made", "sub/x.sh", "echo other\n");
    // A file that `make` looks for before the one that was there.
    haft.workspace.file("GNUmakefile", "all:\n\t@echo other\n");
    assert_eq!(call(&haft, "make").code, 3);
}

#[test]
fn what_cannot_be_remembered_is_not_stored_and_links_are_where_they_lead() {
    let haft = Haft::new();
    let huge = std::fs::File::create(haft.workspace.path("huge")).expect("it is ours");
    huge.set_len(17 * 1024 * 1024).expect("there is room");
    let (question, ..) = answered(&haft, "bash huge", "n");
    assert!(!question.contains("always") && question.contains("cannot be told"), "{question}");
    let (question, ..) = answered(&haft, "bash .", "n");
    assert!(!question.contains("always"), "{question}");

    haft.workspace.file("one.sh", "echo one\n");
    haft.workspace.file("two.sh", "echo two\n");
    let link = haft.workspace.path("link.sh");
    symlink("one.sh", &link).expect("it is ours");
    answered(&haft, "bash link.sh", "a");
    assert_eq!(call(&haft, "bash link.sh").code, 0);
    std::fs::remove_file(&link).expect("it is ours");
    symlink("two.sh", &link).expect("it is ours");
    let (question, ..) = answered(&haft, "bash link.sh", "n");
    assert!(
        question.contains("two.sh has changed since it was approved:") && question.contains("+echo two"),
        "{question}"
    );
    std::fs::remove_file(&link).expect("it is ours");
    symlink("/etc/hostname", &link).expect("it is ours");
    let (question, ..) = answered(&haft, "bash link.sh", "n");
    assert!(question.contains("+/etc/hostname"), "{question}");
    // Nothing is there to run.
    std::fs::remove_file(&link).expect("it is ours");
    let gone = call(&haft, "bash link.sh");
    assert!(gone.code == 1 && gone.out.contains("No such file"), "{gone:?}");

    // No text: its digest is told.
    std::fs::write(haft.workspace.path("program"), b"echo one\n#\xff\n").expect("it is ours");
    answered(&haft, "bash program", "a");
    assert_eq!(call(&haft, "bash program").code, 0);
    std::fs::write(haft.workspace.path("program"), b"echo two\n#\xff\n").expect("it is ours");
    let (question, ..) = answered(&haft, "bash program", "n");
    assert!(question.contains("+content that is not shown, sha256:"), "{question}");
}

#[test]
fn scripts_outside_of_what_commands_may_write_are_no_more_than_their_names() {
    let haft = Haft::new();
    let (question, ..) = answered(&haft, "bash /usr/share/haft-is-not-there.sh", "n");
    assert!(question.contains("[a] always") && !question.contains("sha256"), "{question}");
}

#[test]
fn rules_and_approvals_of_the_operator_are_not_bound_to_what_scripts_hold() {
    let rule = "[[tools.permissions.bash]]\npattern = \"bash x.sh\"\naction = \"allow\"\n";
    let haft = Haft::configured(rule);
    let (ruled, approved) = ("bash x.sh", "bash y.sh");
    assert_eq!(haft.run(&["policy", "allow", "bash", approved]).code, 0);
    for text in ["echo one\n", "echo two\n"] {
        haft.workspace.file("x.sh", text);
        haft.workspace.file("y.sh", text);
        for command in [ruled, approved] {
            let ran = call(&haft, command);
            assert!(ran.code == 0 && ran.out.contains(text.trim_start_matches("echo ").trim()), "{command}: {ran:?}");
        }
    }
}

#[test]
fn consent_is_to_the_script_as_it_was_when_the_question_was_put() {
    let haft = Haft::new();
    haft.workspace.file("x.sh", "touch ran\n");
    let mut terminal = Terminal::start(&haft, &["call", "bash", "command=bash x.sh"]);
    terminal.wait_for("\r\n> ");
    haft.workspace.file("x.sh", "touch ran other\n");
    terminal.types("y");
    let (shown, code) = terminal.end();
    assert_ne!(code, 0, "{shown}");
    assert!(shown.contains("`x.sh` changed after the call that runs it was judged"), "{shown}");
    assert_eq!(haft.workspace.read("ran"), None);
}

#[test]
fn a_client_is_asked_again_and_shown_what_changed() {
    let haft = Haft::new();
    haft.workspace.file("x.sh", "echo one\n");
    let mut client = Client::connect_answering(&haft, Some("always"));
    let call = json!({"name": "bash", "arguments": {"command": "bash x.sh"}});
    let mut run = |id: u64| {
        let ran = client.request(id, "tools/call", &call);
        (ran["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned(), std::mem::take(&mut client.asked))
    };
    let (text, asked) = run(2);
    assert!(text.contains("one") && asked.len() == 1, "{text}: {asked:?}");
    let (text, asked) = run(3);
    assert!(text.contains("one") && asked.is_empty(), "{text}: {asked:?}");
    haft.workspace.file("x.sh", "echo two\n");
    let (text, asked) = run(4);
    let [question] = &asked[..] else { panic!("it is asked again: {text}: {asked:?}") };
    assert!(text.contains("two"), "{text}");
    assert!(question.contains("-echo one") && question.contains("+echo two"), "{question}");
    let (text, asked) = run(5);
    assert!(text.contains("two") && asked.is_empty(), "{text}: {asked:?}");
    let record = std::fs::read_to_string(haft.record()).expect("there is a record");
    assert!(record.contains("\"kind\":\"script\"") && record.contains("\"digest\":\"sha256:"), "{record}");
}
