//! End of a command: data beside its text, and one line for channels that have only text.

use std::sync::Arc;

use serde::Serialize;

/// End of a command, apart from its output. It is never parsed from the text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CommandEnd {
    /// The exit code as in a shell: 128 + n for death by signal n, 124 after a timeout; `None`
    /// while the command runs.
    pub exit: Option<i32>,
    /// The signal it died of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Reason why it was stopped; `None` if it ended by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<StopReason>,
    /// Further remarks, one fragment each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The command line, if another call started the command; `None` if it is among the call's own
    /// subjects.
    #[serde(skip)]
    pub line: Option<Arc<str>>,
}

/// Reason why a command was stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// Its time limit passed.
    TimedOut,
    /// It waited for an answer to this question.
    AwaitsInput(String),
    /// It exceeded this limit.
    OverLimit(String),
    /// Somebody ended it.
    Killed,
}

impl CommandEnd {
    /// A command that ended by itself with this code.
    pub fn with_exit(code: i32) -> Self {
        Self { exit: Some(code), ..Self::default() }
    }

    /// Whether it is known to have failed.
    pub fn is_failure(&self) -> bool {
        self.exit.is_some_and(|code| code != 0)
    }

    /// The line in brackets that describes the end; `None` for an ordinary success.
    pub fn sentence(&self) -> Option<String> {
        let end = match (&self.stopped, self.signal, self.exit) {
            (Some(StopReason::AwaitsInput(question)), ..) => {
                Some(format!("stopped: it waited for an answer to `{question}`"))
            }
            (Some(StopReason::OverLimit(what)), ..) => Some(format!("stopped: too much of {what}")),
            (Some(StopReason::TimedOut), ..) => Some("stopped: its time was up".to_owned()),
            (Some(StopReason::Killed), ..) => Some("stopped".to_owned()),
            (None, Some(signal), _) => Some(format!("ended by signal {signal}")),
            (None, None, Some(code)) if code != 0 => Some(format!("exit code {code}")),
            _ => None,
        };
        let parts: Vec<&str> = end.iter().chain(&self.notes).map(String::as_str).collect();
        (!parts.is_empty()).then(|| format!("[{}]", parts.join("; ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_out_of_the_ordinary_is_said() {
        let check = |ended: CommandEnd, expected: Option<&str>| assert_eq!(ended.sentence().as_deref(), expected);
        let notes = vec!["left running and ended: 1".to_owned()];
        check(CommandEnd::default(), None);
        check(CommandEnd::with_exit(0), None);
        check(CommandEnd::with_exit(7), Some("[exit code 7]"));
        check(CommandEnd { notes: notes.clone(), ..CommandEnd::with_exit(0) }, Some("[left running and ended: 1]"));
        check(CommandEnd { signal: Some(9), ..CommandEnd::with_exit(137) }, Some("[ended by signal 9]"));
        let timed_out =
            CommandEnd { stopped: Some(StopReason::TimedOut), signal: Some(15), ..CommandEnd::with_exit(124) };
        check(CommandEnd { notes, ..timed_out }, Some("[stopped: its time was up; left running and ended: 1]"));
        let waited =
            CommandEnd { stopped: Some(StopReason::AwaitsInput("Sure?".to_owned())), ..CommandEnd::with_exit(143) };
        check(waited, Some("[stopped: it waited for an answer to `Sure?`]"));
    }
}
