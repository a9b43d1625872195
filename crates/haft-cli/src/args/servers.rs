//! Options of `haft mcp add` and `haft mcp login`.

use clap::{Args, ValueEnum};

/// A server to add.
#[derive(Debug, Args)]
pub(crate) struct AddServer {
    /// Name of the server. Its tools are called `mcp_<ID>_<tool>`.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Environment variable to set for the server.
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<String>,
    /// Environment variable to pass through to the server.
    #[arg(long, value_name = "NAME")]
    pub(crate) env_pass: Vec<String>,
    /// Path outside the workspace that the server may read.
    #[arg(long, value_name = "PATH")]
    pub(crate) read_path: Vec<String>,
    /// Access of the server to the workspace.
    #[arg(long, value_enum, default_value_t = ServerWorkspace::Read, value_name = "ACCESS")]
    pub(crate) workspace: ServerWorkspace,
    /// Network access of the server.
    #[arg(long, value_enum, default_value_t = ServerNetwork::Off, value_name = "MODE")]
    pub(crate) network: ServerNetwork,
    /// Address of a server to reach over streamable HTTP instead of running a program: `https://…`,
    /// or `http://…` on this machine.
    #[arg(long, value_name = "URL", conflicts_with_all = ["env", "env_pass", "read_path", "workspace", "network", "command"])]
    pub(crate) url: Option<String>,
    /// With `--url`: environment variable that holds the bearer token.
    #[arg(long, value_name = "NAME", requires = "url")]
    pub(crate) token_env: Option<String>,
    /// With `--url`: header to send, and the environment variable that holds its value.
    #[arg(long, value_name = "HEADER=NAME", requires = "url")]
    pub(crate) header_env: Vec<String>,
    /// With `--url`: allow a public name to resolve to a private address.
    #[arg(long, requires = "url")]
    pub(crate) private: bool,
    /// With `--url`: id of a client that is registered at the authorization server.
    #[arg(long, value_name = "ID", requires = "url")]
    pub(crate) client_id: Option<String>,
    /// With `--client-id`: environment variable that holds its secret.
    #[arg(long, value_name = "NAME", requires_all = ["client_id", "issuer"])]
    pub(crate) client_secret_env: Option<String>,
    /// With `--url`: the only authorization server to log in to.
    #[arg(long, value_name = "URL", requires = "url")]
    pub(crate) issuer: Option<String>,
    /// Program to run and its arguments.
    #[arg(required_unless_present = "url", trailing_var_arg = true, allow_hyphen_values = true, value_name = "CMD")]
    pub(crate) command: Vec<String>,
}

/// A login to make.
#[derive(Debug, Args)]
pub(crate) struct LoginToServer {
    /// Name of the server.
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Scope to request, besides those of the configuration [default: those the server requires].
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Vec<String>,
    /// Accept this authorization server in place of the one of the last login.
    #[arg(long, value_name = "URL")]
    pub(crate) accept_issuer: Option<String>,
    /// Seconds to wait for the browser.
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pub(crate) timeout: u64,
}

/// Access of a server to the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ServerWorkspace {
    /// The workspace is not visible.
    None,
    /// Read only.
    Read,
    /// Read and write.
    Write,
}

/// Network access of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ServerNetwork {
    /// No network.
    Off,
    /// Only hosts that the host rules allow.
    Gate,
    /// Unrestricted.
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
