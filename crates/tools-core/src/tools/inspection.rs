//! Subjects of one call: the list that every gate judges.

use std::any::Any;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::path_text::{lossy, mapped_path};
use super::script::{Script, ScriptStates};
use crate::{ChangePreview, WebUrl};

/// Subjects of a call, found by the owner of the tool without side effects.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Inspection {
    /// Subjects that rules are matched against; empty if the call touches nothing.
    pub subjects: Vec<Subject>,
    /// Reason why the tool itself asks for a person; `None` if it does not.
    pub confirm: Option<ConfirmReason>,
    /// Predicted changes of files, for a person who is asked; `None` if they cannot be predicted.
    pub change: Option<ChangePreview>,
    /// Whether this call changes nothing. It may only be stricter than the definition.
    pub read_only: bool,
    /// Whether every write on behalf of this call is noted beforehand in the [`crate::WriteLog`] of
    /// its context, or that log is told about unnoted writes.
    pub observed: bool,
    /// The files that, with the parameters, determine the result, each in its present state; `None`
    /// if they are not known beforehand. Then a result is cached only if the tool leaves a
    /// [`crate::Basis`] with it.
    pub state: Option<Vec<FileState>>,
    /// Findings for the tool's own run: see [`Inspection::keeping`].
    pub findings: Findings,
}

/// A tool's own findings. They follow from the call, so they are ignored when inspections are
/// compared.
#[derive(Clone, Default)]
pub struct Findings(Option<Arc<dyn Any + Send + Sync>>);

impl PartialEq for Findings {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Findings" } else { "None" })
    }
}

/// State of a file or directory at one moment: a different state may mean different content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileState {
    /// Identity of the file: device and inode number.
    pub id: (u64, u64),
    /// Its length in bytes.
    pub size: u64,
    /// Time of the last content change: seconds and nanoseconds.
    pub modified: (i64, u64),
    /// Time of the last change of any kind, which no program can set.
    pub changed: (i64, u64),
}

impl From<&std::fs::Metadata> for FileState {
    #[expect(clippy::cast_sign_loss, reason = "nanoseconds are never negative")]
    fn from(metadata: &std::fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self {
            id: (metadata.dev(), metadata.ino()),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec() as u64),
            changed: (metadata.ctime(), metadata.ctime_nsec() as u64),
        }
    }
}

impl Inspection {
    /// A call that touches nothing and changes nothing.
    pub fn read_only() -> Self {
        Self { read_only: true, ..Self::default() }
    }

    /// A call without subjects for rules that may still change something.
    pub fn mutating() -> Self {
        Self::default()
    }

    /// Adds a subject.
    pub fn touching(mut self, subject: Subject) -> Self {
        self.subjects.push(subject);
        self
    }

    /// Adds a file that the result depends on.
    pub fn depending_on(mut self, file: FileState) -> Self {
        self.state.get_or_insert_default().push(file);
        self
    }

    /// Keeps findings, which [`crate::Tool::run_inspected`] takes back by [`Inspection::take`].
    #[must_use]
    pub fn keeping<T: Any + Send + Sync>(self, found: T) -> Self {
        Self { findings: Findings(Some(Arc::new(found))), ..self }
    }

    /// Takes the findings of the inspection; `None` if there are none of this type.
    pub fn take<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        Arc::downcast(self.findings.0.clone()?).ok()
    }

    /// Sets the predicted changes of files.
    pub fn changing(self, change: ChangePreview) -> Self {
        Self { change: Some(change), ..self }
    }

    /// The code files that the call runs.
    pub(crate) fn scripts(&self) -> impl Iterator<Item = &Script> {
        self.subjects.iter().filter_map(|subject| match subject {
            Subject::Script { script, .. } => Some(script),
            _ => None,
        })
    }

    /// The code files and the digests of their content, without their texts.
    pub(crate) fn script_states(&self) -> ScriptStates {
        self.scripts().map(|script| (script.path.clone(), script.digest)).collect()
    }

    /// Sets the reason why the tool asks for a person.
    pub fn confirming(self, reason: ConfirmReason) -> Self {
        Self { confirm: Some(reason), ..self }
    }
}

/// Reason why a tool itself asks for a person's consent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConfirmReason {
    /// One sentence for the person, without a period.
    pub reason: String,
    /// The configured rule that asks (`tools.shell.confirm_patterns "rm"`).
    pub rule: String,
    /// The text of the subject it is about; `None` if it is about the whole call.
    pub about: Option<String>,
}

impl ConfirmReason {
    /// A reason about the whole call.
    pub fn new(reason: impl Into<String>, rule: impl Into<String>) -> Self {
        Self { reason: reason.into(), rule: rule.into(), about: None }
    }

    /// Limits the reason to the subject with this text.
    #[must_use]
    pub fn about(self, subject: impl Into<String>) -> Self {
        Self { about: Some(subject.into()), ..self }
    }
}

