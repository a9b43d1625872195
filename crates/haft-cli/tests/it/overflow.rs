//! Long output through the binary: shown in part, stored whole, read back by its session alone.

use serde_json::{Value, json};

use crate::support::Haft;

const ALL: &str = "[[tools.permissions.bash]]\npattern = \"*\"\naction = \"allow\"\n";
/// More than is shown and more than the shell keeps for the model, with a failure in the middle.
const LONG: &str = "seq 1 40000; echo 'error: in the middle'; seq 40001 80000";

fn long() -> String {
    let numbers = |range: std::ops::RangeInclusive<u32>| range.map(|n| format!("{n}\n")).collect::<Vec<_>>().concat();
    format!("{}error: in the middle\n{}", numbers(1..=40_000), numbers(40_001..=80_000))
}

fn call(haft: &Haft, session: &str, tool: &str, params: &Value) -> Value {
    haft.run(&["call", "--json", "--session", session, tool, &params.to_string()]).json()
}

#[test]
fn what_is_not_shown_is_stored_and_read_back_by_its_session_alone() {
    let haft = Haft::configured(ALL);
    let made = call(&haft, "mine", "bash", &json!({"command": LONG}));
    let text = made["text"].as_str().unwrap();
    assert!(text.chars().count() <= 50_000 && text.starts_with("1\n2\n"), "{}", text.len());
    assert!(text.contains("\n40001: error: in the middle\n"), "{text}");
    assert_eq!(made["truncated"], true);
    let reference = made["overflow"].as_str().unwrap();
    assert!(text.ends_with(&format!("[all 80001 lines: read_overflow, ref {reference}]")));

    let read =
        |session| call(&haft, session, "read_overflow", &json!({"ref": reference, "offset": 40_000, "limit": 2}));
    let mine = read("mine");
    let expected = "40000\nerror: in the middle\n[lines 40000 to 40001 of 80001; go on with offset 40002]";
    assert_eq!(mine["text"], expected);
    assert_eq!((&mine["overflow"], &mine["decision"]), (&Value::Null, &json!("allow")));
    let missing = json!({"ref": "overflow:123e4567-e89b-42d3-a456-426614174000"});
    let (foreign, missing) = (read("another"), call(&haft, "mine", "read_overflow", &missing));
    assert_eq!(foreign["error"]["code"], "overflow_not_found");
    assert_eq!(foreign["error"], missing["error"]);

    let shown = haft.run(&["overflow", "show", reference]);
    assert!(shown.code == 0 && shown.out == long());
    let lines = haft.run(&["overflow", "show", reference.strip_prefix("overflow:").unwrap(), "--lines", "2-3"]);
    assert_eq!((lines.code, lines.out.as_str()), (0, "2\n3\n"));
    let found = haft.run(&["overflow", "show", reference, "--grep", "^error", "--json"]).json();
    assert_eq!((&found["matching"], &found["session"]), (&json!(1), &json!("mine")));
    assert_eq!(found["text"], "40001:error: in the middle\n");
    assert_eq!(haft.run(&["overflow", "show", "overflow:123e4567-e89b-42d3-a456-426614174000"]).code, 1);
    assert_eq!(haft.run(&["overflow", "show", "../x"]).code, 2);

    let record = std::fs::read_to_string(haft.record()).unwrap();
    assert!(record.lines().next().unwrap().contains(&format!("\"overflow\":\"{reference}\"")), "{record}");
}

#[test]
fn what_a_filter_leaves_out_can_be_had_back() {
    let haft = Haft::configured(ALL);
    let all = (1..=300).map(|n| format!("test t{n} ... ok\n")).collect::<Vec<_>>().concat();
    let last = "test result: ok. 300 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
    let printed = format!("running 300 tests\n{all}\n{last}\n");
    haft.workspace.file("printed", &printed);
    // A command of that name that the shell finds first.
    let command = "cargo() { cat printed; }; cargo test";
    let made = call(&haft, "s", "bash", &json!({"command": command}));
    let text = made["text"].as_str().unwrap();
    assert!(text.starts_with("test result: ok. 300 passed") && made["truncated"] == false, "{made}");
    let reference = made["overflow"].as_str().unwrap_or_else(|| panic!("{made}"));
    let shown = haft.run(&["overflow", "show", reference]).out;
    assert_eq!(shown, printed);
}

#[test]
fn no_tool_reads_the_store_itself() {
    let haft = Haft::configured(ALL);
    let made = call(&haft, "s", "bash", &json!({"command": LONG}));
    assert!(made["overflow"].is_string());
    let folder = haft.home.path(".local/state/haft/overflow");
    assert!(folder.join("overflow.db").is_file());
    // With the home as its workspace, where nothing else keeps a tool from it.
    let home = haft.home.root().display().to_string();
    let at_home = |tool: &str, params: &Value| {
        haft.run(&["call", "--json", "--workdir", &home, tool, &params.to_string()]).json()
    };
    let read = at_home("read", &json!({"path": ".local/state/haft/overflow/overflow.db"}));
    assert_eq!(read["error"]["category"], "policy_blocked", "{read}");
    let file = folder.join("overflow.db").display().to_string();
    let cat = at_home("bash", &json!({"command": format!("head -c 15 {file}; ls {}", folder.display())}));
    assert!(!cat["text"].as_str().unwrap().contains("SQLite"), "{cat}");
    let write = at_home("write", &json!({"path": ".local/state/haft/overflow/overflow.db", "content": ""}));
    assert_eq!(write["ok"], false, "{write}");
}

#[test]
fn nothing_is_opened_for_a_call_that_is_shown_whole() {
    let haft = Haft::configured(ALL);
    let made = call(&haft, "s", "bash", &json!({"command": "echo short"}));
    assert_eq!((&made["text"], &made["overflow"]), (&json!("short\n"), &Value::Null));
    assert!(!haft.home.path(".local/state/haft/overflow/overflow.db").exists());
}

#[test]
fn a_server_that_this_program_cannot_speak_to_is_a_fault_of_the_configuration() {
    let haft = Haft::configured("[tools.overflow]\ndatabase = \"mysql://x\"\n");
    let ran = haft.run(&["tools"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("line 2: `tools.overflow.database`"), "{ran:?}");
}
