//! Options of agents and their sessions.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// How an agent runs.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// Task for the agent [default: interactive, each input line is a task or a command].
    pub(crate) task: Option<String>,
    /// Replay a script instead of calling a model.
    #[arg(long, value_name = "FILE", conflicts_with = "provider")]
    pub(crate) scripted: Option<PathBuf>,
    /// Name of the model in `[[llm.providers]]` [default: `llm.provider`, else the first].
    #[arg(long, value_name = "NAME")]
    pub(crate) provider: Option<String>,
    /// Never ask: calls that need approval are denied (`deny`) or end the turn (`abort`).
    #[arg(long, value_name = "MODE")]
    pub(crate) non_interactive: Option<NonInteractive>,
    /// Resume a saved session [default: the latest of this directory].
    #[arg(long, value_name = "ID", num_args = 0..=1)]
    #[expect(clippy::option_option, reason = "whether to go on is one question, and with which session another")]
    pub(crate) resume: Option<Option<String>>,
}

/// An agent for an editor.
#[derive(Debug, Clone, Args)]
pub(crate) struct Acp {
    /// Replay a script instead of calling a model. All sessions share the script: each continues
    /// where the last one stopped.
    #[arg(long, value_name = "FILE", conflicts_with = "provider")]
    pub(crate) scripted: Option<PathBuf>,
    /// Name of the model in `[[llm.providers]]` [default: `llm.provider`, else the first].
    #[arg(long, value_name = "NAME")]
    pub(crate) provider: Option<String>,
    /// Show a running call in this terminal: what editors are asked to start in a terminal of
    /// theirs.
    #[arg(long, value_name = "SOCKET", hide = true)]
    pub(crate) view: Option<String>,
}

/// What happens to calls that need approval when nobody can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NonInteractive {
    /// Deny the call and continue the turn.
    Deny,
    /// End the turn.
    Abort,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionsVerb {
    /// List saved sessions, newest first.
    List,
    /// Show a session.
    Show {
        /// ID of the session.
        id: String,
    },
    /// Remove a session and its stored output.
    Rm {
        /// ID of the session.
        id: String,
    },
}
