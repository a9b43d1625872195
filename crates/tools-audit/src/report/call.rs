//! One line of a log as shown on the page. Lenient: a missing or malformed field is empty.

use std::path::Path;

use serde_json::{Map, Value};

#[derive(Debug, Default)]
pub(super) struct Call {
    pub(super) seq: u64,
    pub(super) ts: String,
    pub(super) session: String,
    pub(super) workdir: String,
    pub(super) tool: String,
    pub(super) about: String,
    pub(super) decision: String,
    pub(super) rule: String,
    pub(super) error_code: String,
    pub(super) exit_code: Option<i64>,
    pub(super) wait: u64,
    pub(super) gates: u64,
    pub(super) approval: u64,
    pub(super) run: u64,
    pub(super) raw: u64,
    pub(super) model: u64,
    pub(super) is_truncated: bool,
    pub(super) is_filtered: bool,
    pub(super) is_cached: bool,
    /// The patterns that a rule would need: one for each part.
    pub(super) patterns: Vec<String>,
    pub(super) programs: Vec<String>,
    /// The line itself, for values shown unchanged.
    pub(super) line: Map<String, Value>,
}

impl Call {
    /// The call of a line; `None` if it is no line, or no call.
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        let line: Map<String, Value> = serde_json::from_slice(line).ok()?;
        let text = |key: &str| line.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let number = |value: Option<&Value>| value.and_then(Value::as_u64).unwrap_or_default();
        let within = |key: &str, inner: &str| number(line.get(key).and_then(|object| object.get(inner)));
        let tool = text("tool");
        if tool.is_empty() {
            return None;
        }
        let subjects = line.get("subjects").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let rule = [text("policy_match"), text("approved_by")].into_iter().find(|rule| !rule.is_empty());
        let model = within("bytes", "model");
        Some(Self {
            seq: number(line.get("seq")),
            ts: text("ts"),
            session: text("session"),
            workdir: text("workdir"),
            about: about(subjects, line.get("call")),
            decision: text("decision"),
            rule: rule.unwrap_or_else(|| "no rule".to_owned()),
            error_code: text("error_code"),
            exit_code: line.get("exit_code").and_then(Value::as_i64),
            wait: within("ms", "wait"),
            gates: within("ms", "gates"),
            approval: within("ms", "approval"),
            run: within("ms", "run"),
            raw: within("bytes", "raw").max(model),
            model,
            is_truncated: line.get("truncated") == Some(&Value::Bool(true)),
            is_filtered: line.get("filter").is_some_and(Value::is_object),
            is_cached: text("cache") == "hit",
            patterns: patterns(&tool, subjects),
            programs: subjects.iter().filter_map(|one| program(one)).map(str::to_owned).collect(),
            tool,
            line,
        })
    }

    /// Whether its working directory is this folder or below it.
    pub(super) fn is_within(&self, folder: &Path) -> bool {
        Path::new(&self.workdir).starts_with(folder)
    }

    /// Total time from the question to the answer.
    pub(super) fn total(&self) -> u64 {
        [self.wait, self.gates, self.approval, self.run].into_iter().fold(0, u64::saturating_add)
    }

    /// Whether the call or its command failed.
    pub(super) fn is_failed(&self) -> bool {
        !self.error_code.is_empty() || self.exit_code.is_some_and(|code| code != 0)
    }

    /// The verdict as a class name: no text of the log reaches the page this way.
    pub(super) fn verdict(&self) -> &'static str {
        match self.decision.as_str() {
            "allow" => "allow",
            "ask" => "ask",
            "deny" => "deny",
            _ => "other",
        }
    }

    /// The outcome in one word.
    pub(super) fn outcome(&self) -> String {
        match (self.error_code.as_str(), self.exit_code) {
            ("", Some(code)) if code != 0 => format!("exit {code}"),
            ("", _) => "ok".to_owned(),
            (code, _) => code.to_owned(),
        }
    }
}

fn field<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}

fn program(subject: &Value) -> Option<&str> {
    (field(subject, "kind") == Some("exec")).then(|| field(subject, "program"))?
}

fn about(subjects: &[Value], call: Option<&Value>) -> String {
    let named = subjects.first().and_then(|one| ["line", "path", "url", "why"].iter().find_map(|key| field(one, key)));
    match (named, call) {
        (Some(text), _) => text.to_owned(),
        (None, Some(call)) => call.to_string(),
        (None, None) => String::new(),
    }
}

/// The pattern of a rule for each part of a call: `cargo build *`, `src/**`, `example.org`.
fn patterns(tool: &str, subjects: &[Value]) -> Vec<String> {
    let mut patterns: Vec<String> = Vec::new();
    for one in subjects {
        let pattern = match field(one, "kind") {
            Some("exec") => field(one, "program").map(|program| {
                let words = one.get("argv").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
                let word = words.first().and_then(Value::as_str).filter(|word| is_verb(word));
                word.map_or_else(|| format!("{program} *"), |word| format!("{program} {word} *"))
            }),
            Some("path") => field(one, "path").map(|path| match path.rsplit_once('/') {
                Some((folder, _)) => format!("{folder}/**"),
                None => path.to_owned(),
            }),
            Some("url") => field(one, "url").map(|url| {
                let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
                rest.split(['/', '?', '#']).next().unwrap_or(rest).to_owned()
            }),
            _ => None,
        };
        if let Some(pattern) = pattern
            && !patterns.contains(&pattern)
        {
            patterns.push(pattern);
        }
    }
    if patterns.is_empty() {
        patterns.push(tool.to_owned());
    }
    patterns
}

/// Whether the first argument is a subcommand (`git push`), rather than an option or a file.
fn is_verb(word: &str) -> bool {
    word.len() < 24
        && word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_part_becomes_what_a_rule_would_name() {
        let exec =
            |program: &str, argv: &[&str]| json!({"kind": "exec", "line": "x", "program": program, "argv": argv});
        let check = |subjects: &[Value], expected: &[&str]| assert_eq!(patterns("bash", subjects), expected);
        check(&[exec("cargo", &["build", "--release"]), exec("cargo", &["build"])], &["cargo build *"]);
        check(&[exec("rm", &["-rf", "x"]), exec("", &[])], &["rm *"]);
        check(&[exec("cat", &["a.txt"])], &["cat *"]);
        check(&[json!({"kind": "path", "path": "/w/src/a.rs"})], &["/w/src/**"]);
        check(&[json!({"kind": "url", "url": "https://example.org/a?b"})], &["example.org"]);
        check(&[json!({"kind": "opaque", "why": "eval"}), json!(7)], &["bash"]);
    }

    #[test]
    fn what_is_no_call_is_none_and_wrong_fields_are_empty() {
        for other in ["", "[]", "{}", "{\"tool\":7}", "{\"event\":\"audit_resumed\",\"ts\":\"t\"}"] {
            assert!(Call::of(other.as_bytes()).is_none(), "{other}");
        }
        let call =
            Call::of(br#"{"tool":"x","ms":[],"bytes":{"model":-1},"subjects":{"a":1},"exit_code":"0"}"#).unwrap();
        assert_eq!((call.total(), call.model, call.verdict()), (0, 0, "other"));
    }
}
