//! The layer: a line for every call, before its result, without secrets.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::schema::meets_the_schema;
use serde_json::{Value, json};
use tools_audit::{Audit, AuditError, AuditSink, Head, MemorySink, OnError};
use tools_core::{
    Access, Announce, Approval, CallContext, CallId, CallerId, FileDiff, Inspection, Invocation, Layer, Next,
    NoRedaction, Outcome, Redactor, SessionId, Shared, Stack, Subject, ToolCall, ToolError, ToolErrorCategory,
    ToolOutput, ToolTraits, Verdict, keys,
};
use tools_testkit::{Behaviour, EventLog, FakeClock, ScriptedExecutor};

fn executor() -> ScriptedExecutor {
    let command = Subject::Command {
        line: "deploy -p hunter2".into(),
        program: "deploy".into(),
        argv: vec!["-p".into(), "hunter2".into()],
        via: vec![],
    };
    let failure = ToolError::new(ToolErrorCategory::Timeout, "late", "took too long with hunter2");
    ScriptedExecutor::new()
        .tool("read", ToolTraits::READ_ONLY, Behaviour::reply("fine"))
        .tool("fail", ToolTraits::CAUTIOUS, Behaviour::Fail(failure))
        .tool("panic", ToolTraits::CAUTIOUS, Behaviour::Panic)
        .tool("hang", ToolTraits::CAUTIOUS, Behaviour::Hang)
        .inspected(
            "bash",
            ToolTraits::CAUTIOUS,
            Behaviour::reply("hunter2"),
            Ok(Inspection::mutating().touching(command)),
        )
}

fn call(tool: &str, params: Value) -> ToolCall {
    ToolCall::new(tool, params).unwrap().with_id(CallId::parse("c1").unwrap())
}

fn context() -> CallContext {
    CallContext::new("/w").in_session(SessionId::parse("s1").unwrap())
}

/// Takes `hunter2` out, and breaks on `boom`.
struct Hunter;

impl Redactor for Hunter {
    fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        assert!(!text.contains("boom"), "the redactor breaks");
        if text.contains("hunter2") { text.replace("hunter2", "«secret»").into() } else { text.into() }
    }
}

fn audited(sink: &Arc<impl AuditSink + 'static>, redactor: impl Redactor + 'static, on_error: OnError) -> Stack {
    let audit = Audit::new(sink.clone(), Arc::new(redactor), on_error).with_clock(Arc::new(FakeClock::default()));
    Stack::new(vec![Arc::new(Announce::default()), Arc::new(audit)], executor())
}

fn line(sink: &MemorySink) -> Value {
    let mut lines = sink.lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    let line = serde_json::from_str(&lines.remove(0)).unwrap();
    meets_the_schema(&line);
    line
}

async fn run(tool: &str, params: Value) -> (Outcome, Value) {
    let sink = Arc::new(MemorySink::default());
    let outcome = audited(&sink, Hunter, OnError::Block).dispatch(call(tool, params), &context()).await;
    (outcome, line(&sink))
}

