//! TypeScript: `tsc --noEmit`, including referenced projects if there are any. Prints one
//! `file(line,column): error TS1234: message` per line on standard output, with indented
//! continuation lines.

use std::path::PathBuf;

use super::{CheckCommand, Checker, Coverage, Output, RawDiagnostic, Request};
use crate::diagnostic::Severity;

pub(super) struct Tsc;

impl Checker for Tsc {
    fn markers(&self) -> &'static [&'static str] {
        &["tsconfig.json"]
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["ts", "tsx", "mts", "cts"]
    }

    fn command(&self, request: &Request<'_>) -> CheckCommand {
        // A project with references has no files of its own: only a build checks the referenced
        // projects.
        let manner: &[&str] = if request.marker.contains("\"references\"") {
            &["--build", "--force", "--noEmit", "--pretty", "false", "--listFiles"]
        } else {
            &["--noEmit", "--pretty", "false", "--listFiles", "--project", "."]
        };
        CheckCommand { local: &["node_modules/.bin/tsc"], ..CheckCommand::new("tsc", manner) }
    }

    fn checked(&self, output: &Output, _: &Request<'_>) -> Coverage {
        let text = String::from_utf8_lossy(&output.stdout);
        let listed = text.lines().map(str::trim_end).filter(|line| line.starts_with('/') && diagnostic(line).is_none());
        Coverage::Files(listed.map(PathBuf::from).collect())
    }

    /// Types are checked only when every file parses.
    fn held_up(&self, _: &Output, found: &[RawDiagnostic]) -> Option<String> {
        let is_of_syntax = |found: &RawDiagnostic| {
            let code = found.diagnostic.code.as_deref().unwrap_or_default();
            code.len() == "TS1000".len() && code.starts_with("TS1")
        };
        found.iter().all(is_of_syntax).then(|| "types, which are looked at when the syntax is right".to_owned())
    }

    fn parse(&self, output: &Output) -> Vec<RawDiagnostic> {
        let text = String::from_utf8_lossy(&output.stdout);
        let mut all: Vec<RawDiagnostic> = Vec::new();
        for line in text.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
            match (line.starts_with(' '), all.last_mut()) {
                (true, Some(last)) if last.diagnostic.message.len() < 4096 => {
                    last.diagnostic.message.push('\n');
                    last.diagnostic.message.push_str(line);
                }
                (true, _) => {}
                (false, _) => all.extend(diagnostic(line)),
            }
        }
        all
    }
}

fn diagnostic(line: &str) -> Option<RawDiagnostic> {
    let words = [("error TS", Severity::Error), ("warning TS", Severity::Warning)];
    let (start, severity) = words
        .into_iter()
        .filter_map(|(word, severity)| {
            if line.starts_with(word) {
                return Some((0, severity));
            }
            line.find(&format!("): {word}")).map(|at| (at + "): ".len(), severity))
        })
        .min_by_key(|(start, _)| *start)?;
    let (_, said) = line[start..].split_once(' ')?;
    let (code, message) = said.split_once(": ")?;
    let found = RawDiagnostic::new(severity, message).coded(Some(code.to_owned()));
    let Some(place) = line[..start].strip_suffix("): ") else { return Some(found) };
    // Directory names may contain parentheses.
    let (file, numbers) = place.rsplit_once('(')?;
    let (row, column) = numbers.split_once(',')?;
    Some(found.at(file, row.parse().ok()?, column.parse().ok()?))
}
