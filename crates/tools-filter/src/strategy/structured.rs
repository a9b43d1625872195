//! `structured`: converts JSON output of tools to the text that they would otherwise print. Knows
//! the messages of cargo, Rust's test harness and nextest, `go test -json`, jest and vitest,
//! eslint, and lists of findings from other linters: objects with a file, a line and a message.
//! Anything else passes unchanged.

use std::collections::{BTreeSet, VecDeque};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tools_core::FilterConfidence;

use super::{Facts, Reducer, Strategy};
use crate::emit::Emitter;

/// Parameters of `structured`: none.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StructuredParams {}

impl Strategy for StructuredParams {
    fn start(&self, _: &Facts) -> Box<dyn Reducer> {
        Box::<Structured>::default()
    }
}

/// Maximum bytes held of a document over several lines.
const MAX_DOCUMENT: usize = 1 << 20;
/// Maximum number of running Go tests; with more, the output passes unchanged.
const MAX_TESTS: usize = 1000;
/// Maximum length in bytes of a test name to follow.
const MAX_NAME: usize = 1000;
/// Maximum bytes held of what tests print.
const MAX_PRINTED: usize = 1 << 20;

/// What is shown for a message.
enum Rendered {
    /// This text: everything of the message that a terminal would show.
    Text(Vec<String>),
    /// Nothing: work in progress or a passed test. This many lines are counted in addition to those
    /// of the message.
    Nothing(usize),
}

impl Rendered {
    /// Emits the text for a message that consists of these lines.
    fn give(&self, message: &[&str], out: &mut Emitter<'_>) {
        match self {
            Self::Text(lines) => {
                for line in message {
                    out.fold(line);
                }
                lines.iter().flat_map(|text| text.lines()).for_each(|line| out.write(line.trim_end()));
            }
            Self::Nothing(before) => {
                for line in message {
                    out.omit(line);
                }
                out.omit_more(*before);
            }
        }
    }
}

#[derive(Default)]
pub(crate) struct Structured {
    /// The lines of an unfinished document.
    document: Option<Vec<String>>,
    document_bytes: usize,
    /// What each running Go test has printed.
    tests: VecDeque<(String, Vec<String>)>,
    printed: usize,
    found: bool,
}

impl Reducer for Structured {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if let Some(document) = &mut self.document {
            document.push(line.to_owned());
            self.document_bytes += line.len();
            if self.document_bytes > MAX_DOCUMENT {
                self.release(out);
            } else if matches!(line, "]" | "}") {
                self.end_document(out);
            }
            return;
        }
        if !line.starts_with(['{', '[']) {
            return out.keep(line);
        }
        if matches!(line, "[" | "{") {
            self.document = Some(vec![line.to_owned()]);
            return;
        }
        match serde_json::from_str(line).ok().and_then(|value| self.render(&value)) {
            Some(rendered) => {
                self.found = true;
                rendered.give(&[line], out);
            }
            None => out.keep(line),
        }
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.release(out);
        for (name, printed) in std::mem::take(&mut self.tests) {
            out.write(&format!("=== {name} did not end"));
            for line in &printed {
                out.write(line);
            }
        }
        self.found.then_some(FilterConfidence::Full)
    }
}

impl Structured {
    fn release(&mut self, out: &mut Emitter<'_>) {
        self.document_bytes = 0;
        for line in self.document.take().unwrap_or_default() {
            out.keep(&line);
        }
    }

    fn end_document(&mut self, out: &mut Emitter<'_>) {
        let text = self.document.as_ref().map(|lines| lines.join("\n")).unwrap_or_default();
        let Some(rendered) = serde_json::from_str(&text).ok().and_then(|value| self.render(&value)) else {
            return self.release(out);
        };
        self.found = true;
        self.document_bytes = 0;
        let document = self.document.take().unwrap_or_default();
        rendered.give(&document.iter().map(String::as_str).collect::<Vec<_>>(), out);
    }

