//! `haft call` and `haft explain`: text, object, exit code.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::support::{BASH_ALLOWED, Haft, rule};
use crate::terminal::Terminal;

#[test]
fn a_read_runs_without_a_question() {
    let haft = Haft::new();
    haft.workspace.file("a.txt", "one\ntwo\n");
    let ran = haft.run(&["call", "read", "path=a.txt"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("1\tone"), "{ran:?}");

    let object = haft.run(&["call", "read", r#"{"path":"a.txt"}"#, "--json"]).json();
    assert_eq!(object["ok"], true);
    assert_eq!(object["decision"], "allow");
    assert_eq!(object["error"], json!(null));
    let keys: Vec<&String> = object.as_object().unwrap().keys().collect();
    assert_eq!(keys.len(), 14, "the documented object: {keys:?}");
}

#[test]
fn mistakes_are_told_apart_by_exit_code_and_text() {
    let haft = Haft::new();
    let check = |arguments: &[&str], code: i32, text: &str| {
        let ran = haft.run(arguments);
        assert_eq!(ran.code, code, "{arguments:?}: {ran:?}");
        assert!(ran.out.contains(text) || ran.err.contains(text), "{arguments:?}: {ran:?}");
    };
    check(&["call", "raed", "path=a"], 2, "Did you mean `read`?");
    check(&["call", "read", "pth=a"], 2, "unknown field `pth`, did you mean `path`?");
    check(&["call", "read", "{\"path\":1}"], 2, "`path`: expected a string, found an integer");
    check(&["call", "read", "path"], 2, "write `key=value` for each parameter");
    check(&["call", "read", "path=missing"], 1, "category: permanent_failure");
    check(&["call", "read", "path=../outside"], 4, "category: policy_blocked");
    check(&["call", "bash", "command=sudo id"], 4, "category: policy_blocked");
    check(&["call", "no such name", "a=1"], 2, "is not a tool name");
    haft.workspace.file("Main.java", "class Main {}\n");
    check(&["call", "diagnostics", "path=Main.java"], 2, "no checker knows `Main.java`");
    check(&["--workdir", "/does/not/exist", "call", "read", "path=a"], 2, "working directory");
}

#[test]
fn too_few_descriptors_are_told_as_such() {
    let haft = Haft::configured("[tools.permissions]\ndelete_path = [{ pattern = \"**\", action = \"allow\" }]\n");
    let delete = |descriptors: u32, path: &str| {
        let line = format!("ulimit -n {descriptors}; exec \"$0\" call delete_path path={path} recursive=true");
        let mut command = haft.command(&[]);
        let mut limited = Command::new("sh");
        limited.args(["-c", &line]).arg(command.get_program());
        limited.current_dir(command.get_current_dir().expect("the workspace"));
        limited.env_clear().envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command = limited;
        crate::support::finished(command)
    };
    for descriptors in 13..24 {
        haft.workspace.file("folder/file", "");
        let ran = delete(descriptors, "folder");
        let said = format!("{ran:?}");
        assert!(ran.code == 0 || said.contains("Too many open files"), "{descriptors}: {said}");
        assert!(!said.contains("is an allowed root or holds one"), "{descriptors}: {said}");
    }
    haft.workspace.dir(format!("deep/{}", "x/".repeat(80)));
    let ran = delete(40, "deep");
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn what_read_shows_of_a_file_in_two_encodings_is_what_edit_finds() {
    let haft = Haft::configured("[tools.permissions]\nedit = [{ pattern = \"**\", action = \"allow\" }]\n");
    haft.workspace.file("notes.txt", b"na\xc3\xafve\ncaf\xe9 au lait\n");
    assert!(haft.run(&["call", "read", "path=notes.txt"]).out.contains("café au lait"));
    let ran = haft.run(&["call", "edit", "path=notes.txt", "old_string=café au", "new_string=café sans"]);
    assert!(ran.code == 0 && ran.out.contains("+café sans lait"), "{ran:?}");
    assert_eq!(haft.workspace.read("notes.txt").as_deref(), Some(&b"na\xc3\xafve\ncaf\xe9 sans lait\n"[..]));
}

#[test]
fn what_needs_a_person_says_so_and_runs_when_one_agreed() {
    let haft = Haft::new();
    let wanted = haft.run(&["call", "bash", "command=touch made"]);
    assert_eq!(wanted.code, 3, "{wanted:?}");
    assert!(wanted.err.contains("[[tools.permissions.bash]]"), "it names the rule that would do: {wanted:?}");
    assert_eq!(haft.workspace.read("made"), None);

    let agreed = haft.run(&["call", "bash", "command=touch made", "--yes", "--json"]).json();
    assert_eq!(agreed["raw_response"]["exit_code"], 0, "{agreed}");
    assert_eq!(haft.workspace.read("made"), Some(vec![]));
}

#[test]
fn consent_lifts_no_denial() {
    let haft = Haft::configured(&rule("bash", "git push *", "deny"));
    assert_eq!(haft.run(&["call", "bash", "command=git push origin", "--yes"]).code, 4);
    assert_eq!(haft.run(&["call", "bash", "command=echo $(sudo id)", "--yes"]).code, 4);
}

#[test]
fn little_trust_makes_it_stricter() {
    let haft = Haft::new();
    haft.workspace.file("a.txt", "x");
    assert_eq!(haft.run(&["call", "read", "path=a.txt", "--trust", "untrusted"]).code, 3);
    assert_eq!(haft.run(&["call", "write", "path=b", "content=x", "--trust", "untrusted", "--yes"]).code, 4);
}

#[test]
fn explain_names_verdict_subjects_and_rule_and_runs_nothing() {
    let haft = Haft::configured(&rule("bash", "cargo *", "allow"));
    let explained = haft.run(&["explain", "bash", "command=cargo --version && touch made", "--json"]);
    assert_eq!(explained.code, 3);
    let object = explained.json();
    assert_eq!(object["verdict"], "ask");
    let verdicts: Vec<&str> =
        object["subjects"].as_array().unwrap().iter().filter_map(|part| part["verdict"].as_str()).collect();
    assert!(verdicts.contains(&"allow") && verdicts.contains(&"ask"), "{object}");
    assert_eq!(haft.workspace.read("made"), None);
    assert!(!haft.record().exists() || std::fs::read(haft.record()).unwrap().is_empty(), "nothing is on record");

    let input = "{\"tool\":\"bash\",\"params\":{\"command\":\"cargo build\"}}\nnonsense\n";
    let verdicts = haft.run_with_input(&["explain", "--stdin"], input.as_bytes()).rows();
    assert_eq!((&verdicts[0]["verdict"], &verdicts[1]["verdict"]), (&json!("allow"), &json!("deny")));
}

#[test]
fn what_is_typed_behind_a_pipe_that_is_gone_ends_quietly() {
    let haft = Haft::new();
    let mut command = haft.command(&["tools", "--format", "json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panic"), "{output:?}");
}

#[test]
fn output_comes_while_the_command_runs_and_stays_when_it_is_interrupted() {
    let Some(haft) = Haft::confined(BASH_ALLOWED) else { return };
    for (signal, expected) in [("-INT", 130), ("-TERM", 143)] {
        let mut child = haft
            .command(&["call", "bash", "command=echo begun; sleep 600"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "begun\n");
        Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(expected), "{text}");
        assert!(text.contains("category: cancelled") && text.ends_with("\n\nbegun\n"), "{text}");
    }
    // Standard output is the result alone, and `--quiet` prints nothing else.
    let ran = haft.run(&["call", "bash", "command=echo a; echo b >&2; exit 3"]);
    let mut shown: Vec<&str> = ran.err.lines().collect();
    shown.sort_unstable();
    assert_eq!((ran.code, shown), (0, vec!["a", "b"]), "{ran:?}");
    assert!(ran.out.contains("a\n") && ran.out.contains("b\n") && ran.out.ends_with("[exit code 3]\n"), "{ran:?}");
    let quiet = haft.run(&["--quiet", "call", "bash", "command=echo a; exit 3"]);
    assert_eq!((quiet.out.as_str(), quiet.err.as_str()), ("a\n[exit code 3]\n", ""));
}

#[test]
fn a_file_that_is_closed_while_a_command_reads_is_named() {
    let haft = Haft::configured(BASH_ALLOWED);
    if haft.run(&["call", "--json", "bash", "command=true"]).json()["raw_response"]["sandbox"]["level"] != "namespaces"
    {
        eprintln!("SKIPPED: nothing is masked here");
        return;
    }
    haft.workspace.file(".env", "A=first");
    haft.workspace.file("new", "A=second");
    let pipe = haft.workspace.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // A line that only reads, so that nothing else is looked at after it.
    let mut command = haft.command(&["call", "--json", "bash", "command=cat pipe .env"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // It opens once the command reads.
    let go = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    std::fs::rename(haft.workspace.path("new"), haft.workspace.path(".env")).unwrap();
    drop(go);
    let report: serde_json::Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(report["raw_response"]["unmasked"], json!([".env"]), "{report}");
    assert!(report["text"].as_str().unwrap().contains("not hidden from it"), "{report}");
}

#[test]
fn at_a_terminal_output_is_shown_once() {
    let Some(haft) = Haft::confined(BASH_ALLOWED) else { return };
    let mut terminal =
        Terminal::start(&haft, &["call", "bash", "command=echo first; until [ -e go ]; do :; done; exit 3"]);
    terminal.wait_for("first\r\n");
    haft.workspace.file("go", "");
    let (shown, code) = terminal.end();
    assert_eq!((code, shown.as_str()), (0, "[exit code 3]\n"));
}
