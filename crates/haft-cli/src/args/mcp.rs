//! What can be typed after `haft mcp`, and which tools a server offers.

use std::{net::SocketAddr, path::PathBuf};

use clap::{Args, Subcommand};

use super::{AddServer, LoginToServer};

/// Which tools are offered.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Offer {
    /// Tool profile: `core`, `coding`, `full`, `gateway` or one of `[tools.profiles]` [default:
    /// `mcp.profile`].
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Offer only tools that never change anything.
    #[arg(long)]
    pub(crate) read_only: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum McpVerb {
    /// Serve the tools over standard input and output, or over HTTP.
    Serve {
        /// Use standard input and output (the default).
        #[arg(long, conflicts_with = "address")]
        stdio: bool,
        #[command(flatten)]
        http: Http,
        #[command(flatten)]
        offer: Offer,
    },
    /// Add an MCP server whose tools are offered alongside Haft's own.
    Add(AddServer),
    /// List the configured servers and how many tools of each are offered.
    List,
    /// Start servers, and report which tools they list and which are held for review.
    Test {
        /// Name of the server [default: all].
        #[arg(value_name = "ID")]
        id: Option<String>,
    },
    /// Log in to an HTTP server that requires a login (OAuth): print the address to open in a
    /// browser, and wait for the answer.
    Login(LoginToServer),
    /// Forget the login at a server, and revoke it if the authorization server supports that.
    Logout {
        /// Name of the server.
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Remove a server from the configuration, with its pins and its login.
    Remove {
        /// Name of the server.
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Import servers from the configuration files of other hosts: Claude Desktop, Claude Code,
    /// Codex, Cursor, Gemini CLI, VS Code, opencode, Zed.
    Import {
        /// Configuration files [default: those of the installed hosts].
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Show what would be added without adding it.
        #[arg(long)]
        dry_run: bool,
    },
}

/// Where and to whom the tools are served over HTTP.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Http {
    /// Listen on this address for streamable HTTP; port 0: any free one. Addresses other than
    /// loopback need a TLS certificate.
    #[arg(long = "http", value_name = "ADDR:PORT")]
    pub(crate) address: Option<SocketAddr>,
    /// File with one `[[guest]]` per token: `name`, `token`, and optionally `workdir` and `config`
    /// [default: one new token, which is printed].
    #[arg(long, value_name = "FILE", requires = "address")]
    pub(crate) guests: Option<PathBuf>,
    /// TLS certificate chain in PEM.
    #[arg(long, value_name = "FILE", requires_all = ["address", "tls_key"])]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Private key of the certificate in PEM.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Maximum number of sessions of one guest at a time.
    #[arg(long, value_name = "NUMBER", default_value_t = 1000, requires = "address")]
    pub(crate) max_sessions: usize,
    /// Seconds after which a session without requests ends.
    #[arg(long, value_name = "SECONDS", default_value_t = 1800, requires = "address")]
    pub(crate) idle: u64,
    /// Maximum number of bytes of a request body.
    #[arg(long, value_name = "BYTES", default_value_t = 4 << 20, requires = "address")]
    pub(crate) max_body: usize,
    /// Name of this server among several that serve the same guests. Session ids begin with it, and
    /// the header `Haft-Server` of every answer gives it.
    #[arg(long, value_name = "NAME", requires = "address")]
    pub(crate) name: Option<String>,
    /// Name under which clients reach the server (`HOST` or `HOST:PORT`), besides its address.
    #[arg(long, value_name = "HOST", requires = "address")]
    pub(crate) host: Vec<String>,
}
