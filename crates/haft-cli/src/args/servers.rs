//! What can be typed about an MCP server that is added.

use clap::{Args, ValueEnum};

/// A server to add.
#[derive(Debug, Args)]
pub(crate) struct AddServer {
    /// The key of the server: its tools are called `mcp_<ID>_<tool>`.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// A variable of its environment.
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<String>,
    /// A variable of this environment that it gets, too.
    #[arg(long, value_name = "NAME")]
    pub(crate) env_pass: Vec<String>,
    /// A place outside the workspace that it may read.
    #[arg(long, value_name = "PATH")]
    pub(crate) read_path: Vec<String>,
    /// What it may do with the workspace.
    #[arg(long, value_enum, default_value_t = ServerWorkspace::Read, value_name = "ACCESS")]
    pub(crate) workspace: ServerWorkspace,
    /// Its network.
    #[arg(long, value_enum, default_value_t = ServerNetwork::Off, value_name = "MODE")]
    pub(crate) network: ServerNetwork,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "CMD")]
    pub(crate) command: Vec<String>,
}

/// What a server may do with the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ServerWorkspace {
    /// It does not see it.
    None,
    /// It reads it.
    Read,
    /// It reads and writes it.
    Write,
}

/// The network of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ServerNetwork {
    /// None.
    Off,
    /// Only what rules on hosts let through.
    Gate,
    /// That of the machine.
    Open,
}

impl std::fmt::Display for ServerWorkspace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.to_possible_value().as_ref().map_or("", |value| value.get_name()))
    }
}

impl std::fmt::Display for ServerNetwork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.to_possible_value().as_ref().map_or("", |value| value.get_name()))
    }
}