#[tokio::test]
async fn a_call_is_one_line_of_this_shape() {
    let (_, mut line) = run("read", json!({"path": "a", "depth": 2})).await;
    for member in ["prev", "hash"] {
        assert_eq!(line.as_object_mut().unwrap().remove(member).unwrap().as_str().unwrap().len(), 64);
    }
    assert_eq!(
        line,
        json!({
            "v": 1, "seq": 1, "ts": "2026-01-01T00:00:00.000Z", "session": "s1", "workdir": "/w", "call_id": "c1", "phase": "executor",
            "tool": "read", "call": {"depth": 2, "path": "a"},
            "args_sha256": tools_core::sha256_hex(br#"{"depth":2,"path":"a"}"#),
            "subjects": [], "trust": "Trusted", "decision": "allow", "gates": [], "result_source": "internal",
            "warnings": [], "exit_code": null, "result": "fine", "result_sha256": tools_core::sha256_hex(b"fine"), "truncated": false,
            "bytes": {"model": 4}, "attempts": 1, "duration_ms": 0, "ms": {"gates": 0, "run": 0},
        })
    );
}

#[tokio::test]
async fn whatever_becomes_of_a_call_is_on_record() {
    let check = async |tool: &str, expected: [&str; 4]| {
        let (_, line) = run(tool, json!({})).await;
        let text = |key: &str| line[key].as_str().unwrap_or("").to_owned();
        assert_eq!(
            [text("decision"), text("result"), text("error_category"), text("error_code")],
            expected.map(str::to_owned),
            "{tool}"
        );
    };
    check("read", ["allow", "fine", "", ""]).await;
    check("fail", ["allow", "failed", "timeout", "late"]).await;
    check("panic", ["allow", "failed", "permanent_failure", "panic"]).await;
    check("absent", ["allow", "not_executed", "tool_not_found", "tool_not_found"]).await;
}

#[tokio::test]
async fn a_cancelled_and_a_dropped_call_are_on_record() {
    let sink = Arc::new(MemorySink::default());
    let stack = audited(&sink, NoRedaction, OnError::Block);
    let cx = context();
    cx.cancel().cancel();
    assert!(stack.dispatch(call("read", json!({})), &cx).await.is_err());
    let line = line(&sink);
    assert_eq!(
        [&line["result"], &line["error_category"], &line["attempts"]],
        [&json!("not_executed"), &json!("cancelled"), &json!(0)]
    );

    let sink = Arc::new(MemorySink::default());
    let stack = audited(&sink, NoRedaction, OnError::Block);
    let cx = context();
    tokio::select! {
        biased;
        _ = stack.dispatch(call("hang", json!({})), &cx) => unreachable!("it never returns"),
        () = tokio::task::yield_now() => {}
    }
    let line = self::line(&sink);
    assert_eq!([&line["result"], &line["error_code"]], [&json!("cancelled"), &json!("dropped")]);
}

#[tokio::test]
async fn secrets_are_taken_out_everywhere() {
    let params = json!({"command": "deploy -p hunter2", "list": [{"hunter2": "x hunter2"}]});
    let (outcome, line) = run("bash", params).await;
    assert_eq!(outcome.unwrap().summary, "hunter2");
    assert!(!line.to_string().contains("hunter2"), "{line}");
    assert_eq!(line["subjects"][0]["argv"], json!(["-p", "«redacted»"]));
    let (_, line) = run("fail", json!({})).await;
    assert_eq!(line["error_message"], "took too long with «secret»");
}

#[tokio::test]
async fn a_broken_redactor_costs_the_text_not_the_line() {
    let (outcome, line) = run("read", json!({"path": "boom"})).await;
    assert!(outcome.is_ok());
    assert_eq!(line["call"], json!({"«not recorded»": null}));
    assert!(!line.to_string().contains("boom"));
}

#[tokio::test]
async fn long_parameters_are_cut_but_digested_whole() {
    let long = "ж".repeat(100_000);
    let many: Vec<_> = (0..10_000).collect();
    let (_, line) = run("read", json!({"text": long, "many": many, "deep": {"x": vec![long.clone(); 40]}})).await;
    assert!(line.to_string().len() < 80_000, "{}", line.to_string().len());
    let (_, other) =
        run("read", json!({"text": format!("{long}!"), "many": many, "deep": {"x": vec![long; 40]}})).await;
    assert_ne!(line["args_sha256"], other["args_sha256"]);
}

#[tokio::test]
async fn who_agreed_is_on_record() {
    let sink = Arc::new(MemorySink::default());
    let stack = audited(&sink, NoRedaction, OnError::Block);
    let asked = call("read", json!({})).with_caller(CallerId::parse("agent").unwrap());
    let approval = Approval::grant(&asked, CallerId::parse("ann").unwrap(), &FakeClock::default());
    stack.dispatch_confirmed(asked, approval, &context().below(CallId::parse("c0").unwrap())).await.unwrap();
    let line = line(&sink);
    assert_eq!([&line["approver"], &line["caller_id"], &line["parent_call_id"]], ["ann", "agent", "c0"]);
}

/// A sink that fails on demand and notes which events had been sent when it was written to.
#[derive(Default)]
struct Flaky {
    fails: AtomicBool,
    is_full: AtomicBool,
    events: EventLog,
    seen: Mutex<Vec<Vec<String>>>,
    kept: MemorySink,
}

impl AuditSink for Flaky {
    fn append(&self, body: &str) -> Result<Head, AuditError> {
        self.seen.lock().unwrap().push(self.events.words());
        if self.fails.load(Ordering::Relaxed) {
            let source = std::io::ErrorKind::StorageFull.into();
            return Err(AuditError::Write { path: "audit.jsonl".into(), source });
        }
        self.kept.append(body)
    }

    fn prepare(&self) -> Result<(), AuditError> {
        if self.is_full.load(Ordering::Relaxed) {
            let source = std::io::ErrorKind::StorageFull.into();
            return Err(AuditError::Write { path: "audit.jsonl".into(), source });
        }
        Ok(())
    }
}

#[tokio::test]
async fn a_call_for_whose_line_there_is_no_room_does_not_run() {
    let sink = Arc::new(Flaky::default());
    let scripted = executor();
    let audit: Arc<dyn Layer> = Arc::new(Audit::new(sink.clone(), Arc::new(NoRedaction), OnError::Block));
    let stack = Stack::new(vec![audit], scripted.clone());
    sink.is_full.store(true, Ordering::Relaxed);
    let refused = stack.dispatch(call("read", json!({})), &context()).await.unwrap_err();
    assert_eq!(refused.code(), "audit_failed");
    assert_eq!(scripted.ran(), []);
    sink.is_full.store(false, Ordering::Relaxed);
    stack.dispatch(call("read", json!({})), &context()).await.unwrap();
    assert_eq!(scripted.ran().len(), 1);
}

#[tokio::test]
async fn the_line_is_written_before_the_end_is_announced() {
    let sink = Arc::new(Flaky::default());
    let stack = audited(&sink, NoRedaction, OnError::Block);
    let events = sink.events.sink(&FakeClock::default());
    stack.dispatch(call("read", json!({})), &context().with_events(events)).await.unwrap();
    let seen = sink.seen.lock().unwrap().clone();
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].len(), 1, "only the start was announced: {seen:?}");
    assert_eq!(sink.events.words().len(), 2);
}

