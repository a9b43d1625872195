//! Go: `go vet -json`, with one JSON object per package between `# package` lines, on standard
//! error or, in newer versions, on standard output. Compiler errors appear between them as lines
//! `vet: file:line:column: message`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::{CheckCommand, Checker, Coverage, Output, RawDiagnostic, Request};
use crate::diagnostic::Severity;

pub(super) struct Go;

/// The result of one analyzer for one package: places, or the reason why it failed.
#[derive(Deserialize)]
#[serde(untagged)]
enum Verdict {
    Found(Vec<Value>),
    Failed { error: String },
}

#[derive(Deserialize)]
struct Entry {
    posn: String,
    message: String,
}

impl Checker for Go {
    fn markers(&self) -> &'static [&'static str] {
        &["go.mod"]
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["go"]
    }

    fn command(&self, request: &Request<'_>) -> CheckCommand {
        let mut command = CheckCommand::new("go", &["vet", "-json"]);
        // A single file is not a package. An absolute folder cannot be taken for an option.
        let package = request.file.and_then(|file| file.parent());
        command.args.push(package.map_or_else(|| "./...".into(), Into::into));
        command
    }

    fn checked(&self, _: &Output, _: &Request<'_>) -> Coverage {
        Coverage::GoBuild
    }

    fn parse(&self, output: &Output) -> Vec<RawDiagnostic> {
        let mut all = Vec::new();
        for stream in [&output.stdout, &output.stderr] {
            let text = String::from_utf8_lossy(stream);
            let mut rest: &str = &text;
            while !rest.is_empty() {
                if rest.starts_with('{') {
                    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
                    if let Some(Ok(package)) = values.next() {
                        all.extend(analyzers(package));
                        rest = &rest[values.byte_offset()..];
                        continue;
                    }
                }
                let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
                rest = after;
                said(line.trim_end(), &mut all);
            }
        }
        all
    }
}

/// The diagnostics in the object of one package: package → analyzer → result.
fn analyzers(package: Value) -> Vec<RawDiagnostic> {
    let packages: BTreeMap<String, BTreeMap<String, Value>> = serde_json::from_value(package).unwrap_or_default();
    let mut all = Vec::new();
    for (analyzer, said) in packages.into_values().flatten() {
        match serde_json::from_value(said) {
            Ok(Verdict::Found(entries)) => all.extend(entries.into_iter().filter_map(|entry| {
                let entry: Entry = serde_json::from_value(entry).ok()?;
                let found = RawDiagnostic::new(Severity::Warning, &entry.message).coded(Some(analyzer.clone()));
                Some(match place(&entry.posn) {
                    Some((file, line, column)) => found.at(file, line, column),
                    None => found,
                })
            })),
            Ok(Verdict::Failed { error }) => {
                all.push(RawDiagnostic::new(Severity::Error, &error).coded(Some(analyzer.clone())));
            }
            Err(_) => {}
        }
    }
    all
}

/// Reads a line that is not JSON: a compiler error, or a continuation of the previous one.
fn said(line: &str, all: &mut Vec<RawDiagnostic>) {
    if let (Some(more), Some(last)) = (line.strip_prefix('\t'), all.last_mut()) {
        if last.diagnostic.severity == Severity::Error && last.diagnostic.message.len() < 4096 {
            last.diagnostic.message.push('\n');
            last.diagnostic.message.push_str(more);
        }
        return;
    }
    let line = line.strip_prefix("vet: ").unwrap_or(line);
    let Some((position, message)) = line.split_once(": ") else { return };
    if let Some((file, row, column)) = place(position).filter(|(file, ..)| is_source(file)) {
        all.push(RawDiagnostic::new(Severity::Error, message).at(file, row, column));
    }
}

fn is_source(file: &str) -> bool {
    Path::new(file).extension().is_some_and(|extension| extension == "go")
}

/// The parts of `file:line:column` or `file:line`; a column of 0 means none.
fn place(position: &str) -> Option<(&str, u64, u64)> {
    let (before, last) = position.rsplit_once(':')?;
    let last = last.parse().ok()?;
    match before.rsplit_once(':').map(|(file, line)| (file, line.parse())) {
        Some((file, Ok(line))) => Some((file, line, last)),
        _ => Some((before, last, 0)),
    }
}
