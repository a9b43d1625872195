//! Credentials and the binary: `haft scan`, and what a call shows of one in a file, in an output and on record. Values that
//! look real are put together here, so that none stands in the source.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::Haft;

const RANDOM: &str = "k8dz7y3doqnvelbuizvohdbyhtvr2owpA7Qx";

fn github() -> String {
    ["gh", "p_", RANDOM].concat()
}

const ALLOW: &str = "[[tools.permissions.bash]]\npattern = \"*\"\naction = \"allow\"\n\
    [[tools.permissions.edit]]\npattern = \"*\"\naction = \"allow\"\n\
    [[tools.permissions.write]]\npattern = \"*\"\naction = \"allow\"\n";

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

fn input(calls: &[Value]) -> String {
    calls.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn scan_tells_place_and_kind_and_never_the_value() {
    let haft = Haft::new();
    haft.workspace.file("a.env", format!("A=1\né={}\nDB_PASSWORD={RANDOM}\n", github()));
    haft.workspace.file("b.txt", "nothing here\n");
    let ran = haft.run(&["scan", "a.env", "b.txt"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!ran.out.contains(RANDOM), "{ran:?}");
    assert_eq!(
        lines(&ran.out),
        [
            json!({"file": "a.env", "kind": "github", "rule": "ghp_", "line": 2, "column": 3, "length": 40}),
            json!({"file": "a.env", "kind": "password", "rule": "assignment", "line": 3, "column": 13, "length": 36}),
        ]
    );
    assert_eq!(haft.run(&["scan", "--check", "a.env"]).code, 1);
    assert_eq!(haft.run(&["scan", "--check", "b.txt"]).code, 0);
}

#[test]
fn scan_reads_standard_input_and_redacts_it_byte_by_byte() {
    let haft = Haft::new();
    let input = [b"caf\xe9 \x00 token=".as_slice(), github().as_bytes(), b"\r\nend"].concat();
    let ran = haft.run_with_input(&["scan", "--redact"], &input);
    assert_eq!((ran.code, ran.out.contains("token=«secret:github#1»\r\nend")), (0, true), "{ran:?}");
    let utf16: Vec<u8> = format!("\u{feff}token={}\n", github()).encode_utf16().flat_map(u16::to_le_bytes).collect();
    let ran = haft.run_with_input(&["scan", "-"], &utf16);
    assert_eq!(lines(&ran.out)[0]["kind"], "github", "{ran:?}");
}

#[test]
fn scan_refuses_what_would_never_end_and_goes_on() {
    let haft = Haft::new();
    haft.workspace.file("a.env", format!("X={}\n", github()));
    let made = Command::new("mkfifo").arg(haft.workspace.path("pipe")).status().expect("coreutils are there");
    assert!(made.success());
    let ran = haft.run(&["scan", "pipe", ".", "missing", "/dev/zero", "a.env"]);
    assert_eq!((ran.code, lines(&ran.out).len()), (2, 1), "{ran:?}");
    assert_eq!(ran.err.lines().count(), 4, "{ran:?}");
}

#[test]
fn patterns_of_the_operator_are_checked_at_load_and_used() {
    let pattern = |text: &str| format!("[tools.filters.security]\nextra_patterns = [{text}]\n");
    let haft = Haft::configured(&pattern("'acme-\\d{6}'"));
    let ran = haft.run_with_input(&["scan", "--redact"], b"id acme-123456.");
    assert_eq!(ran.out, "id «secret:extra#1».", "{ran:?}");
    let haft = Haft::configured(&pattern("'x*'"));
    let ran = haft.run(&["call", "read", "path=a"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("tools.filters.security.extra_patterns[0]"), "{ran:?}");
}

#[test]
fn no_surface_of_a_call_shows_the_value() {
    let haft = Haft::configured(ALLOW);
    haft.workspace.file("a.txt", format!("one\nTOKEN={}\n", github()));
    let calls = [
        json!({"tool": "read", "params": {"path": "a.txt"}}),
        json!({"tool": "grep", "params": {"pattern": "TOKEN"}}),
        json!({"tool": "bash", "params": {"command": "cat a.txt; cat a.txt >&2; exit 3"}}),
        json!({"tool": "bash", "params": {"command": format!("echo {}", github())}}),
        json!({"tool": "read", "params": {"path": github()}}),
        json!({"tool": "edit", "params": {"path": "a.txt", "old_string": github(), "new_string": "x"}}),
        json!({"tool": "write", "params": {"path": "/outside", "content": github()}}),
    ];
    let input = input(&calls);
    let ran = haft.run_with_input(&["batch"], input.as_bytes());
    let record = std::fs::read_to_string(haft.record()).expect("there is a record");
    assert_eq!(lines(&ran.out).len(), calls.len(), "{ran:?}");
    for text in [&ran.out, &ran.err, &record] {
        assert!(!text.contains(RANDOM), "{text}");
    }
    let read = &lines(&ran.out)[0];
    assert_eq!(read["text"], "     1\tone\n     2\tTOKEN=«secret:github#1»");
    assert_eq!(read["warnings"], json!(["1 credential in the result, replaced by placeholders: 1 github"]));
    let ran = haft.run(&["exec", "--filter", "--", "cat", "a.txt"]);
    assert!(!ran.out.contains(RANDOM) && !ran.err.contains(RANDOM), "{ran:?}");
}

#[test]
fn what_is_written_back_is_the_credential_and_the_record_has_the_placeholder() {
    let haft = Haft::configured(ALLOW);
    haft.workspace.file("a.txt", format!("one\nTOKEN={}\n", github()));
    let hidden = "«secret:github#1»";
    let calls = [
        json!({"tool": "read", "params": {"path": "a.txt"}}),
        json!({"tool": "edit", "params": {"path": "a.txt", "old_string": format!("one\nTOKEN={hidden}"),
            "new_string": format!("two\nTOKEN={hidden}")}}),
        json!({"tool": "write", "params": {"path": "b.txt", "content": format!("b {hidden}")}, "approve": true}),
        json!({"tool": "write", "params": {"path": "c.txt", "content": "«secret:github#2»"}}),
    ];
    let input = input(&calls);
    let ran = haft.run_with_input(&["batch"], input.as_bytes());
    let content = |name: &str| std::fs::read_to_string(haft.workspace.path(name)).unwrap_or_default();
    assert_eq!(content("a.txt"), format!("two\nTOKEN={}\n", github()), "{ran:?}");
    assert_eq!(content("b.txt"), format!("b {}", github()), "{ran:?}");
    assert_eq!(content("c.txt"), "");
    assert_eq!(lines(&ran.out)[3]["error"]["code"], "unknown_placeholder", "{ran:?}");
    let record = std::fs::read_to_string(haft.record()).expect("there is a record");
    assert!(record.contains(&format!("b {hidden}")) && !record.contains(RANDOM), "{record}");
}

#[test]
fn commands_get_no_variable_that_holds_a_credential() {
    let haft = Haft::configured(ALLOW);
    let mut command = haft.command(&["call", "bash", "command=env", "--json"]);
    command.envs([
        ("PLAIN", "hello"),
        ("SOME_TOKEN", "abcdefghij"),
        ("NEUTRAL", github().as_str()),
        ("BUNDLE_GITHUB__COM", "abcdefghij"),
        ("MONGO", "mongodb+srv://app:Zx81pQ7mLw2k@db/x"),
    ]);
    let ran = crate::support::finished(command);
    let text = ran.json()["raw_response"]["stdout"].as_str().unwrap_or_default().to_owned();
    assert!(text.contains("PLAIN=hello"), "{text}");
    for gone in ["SOME_TOKEN", "NEUTRAL", "BUNDLE_GITHUB__COM", "MONGO"] {
        assert!(!text.contains(gone), "{gone}: {text}");
    }
}