    /// The text for a message; `None` for an unknown one.
    fn render(&mut self, value: &Value) -> Option<Rendered> {
        if let Some(reason) = value["reason"].as_str() {
            return cargo(reason, value);
        }
        if value["Action"].is_string() && (value["Package"].is_string() || value["ImportPath"].is_string()) {
            return self.go(value);
        }
        if let (Some(kind), Some(event)) = (value["type"].as_str(), value["event"].as_str()) {
            return harness(kind, event, value);
        }
        if value["testResults"].is_array() && value["numTotalTests"].is_u64() {
            return Some(Rendered::Text(jest(value)));
        }
        let findings = list(value).filter(|list| !list.is_empty())?;
        if findings.iter().all(|file| file["filePath"].is_string() && file["messages"].is_array()) {
            let lines = findings.iter().flat_map(eslint).chain(eslint_rest(findings));
            return Some(Rendered::Text(lines.collect()));
        }
        let mut rest = BTreeSet::new();
        let mut lines = findings.iter().map(|found| finding(found, &mut rest)).collect::<Option<Vec<_>>>()?;
        if !rest.is_empty() {
            lines.push(format!("[… {} of each]", rest.into_iter().collect::<Vec<_>>().join(", ")));
        }
        Some(Rendered::Text(lines))
    }

    /// A line of `go test -json`. Nothing is shown for passed tests.
    fn go(&mut self, value: &Value) -> Option<Rendered> {
        let action = value["Action"].as_str()?;
        let output = value["Output"].as_str().unwrap_or_default().trim_end_matches('\n');
        let Some(test) = value["Test"].as_str() else {
            return match action {
                "output" | "build-output" => Some(Rendered::Text(vec![output.to_owned()])),
                // The line that go prints for a package follows as output.
                "start" | "run" | "pause" | "cont" | "pass" | "fail" | "skip" | "build-fail" | "bench" => {
                    Some(Rendered::Text(vec![]))
                }
                _ => None,
            };
        };
        let name = format!("{} {test}", value["Package"].as_str().unwrap_or_default());
        let at = self.tests.iter().position(|(known, _)| *known == name);
        match action {
            "run" if at.is_none() && name.len() < MAX_NAME && self.tests.len() < MAX_TESTS => {
                self.tests.push_back((name, Vec::new()));
            }
            "output" => match at {
                Some(at) if self.printed < MAX_PRINTED => {
                    self.printed += output.len() + 1;
                    self.tests[at].1.push(output.to_owned());
                }
                _ => return Some(Rendered::Text(vec![output.to_owned()])),
            },
            "pass" | "skip" | "fail" => {
                let printed = at.and_then(|at| self.tests.remove(at)).map(|(_, printed)| printed).unwrap_or_default();
                self.printed -= printed.iter().map(|line| line.len() + 1).sum::<usize>().min(self.printed);
                // A skipped test prints the reason.
                let is_shown = action != "pass";
                return Some(if is_shown { Rendered::Text(printed) } else { Rendered::Nothing(printed.len()) });
            }
            "run" | "pause" | "cont" | "bench" => {}
            _ => return None,
        }
        // Counted or shown at the end of the test.
        Some(Rendered::Text(vec![]))
    }
}

fn cargo(reason: &str, value: &Value) -> Option<Rendered> {
    match reason {
        "compiler-message" => {
            let message = &value["message"];
            let plain = || format!("{}: {}", message["level"].as_str()?, message["message"].as_str()?).into();
            message["rendered"].as_str().map(str::to_owned).or_else(plain).map(|text| Rendered::Text(vec![text]))
        }
        "build-finished" => {
            let failed = value["success"] == Value::Bool(false);
            let lines = if failed { vec!["error: the build failed".to_owned()] } else { vec![] };
            Some(Rendered::Text(lines))
        }
        "compiler-artifact" | "build-script-executed" => Some(Rendered::Nothing(0)),
        _ => None,
    }
}