#[tokio::test]
async fn block_withholds_what_is_not_on_record_and_refuses_until_the_log_works_again() {
    let sink = Arc::new(Flaky::default());
    let scripted = executor();
    let audit: Arc<dyn Layer> = Arc::new(Audit::new(sink.clone(), Arc::new(NoRedaction), OnError::Block));
    let stack = Stack::new(vec![audit], scripted.clone());
    let dispatch = async || stack.dispatch(call("read", json!({})), &context()).await;
    sink.fails.store(true, Ordering::Relaxed);
    for round in 0..3 {
        let error = dispatch().await.unwrap_err();
        assert_eq!(error.message().contains("may have run"), round == 0, "{error}");
        assert_eq!((error.category(), error.code()), (ToolErrorCategory::PermanentFailure, "audit_failed"));
        assert!(!error.message().contains("audit.jsonl"));
    }
    assert_eq!(scripted.ran().len(), 1, "only the first was not known to fail");
    sink.fails.store(false, Ordering::Relaxed);
    assert!(dispatch().await.is_ok());
    let lines: Vec<Value> = sink.kept.lines().iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), &lines[0]["event"], &lines[0]["lost"]), (2, &json!("audit_resumed"), &json!(1)));
}

#[tokio::test]
async fn warn_lets_calls_run_and_says_so() {
    let sink = Arc::new(Flaky::default());
    let stack = audited(&sink, NoRedaction, OnError::Warn);
    sink.fails.store(true, Ordering::Relaxed);
    let recorded = stack.run(call("read", json!({})), None, &context()).await;
    assert!(recorded.outcome.is_ok());
    assert_eq!(recorded.journal.warnings(), ["this call is not in the audit log"]);
}

