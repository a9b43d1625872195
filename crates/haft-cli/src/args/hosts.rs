//! What can be typed after `haft setup`.

use clap::Args;
use haft::hosts::Host;

/// Which host to set up, and how.
#[derive(Debug, Default, Args)]
pub(crate) struct Setup {
    /// The host: `claude-code`, `codex`, `gemini`, `cursor`, `zed`, `vscode`, `opencode` or
    /// `goose`.
    pub(crate) host: Option<Host>,
    /// Show the changes without making them.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Revert the setup. A file that has not changed since is restored byte for byte.
    #[arg(long, requires = "host")]
    pub(crate) undo: bool,
    /// Tool profile that the server offers [default: `core`].
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Add only the MCP server, no hooks.
    #[arg(long)]
    pub(crate) no_hooks: bool,
    /// Leave allowed commands to the host instead of running them through `haft exec`.
    #[arg(long)]
    pub(crate) no_exec: bool,
}