/// `--format json` of Rust's test harness, which nextest writes too.
fn harness(kind: &str, event: &str, value: &Value) -> Option<Rendered> {
    let number = |name: &str| value[name].as_u64().unwrap_or_default();
    match (kind, event) {
        // The end of the test or suite is reported later.
        ("suite" | "test", "started") => Some(Rendered::Text(vec![])),
        ("test", "ok" | "ignored") => Some(Rendered::Nothing(0)),
        ("suite", _) => Some(Rendered::Text(vec![format!(
            "test result: {}. {} passed; {} failed; {} ignored",
            if event == "ok" { "ok" } else { "FAILED" },
            number("passed"),
            number("failed"),
            number("ignored")
        )])),
        ("test", _) => {
            let name = value["name"].as_str()?;
            let printed = ["stdout", "stderr", "message", "reason"].iter().filter_map(|part| value[*part].as_str());
            let printed: Vec<&str> = printed.map(str::trim_end).collect();
            // A panic names its test. A heading of the text format would open a section that only
            // the text format closes.
            let names_itself = printed.iter().any(|text| text.starts_with(&format!("thread '{name}' panicked")));
            let head = (!names_itself || event != "failed").then(|| format!("test {name} ... {event}"));
            let lines = head.into_iter().chain(printed.into_iter().map(str::to_owned));
            Some(Rendered::Text(lines.collect()))
        }
        _ => None,
    }
}

fn jest(value: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    for file in value["testResults"].as_array().into_iter().flatten() {
        let path = file["name"].as_str().unwrap_or_default();
        let failed =
            file["assertionResults"].as_array().into_iter().flatten().filter(|test| test["status"] == "failed");
        let mut shown = false;
        for test in failed {
            shown = true;
            lines.push(format!("✕ {} ({path})", test["fullName"].as_str().unwrap_or_default()));
            let messages = test["failureMessages"].as_array().into_iter().flatten();
            lines.extend(messages.filter_map(Value::as_str).map(str::to_owned));
        }
        if !shown && file["status"] == "failed" {
            lines.push(format!("FAIL {path}"));
            lines.extend(file["message"].as_str().map(str::to_owned));
        }
    }
    let number = |name: &str| value[name].as_u64().unwrap_or_default();
    lines.push(format!(
        "Tests: {} failed, {} skipped, {} passed, {} total; suites: {} failed, {} total",
        number("numFailedTests"),
        number("numPendingTests") + number("numTodoTests"),
        number("numPassedTests"),
        number("numTotalTests"),
        number("numFailedTestSuites"),
        number("numTotalTestSuites")
    ));
    lines
}

fn eslint(file: &Value) -> Vec<String> {
    let path = file["filePath"].as_str().unwrap_or_default();
    let messages = file["messages"].as_array().into_iter().flatten();
    let line = |message: &Value| {
        let severity = if message["severity"] == 2 { "error" } else { "warning" };
        let place = |name: &str| message[name].as_u64().unwrap_or_default();
        let (text, rule) = (message["message"].as_str().unwrap_or_default(), message["ruleId"].as_str().unwrap_or("-"));
        format!("{path}:{}:{}: {severity} {text} ({rule})", place("line"), place("column"))
    };
    messages.map(line).collect()
}

/// A count of what else an ESLint document has: files without findings, and sources of the others,
/// which are in the files.
fn eslint_rest(files: &[Value]) -> Option<String> {
    let is_clean = |file: &&Value| file["messages"].as_array().is_some_and(Vec::is_empty);
    let clean = files.iter().filter(is_clean).count();
    let bytes: usize = files.iter().filter_map(|file| file["source"].as_str()).map(str::len).sum();
    let noun = if clean == 1 { "file" } else { "files" };
    let clean = (clean > 0).then(|| format!("{clean} {noun} without findings"));
    let sources = (bytes > 0).then(|| format!("{bytes} bytes of sources"));
    let parts: Vec<String> = clean.into_iter().chain(sources).collect();
    (!parts.is_empty()).then(|| format!("[… {}]", parts.join(", ")))
}

