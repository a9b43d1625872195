//! Results that are served again, through the binary: never an old one, and never instead of doing
//! something.

use serde_json::{Value, json};

use crate::support::Haft;

const ALL: &str = "[tools.permissions]\nwrite = [{pattern = \"**\", action = \"allow\"}]\n\
    edit = [{pattern = \"**\", action = \"allow\"}]\ndelete_path = [{pattern = \"**\", action = \"allow\"}]\n\
    bash = [{pattern = \"*\", action = \"allow\"}]\n";

/// Makes the calls one after the other in one session.
fn session(haft: &Haft, calls: &[(&str, Value)]) -> Vec<Value> {
    let line = |(id, (tool, params)): (usize, &(&str, Value))| {
        format!("{}\n", json!({"id": id.to_string(), "tool": tool, "params": params, "session": "s"}))
    };
    let input: String = calls.iter().enumerate().map(line).collect::<Vec<_>>().concat();
    haft.run_with_input(&["batch"], input.as_bytes()).rows()
}

/// A file that has lain there for a while: one that was made just now is not trusted yet.
fn settled(haft: &Haft, name: &str, content: &str) {
    haft.workspace.file(name, content);
    let path = haft.workspace.path(name);
    let made = std::fs::metadata(&path).expect("it is there").modified().expect("it has a time");
    while made.elapsed().is_ok_and(|age| age.as_millis() < 30) {
        std::thread::yield_now();
    }
}

#[test]
fn a_second_read_is_served_from_the_cache_and_a_changed_file_is_not() {
    let haft = Haft::configured(ALL);
    settled(&haft, "a.txt", "one\n");
    let read = || ("read", json!({"path": "a.txt"}));
    let write = ("write", json!({"path": "a.txt", "content": "two\n"}));
    let shell = ("bash", json!({"command": "echo three > a.txt"}));
    let done = session(&haft, &[read(), read(), write, read(), shell, read()]);
    let cached: Vec<&Value> = done.iter().map(|report| &report["cached"]).collect();
    assert_eq!(cached, [false, true, false, false, false, false]);
    assert_eq!(done[0]["text"], done[1]["text"]);
    assert!(done[3]["text"].as_str().is_some_and(|text| text.contains("two")), "{}", done[3]);
    assert!(done[5]["text"].as_str().is_some_and(|text| text.contains("three")), "{}", done[5]);
    let record = std::fs::read_to_string(haft.record()).expect("there is a record");
    let notes: Vec<bool> = record.lines().map(|line| line.contains("\"cache\":\"hit\"")).collect();
    assert_eq!(notes, [false, true, false, false, false, false]);
    assert!(record.lines().next().is_some_and(|line| line.contains("\"cache\":\"miss\"")), "{record}");
}

#[test]
fn a_file_that_was_served_from_the_cache_counts_as_seen() {
    let haft = Haft::configured(ALL);
    settled(&haft, "a.txt", "one\n");
    let read = || ("read", json!({"path": "a.txt"}));
    let edit = ("edit", json!({"path": "a.txt", "old_string": "one", "new_string": "two"}));
    let done = session(&haft, &[read(), read(), edit]);
    assert_eq!((&done[1]["cached"], &done[2]["ok"]), (&json!(true), &json!(true)), "{done:?}");
    assert_eq!(std::fs::read_to_string(haft.workspace.path("a.txt")).expect("it is there"), "two\n");
}

#[test]
fn what_changes_something_is_done_every_time() {
    let haft = Haft::configured(ALL);
    settled(&haft, "a.txt", "one\n");
    let delete = || ("delete_path", json!({"path": "a.txt"}));
    let write = ("write", json!({"path": "a.txt", "content": "again\n"}));
    let done = session(&haft, &[delete(), write, delete()]);
    assert!(done.iter().all(|report| report["ok"] == true && report["cached"] == false), "{done:?}");
    assert!(!haft.workspace.path("a.txt").exists());
    let count = || ("bash", json!({"command": "echo x >> log; wc -l < log"}));
    let done = session(&haft, &[count(), count()]);
    assert_eq!((&done[0]["text"], &done[1]["text"]), (&json!("1\n"), &json!("2\n")));
}

#[test]
fn switched_off_everything_is_read() {
    let haft = Haft::configured("[tools.result_cache]\nenabled = false\n");
    settled(&haft, "a.txt", "one\n");
    let read = || ("read", json!({"path": "a.txt"}));
    let done = session(&haft, &[read(), read()]);
    assert!(done.iter().all(|report| report["cached"] == false && report["ok"] == true), "{done:?}");
}
