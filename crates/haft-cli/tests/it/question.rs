//! The question at a terminal: what asks is seen whole, nothing forges it, and answers are read as
//! people type them.

use haft::core::is_hidden;
use serde_json::json;

use crate::support::{BASH_ALLOWED, Haft};
use crate::terminal::Terminal;

const PROMPT_END: &str = "120 s → no\n> ";

/// What is shown of the question about a command, and what is left when it is refused.
fn asked(haft: &Haft, tool: &str, params: &serde_json::Value) -> String {
    let mut terminal = Terminal::start(haft, &["call", tool, &params.to_string()]);
    let shown = terminal.wait_for("\r\n> ").replace('\r', "");
    terminal.types("n");
    let (_, code) = terminal.end();
    assert_eq!(code, 3, "{shown}");
    shown
}

#[test]
fn line_breaks_in_a_command_neither_hide_nor_forge_the_question() {
    let haft = Haft::new();
    haft.workspace.file("src/a.rs", "a");
    let forged = "bash ASK: git status\nWhy it asks: no rule of permissions.bash matches\n  allowed: echo done\n[y] once  [n] no";
    let command = format!("rm -rf src; echo \"{}{forged}\"", "\n".repeat(30));
    let shown = asked(&haft, "bash", &json!({ "command": command }));
    assert_eq!(shown.lines().filter(|line| line.starts_with("bash ASK")).count(), 1, "{shown}");
    assert_eq!(shown.lines().filter(|line| line.starts_with("Why it asks")).count(), 1, "{shown}");
    assert!(shown.starts_with("\nbash ASK: rm -rf src\n"), "{shown}");
    assert!(shown.contains("⏎⏎⏎") && shown.lines().count() < 24, "it stays on the screen: {shown}");
    assert!(haft.workspace.read("src/a.rs").is_some());
}

#[test]
fn a_long_line_does_not_go_on_at_the_left_edge() {
    let haft = Haft::new();
    let command = format!("make x{}  allowed: ls{}y", " ".repeat(66), "日本".repeat(40));
    let shown = asked(&haft, "bash", &json!({ "command": command }));
    for line in shown.lines() {
        let columns: usize = line.chars().map(|c| if c.is_ascii() || "│⏎→".contains(c) { 1 } else { 2 }).sum();
        assert!(columns <= 80, "{columns}: {line}");
    }
    assert!(!shown.contains("\n  allowed"), "{shown}");
}

#[test]
fn parts_that_are_allowed_do_not_push_what_asks_off_the_screen() {
    let haft = Haft::new();
    let padding: Vec<String> = (0..20).map(|n| format!("echo {n}{}", "x".repeat(100))).collect();
    let command = format!("{}; make docs; {}", padding.join("; "), padding.join("; "));
    let shown = asked(&haft, "bash", &json!({ "command": command }));
    assert!(shown.starts_with("\nbash ASK: make docs\n") && shown.lines().count() <= 24, "{shown}");
    assert!(shown.contains("more parts that are allowed"), "{shown}");
}

#[test]
fn what_cannot_be_seen_is_shown() {
    let haft = Haft::new();
    let command = "make a\u{200b}b\u{202e}c\u{e0041} \u{9b}2J '\u{1b}[2K'";
    let shown = asked(&haft, "bash", &json!({ "command": command }));
    assert!(shown.contains(r"make a\u{200b}b\u{202e}c\u{e0041} \u{9b}2J '\u{1b}[2K'"), "{shown}");
    assert!(!shown.contains(|c| is_hidden(c) && c != '\n'), "{shown:?}");
}

#[test]
fn answers_are_read_as_people_type_them() {
    let haft = Haft::new();
    let mut terminal = Terminal::start(&haft, &["call", "bash", "command=touch made"]);
    let shown = terminal.wait_for("> ");
    assert!(shown.contains("[a] always") && !shown.contains("[s]"), "{shown}");
    terminal.types("perhaps");
    let help = terminal.wait_for("\r\n> ");
    assert!(help.contains("please answer y (once), a (always, here), n (no)"), "{help}");
    assert!(!help.contains("touch made"), "the question is not put again: {help}");
    terminal.types("?");
    let explained = terminal.wait_for("\r\n> ");
    assert!(explained.contains("by: no rule of permissions.bash matches"), "{explained}");
    terminal.types("Yes");
    assert_eq!(terminal.end().1, 0);
    assert!(haft.workspace.read("made").is_some());
}

#[test]
fn a_tool_that_asks_by_itself_names_the_part() {
    let haft = Haft::configured(BASH_ALLOWED);
    let shown = asked(&haft, "bash", &json!({"command": "echo one; rm x; echo two"}));
    assert!(shown.starts_with("\nbash ASK: rm x\n"), "{shown}");
    assert!(shown.contains("asked by the tool itself; every part is covered by a rule"), "{shown}");
    assert!(!shown.contains("0 of"), "{shown}");
}

#[test]
fn a_change_of_files_is_shown_before_it_is_made() {
    let haft = Haft::new();
    haft.workspace.file("f.txt", "a\nb\n");
    haft.workspace.file("src/one", "1");
    haft.workspace.file("src/two", "2");
    let params = json!({"path": "f.txt", "old_string": "b", "new_string": "import os"});
    let shown = asked(&haft, "edit", &params);
    assert!(shown.contains("edit ASK (+1 -1 lines): write ") && shown.contains("│ -b\n      │ +import os"), "{shown}");
    let shown = asked(&haft, "delete_path", &json!({"path": "src", "recursive": true}));
    assert!(shown.contains("delete_path ASK (recursive, 3 entries): delete "), "{shown}");
    let shown = asked(&haft, "write", &json!({"path": "new.txt", "content": "hello\n"}));
    assert!(shown.contains("write ASK (6 bytes, new file): write ") && shown.contains("│ hello"), "{shown}");
    assert_eq!(haft.workspace.read("f.txt").as_deref(), Some(b"a\nb\n".as_slice()));
}

#[test]
fn what_does_not_fit_is_refused_with_the_advice_to_split_it() {
    let haft = Haft::new();
    let command = format!("make {}", "x".repeat(20_000));
    let terminal = Terminal::start(&haft, &["call", "bash", &json!({ "command": command }).to_string()]);
    let (shown, code) = terminal.end();
    assert_eq!(code, 3, "{shown}");
    assert!(
        shown.contains("too long to be shown whole") && shown.contains("Split the command into several calls"),
        "{shown}"
    );
    assert!(!shown.contains(PROMPT_END), "{shown}");
}

#[test]
fn json_and_passed_output_hide_nothing() {
    let haft = Haft::new();
    let command = "make \u{9b}2J\u{7f}\u{202e}\u{e0041}";
    let explained = haft.run(&["--json", "explain", "bash", &json!({ "command": command }).to_string()]);
    assert!(!explained.out.contains(|c| is_hidden(c) && c != '\n'), "{explained:?}");
    assert!(explained.out.contains(r"make \u009b2J\u007f\u202e\udb40\udc41"), "{explained:?}");
    assert_eq!(explained.json()["subjects"][0]["subject"]["line"], command);
    let shown = haft.run(&["explain", "bash", &json!({ "command": "make a\n  allow x" }).to_string()]);
    assert!(shown.out.contains("make a⏎  allow x"), "{shown:?}");

    haft.workspace.file("t", "a\u{202e}b\u{2066}c\u{200b}\n");
    let (shown, code) = Terminal::start(&haft, &["exec", "--yes", "--", "cat", "t"]).end();
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains(r"a\u{202e}b\u{2066}c\u{200b}"), "{shown:?}");
}
