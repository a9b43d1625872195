//! The individual calls: a row each, and the details shown when one is selected.

use std::{collections::VecDeque, fmt::Write as _};

use serde_json::Value;

use super::call::Call;
use super::html::{count, short, text, time};
use super::strip::small;

/// Maximum length in characters of the shown parameters of a call.
const PARAMETER_CHARS: usize = 6000;

pub(super) fn rows(calls: &VecDeque<Call>) -> String {
    let longest = calls.iter().map(Call::total).max().unwrap_or_default();
    let mut out = String::from("<div class=\"calls\" id=\"calls\">");
    for call in calls {
        row(&mut out, call, longest);
    }
    out.push_str("</div>");
    out
}

fn row(out: &mut String, call: &Call, longest: u64) {
    let seq = call.seq;
    let parts = [("wait", call.wait), ("gates", call.gates), ("approval", call.approval), ("run", call.run)];
    let _ = write!(
        out,
        "<article class=\"call {verdict}\" id=\"c{seq}\"><a class=\"row\" href=\"#c{seq}\"><span \
         class=\"seq\">{seq}</span><span class=\"at\">{}</span><span class=\"tool\">{}</span><span \
         class=\"about\">{}</span><span class=\"chip {verdict}\">{}</span><span class=\"outcome{}\">{}</span><span \
         class=\"took\">{}</span>{}</a><div class=\"body\">",
        text(call.ts.get(11..19).unwrap_or(&call.ts)),
        short(&call.tool, 24),
        short(&call.about, 160),
        short(&call.decision, 12),
        if call.is_failed() { " bad" } else { "" },
        short(&call.outcome(), 28),
        time(call.total()),
        small(&parts, longest, 60),
        verdict = call.verdict(),
    );
    body(out, call);
    out.push_str("</div></article>");
}

fn body(out: &mut String, call: &Call) {
    let field = |key: &str| call.line.get(key).and_then(Value::as_str).unwrap_or_default();
    let mut facts = String::new();
    let mut fact = |name: &str, value: String| {
        if !value.is_empty() {
            let _ = write!(facts, "<dt>{name}</dt><dd>{value}</dd>");
        }
    };
    fact("decided by", text(&call.rule));
    fact("agreed", text(field("approver")));
    fact("when", text(&call.ts));
    fact("session", text(&call.session));
    fact("call", text(field("call_id")));
    fact("below", text(field("parent_call_id")));
    fact("caller", text(field("caller_id")));
    fact("origin", text(field("trust")));
    fact("phase", text(field("phase")));
    fact("confined", text(field("sandbox")));
    fact("time", times(call));
    fact("size", sizes(call));
    fact("gates", gates(call));
    fact("whole output", overflow(field("overflow")));
    let _ = write!(out, "<dl>{facts}</dl><div class=\"texts\">");
    for warning in call.line.get("warnings").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        let _ = write!(out, "<p class=\"warning\">{}</p>", text(warning));
    }
    let _ = write!(out, "<h4>call</h4><pre>{}</pre>", text(&parameters(call)));
    let message = field("error_message");
    if !message.is_empty() {
        let _ = write!(out, "<h4>{}</h4><pre class=\"bad\">{}</pre>", text(&call.error_code), text(message));
    }
    let _ = write!(out, "<h4>output</h4><pre>{}</pre>", text(field("result")));
    if let Some(files) = call.line.get("fs") {
        changes(out, files);
    }
    let _ = write!(out, "<p class=\"hash\">{}</p></div>", text(field("hash")));
}

/// The parameters; texts of several lines keep their lines.
fn parameters(call: &Call) -> String {
    let Some(members) = call.line.get("call").and_then(Value::as_object) else { return String::new() };
    let shown = members.iter().map(|(name, value)| match value {
        Value::String(text) if text.contains('\n') => format!("{name}:\n{text}"),
        Value::String(text) => format!("{name}: {text}"),
        other => format!("{name}: {other}"),
    });
    let mut all = shown.collect::<Vec<_>>().join("\n");
    if let Some((end, _)) = all.char_indices().nth(PARAMETER_CHARS) {
        all.truncate(end);
        all.push('…');
    }
    all
}

fn times(call: &Call) -> String {
    let parts = [("wait", call.wait), ("gates", call.gates), ("approval", call.approval), ("run", call.run)];
    let shown = parts.iter().filter(|(part, took)| *took > 0 || *part == "run");
    shown.map(|(part, took)| format!("{part} {}", time(*took))).collect::<Vec<_>>().join(", ")
}

fn sizes(call: &Call) -> String {
    let mut shown = format!("{} bytes to the model", count(call.model));
    if call.raw > call.model {
        let _ = write!(shown, " of {}", count(call.raw));
    }
    for (holds, word) in [(call.is_truncated, "cut"), (call.is_cached, "from the cache")] {
        if holds {
            let _ = write!(shown, ", {word}");
        }
    }
    shown
}

fn gates(call: &Call) -> String {
    let mut out = String::new();
    for note in call.line.get("gates").and_then(Value::as_array).into_iter().flatten() {
        let word = |key: &str| note.get(key).and_then(Value::as_str).unwrap_or_default();
        let verdict = match word("verdict") {
            "allow" => "allow",
            "ask" => "ask",
            "deny" => "deny",
            _ => "other",
        };
        let us = note.get("us").and_then(Value::as_u64).unwrap_or_default();
        let _ = write!(
            out,
            "<span class=\"gate\"><i class=\"dot {verdict}\"></i>{} <small>{verdict}, {} µs</small></span> ",
            text(word("gate")),
            count(us)
        );
    }
    out
}

fn overflow(reference: &str) -> String {
    if reference.is_empty() { String::new() } else { format!("<code>haft overflow show {}</code>", text(reference)) }
}

fn changes(out: &mut String, files: &Value) {
    let paths: Vec<String> = files
        .get("changed")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(text)
        .collect();
    if !paths.is_empty() {
        let _ = write!(out, "<h4>changed {}</h4>", paths.join(", "));
    }
    if let Some(diff) = files.get("diff").and_then(Value::as_str) {
        out.push_str("<pre class=\"diff\">");
        for line in diff.lines() {
            let class = match line.as_bytes().first() {
                Some(b'+') => "plus",
                Some(b'-') => "minus",
                Some(b'@') => "at",
                _ => "same",
            };
            let _ = write!(out, "<span class=\"{class}\">{}</span>", text(line));
        }
        out.push_str("</pre>");
    }
}