#[tokio::test]
async fn paths_are_subjects() {
    let sink = Arc::new(MemorySink::default());
    let inspection = Inspection::read_only().touching(Subject::path("/w/a", Access::Read));
    let scripted =
        ScriptedExecutor::new().inspected("read", ToolTraits::READ_ONLY, Behaviour::reply(""), Ok(inspection));
    let audit: Arc<dyn Layer> = Arc::new(Audit::new(sink.clone(), Arc::new(NoRedaction), OnError::Block));
    Stack::new(vec![audit], scripted).dispatch(call("read", json!({})), &context()).await.unwrap();
    assert_eq!(line(&sink)["subjects"], json!([{"kind": "path", "path": "/w/a", "access": "read"}]));
}

#[tokio::test]
async fn what_an_edit_changed_is_on_record() {
    let sink = Arc::new(MemorySink::default());
    let diff = FileDiff {
        path: "/w/src/a.rs".into(),
        unified: format!("-hunter2\n+x\n{}", "+y\n".repeat(5000)),
        added: 5001,
        removed: 1,
        before: None,
        after: None,
    };
    let output = ToolOutput { diff: Some(diff), ..ToolOutput::text("edited") };
    let inspection = ["/w/src/a.rs", "/elsewhere/b"]
        .iter()
        .fold(Inspection::mutating(), |inspection, path| inspection.touching(Subject::path(path, Access::Write)));
    let scripted =
        ScriptedExecutor::new().inspected("edit", ToolTraits::EDIT, Behaviour::Reply(Box::new(output)), Ok(inspection));
    let audit: Arc<dyn Layer> = Arc::new(Audit::new(sink.clone(), Arc::new(Hunter), OnError::Block));
    Stack::new(vec![audit], scripted).dispatch(call("edit", json!({})), &context()).await.unwrap();
    let files = line(&sink)["fs"].clone();
    assert_eq!(files["changed"], json!(["src/a.rs", "/elsewhere/b"]));
    assert_eq!([&files["added"], &files["removed"]], [5001, 1]);
    let diff = files["diff"].as_str().unwrap();
    assert!(diff.starts_with("-«secret»\n+x\n") && diff.chars().count() == 4000, "{diff}");
}

/// Notes what other layers note, and asks how long it took.
struct Noting;

#[async_trait::async_trait]
impl Layer for Noting {
    fn name(&self) -> &'static str {
        "noting"
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        let journal = inv.context.journal();
        journal.note("raw_bytes", 9000);
        journal.note("rollback", json!({"restored": 2, "deleted": 1}));
        journal.note("checkpoint", json!({"number": 4}));
        journal.note(keys::APPROVED_BY, "rule");
        journal.note(keys::POLICY_MATCH, "permissions.fail[0] \"hunter2\"");
        journal.gate("noting", Verdict::Allow);
        next.run(inv).await
    }
}

#[tokio::test]
async fn what_layers_note_has_its_place() {
    let sink = Arc::new(MemorySink::default());
    let digest = Shared::new("d".repeat(64));
    let audit = Audit::new(sink.clone(), Arc::new(Hunter), OnError::Block).with_policy(digest.clone());
    let layers: Vec<Arc<dyn Layer>> = vec![Arc::new(audit), Arc::new(Noting)];
    let stack = Stack::new(layers, executor());
    let asked = call("fail", json!({}));
    let consent = Approval::grant(&asked, CallerId::parse("ann").unwrap(), &FakeClock::default());
    let consent = consent.after(std::time::Duration::from_millis(1500));
    stack.dispatch_confirmed(asked, consent, &context()).await.unwrap_err();
    let line = line(&sink);
    assert_eq!(line["bytes"]["raw"], 9000);
    assert_eq!(line["result"], "rolled_back");
    assert_eq!(line["fs"], json!({"changed": [], "checkpoint": {"number": 4}}));
    assert_eq!(line["ms"]["approval"], 1500);
    assert_eq!(line["policy_sha256"], json!("d".repeat(64)));
    assert_eq!(line["policy_match"], "permissions.fail[0] \"«secret»\"");
    assert!(line["gates"][0]["us"].is_u64(), "{line}");
}
