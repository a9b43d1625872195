//! Rust: `cargo check` or `cargo clippy` over all targets, with one JSON message per line on
//! standard output.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{CheckCommand, Checker, Coverage, Output, RawDiagnostic, Request};
use crate::diagnostic::Severity;
use crate::diagnostics::CheckKind;

pub(super) struct Cargo;

/// Maximum number of macro expansions followed from a place to its call.
const MAX_EXPANSIONS: usize = 64;

#[derive(Deserialize)]
struct Line {
    reason: String,
    #[serde(default)]
    manifest_path: PathBuf,
    target: Option<Target>,
    message: Option<Message>,
    #[serde(default)]
    filenames: Vec<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    #[serde(default)]
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Message {
    level: String,
    #[serde(rename = "message")]
    text: String,
    code: Option<Code>,
    #[serde(default)]
    spans: Vec<Span>,
    rendered: Option<String>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    line_start: u64,
    column_start: u64,
    #[serde(default)]
    is_primary: bool,
    expansion: Option<Box<Expansion>>,
}

#[derive(Deserialize)]
struct Expansion {
    span: Span,
}

impl Checker for Cargo {
    fn markers(&self) -> &'static [&'static str] {
        &["Cargo.toml"]
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["rs"]
    }

    fn command(&self, request: &Request<'_>) -> CheckCommand {
        let verb = match request.kind {
            CheckKind::Check => "check",
            CheckKind::Clippy => "clippy",
        };
        // Without `--keep-going` it is random which of several crates with errors are reported.
        CheckCommand::new("cargo", &[verb, "--message-format=json", "--all-targets", "--keep-going"])
    }

    /// Reads the list of sources that the compiler writes next to each artifact.
    fn checked(&self, output: &Output, _: &Request<'_>) -> Coverage {
        let lines = output.stdout.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"{"));
        let made = lines.filter_map(|line| serde_json::from_slice::<Line>(line).ok());
        let made = made.filter(|line| line.reason == "compiler-artifact").flat_map(|line| line.filenames);
        let lists: Vec<PathBuf> = made.filter_map(|made| list_beside(&made)).collect();
        if lists.is_empty() { Coverage::Unknown } else { Coverage::Lists(lists) }
    }

    fn held_up(&self, output: &Output, _: &[RawDiagnostic]) -> Option<String> {
        let lines = output.stdout.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"{"));
        let lines = lines.filter_map(|line| serde_json::from_slice::<Line>(line).ok());
        let failed = lines.filter(|line| line.message.as_ref().is_some_and(|message| message.level == "error"));
        // No other target depends on tests, examples and binaries.
        let held_up = |target: &Target| target.kind.iter().any(|kind| kind.ends_with("lib") || kind.ends_with("macro"));
        let names: BTreeSet<String> =
            failed.filter_map(|line| line.target).filter(held_up).map(|target| format!("`{}`", target.name)).collect();
        let verb = if names.len() == 1 { "has" } else { "have" };
        let names: Vec<String> = names.into_iter().collect();
        (!names.is_empty()).then(|| format!("what needs {}, which {verb} errors", names.join(", ")))
    }

    fn parse(&self, output: &Output) -> Vec<RawDiagnostic> {
        output.stdout.split(|byte| *byte == b'\n').filter_map(line).collect()
    }
}

/// The file that lists the sources of `libname-0123.rmeta`: `name-0123.d`.
fn list_beside(made: &Path) -> Option<PathBuf> {
    let name = made.file_stem()?.to_str()?;
    Some(made.with_file_name(format!("{}.d", name.strip_prefix("lib").unwrap_or(name))))
}

/// The diagnostic in one line; `None` for other output, such as text that a macro prints during
/// expansion.
fn line(bytes: &[u8]) -> Option<RawDiagnostic> {
    if !bytes.starts_with(b"{") {
        return None;
    }
    let line: Line = serde_json::from_str(&String::from_utf8_lossy(bytes)).ok()?;
    let message = line.message.filter(|_| line.reason == "compiler-message")?;
    let severity = match message.level.as_str() {
        "warning" => Severity::Warning,
        level if level.starts_with("error") => Severity::Error,
        _ => return None,
    };
    if is_summary(&message) {
        return None;
    }
    let found = RawDiagnostic::new(severity, &message.text)
        .coded(message.code.as_ref().map(|code| code.code.clone()))
        .rendered(message.rendered.as_deref());
    let found = match place(&message.spans) {
        Some(span) => found.at(&span.file_name, span.line_start, span.column_start),
        None => found,
    };
    Some(RawDiagnostic { base: line.manifest_path.parent().map(Path::to_path_buf), ..found })
}

/// `aborting due to 2 previous errors`, `3 warnings emitted`: a summary, not a diagnostic.
fn is_summary(message: &Message) -> bool {
    let text = &message.text;
    message.spans.is_empty()
        && message.code.is_none()
        && (text.starts_with("aborting due to") || text.ends_with(" emitted"))
}

/// The place to show: the first primary span, or the macro call if the span lies outside the
/// workspace.
fn place(spans: &[Span]) -> Option<&Span> {
    let mut span = spans.iter().find(|span| span.is_primary).or_else(|| spans.first())?;
    for _ in 0..MAX_EXPANSIONS {
        // The compiler writes relative paths for files of the workspace.
        let is_inside = !span.file_name.starts_with(['/', '<']);
        match &span.expansion {
            Some(expansion) if !is_inside => span = &expansion.span,
            _ => break,
        }
    }
    Some(span)
}
