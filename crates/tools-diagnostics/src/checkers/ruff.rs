//! Python: `ruff check`, one JSON array on standard output.

use serde::Deserialize;
use serde_json::Value;

use super::{CheckCommand, Checker, Coverage, Output, RawDiagnostic, Request};
use crate::diagnostic::Severity;

pub(super) struct Ruff;

#[derive(Deserialize)]
struct Violation {
    code: Option<String>,
    message: String,
    filename: Option<String>,
    location: Option<Place>,
    severity: Option<String>,
}

#[derive(Deserialize)]
struct Place {
    row: u64,
    column: u64,
}

impl Checker for Ruff {
    fn markers(&self) -> &'static [&'static str] {
        &["pyproject.toml", "ruff.toml", ".ruff.toml"]
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["py", "pyi"]
    }

    fn command(&self, request: &Request<'_>) -> CheckCommand {
        let mut command = CheckCommand::new("ruff", &["check", "--output-format", "json", "--no-cache"]);
        if let Some(named) = request.file.or(request.folder) {
            command.args.extend(["--".into(), named.into()]);
        }
        CheckCommand { local: &[".venv/bin/ruff", "venv/bin/ruff"], ..command }
    }

    /// Ruff always reads a file given by name; for a directory it reports when there are no files.
    fn checked(&self, output: &Output, request: &Request<'_>) -> Coverage {
        let has_none = String::from_utf8_lossy(&output.stderr).contains("No Python files found");
        if request.file.is_none() && has_none { Coverage::Files(Vec::new()) } else { Coverage::Unknown }
    }

    fn parse(&self, output: &Output) -> Vec<RawDiagnostic> {
        let text = String::from_utf8_lossy(&output.stdout);
        let entries: Vec<Value> = serde_json::from_str(&text).unwrap_or_default();
        entries.into_iter().filter_map(|entry| serde_json::from_value(entry).ok().map(diagnostic)).collect()
    }

    /// 1 means that something was found, 2 that ruff itself failed.
    fn explains(&self, code: i32, found: &[RawDiagnostic]) -> bool {
        code == 1 && !found.is_empty()
    }
}

fn diagnostic(violation: Violation) -> RawDiagnostic {
    let is_error = match (violation.severity.as_deref(), violation.code.as_deref()) {
        (Some(severity), _) => matches!(severity, "error" | "fatal"),
        // Older versions have no severity: syntax errors have no code, or one of the group E9.
        (None, code) => code.is_none_or(|code| code.starts_with("E9")),
    };
    let severity = if is_error { Severity::Error } else { Severity::Warning };
    let found = RawDiagnostic::new(severity, &violation.message).coded(violation.code);
    match (violation.filename, violation.location) {
        (Some(file), Some(place)) => found.at(file, place.row, place.column),
        (Some(file), None) => found.at(file, 0, 0),
        (None, _) => found,
    }
}
