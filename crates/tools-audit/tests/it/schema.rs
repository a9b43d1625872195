//! The published schema, held against lines of every kind.

use std::sync::Arc;

use serde_json::{Value, json};
use tools_audit::{Audit, AuditSink as _, ConnectionLine, JsonlSink, MemorySink, OnError, line_schema};
use tools_core::NoRedaction;
use tools_testkit::Workspace;

/// Fails with what is wrong with the line.
pub(crate) fn meets_the_schema(line: &Value) {
    let validator = jsonschema::validator_for(&line_schema()).unwrap();
    let problems: Vec<String> =
        validator.iter_errors(line).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(problems.is_empty(), "{problems:?}: {line}");
}

fn body() -> String {
    let line = json!({
        "ts": "2026-01-01T00:00:00.000Z", "session": "s", "call_id": "c", "phase": "executor", "tool": "read",
        "call": {}, "args_sha256": "0".repeat(64), "subjects": [], "trust": "Trusted", "decision": "allow", "gates": [],
        "warnings": [], "exit_code": null, "result": "x", "truncated": false, "bytes": {"model": 1}, "attempts": 1,
        "duration_ms": 0, "ms": {"gates": 0, "run": 0},
    });
    let text = line.to_string();
    text[1..text.len() - 1].to_owned()
}

#[test]
fn lines_with_marks_and_events_meet_it() {
    let space = Workspace::new();
    let path = space.path("audit.jsonl");
    let sink = JsonlSink::open(&path).unwrap().rotating_at(1500);
    (0..4).for_each(|_| drop(sink.append(&body()).unwrap()));
    sink.append(r#""ts":"2026-01-01T00:00:00.000Z","event":"audit_resumed","lost":3"#).unwrap();
    drop(sink);
    std::fs::rename(&path, space.path("away")).unwrap();
    JsonlSink::open(&path).unwrap().append(&body()).unwrap();
    let mut marks = 0;
    for entry in std::fs::read_dir(space.root()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "head") {
            continue;
        }
        for line in std::fs::read_to_string(path).unwrap().lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            marks += usize::from(line.get("continues").or(line.get("replaces")).is_some());
            meets_the_schema(&line);
        }
    }
    assert!(marks > 1, "{marks}");
}

#[test]
fn a_connection_is_a_line_of_its_own() {
    let sink = Arc::new(MemorySink::default());
    let audit = Audit::new(Arc::clone(&sink) as _, Arc::new(NoRedaction), OnError::Block);
    let refused = ConnectionLine {
        session: "s1",
        host: "example.org",
        port: 443,
        address: None,
        program: Some("curl"),
        command: Some("curl -s https://example.org/"),
        decision: "deny",
        rule: "permissions.network[0] \"example.org\"",
        problem: None,
        inbound: false,
        sent: 0,
        received: 0,
        duration_ms: 1,
    };
    audit.connection(&refused);
    audit.connection(&ConnectionLine { host: "localhost", inbound: true, ..refused.clone() });
    audit.connection(&ConnectionLine { address: Some("192.0.2.1".to_owned()), decision: "allow", sent: 7, ..refused });
    let mut lines: Vec<Value> = sink.lines().iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    lines.iter().for_each(meets_the_schema);
    let published = lines.remove(1);
    assert_eq!((published["host"].as_str(), published["inbound"].as_bool()), (Some("localhost"), Some(true)));
    for line in &lines {
        assert_eq!((line["event"].as_str(), line["host"].as_str()), (Some("connection"), Some("example.org")));
        assert_eq!(line.get("inbound"), None, "only where it is so");
    }
    assert_eq!((lines[0].get("address"), &lines[1]["sent"]), (None, &json!(7)));
}

#[test]
fn what_is_no_line_does_not_meet_it() {
    let sink = MemorySink::default();
    sink.append(&body()).unwrap();
    let line: Value = serde_json::from_str(&sink.lines()[0]).unwrap();
    let validator = jsonschema::validator_for(&line_schema()).unwrap();
    assert!(validator.is_valid(&line));
    for member in ["v", "seq", "ts", "prev", "hash", "session", "call_id", "tool", "call", "decision", "result", "ms"] {
        let mut without = line.clone();
        without.as_object_mut().unwrap().remove(member);
        assert!(!validator.is_valid(&without), "{member}");
        let mut other = line.clone();
        other[member] = json!([]);
        assert!(!validator.is_valid(&other), "{member}");
    }
}
