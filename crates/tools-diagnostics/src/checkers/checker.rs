//! What a checker is: how a project of its kind is known, which command checks it, and what its
//! output means. Nothing here runs anything: every function is pure.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostic, Severity};
use crate::diagnostics::CheckKind;

/// A program that checks projects of one kind.
pub(crate) trait Checker: Send + Sync {
    /// Files whose presence says that a directory is such a project; none when it checks single
    /// files only.
    fn markers(&self) -> &'static [&'static str];

    /// Extensions of the files it checks.
    fn extensions(&self) -> &'static [&'static str];

    /// What is to be run.
    fn command(&self, request: &Request<'_>) -> CheckCommand;

    /// What the output says.
    fn parse(&self, output: &Output) -> Vec<RawDiagnostic>;

    /// Which files it has read, as far as its output tells.
    fn checked(&self, _output: &Output, _request: &Request<'_>) -> Coverage {
        Coverage::Unknown
    }

    /// What it did not check since something else has errors; a phrase. Asked only where there are
    /// errors among those found.
    fn held_up(&self, _output: &Output, _found: &[RawDiagnostic]) -> Option<String> {
        None
    }

    /// Whether an exit code other than 0 is explained by what was found; if not, the check itself
    /// has failed.
    fn explains(&self, _code: i32, found: &[RawDiagnostic]) -> bool {
        found.iter().any(|found| found.diagnostic.severity == Severity::Error)
    }
}

/// Which files a checker has read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Coverage {
    /// It does not say.
    Unknown,
    /// These, absolute, libraries among them.
    Files(Vec<PathBuf>),
    /// These, and so many more of the same kind it has not.
    Partly(Vec<PathBuf>, usize),
    /// Those that are named in these lists of a compiler (`target: source source`).
    Lists(Vec<PathBuf>),
    /// Those of its folder that a Go build on this machine takes.
    GoBuild,
}

/// What is to be checked.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    pub(crate) kind: CheckKind,
    /// What the file says that makes the directory a project; empty where none does or it cannot be
    /// read.
    pub(crate) marker: &'a str,
    /// The one file that was named, canonical; `None` for the whole project.
    pub(crate) file: Option<&'a Path>,
    /// The folder of the project that was named, canonical; `None` for the whole project.
    pub(crate) folder: Option<&'a Path>,
}

/// A command, run in the directory of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CheckCommand {
    pub(crate) program: &'static str,
    /// Where a project keeps a program of its own, below itself or a directory above.
    pub(crate) local: &'static [&'static str],
    /// What it is called where the arguments are a program.
    pub(crate) shown: Option<&'static str>,
    /// What it checks, where that is less than one would think.
    pub(crate) only: Option<&'static str>,
    pub(crate) args: Vec<OsString>,
}

impl CheckCommand {
    pub(super) fn new(program: &'static str, args: &[&str]) -> Self {
        Self { program, local: &[], shown: None, only: None, args: args.iter().map(OsString::from).collect() }
    }

    /// The arguments as rules and people read them.
    pub(crate) fn words(&self) -> Vec<String> {
        self.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect()
    }

    /// The command as one would type it.
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

/// What a command printed until it ended.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// A diagnostic whose file still has the checker's spelling.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RawDiagnostic {
    pub(crate) diagnostic: Diagnostic,
    /// The directory that the file is relative to, or one below it; `None` for the project's.
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

/// The beginning of a text that is too long.
fn shortened(text: &str, most: usize) -> String {
    let end = text.floor_char_boundary(most);
    if end == text.len() { text.to_owned() } else { format!("{}…", &text[..end]) }
}