/// The list that is the document, or is in it beside a summary.
fn list(value: &Value) -> Option<&Vec<Value>> {
    LISTS.iter().find_map(|name| value[*name].as_array()).or_else(|| value.as_array())
}

const LISTS: &[&str] =
    &["results", "comments", "diagnostics", "issues", "Issues", "findings", "messages", "violations"];

/// A linter finding in one line: `a.py:3:5: unused-import message (warning)`. Adds the names of its
/// other fields to `rest`.
fn finding<'a>(found: &'a Value, rest: &mut BTreeSet<&'a str>) -> Option<String> {
    let fields = found.as_object()?;
    let mut known = Vec::new();
    let mut field = |names: &[&'static str]| {
        let (name, value) = names.iter().find_map(|name| Some((*name, fields.get(*name)?)))?;
        known.push(name);
        Some(value)
    };
    let path = field(&["filename", "file", "path", "file_path", "filePath"])?.as_str()?;
    let text = field(&["message", "issue_text", "description", "text", "msg"])?.as_str()?;
    let code = field(&["code", "symbol", "ruleId", "rule", "rule_id", "check_id", "test_id"]);
    let level = field(&["level", "severity", "issue_severity", "type"]).and_then(Value::as_str);
    let location = field(&["location", "start"]).unwrap_or(found);
    let mut number = |names: &[&'static str]| {
        known.extend(names);
        names.iter().find_map(|name| location[*name].as_u64())
    };
    let row = number(&["row", "line", "lineno", "line_number"])?;
    let column = number(&["column", "col", "col_offset"]).map(|column| format!(":{column}")).unwrap_or_default();
    let code =
        code.and_then(|code| code.as_str().map(str::to_owned).or_else(|| code.as_u64().map(|code| code.to_string())));
    let code = code.map(|code| format!(" {code}")).unwrap_or_default();
    let level = level.map(|level| format!(" ({level})")).unwrap_or_default();
    rest.extend(fields.keys().map(String::as_str).filter(|name| !known.contains(name)));
    Some(format!("{path}:{row}{column}:{code} {text}{level}"))
}

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    fn check(command: &str, text: &str, expected: &str) {
        let filtered = FilterPipeline::builtin().filter(command, Exit::Code(1), text.as_bytes());
        assert_eq!(filtered.text, expected, "{command}");
    }

    #[test]
    fn messages_of_cargo_are_what_cargo_prints() {
        let artifact = r#"{"reason":"compiler-artifact","package_id":"x","target":{"name":"x"},"fresh":true}"#;
        let rendered = r"error[E0425]: cannot find value `c` in this scope\n --> src/lib.rs:1:41\n  |\n1 | a + c\n  |     ^ not found\n\n";
        let text = format!(
            "{artifact}\n{artifact}\n{}\n{}\n",
            format_args!(r#"{{"reason":"compiler-message","message":{{"level":"error","rendered":"{rendered}"}}}}"#),
            r#"{"reason":"build-finished","success":false}"#
        );
        check(
            "cargo build --message-format=json",
            &text,
            "[… 2 lines]\nerror[E0425]: cannot find value `c` in this scope --> src/lib.rs:1:41\n1 | a + c\n^ not found\n\
             error: the build failed\n",
        );
    }

    #[test]
    fn of_go_tests_the_failed_ones_are_shown() {
        let line = |action: &str, test: &str, output: &str| {
            format!("{{\"Action\":\"{action}\",\"Package\":\"p\",\"Test\":\"{test}\",\"Output\":\"{output}\"}}\n")
        };
        let text = [
            line("run", "A", ""),
            line("run", "B", ""),
            line("output", "A", r"=== RUN   A\n"),
            line("output", "B", r"    b_test.go:7: got 2\n"),
            line("output", "B", r"--- FAIL: B (0.00s)\n"),
            line("pass", "A", ""),
            line("fail", "B", ""),
            "{\"Action\":\"output\",\"Package\":\"p\",\"Output\":\"FAIL\\tp\\t0.01s\\n\"}\n".to_owned(),
        ];
        check(
            "go test -json ./...",
            &text.concat(),
            "[… 2 lines]\n    b_test.go:7: got 2\n--- FAIL: B (0.00s)\nFAIL\tp\t0.01s\n",
        );
    }

    #[test]
    fn harness_jest_eslint_and_ruff_are_read() {
        let suite = r#"{ "type": "suite", "event": "started", "test_count": 2 }"#;
        let ok = r#"{ "type": "test", "event": "ok", "name": "a" }"#;
        let failed = r#"{ "type": "test", "name": "b", "event": "failed", "stdout": "thread 'b' panicked at src/a.rs:1:2:\nboom\n" }"#;
        let end = r#"{ "type": "suite", "event": "failed", "passed": 1, "failed": 1, "ignored": 0 }"#;
        check(
            "cargo test -- --format json",
            &format!("{suite}\n{ok}\n{failed}\n{end}\n"),
            "[… 1 line]\nthread 'b' panicked at src/a.rs:1:2:\nboom\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n",
        );
        let jest = r#"{"numFailedTests":1,"numPassedTests":1,"numTotalTests":2,"numTotalTestSuites":1,"testResults":[{"name":"/a.test.js","status":"failed","message":"","assertionResults":[{"fullName":"adds","status":"failed","failureMessages":["Error: expected 1"]},{"fullName":"subtracts and is long enough for this","status":"passed","failureMessages":[]}]}]}"#;
        check(
            "npx jest --json",
            &format!("{jest}\n"),
            "✕ adds (/a.test.js)\nError: expected 1\nTests: 1 failed, 0 skipped, 1 passed, 2 total; suites: 0 failed, 1 total\n",
        );
        let eslint = r#"[{"filePath":"/b.js","messages":[]},{"filePath":"/a.js","messages":[{"ruleId":"no-undef","severity":2,"message":"'x' is not defined.","line":3,"column":5}],"errorCount":1,"warningCount":0,"source":"a long source that nobody asked for"}]"#;
        check(
            "npx eslint -f json .",
            &format!("{eslint}\n"),
            "/a.js:3:5: error 'x' is not defined. (no-undef)\n[… 1 file without findings, 35 bytes of sources]\n",
        );
        let other = r#"{"comments":[{"file":"a.sh","line":2,"endLine":2,"column":1,"level":"warning","code":2164,"message":"Use cd in a list.","fix":null},{"file":"b.sh","line":3,"endLine":3,"column":7,"level":"info","code":2086,"message":"Quote it.","fix":null}]}"#;
        check(
            "./lint.sh",
            &format!("{other}\n"),
            "a.sh:2:1: 2164 Use cd in a list. (warning)\nb.sh:3:7: 2086 Quote it. (info)\n[… endLine, fix of each]\n",
        );
        let others = "[{\"file\": \"a\", \"size\": 3, \"note\": \"a list of something else\"}]\n";
        check("./list.sh", others, others);
        let ruff = "[\n  {\n    \"code\": \"F401\",\n    \"filename\": \"a.py\",\n    \"location\": {\"column\": 8, \"row\": 1},\n    \"message\": \"`os` imported but unused\"\n  }\n]\n";
        check("ruff check --output-format json", ruff, "a.py:1:8: F401 `os` imported but unused\n");
    }

    #[test]
    fn what_is_not_known_passes() {
        for text in
            ["{\"a\": 1}\n", "[1, 2]\n", "{ not json\n", "{\n  \"a\": 1 or so\n}\n", "[\n", "{\"reason\":\"other\"}\n"]
        {
            check("cargo build --message-format=json", text, text);
        }
    }
}
