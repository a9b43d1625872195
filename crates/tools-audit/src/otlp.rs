//! OpenTelemetry: each line of the record is also appended to a file as a span in OTLP JSON.
//!
//! One `ExportTraceServiceRequest` per line is the format of the collector's `otlp_json_file`
//! receiver and of its file exporter. No network and no exporter thread: the collector ships the
//! file, and a call never waits for it. A session is a trace, a call a span, and its parent call
//! the parent span.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use tools_core::sha256_hex;

use crate::sink::{open_for_append, write_whole};
use crate::{AuditError, AuditSink, Head};

/// A sink that exports the lines stored by another sink.
pub struct OtlpSink {
    inner: Arc<dyn AuditSink>,
    file: Arc<File>,
    path: PathBuf,
    is_failing: AtomicBool,
}

impl OtlpSink {
    /// Exports to the file at `path` the lines stored by `inner`.
    ///
    /// # Errors
    /// When the file cannot be opened, or is not a regular file.
    pub fn open(inner: Arc<dyn AuditSink>, path: &Path) -> Result<Self, AuditError> {
        let file = open_for_append(path)?;
        Ok(Self { inner, file, path: path.to_owned(), is_failing: AtomicBool::new(false) })
    }
}

impl OtlpSink {
    fn export(&self, body: &str, head: &Head) {
        if let Some(span) = span(body, head) {
            let written = write_whole(&self.file, format!("{}\n", exported(&span)).as_bytes());
            let was_failing = self.is_failing.swap(written.is_err(), Ordering::Relaxed);
            // Only the record is essential, so the failure is reported once, not with every call.
            if let Err(error) = written
                && !was_failing
            {
                tracing::warn!(%error, path = %self.path.display(), "calls are not exported");
            }
        }
    }
}

#[async_trait]
impl AuditSink for OtlpSink {
    fn append(&self, body: &str) -> Result<Head, AuditError> {
        let head = self.inner.append(body)?;
        self.export(body, &head);
        Ok(head)
    }

    async fn store(&self, body: String) -> Result<Head, AuditError> {
        let head = self.inner.store(body.clone()).await?;
        self.export(&body, &head);
        Ok(head)
    }

    fn prepare(&self) -> Result<(), AuditError> {
        self.inner.prepare()
    }
}

tools_core::partial_debug!(OtlpSink { path });

fn exported(span: &Value) -> Value {
    json!({"resourceSpans": [{
        "resource": {"attributes": attributes([("service.name", Some("haft".into()))])},
        "scopeSpans": [{
            "scope": {"name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION")},
            "spans": [span],
        }],
    }]})
}

/// The span of a call; `None` for lines about anything else.
fn span(body: &str, head: &Head) -> Option<Value> {
    let line: Map<String, Value> = serde_json::from_str(&format!("{{{body}}}")).ok()?;
    let text = |key: &str| line.get(key).and_then(Value::as_str);
    let (tool, session, call) = (text("tool")?, text("session")?, text("call_id")?);
    let began = text("ts")?.parse::<jiff::Timestamp>().ok()?.as_nanosecond();
    let lasted = line.get("duration_ms").and_then(Value::as_u64).unwrap_or_default();
    let attributes = attributes([
        ("gen_ai.operation.name", Some("execute_tool".into())),
        ("gen_ai.tool.name", Some(tool.into())),
        ("gen_ai.tool.call.id", Some(call.into())),
        ("session.id", Some(session.into())),
        ("error.type", line.get("error_code").cloned()),
        ("process.exit.code", line.get("exit_code").cloned()),
        ("haft.decision", line.get("decision").cloned()),
        ("haft.rule", line.get("policy_match").cloned()),
        ("haft.approved_by", line.get("approved_by").cloned()),
        ("haft.trust", line.get("trust").cloned()),
        ("haft.caller_id", line.get("caller_id").cloned()),
        ("haft.cache", line.get("cache").cloned()),
        ("haft.call", line.get("call").map(|call| call.to_string().into())),
        ("haft.audit.seq", Some(head.seq.into())),
        ("haft.audit.hash", Some(head.hash.as_str().into())),
    ]);
    let mut span = json!({
        "traceId": sha256_hex(format!("session {session}").as_bytes())[..32],
        "spanId": span_id(session, call),
        "name": format!("execute_tool {tool}"),
        "kind": 1,
        "startTimeUnixNano": began.to_string(),
        "endTimeUnixNano": (began + i128::from(lasted) * 1_000_000).to_string(),
        "attributes": attributes,
        "status": match text("error_code") {
            Some(code) => json!({"code": 2, "message": text("error_message").unwrap_or(code)}),
            None => json!({"code": 1}),
        },
    });
    if let Some(parent) = text("parent_call_id") {
        span["parentSpanId"] = span_id(session, parent).into();
    }
    Some(span)
}

fn span_id(session: &str, call: &str) -> String {
    let mut digits = sha256_hex(format!("call {session} {call}").as_bytes());
    digits.truncate(16);
    digits
}

/// Attributes in OTLP JSON: 64-bit numbers are strings, and absent ones are left out.
fn attributes<const N: usize>(list: [(&str, Option<Value>); N]) -> Value {
    let known = list.into_iter().filter_map(|(key, value)| {
        let value = match value? {
            Value::String(text) => json!({"stringValue": text}),
            Value::Number(number) => json!({"intValue": number.to_string()}),
            Value::Bool(holds) => json!({"boolValue": holds}),
            Value::Null => return None,
            other => json!({"stringValue": other.to_string()}),
        };
        Some(json!({"key": key, "value": value}))
    });
    known.collect()
}
