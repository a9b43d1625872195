//! What a hook is told, in terms of our tools, and what it answers: the same for all hosts.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::quoted;

/// Input and output format of one host's hooks.
pub trait Format: Send + Sync {
    /// What the host says.
    ///
    /// # Errors
    /// When it is not in a form that is known: then the answer is a question.
    fn read(&self, input: &Value) -> Result<Event, Unreadable>;

    /// The answer before a tool runs, in the host's format. `input` is what was read.
    fn answer(&self, input: &Value, answer: &Answer) -> Value;

    /// The answer after a tool ran whose result is to be `result` instead; `None` where the host
    /// does not let a hook replace this result.
    fn replace(&self, input: &Value, result: &Value) -> Option<Value>;

    /// Whether the host asks its user where the answer is a question. Where not, [`Format::answer`]
    /// makes a refusal of it.
    fn can_ask(&self, input: &Value) -> bool;

    /// Whether a host that was started like this has a person to ask. If not, it is sent no
    /// questions, because it would wait forever.
    fn is_attended(&self, _: &HookStart) -> bool {
        true
    }

    /// Whether the host runs its commands in a sandbox of its own, from inside of which the record
    /// of calls cannot be written.
    fn has_sandbox(&self) -> bool {
        false
    }
}

/// The start of the host that runs the hook.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookStart {
    /// Whether a terminal is its standard input and output.
    pub terminal: bool,
    /// Its command line.
    pub arguments: Vec<String>,
}

/// Input of a hook.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The session and folder it comes from.
    pub place: HostCallOrigin,
    /// The request.
    pub meaning: HookRequest,
}

/// Origin of a host's call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostCallOrigin {
    /// The host's own name of the session; `None` when it names none.
    pub session: Option<String>,
    /// The folder in which the host's command would run; `None` when it names none.
    pub workdir: Option<PathBuf>,
}

/// Request of a host to a hook.
#[derive(Debug, Clone, PartialEq)]
pub enum HookRequest {
    /// A tool of the host's is about to run, which does what these calls do.
    Before(Vec<HostCall>),
    /// A tool of the host's ran, with this result.
    After {
        /// The result, in the host's form.
        result: Value,
        /// Whether it shows lines of files that a search has found: `PATH:LINE:TEXT`.
        searched: bool,
    },
    /// A tool or an event that touches neither files nor commands, or that is judged elsewhere.
    Nothing,
}

/// A call of a host's tool as a call of one of ours.
#[derive(Debug, Clone, PartialEq)]
pub struct HostCall {
    /// Our tool.
    pub tool: &'static str,
    /// Its parameters.
    pub params: Value,
    /// The host's command line, where another can stand in its place; `None` for what is no
    /// command.
    pub line: Option<String>,
}

impl HostCall {
    /// A call with one parameter.
    pub(super) fn with(tool: &'static str, name: &str, value: impl Into<Value>) -> Self {
        Self { tool, params: json!({name: value.into()}), line: None }
    }

    /// A call with these parameters.
    pub(super) fn new(tool: &'static str, params: Value) -> Self {
        Self { tool, params, line: None }
    }

    /// Whether it changes nothing, whatever its parameters are.
    pub fn only_reads(&self) -> bool {
        ["read", "grep", "find_path", "list_directory", "fetch"].contains(&self.tool)
    }

    /// A command line that runs in `folder`, or else where the call comes from.
    pub(super) fn command(line: &str, folder: Option<&str>) -> Result<Self, Unreadable> {
        let judged = match folder.filter(|folder| *folder != ".") {
            None => line.to_owned(),
            Some(folder) => {
                let folder = quoted(folder).ok_or_else(|| Unreadable("a folder has a NUL in its name".to_owned()))?;
                format!("cd -- {folder}\n{line}")
            }
        };
        Ok(Self { tool: "bash", params: json!({"command": judged}), line: Some(line.to_owned()) })
    }
}

/// Reason why an input cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

/// Decision about a call of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    /// It runs unasked.
    Allow,
    /// The host decides by its own rules.
    Leave,
    /// A person is asked.
    Ask,
    /// It does not run.
    Deny,
}

/// The answer of a hook before a tool runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The decision.
    pub decision: Decision,
    /// Why: read by the person who is asked, or by the model that is refused.
    pub reason: String,
    /// Another command line in the place of the one that was named; `None` leaves it.
    pub command: Option<String>,
}
