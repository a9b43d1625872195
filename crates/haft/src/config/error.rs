//! Configuration errors: place, problem and remedy.

use std::{fmt, path::PathBuf};

use thiserror::Error;
use tools_core::ToolName;

/// One fault of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// Path of the key (`tools.shell.timeout`); empty for the text as a whole.
    pub path: String,
    /// Place where the value was set; `None` for a default.
    pub place: Option<Place>,
    /// The problem.
    pub problem: String,
    /// The nearest valid form; `None` if the problem needs no hint.
    pub hint: Option<String>,
}

/// Place where a value was set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In the file, at this line, from 1.
    Line(usize),
    /// In this environment variable.
    Variable(String),
    /// In an overlay.
    Overlay {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Variable(name) => write!(f, "environment variable {name}"),
            Self::Overlay { file, line } => write!(f, "{}:{line}", file.display()),
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        if !self.path.is_empty() {
            write!(f, "`{}`: ", self.path)?;
        }
        f.write_str(&self.problem)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, "; {hint}"))
    }
}

/// Reason why a configuration cannot be used.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum LoadError {
    /// The file cannot be read.
    #[error("configuration `{}` cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    /// A key switches on a part that was not compiled in.
    #[error(
        "{}`{key}`: this build has no {what}; enable the feature `{feature}`, or take the key out",
        place.as_ref().map_or_else(String::new, |place| format!("{place}: "))
    )]
    NotBuilt { key: String, place: Option<Place>, what: &'static str, feature: &'static str },
    /// The working directory cannot be determined: it is relative, and this process has none
    /// itself.
    #[error("working directory `{}`: {source}", path.display())]
    Workdir { path: PathBuf, source: std::io::Error },
    /// The folder for persistent state does not belong to this user alone.
    #[error("{0}")]
    StateFolder(String),
    /// Two executors have a tool with the same name: one of them would never be called.
    #[error("there are two tools `{tool}`: one of an executor of the host's, and one before it; give it another name")]
    ToolTwice { tool: ToolName },
    /// A layer of the host has the name of another layer. Records and lists could not tell them
    /// apart.
    #[error("there are two layers `{name}`; give the host's another name")]
    LayerTwice { name: &'static str },
    /// The file was found, not named, and lies where tools may write: a call could have written it.
    #[error(
        "configuration `{}` lies in `{}`, where tools may write: rules that a call can write do not count. Work in another folder (`--workdir`, `tools.file.allowed_paths`), or name the file (`--config`), which is held read-only then",
        file.display(),
        root.display()
    )]
    Writable { file: PathBuf, root: PathBuf },
    /// A place of configuration or state cannot be protected from calls.
    #[error("`{}` cannot be kept from being written by calls: {problem}", path.display())]
    Unguarded { path: PathBuf, problem: String },
    /// Faults found in the file, in the order of their places. `file` is `None` if the text came
    /// from elsewhere.
    #[error("{}", listed(.file.as_ref(), .faults))]
    Faulty { file: Option<PathBuf>, faults: Vec<ConfigError> },
}

fn listed(file: Option<&PathBuf>, faults: &[ConfigError]) -> String {
    let from = file.map_or_else(String::new, |file| format!(" in `{}`", file.display()));
    let lines: Vec<String> = faults.iter().map(|fault| format!("  {fault}")).collect();
    let noun = if faults.len() == 1 { "fault" } else { "faults" };
    format!("{} {noun}{from}\n{}", faults.len(), lines.join("\n"))
}
