//! What can be typed about agents and their sessions.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// An agent on this workspace.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// What it has to do; without it lines of the input are tasks and commands.
    pub(crate) task: Option<String>,
    /// Play a script instead of asking a model.
    #[arg(long, value_name = "FILE", conflicts_with = "provider")]
    pub(crate) scripted: Option<PathBuf>,
    /// The model, by its name in `[[llm.providers]]` [default: `llm.provider`, else the first].
    #[arg(long, value_name = "NAME")]
    pub(crate) provider: Option<String>,
    /// Ask nobody: what would be asked is refused (`deny`), or ends the turn (`abort`).
    #[arg(long, value_name = "MODE")]
    pub(crate) non_interactive: Option<NonInteractive>,
    /// Go on with a kept session [default: the latest of this folder].
    #[arg(long, value_name = "ID", num_args = 0..=1)]
    #[expect(clippy::option_option, reason = "whether to go on is one question, and with which session another")]
    pub(crate) resume: Option<Option<String>>,
}

/// What becomes of questions where nobody is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NonInteractive {
    /// The call is refused, and the turn goes on.
    Deny,
    /// The turn ends.
    Abort,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionsVerb {
    /// List them, the latest first.
    List,
    /// Show one.
    Show {
        /// The session.
        id: String,
    },
    /// Remove one, and the output that was stored for it.
    Rm {
        /// The session.
        id: String,
    },
}
