//! What can be typed after `haft approvals` and `haft trust`.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsVerb {
    /// Show and answer questions of this user's MCP servers whose client cannot ask, and of hooks
    /// whose host cannot. Runs until interrupted. With `--json`, questions are JSON lines on
    /// standard output and answers are JSON lines on standard input: `{"id":1,"answer":"once"}`;
    /// also `session`, `always`, and `no` with an optional `why`.
    Watch {
        /// Shell command to run at each question, with `HAFT_QUESTION`, `HAFT_TOOL`, `HAFT_CLIENT`
        /// and `HAFT_WORKDIR` in its environment.
        #[arg(long, value_name = "CMD")]
        notify: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum TrustVerb {
    /// Unblock a tool in every process of this user.
    Reset {
        /// Name of the tool.
        tool: String,
    },
}
