//! Input of a hook in terms of haft's tools, and its answer: the same for all hosts.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::quoted;

/// Input and output format of one host's hooks.
pub trait Format: Send + Sync {
    /// Reads the input from the host.
    ///
    /// # Errors
    /// The form of the input is unknown; the answer is then a question.
    fn read(&self, input: &Value) -> Result<Event, Unreadable>;

    /// The answer before a tool runs, in the host's format. `input` is the input that was read.
    fn answer(&self, input: &Value, answer: &Answer) -> Value;

    /// The answer after a tool ran, with `result` as its new result; `None` if the host does not
    /// let a hook replace it.
    fn replace(&self, input: &Value, result: &Value) -> Option<Value>;

    /// Whether the host asks its user when the answer is a question. If not, [`Format::answer`]
    /// refuses instead.
    fn can_ask(&self, input: &Value) -> bool;

    /// Whether a host that was started like this has a person to ask. If not, it gets no questions,
    /// because it would wait for ever.
    fn is_attended(&self, _: &HookStart) -> bool {
        true
    }

    /// Whether the host runs commands in its own sandbox, from which the record of calls cannot be
    /// written.
    fn has_sandbox(&self) -> bool {
        false
    }
}

/// Start of the host that runs the hook.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookStart {
    /// Whether its standard input and output are a terminal.
    pub terminal: bool,
    /// Its command line.
    pub arguments: Vec<String>,
}

/// Input of a hook.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The session and folder of the event.
    pub place: HostCallOrigin,
    /// The request.
    pub meaning: HookRequest,
}

/// Origin of a host's call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostCallOrigin {
    /// The host's name of the session; `None` if the input has none.
    pub session: Option<String>,
    /// The folder in which the host's command would run; `None` if the input has none.
    pub workdir: Option<PathBuf>,
}

/// Request of a host to a hook.
#[derive(Debug, Clone, PartialEq)]
pub enum HookRequest {
    /// A tool of the host is about to run, with the effect of these calls.
    Before(Vec<HostCall>),
    /// A tool of the host ran, with this result.
    After {
        /// The result, in the host's form.
        result: Value,
        /// Whether the result contains lines that a search has found: `PATH:LINE:TEXT`.
        searched: bool,
    },
    /// A tool or an event that uses neither files nor commands, or is judged elsewhere.
    Nothing,
}

/// A call of a host's tool, expressed as a call of haft's tool.
#[derive(Debug, Clone, PartialEq)]
pub struct HostCall {
    /// The tool of haft.
    pub tool: &'static str,
    /// Its parameters.
    pub params: Value,
    /// The host's command line, if it can be replaced; `None` for calls that are not commands.
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

    /// Whether the tool changes nothing, whatever its parameters are.
    pub fn only_reads(&self) -> bool {
        ["read", "grep", "find_path", "list_directory", "fetch"].contains(&self.tool)
    }

    /// A command line that runs in `folder`, or in the working directory of the call.
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
    /// The call runs without a question.
    Allow,
    /// The host decides by its own rules.
    Leave,
    /// A person is asked.
    Ask,
    /// The call does not run.
    Deny,
}

/// The answer of a hook before a tool runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The decision.
    pub decision: Decision,
    /// The reason, for the person who is asked or the model whose call is refused.
    pub reason: String,
    /// A replacement for the command line; `None` keeps it.
    pub command: Option<String>,
}
