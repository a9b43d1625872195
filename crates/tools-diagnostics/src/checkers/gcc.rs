//! C and C++: one file with `gcc -fsyntax-only`, with one JSON array per line on standard error.
//! There is no project: the flags of a build are not known.

use std::ffi::OsString;

use serde::Deserialize;
use serde_json::Value;

use super::{CheckCommand, Checker, Output, RawDiagnostic, Request};
use crate::diagnostic::Severity;

pub(super) struct Gcc;

/// Extensions that `gcc` reads as C++.
const CPP: [&str; 9] = ["cc", "cpp", "cxx", "c++", "C", "hh", "hpp", "hxx", "h++"];

#[derive(Deserialize)]
struct Entry {
    kind: String,
    message: String,
    option: Option<String>,
    #[serde(default)]
    locations: Vec<Location>,
}

#[derive(Deserialize)]
struct Location {
    caret: Caret,
}

#[derive(Deserialize)]
struct Caret {
    file: String,
    line: u64,
    column: u64,
}

impl Checker for Gcc {
    fn markers(&self) -> &'static [&'static str] {
        &[]
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["c", "h", "cc", "cpp", "cxx", "c++", "C", "hh", "hpp", "hxx", "h++"]
    }

    fn command(&self, request: &Request<'_>) -> CheckCommand {
        let extension = request.file.and_then(|file| file.extension()?.to_str()).unwrap_or_default();
        let program = if CPP.contains(&extension) { "g++" } else { "gcc" };
        let mut command = CheckCommand::new(program, &["-fsyntax-only", "-Wall", "-fdiagnostics-format=json"]);
        // Absolute, so that a file name cannot be taken for an option.
        command.args.extend(request.file.map(OsString::from));
        command
    }

    fn parse(&self, output: &Output) -> Vec<RawDiagnostic> {
        let text = String::from_utf8_lossy(&output.stderr);
        let arrays = text.lines().filter(|line| line.starts_with('['));
        let entries = arrays.flat_map(|line| serde_json::from_str::<Vec<Value>>(line).unwrap_or_default());
        entries.filter_map(|entry| diagnostic(serde_json::from_value(entry).ok()?)).collect()
    }
}

fn diagnostic(entry: Entry) -> Option<RawDiagnostic> {
    let severity = match entry.kind.as_str() {
        "warning" => Severity::Warning,
        "note" | "debug" => return None,
        _ => Severity::Error,
    };
    let code = entry.option.map(|option| option.trim_end_matches('=').to_owned());
    let found = RawDiagnostic::new(severity, &entry.message).coded(code);
    Some(match entry.locations.into_iter().next() {
        Some(Location { caret }) => found.at(caret.file, caret.line, caret.column),
        None => found,
    })
}
