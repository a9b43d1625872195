//! Record of a call's subjects and of its changes to files.

use std::{borrow::Cow, path::Path};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tools_core::{Access, Invocation, NamedBy, Redactor, Subject, ToolOutput};

use super::text::{ITEMS, STRING_CHARS, cut, shortened};

/// Maximum length in characters of a recorded diff.
const DIFF_CHARS: usize = 4000;

/// A subject as it is put on record: redacted, bounded.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RecordedSubject<'a> {
    /// A command, or the whole line of a compound one.
    Exec {
        /// The text of the command.
        line: Cow<'a, str>,
        /// The program; empty for the whole line of a compound command.
        program: Cow<'a, str>,
        /// The arguments after the program.
        argv: Vec<Cow<'a, str>>,
        /// Commands that run it, outermost first.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[schemars(default)]
        via: Vec<Cow<'a, str>>,
    },
    /// A file or folder.
    Path {
        /// Canonical and absolute.
        path: Cow<'a, str>,
        /// Kind of the access.
        #[schemars(with = "String")]
        access: Access,
        /// Part of the call that names it: `redirection` or `program`; not there for a parameter of
        /// the tool.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<String>")]
        by: Option<NamedBy>,
    },
    /// Files whose names are known in part.
    Paths {
        /// Pattern of the known part.
        pattern: Cow<'a, str>,
        /// Kind of the access.
        #[schemars(with = "String")]
        access: Access,
    },
    /// A host that a connection is opened to.
    Host {
        /// As the call writes it.
        host: Cow<'a, str>,
    },
    /// A web address.
    Url {
        /// The address.
        url: Cow<'a, str>,
    },
    /// A file of code that a command runs.
    Script {
        /// Canonical and absolute.
        path: Cow<'a, str>,
        /// Digest of its content: `sha256:` and its digest; not there where that cannot be told.
        #[serde(skip_serializing_if = "Option::is_none")]
        digest: Option<String>,
    },
    /// A port that a job opens to the whole machine.
    Port {
        /// The port.
        port: u16,
        /// The command of the job.
        command: Cow<'a, str>,
        /// Seconds after which the job is ended.
        seconds: u64,
    },
    /// Something that could not be seen through.
    Opaque {
        /// What, and why.
        why: Cow<'a, str>,
    },
}

pub(super) fn subject<'a>(subject: &'a Subject, redactor: &dyn Redactor) -> RecordedSubject<'a> {
    let clean = |text: &'a str| cut(redactor.redact(text), STRING_CHARS);
    match subject {
        Subject::Command { line, program, argv, via } => {
            let shown = redactor.redact(line);
            // Only the place in the line may show that a word is secret (`-p hunter2`): a word that
            // redaction removed from the line must not be in the arguments.
            let word = |word: &'a String| match &shown {
                Cow::Owned(shown) if !shown.contains(word.as_str()) => "«redacted»".into(),
                // Part of a text in which no credential was found.
                Cow::Borrowed(_) if line.contains(word.as_str()) => cut(word.into(), STRING_CHARS),
                _ => clean(word),
            };
            let argv = argv.iter().take(ITEMS).map(word).collect();
            RecordedSubject::Exec {
                line: cut(shown, STRING_CHARS),
                program: clean(program),
                argv,
                via: via.iter().take(ITEMS).map(|one| clean(one)).collect(),
            }
        }
        Subject::Path { path, access, by } => RecordedSubject::Path {
            path: clean_path(path, redactor),
            access: *access,
            by: Some(*by).filter(|by| *by != NamedBy::Call),
        },
        Subject::Paths { pattern, access, .. } => RecordedSubject::Paths { pattern: clean(pattern), access: *access },
        Subject::Host { host, .. } => RecordedSubject::Host { host: clean(host) },
        Subject::Url { url } => RecordedSubject::Url { url: clean(url.as_str()) },
        Subject::Script { script, .. } => RecordedSubject::Script {
            path: clean_path(&script.path, redactor),
            digest: script.digest.map(|digest| digest.to_string()),
        },
        Subject::Port { port, command, seconds } => {
            RecordedSubject::Port { port: *port, command: clean(command), seconds: *seconds }
        }
        Subject::Opaque { why } => RecordedSubject::Opaque { why: clean(why) },
    }
}

fn clean_path<'a>(path: &'a Path, redactor: &dyn Redactor) -> Cow<'a, str> {
    match path.to_string_lossy() {
        Cow::Borrowed(path) => cut(redactor.redact(path), STRING_CHARS),
        Cow::Owned(path) => cut(redactor.redact(&path), STRING_CHARS).into_owned().into(),
    }
}

/// Changes of files by a call.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Files<'a> {
    /// Files that the call changed, as far as the tool reports; relative to the working directory
    /// if inside it.
    pub changed: Vec<Cow<'a, str>>,
    /// Number of the call for `haft undo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Value>,
    /// Number of lines added, if the tool counted them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added: Option<u64>,
    /// Number of lines removed, if the tool counted them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<u64>,
    /// The beginning of a unified diff, redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<Cow<'a, str>>,
}

/// Changes of files by a call; `None` if there were none, or they are unknown.
///
/// The paths of a command are guessed from its text, so only its checkpoint counts.
pub(super) fn files<'a>(
    inv: &'a Invocation,
    output: Option<&'a ToolOutput>,
    is_command: bool,
    checkpoint: Option<Value>,
    redactor: &dyn Redactor,
) -> Option<Files<'a>> {
    let mut files = Files { checkpoint, ..Files::default() };
    let diff = output.and_then(|output| output.diff.as_ref());
    let workdir = inv.context.workdir();
    if let Some(diff) = diff {
        files.changed.push(shown(&diff.path, workdir, redactor));
        (files.added, files.removed) = (Some(diff.added), Some(diff.removed));
        files.diff = Some(shortened(&diff.unified, DIFF_CHARS, redactor));
    }
    if output.is_some() && !is_command {
        let subjects = inv.inspection().map(|inspection| inspection.subjects.as_slice()).unwrap_or_default();
        for one in subjects {
            if let Subject::Path { path, access: Access::Write | Access::Delete, .. } = one
                && diff.is_none_or(|diff| diff.path != *path)
                && files.changed.len() < ITEMS
            {
                files.changed.push(shown(path, workdir, redactor));
            }
        }
    }
    (!files.changed.is_empty() || files.checkpoint.is_some()).then_some(files)
}

fn shown<'a>(path: &'a Path, workdir: &Path, redactor: &dyn Redactor) -> Cow<'a, str> {
    clean_path(path.strip_prefix(workdir).unwrap_or(path), redactor)
}
