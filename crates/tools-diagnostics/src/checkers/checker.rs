//! The trait of checkers: how to recognise a project, the command that checks it, and how to read
//! its output. Nothing here runs a command or has side effects.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostic, Severity};
use crate::diagnostics::CheckKind;

/// A program that checks projects of one kind.
pub(crate) trait Checker: Send + Sync {
    /// Files that mark a directory as such a project; none when it checks single files only.
    fn markers(&self) -> &'static [&'static str];

    /// Extensions of the files it checks.
    fn extensions(&self) -> &'static [&'static str];

    /// The command to run.
    fn command(&self, request: &Request<'_>) -> CheckCommand;

    /// The diagnostics in the output.
    fn parse(&self, output: &Output) -> Vec<RawDiagnostic>;

    /// The files that it has read, as far as its output shows.
    fn checked(&self, _output: &Output, _request: &Request<'_>) -> Coverage {
        Coverage::Unknown
    }

    /// Parts that were not checked because of errors elsewhere; a phrase. Called only if errors
    /// were found.
    fn held_up(&self, _output: &Output, _found: &[RawDiagnostic]) -> Option<String> {
        None
    }

    /// Whether the diagnostics explain an exit code other than 0; if not, the check itself failed.
    fn explains(&self, _code: i32, found: &[RawDiagnostic]) -> bool {
        found.iter().any(|found| found.diagnostic.severity == Severity::Error)
    }
}

/// The files that a checker has read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Coverage {
    /// The output does not show it.
    Unknown,
    /// These files, absolute, including libraries.
    Files(Vec<PathBuf>),
    /// These files, but not this number of further files of the same kind.
    Partly(Vec<PathBuf>, usize),
    /// The files in these dependency lists of a compiler (`target: source source`).
    Lists(Vec<PathBuf>),
    /// The files of its folder that a Go build on this machine includes.
    GoBuild,
}

/// The scope of a check.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    pub(crate) kind: CheckKind,
    /// Content of the file that marks the project; empty if there is none or it cannot be read.
    pub(crate) marker: &'a str,
    /// The single file in the call, canonical; `None` for the whole project.
    pub(crate) file: Option<&'a Path>,
    /// The folder in the call, canonical; `None` for the whole project.
    pub(crate) folder: Option<&'a Path>,
}

/// A command, run in the directory of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CheckCommand {
    pub(crate) program: &'static str,
    /// Relative paths of the project's own copy of the program, in its directory or one above.
    pub(crate) local: &'static [&'static str],
    /// The name to show if the arguments contain a script.
    pub(crate) shown: Option<&'static str>,
    /// The scope of the check, if it is smaller than expected.
    pub(crate) only: Option<&'static str>,
    pub(crate) args: Vec<OsString>,
}

impl CheckCommand {
    pub(super) fn new(program: &'static str, args: &[&str]) -> Self {
        Self { program, local: &[], shown: None, only: None, args: args.iter().map(OsString::from).collect() }
    }

    /// The arguments for rules and for display.
    pub(crate) fn words(&self) -> Vec<String> {
        self.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect()
    }

    /// The command line for display.
    pub(crate) fn line(&self) -> String {
        if let Some(shown) = self.shown {
            let file = self.args.last().map(|file| file.to_string_lossy()).unwrap_or_default();
            return format!("{shown} {file}");
        }
        let mut line = self.program.to_owned();
        for arg in self.words() {
            line.push(' ');
            let is_plain = |c: char| c.is_alphanumeric() || "-_=./,+@:".contains(c);
            if !arg.is_empty() && arg.chars().all(is_plain) {
                line.push_str(&arg);
            } else {
                line.extend(["'", &arg.replace('\'', r"'\''"), "'"]);
            }
        }
        line
    }
}

/// The output of a command.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// A diagnostic whose file name is still as the checker wrote it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RawDiagnostic {
    pub(crate) diagnostic: Diagnostic,
    /// A directory at or below the one that the file name is relative to; `None` for the project's.
    pub(crate) base: Option<PathBuf>,
}

impl RawDiagnostic {
    pub(super) fn new(severity: Severity, message: &str) -> Self {
        let diagnostic = Diagnostic {
            severity,
            message: shortened(message.trim(), 4096),
            file: None,
            line: None,
            col: None,
            code: None,
            rendered: None,
        };
        Self { diagnostic, base: None }
    }

    pub(super) fn at(mut self, file: impl Into<String>, line: u64, col: u64) -> Self {
        self.diagnostic.file = Some(file.into());
        self.diagnostic.line = (line > 0).then_some(line);
        self.diagnostic.col = (line > 0 && col > 0).then_some(col);
        self
    }

    pub(super) fn coded(mut self, code: Option<String>) -> Self {
        self.diagnostic.code = code;
        self
    }

    pub(super) fn rendered(mut self, rendered: Option<&str>) -> Self {
        self.diagnostic.rendered = rendered.map(|text| shortened(text.trim_end(), 16 * 1024));
        self
    }
}

/// The text, cut if it is too long.
fn shortened(text: &str, most: usize) -> String {
    let end = text.floor_char_boundary(most);
    if end == text.len() { text.to_owned() } else { format!("{}…", &text[..end]) }
}
