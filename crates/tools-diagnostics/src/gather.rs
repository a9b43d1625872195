//! Collects the results of the checkers of one call: diagnostics, places, remarks, and whether a
//! check itself failed.

use std::path::Path;

use tools_core::{CallContext, ClaimSource, Location, ToolOutput, keys};

use crate::checkers::{CheckCommand, Coverage, RawDiagnostic, Request};
use crate::coverage::{Asked, RunCoverage, covered as compared};
use crate::diagnostic::{Diagnostic, Severity};
use crate::error::DiagnosticsError;
use crate::nested_projects::{named, projects_below};
use crate::project::{Job, Places};
use crate::report::{CheckerRun, DiagnosticsReport};
use crate::run::CheckerResult;
use crate::stderr_text;

/// The results of the checkers so far.
#[derive(Default)]
pub(crate) struct Collector {
    most: usize,
    rendered: bool,
    found: Vec<Diagnostic>,
    locations: Vec<Location>,
    runs: Vec<CheckerRun>,
    unchecked: Vec<String>,
    /// Requested files that a checker did not read, though another may have.
    missed: Option<String>,
    /// Whether a checker read them.
    is_reached: bool,
    notes: Vec<String>,
}

impl Collector {
    pub(crate) fn new(most: usize, rendered: bool) -> Self {
        Self { most, rendered, ..Self::default() }
    }

    /// Adds a checker that could not be started, with the reason.
    pub(crate) fn absent(&mut self, command: &CheckCommand, why: &str, cx: &CallContext) {
        let note = format!("`{}` {why}: what it checks was not checked", command.program);
        cx.journal().warn(note.clone());
        self.notes.push(note);
        self.runs.push(CheckerRun {
            command: command.line(),
            only: None,
            files: None,
            installed: false,
            failed: false,
            exit_code: None,
            duration_ms: 0,
        });
    }

    /// Adds the result of a checker; returns the failure if the check itself did not work.
    pub(crate) fn take(
        &mut self,
        job: &Job,
        command: &CheckCommand,
        request: &Request<'_>,
        ran: &CheckerResult,
        places: &Places<'_>,
        cx: &CallContext,
    ) -> Option<DiagnosticsError> {
        let exit_code = ran.exit.code.filter(|_| !ran.timed_out);
        let found = job.checker.parse(&ran.output);
        let failure = failure(job, command, ran, &found);
        // The coverage is unknown if the output was cut or the check failed.
        let is_whole = failure.is_none() && ran.lost == 0;
        let checked = if is_whole { job.checker.checked(&ran.output, request) } else { Coverage::Unknown };
        let errors = found.iter().any(|found| found.diagnostic.severity == Severity::Error);
        // A unit that does not compile has no list of its files.
        let checked = if errors && matches!(checked, Coverage::Lists(_)) { Coverage::Unknown } else { checked };
        let show = |path: &Path| places.show(path);
        let covered: RunCoverage = compared(&checked, Asked::of(job), &job.directory, places.roots, show);
        if let Some(missing) = job.stands_in {
            self.notes.push(format!("`{missing}` is not installed: {} was checked", command.only.unwrap_or("less")));
        }
        self.runs.push(CheckerRun {
            command: command.line(),
            only: command.only.map(str::to_owned),
            files: covered.files,
            installed: true,
            failed: failure.is_some(),
            exit_code,
            duration_ms: u64::try_from(ran.duration.as_millis()).unwrap_or(u64::MAX),
        });
        if is_whole && errors {
            self.unchecked.extend(job.checker.held_up(&ran.output, &found));
        }
        if job.is_without_project(places.roots) {
            let projects =
                projects_below(job.aside.as_deref().filter(|aside| aside.is_dir()).unwrap_or(&job.directory));
            self.unchecked.extend(named(&projects, show));
        }
        if let Some(code) = exit_code {
            cx.journal().note(keys::EXIT_CODE, code);
        }
        if ran.lost > 0 {
            self.notes.push(format!("`{}` printed too much: {} bytes were left out", command.program, ran.lost));
        }
        if failure.is_none() {
            self.notes.extend(stderr_text::remarks(&ran.output.stderr));
        }
        let (mut is_in_file, named) = (false, job.file.as_ref().or(job.aside.as_ref()));
        for found in found {
            let base = found.base.as_deref().unwrap_or(&job.directory);
            let mut diagnostic = found.diagnostic;
            let path = places.settle(&mut diagnostic, base);
            is_in_file |= path.as_ref().is_some_and(|path| Some(path) == named);
            if !self.rendered {
                diagnostic.rendered = None;
            }
            self.locations.extend(path.map(|path| Location { path, line: diagnostic.line }));
            self.found.push(diagnostic);
        }
        // A file with diagnostics was read.
        self.unchecked.extend(covered.unchecked.filter(|_| !is_in_file));
        match covered.missed.filter(|_| !is_in_file) {
            Some(missed) => self.missed = self.missed.take().or(Some(missed)),
            None => self.is_reached = true,
        }
        failure
    }

    /// Combines the results into one output.
    pub(crate) fn output(mut self) -> ToolOutput {
        self.unchecked.extend(self.missed.take().filter(|_| !self.is_reached));
        self.locations.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
        self.locations.dedup();
        self.locations.truncate(self.most);
        let report = DiagnosticsReport::new(self.found, self.most, self.runs, self.unchecked, self.notes);
        ToolOutput {
            summary: report.text(),
            truncated: report.shown < report.total,
            raw_response: serde_json::to_value(&report).ok(),
            locations: self.locations,
            source: ClaimSource::Command,
            ..ToolOutput::default()
        }
    }
}

/// The failure of a checker; `None` when its diagnostics explain its exit.
fn failure(
    job: &Job,
    command: &CheckCommand,
    ran: &CheckerResult,
    found: &[RawDiagnostic],
) -> Option<DiagnosticsError> {
    let words = || stderr_text::of_failure(&ran.output.stderr, &ran.output.stdout);
    let command = command.line();
    if ran.timed_out {
        return Some(DiagnosticsError::TimedOut {
            command,
            seconds: ran.duration.as_secs(),
            doing: stderr_text::last_line(&ran.output.stderr),
        });
    }
    match (ran.exit.code, ran.exit.signal) {
        (Some(0), _) => None,
        (Some(code), _) if job.checker.explains(code, found) => None,
        (None, Some(signal)) => Some(DiagnosticsError::Signal { command, signal, words: words() }),
        (code, _) => {
            let words = words();
            let advice = stderr_text::advice(&words);
            Some(DiagnosticsError::Failed { command, code: code.unwrap_or(1), words, advice })
        }
    }
}
