//! The export: a span per call, in a file that a collector reads, and never in the way of a call.

use std::sync::Arc;

use serde_json::{Value, json};
use tools_audit::{AuditError, AuditSink, JsonlSink, MemorySink, OtlpSink, verify};
use tools_testkit::Workspace;

const CALL: &str = r#""ts":"2026-01-01T00:00:00.250Z","session":"s1","call_id":"c2","parent_call_id":"c1","tool":"bash","call":{"command":"ls"},"decision":"allow","approved_by":"rule","exit_code":3,"duration_ms":40"#;

fn attribute<'a>(span: &'a Value, key: &str) -> &'a Value {
    let all = span["attributes"].as_array().unwrap();
    all.iter().find(|one| one["key"] == key).map_or(&Value::Null, |one| &one["value"])
}

#[test]
fn a_call_is_a_span_below_its_parent() {
    let space = Workspace::new();
    let (log, export) = (space.path("audit.jsonl"), space.path("spans.jsonl"));
    let inner: Arc<dyn AuditSink> = Arc::new(JsonlSink::open(&log).unwrap());
    let sink = OtlpSink::open(inner, &export).unwrap();
    let head = sink.append(CALL).unwrap();
    sink.append(r#""ts":"2026-01-01T00:00:01.000Z","event":"audit_resumed","lost":1"#).unwrap();
    sink.append(&CALL.replace("c1", "c0").replace("c2", "c1").replace("\"exit_code\":3", "\"error_code\":\"late\""))
        .unwrap();
    assert!(verify(&log).unwrap().is_intact());
    let text = std::fs::read_to_string(export).unwrap();
    let spans: Vec<Value> = text
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["resourceSpans"][0]["scopeSpans"][0]["spans"][0].clone()
        })
        .collect();
    assert_eq!(spans.len(), 2, "events of the log are no spans");
    let [call, parent] = &spans[..] else { unreachable!() };
    assert_eq!(call["name"], "execute_tool bash");
    assert_eq!((call["traceId"].as_str().unwrap().len(), call["spanId"].as_str().unwrap().len()), (32, 16));
    assert_eq!([&call["traceId"], &call["parentSpanId"]], [&parent["traceId"], &parent["spanId"]]);
    assert_eq!(call["startTimeUnixNano"], "1767225600250000000");
    assert_eq!(call["endTimeUnixNano"], "1767225600290000000");
    assert_eq!(attribute(call, "process.exit.code"), &json!({"intValue": "3"}));
    assert_eq!(attribute(call, "gen_ai.tool.name"), &json!({"stringValue": "bash"}));
    assert_eq!(attribute(call, "haft.audit.hash"), &json!({"stringValue": head.hash}));
    assert_eq!(attribute(call, "haft.rule"), &Value::Null, "what was not noted is left out");
    assert_eq!([&call["status"]["code"], &parent["status"]["code"]], [1, 2]);
}

#[test]
fn an_export_that_fails_costs_no_call_and_one_that_leads_elsewhere_is_refused() {
    let space = Workspace::new();
    let memory = Arc::new(MemorySink::default());
    let full = OtlpSink::open(memory.clone(), std::path::Path::new("/dev/full"));
    assert!(matches!(full, Err(AuditError::NotAFile(_))), "{full:?}");
    space.file("victim", "x");
    let link = space.link("link", "victim");
    assert!(matches!(OtlpSink::open(memory.clone(), &link), Err(AuditError::Symlink(_))));
    let sink = OtlpSink::open(memory.clone(), &space.path("spans.jsonl")).unwrap();
    for odd in ["\"tool\":7", "\"ts\":\"never\",\"tool\":\"x\",\"session\":\"s\",\"call_id\":\"c\"", "not json"] {
        sink.append(odd).unwrap();
    }
    assert_eq!(memory.lines().len(), 3);
    assert_eq!(std::fs::read(space.path("spans.jsonl")).unwrap(), b"");
}
