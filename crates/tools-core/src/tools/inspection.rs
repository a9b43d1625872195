//! What one particular call would touch: the list that every gate judges.

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
    /// Subjects that rules are matched against; empty when the call touches nothing.
    pub subjects: Vec<Subject>,
    /// The tool itself asks for a person; `None` when it has no wish of its own.
    pub confirm: Option<ConfirmReason>,
    /// Predicted changes of files, for a person who is asked; `None` when that cannot be told
    /// beforehand.
    pub change: Option<ChangePreview>,
    /// Whether this call changes nothing. It may only narrow what the definition says.
    pub read_only: bool,
    /// Whether everything that writes on behalf of this call is noted before it writes, in the
    /// [`crate::WriteLog`] of its context, or that log is told that it is not.
    pub observed: bool,
    /// The files whose content and the parameters decide the result, each as it was just now;
    /// `None` when that cannot be told beforehand. Then a result is served again only where the
    /// tool leaves a [`crate::Basis`] with it.
    pub state: Option<Vec<FileState>>,
    /// Findings that the tool wants handed to its own run: see [`Inspection::keeping`].
    pub findings: Findings,
}

/// A tool's own findings. They follow from the call, so that they make no difference between two
/// inspections.
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

/// A file or directory as it is at a moment: another state may be another content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileState {
    /// Identity of the file: its device and its number there.
    pub id: (u64, u64),
    /// Its length in bytes.
    pub size: u64,
    /// When its content changed: seconds and nanoseconds.
    pub modified: (i64, u64),
    /// When anything about it changed, which no program can set.
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

    /// A call that touches nothing that rules could name, but may change something.
    pub fn mutating() -> Self {
        Self::default()
    }

    /// The same inspection with one more subject.
    pub fn touching(mut self, subject: Subject) -> Self {
        self.subjects.push(subject);
        self
    }

    /// The same inspection of a call whose result depends on this file, and on those named before.
    pub fn depending_on(mut self, file: FileState) -> Self {
        self.state.get_or_insert_default().push(file);
        self
    }

    /// The same inspection, with what [`crate::Tool::run_inspected`] takes back by
    /// [`Inspection::take`].
    #[must_use]
    pub fn keeping<T: Any + Send + Sync>(self, found: T) -> Self {
        Self { findings: Findings(Some(Arc::new(found))), ..self }
    }

    /// Takes the findings of the inspection; `None` when it kept nothing of this type.
    pub fn take<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        Arc::downcast(self.findings.0.clone()?).ok()
    }

    /// The same inspection of a call of which it can be told what it would do to files.
    pub fn changing(self, change: ChangePreview) -> Self {
        Self { change: Some(change), ..self }
    }

    /// The files of code that the call runs.
    pub(crate) fn scripts(&self) -> impl Iterator<Item = &Script> {
        self.subjects.iter().filter_map(|subject| match subject {
            Subject::Script { script, .. } => Some(script),
            _ => None,
        })
    }

    /// Those files and what they held, without their texts.
    pub(crate) fn script_states(&self) -> ScriptStates {
        self.scripts().map(|script| (script.path.clone(), script.digest)).collect()
    }

    /// The same inspection that asks for a person.
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
    /// The text of the subject it is about; `None` when it is about the whole call.
    pub about: Option<String>,
}

impl ConfirmReason {
    /// A reason about the whole call.
    pub fn new(reason: impl Into<String>, rule: impl Into<String>) -> Self {
        Self { reason: reason.into(), rule: rule.into(), about: None }
    }

    /// The same reason about the subject with this text.
    #[must_use]
    pub fn about(self, subject: impl Into<String>) -> Self {
        Self { about: Some(subject.into()), ..self }
    }
}

/// One thing that a call would touch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
pub enum Subject {
    /// A command: one per simple command, and one for the whole line.
    #[serde(rename = "exec")]
    Command {
        /// The text of the command.
        line: String,
        /// The program; empty for the whole line of a compound command.
        program: String,
        /// The arguments after the program. One known only when it runs stands as it was typed
        /// (`$x`); any number of them that another program adds is `$@`, and what it puts in place
        /// of something is `{}`.
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
    /// Files whose names are known in part, or not at all, before the call runs.
    #[serde(rename = "paths")]
    Paths {
        /// Pattern of the known part: absolute, or beginning with `**` where the folder is not
        /// known, or `**` alone. `*` stands for characters within a name, `**` for any characters;
        /// `\\` takes the next character as it is.
        pattern: String,
        /// Kind of the access.
        access: Access,
        /// Part of the call that names them.
        by: NamedBy,
    },
    /// A host that a connection is opened to.
    #[serde(rename = "host")]
    Host {
        /// A name, an address, a name with a port or a URL, as the call writes it.
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
    /// A file of code that a command runs.
    #[serde(rename = "script")]
    Script {
        /// The command that runs it, as the line of its subject.
        command: String,
        /// The file and its content.
        #[serde(flatten)]
        script: Script,
    },
    /// A port that a job opens to the whole machine: a person is asked at least.
    #[serde(rename = "port")]
    Port {
        /// The port.
        port: u16,
        /// The command of the job.
        command: String,
        /// Seconds after which the job is ended.
        seconds: u64,
    },
    /// Something that could not be seen through: a person is asked at least.
    #[serde(rename = "opaque")]
    Opaque {
        /// The part that could not be analysed, and the reason.
        why: String,
    },
}

impl Subject {
    /// A path and what would be done to it.
    pub fn path(path: impl Into<PathBuf>, access: Access) -> Self {
        Self::path_named_by(NamedBy::Call, path, access)
    }

    /// A path that another part of the call than its parameters names, and what would be done to
    /// it.
    pub fn path_named_by(by: NamedBy, path: impl Into<PathBuf>, access: Access) -> Self {
        Self::Path { path: path.into(), access, by }
    }

    /// The same subject with every text changed: for whoever shows it. An argument that the change
    /// took out of the line it stands in is not shown either.
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
    /// A redirection of a command line. No rule on the command speaks of it.
    Redirection,
    /// An argument of a program whose meaning is known. The rule on the command speaks of it too.
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
    /// Its content or its entries are looked at.
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
