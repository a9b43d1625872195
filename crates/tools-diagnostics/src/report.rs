//! The result of a call: the structure, and the text made from it.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostic::{Diagnostic, Severity, in_order};

/// Diagnostics of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiagnosticsReport {
    /// Errors first, then by file and line; each thing once.
    pub diagnostics: Vec<Diagnostic>,
    /// Their total number.
    pub total: usize,
    /// Number of those in `diagnostics`.
    pub shown: usize,
    /// Number of errors among all.
    pub errors: usize,
    /// Number of warnings among all.
    pub warnings: usize,
    /// Whether every checker that was started has done its work; if not, what is not told may be
    /// there all the same.
    pub complete: bool,
    /// Commands that were run (`cargo check`), joined by commas; empty when nothing was.
    pub tool: String,
    /// The first exit code other than 0, else 0; null when nothing ended by itself.
    pub exit_code: Option<i32>,
    /// Each checker of the project.
    pub runs: Vec<CheckerRun>,
    /// Requested paths that were not checked: a file that belongs to no project, a directory
    /// without files of the kind. Of it nothing is known, whatever was found elsewhere.
    #[serde(default)]
    pub unchecked: Vec<String>,
    /// Further remarks: checkers that are not installed, remarks of cargo, output that was cut.
    pub notes: Vec<String>,
}

/// One checker of the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckerRun {
    /// The command.
    pub command: String,
    /// Scope of the check, where it is smaller than one would think; null for all that it knows.
    #[serde(default)]
    pub only: Option<String>,
    /// Number of files of the workspace that it read; null where it does not say.
    #[serde(default)]
    pub files: Option<usize>,
    /// Whether its program was found.
    pub installed: bool,
    /// Whether the check itself did not work: it was stopped, or ended in a way that what it found
    /// does not explain.
    pub failed: bool,
    /// Its exit code; null when it did not run to its end.
    pub exit_code: Option<i32>,
    /// Milliseconds it took.
    pub duration_ms: u64,
}

impl DiagnosticsReport {
    /// A report on all diagnostics, of which at most `most` are shown.
    pub(crate) fn new(
        found: Vec<Diagnostic>,
        most: usize,
        runs: Vec<CheckerRun>,
        unchecked: Vec<String>,
        notes: Vec<String>,
    ) -> Self {
        let mut diagnostics = in_order(found);
        let total = diagnostics.len();
        let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error).count();
        diagnostics.truncate(most);
        let codes: Vec<i32> = runs.iter().filter_map(|run| run.exit_code).collect();
        let complete = runs.iter().all(|run| !run.failed);
        let tools: Vec<String> = runs.iter().filter(|run| run.installed).map(CheckerRun::tool).collect();
        Self {
            total,
            shown: diagnostics.len(),
            errors,
            warnings: total - errors,
            diagnostics,
            complete,
            tool: tools.join(", "),
            exit_code: codes.iter().find(|code| **code != 0).or(codes.first()).copied(),
            runs,
            unchecked,
            notes,
        }
    }

    /// The text for the model: a line for each diagnostic, then the commands and the number of
    /// diagnostics shown.
    pub(crate) fn text(&self) -> String {
        let mut lines: Vec<String> = Vec::new();
        for found in &self.diagnostics {
            match &found.rendered {
                Some(rendered) => lines.push(format!("{}\n{rendered}\n", found.line())),
                None => lines.push(found.line().replace('\n', "\n  ")),
            }
        }
        lines.extend(self.notes.iter().map(|note| format!("[{note}]")));
        if !self.tool.is_empty() {
            let ran: Vec<String> = self.runs.iter().filter(|run| run.installed).map(CheckerRun::described).collect();
            lines.push(format!("[{}: {}]", ran.join(", "), self.counts()));
        }
        lines.join("\n")
    }

    fn counts(&self) -> String {
        let counted = |count: usize, what: &str| match count {
            1 => format!("1 {what}"),
            _ => format!("{count} {what}s"),
        };
        if !self.unchecked.is_empty() && self.total == 0 && self.complete {
            return format!("nothing was found, but not checked: {}", self.unchecked.join("; "));
        }
        let mut text = match (self.total, self.complete) {
            (0, true) => "no errors or warnings".to_owned(),
            (0, false) => return "the check failed".to_owned(),
            _ => format!("{}, {}", counted(self.errors, "error"), counted(self.warnings, "warning")),
        };
        if !self.complete {
            text.push_str("; the check failed before its end");
        }
        if !self.unchecked.is_empty() {
            let _ = write!(text, "; not checked: {}", self.unchecked.join("; "));
        }
        if self.shown < self.total {
            let _ = write!(text, "; {} of {} shown", self.shown, self.total);
        }
        text
    }
}

impl CheckerRun {
    /// Program and subcommand.
    fn tool(&self) -> String {
        let words = self.command.split(' ').take(2).filter(|word| !word.starts_with(['-', '/', '\'']));
        words.collect::<Vec<_>>().join(" ")
    }

    /// Program and subcommand, with the number of files read.
    fn described(&self) -> String {
        let files = self.files.filter(|files| *files > 0);
        let files = files.map(|files| if files == 1 { "1 file".to_owned() } else { format!("{files} files") });
        let said: Vec<String> = files.into_iter().chain(self.only.clone()).collect();
        if said.is_empty() { self.tool() } else { format!("{} ({})", self.tool(), said.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(count: usize, most: usize, commands: &[(&str, Option<i32>)]) -> DiagnosticsReport {
        let found = (0..count).map(|index| Diagnostic {
            severity: if index == 0 { Severity::Error } else { Severity::Warning },
            message: "m\nn".to_owned(),
            file: Some("a".to_owned()),
            line: Some(index as u64 + 1),
            col: Some(1),
            code: None,
            rendered: None,
        });
        let runs = commands.iter().map(|(command, code)| CheckerRun {
            command: (*command).to_owned(),
            only: None,
            files: None,
            installed: code.is_some(),
            failed: *code == Some(9),
            exit_code: *code,
            duration_ms: 1,
        });
        DiagnosticsReport::new(found.collect(), most, runs.collect(), Vec::new(), Vec::new())
    }

    #[test]
    fn the_text_says_what_ran_and_how_much_is_shown() {
        let check = |report: DiagnosticsReport, expected: &str| assert_eq!(report.text(), expected);
        check(
            report(3, 2, &[("cargo check --x", Some(101))]),
            "a:1:1 error: m\n  n\na:2:1 warning: m\n  n\n[cargo check: 1 error, 2 warnings; 2 of 3 shown]",
        );
        check(report(0, 2, &[("tsc --noEmit", Some(0)), ("ruff check", None)]), "[tsc: no errors or warnings]");
        check(report(0, 2, &[("gcc /a/b.c", None)]), "");
        check(report(0, 2, &[("gcc /a/b.c", Some(9))]), "[gcc: the check failed]");
        check(
            report(1, 2, &[("gcc /a/b.c", Some(9))]),
            "a:1:1 error: m\n  n\n[gcc: 1 error, 0 warnings; the check failed before its end]",
        );
    }

    #[test]
    fn the_first_failing_exit_code_is_told() {
        let code = |commands: &[(&str, Option<i32>)]| report(0, 1, commands).exit_code;
        assert_eq!(code(&[("a", Some(0)), ("b", Some(2)), ("c", Some(1))]), Some(2));
        assert_eq!(code(&[("a", Some(0)), ("b", None)]), Some(0));
        assert_eq!(code(&[("a", None)]), None);
    }
}