/// One thing that a call would touch.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind")]
pub enum Subject {
    /// A command: one per simple command, and one for the whole line.
    #[serde(rename = "exec")]
    Command {
        /// The text of the command.
        line: String,
        /// The program; empty for the whole line of a compound command.
        program: String,
        /// The arguments after the program. An argument known only at run time stands as typed
        /// (`$x`). Any number of arguments added by another program is `$@`; a part that it
        /// replaces is `{}`.
        argv: Vec<String>,
        /// Commands that run it, outermost first (`sudo`, `env`, `$(…)`).
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        via: Vec<String>,
    },
    /// A file or directory by its canonical path.
    #[serde(rename = "path")]
    Path {
        /// Canonical and absolute.
        #[serde(serialize_with = "lossy")]
        path: PathBuf,
        /// Kind of the access.
        access: Access,
        /// Part of the call that names it.
        #[serde(default, skip_serializing_if = "NamedBy::is_call")]
        by: NamedBy,
    },
    /// Files whose names are partly or fully unknown before the call runs.
    #[serde(rename = "paths")]
    Paths {
        /// Pattern of the known part: absolute, or beginning with `**` if the folder is unknown, or
        /// `**` alone. `*` matches characters within a name, `**` any characters; `\\` takes the
        /// next character literally.
        pattern: String,
        /// Kind of the access.
        access: Access,
        /// Part of the call that names them.
        by: NamedBy,
    },
    /// A host that a connection is opened to.
    #[serde(rename = "host")]
    Host {
        /// A name, an address, a name with a port or a URL, as written in the call.
        host: String,
        /// Part of the call that names it.
        by: NamedBy,
    },
    /// A web address.
    #[serde(rename = "url")]
    Url {
        /// The address.
        url: WebUrl,
    },
    /// A code file that a command runs.
    #[serde(rename = "script")]
    Script {
        /// The command that runs it, as the line of its subject.
        command: String,
        /// The file and its content.
        #[serde(flatten)]
        script: Script,
    },
    /// A port that a job opens to the whole machine: a person is always asked.
    #[serde(rename = "port")]
    Port {
        /// The port.
        port: u16,
        /// The command of the job.
        command: String,
        /// Seconds after which the job is ended.
        seconds: u64,
    },
    /// Something that could not be analysed: a person is always asked.
    #[serde(rename = "opaque")]
    Opaque {
        /// The part that could not be analysed, and the reason.
        why: String,
    },
}

impl Subject {
    /// A path and the access to it.
    pub fn path(path: impl Into<PathBuf>, access: Access) -> Self {
        Self::path_named_by(NamedBy::Call, path, access)
    }

    /// A path that another part of the call than its parameters names, and the access to it.
    pub fn path_named_by(by: NamedBy, path: impl Into<PathBuf>, access: Access) -> Self {
        Self::Path { path: path.into(), access, by }
    }

    /// Changes every text, for display. An argument that the change removed from its line is not
    /// shown either.
    #[must_use]
    pub(crate) fn map_text(self, change: impl Fn(&str) -> String) -> Self {
        match self {
            Self::Command { line, program, argv, via } => {
                let shown = change(&line);
                let is_gone = |word: &str| shown != line && !shown.contains(word);
                let word = |word: String| if is_gone(&word) { "«redacted»".to_owned() } else { change(&word) };
                let argv = argv.into_iter().map(word).collect();
                let via = via.iter().map(|one| change(one)).collect();
                Self::Command { program: change(&program), argv, via, line: shown }
            }
            Self::Path { path, access, by } => Self::Path { path: mapped_path(path, change), access, by },
            Self::Paths { pattern, access, by } => Self::Paths { pattern: change(&pattern), access, by },
            Self::Host { host, by } => Self::Host { host: change(&host), by },
            Self::Url { url } => match change(url.as_str()) {
                changed if changed == url.as_str() => Self::Url { url },
                changed => Self::Opaque { why: changed },
            },
            Self::Script { command, script } => {
                let text = script.text.map(|text| change(&text).into());
                let script = Script { path: mapped_path(script.path, &change), text, ..script };
                Self::Script { command: change(&command), script }
            }
            Self::Port { port, command, seconds } => Self::Port { port, command: change(&command), seconds },
            Self::Opaque { why } => Self::Opaque { why: change(&why) },
        }
    }

    /// The text that rules are matched against.
    pub fn text(&self) -> String {
        match self {
            Self::Command { line, .. } => line.clone(),
            Self::Path { path, .. } => path.to_string_lossy().into_owned(),
            Self::Paths { pattern, .. } => pattern.clone(),
            Self::Host { host, .. } => host.clone(),
            Self::Url { url } => url.to_string(),
            Self::Script { script, .. } => script.path.to_string_lossy().into_owned(),
            Self::Port { port, command, seconds } => format!(
                "publishes port {port} on 127.0.0.1 of this machine, for `{}`, until that job ends ({seconds} s at most)",
                command.trim()
            ),
            Self::Opaque { why } => why.clone(),
        }
    }
}

/// Part of a call that names a path or a host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedBy {
    /// A parameter of the tool.
    #[default]
    Call,
    /// A redirection of a command line. Rules on commands do not cover it.
    Redirection,
    /// An argument of a known program. The rule on the command covers it too.
    Program,
}

impl NamedBy {
    /// Whether it is a parameter of the tool.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "called by serde with a reference")]
    fn is_call(&self) -> bool {
        *self == Self::Call
    }
}

/// Kind of access to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Its content or its entries are read.
    Read,
    /// It is created or changed.
    Write,
    /// It is removed.
    Delete,
}

impl Access {
    /// Its name, as it is serialized.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Delete => "delete",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_path_that_is_not_utf8_is_still_put_on_record() {
        use std::os::unix::ffi::OsStringExt;
        let path = PathBuf::from(std::ffi::OsString::from_vec(b"/a/\xff".to_vec()));
        let value = serde_json::to_value(Subject::path(path, Access::Write)).unwrap();
        assert_eq!(value, json!({"kind": "path", "path": "/a/\u{fffd}", "access": "write"}));
    }
}
