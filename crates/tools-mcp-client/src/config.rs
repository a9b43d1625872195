//! `[[mcp.servers]]` as it is typed, and what of it runs.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::pins::skeleton;

/// The longest key of a server: the names of its tools begin with it.
const MAX_ID_LEN: usize = 32;

/// An MCP server whose tools are offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct McpServerConfig {
    /// The key of the server: letters, digits, `_` and `-`, at most 32. Its tools are called
    /// `mcp_<id>_<tool>`.
    pub id: String,
    /// Whether its tools are offered.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// The program to start: an absolute path, or a name that is looked up in `PATH`. The server
    /// speaks over its standard input and output.
    pub command: String,
    /// Arguments of the program.
    #[serde(default)]
    pub args: Vec<String>,
    /// Environment variables of the server. Besides these it gets `PATH`, `HOME`, `USER`,
    /// `LOGNAME`, `SHELL`, `LANG`, `LC_*`, `TZ`, `TERM` and a temporary folder of its own.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Variables of this process that are handed on to the server, by name; a `*` at the end stands
    /// for any ending.
    #[serde(default)]
    pub env_pass: Vec<String>,
    /// What the server may do with the workspace: `none`, `read` or `write`. Everywhere else it may
    /// write nothing but its temporary folder.
    #[serde(default)]
    pub workspace: WorkspaceAccess,
    /// Places outside the workspace that the server may read, besides programs and libraries:
    /// absolute paths, or below `~`.
    #[serde(default)]
    pub read_paths: Vec<String>,
    /// The network of the server: `off`, `gate` (only hosts that `[tools.permissions] network`
    /// allows) or `open`.
    #[serde(default)]
    pub network: NetworkAccess,
    /// Whether the annotations of its tools are believed. Without it every tool of the server
    /// counts as one that may destroy something and talks to the outside, whatever it declares.
    #[serde(default)]
    pub trust: bool,
    /// Seconds that one call may take.
    #[serde(default = "timeout")]
    pub timeout: u64,
    /// Seconds until the server must have answered the first requests after its start.
    #[serde(default = "start_timeout")]
    pub start_timeout: u64,
    /// How many tokens (estimated) of one result are shown; what is longer is stored and can be
    /// read in parts.
    #[serde(default = "max_output_tokens")]
    pub max_output_tokens: usize,
    /// Whether definitions are pinned: `ask` takes those of the first contact and holds every later
    /// change for `haft pins review`; `strict` offers nothing that was not reviewed; `off` takes
    /// whatever the server says.
    #[serde(default)]
    pub pin: PinMode,
    /// Tools of the server that are offered, by the server's names; empty for all. A `*` at the end
    /// stands for any ending.
    #[serde(default)]
    pub allow_tools: Vec<String>,
    /// Tools of the server that are not offered; as `allow_tools`, and stronger.
    #[serde(default)]
    pub deny_tools: Vec<String>,
}

fn yes() -> bool {
    true
}

fn timeout() -> u64 {
    60
}

fn start_timeout() -> u64 {
    30
}

fn max_output_tokens() -> usize {
    25_000
}

/// What a server may do with the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkspaceAccess {
    /// It does not see it.
    None,
    /// It reads it, but for what no tool may read.
    #[default]
    Read,
    /// It reads and writes it, as commands of the shell do.
    Write,
}

/// The network of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NetworkAccess {
    /// None.
    #[default]
    Off,
    /// Only what the rules on hosts let through.
    Gate,
    /// That of the machine.
    Open,
}

/// Whether definitions are pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PinMode {
    /// What is seen first is trusted, later changes are held.
    #[default]
    Ask,
    /// Only what was reviewed is offered.
    Strict,
    /// Nothing is compared.
    Off,
}

/// A value of `[[mcp.servers]]` that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`mcp.servers[{index}].{key}`: {problem}")]
pub struct ServerConfigError {
    /// Which server, from 0.
    pub index: usize,
    /// The key of the server's table.
    pub key: &'static str,
    /// What is wrong, and what would be right.
    pub problem: String,
}

/// A server that can be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// As it was typed.
    pub config: McpServerConfig,
    /// How long one call may take.
    pub(crate) timeout: Duration,
    /// How long the start may take.
    pub(crate) start_timeout: Duration,
}

impl Server {
    /// The key of the server.
    pub fn id(&self) -> &str {
        &self.config.id
    }

    /// Whether the configuration offers this tool of the server.
    pub(crate) fn offers(&self, tool: &str) -> bool {
        let is_listed = |list: &[String]| {
            list.iter().any(|pattern| match pattern.strip_suffix('*') {
                Some(start) => tool.starts_with(start),
                None => tool == pattern,
            })
        };
        let (allowed, denied) = (&self.config.allow_tools, &self.config.deny_tools);
        !is_listed(denied) && (allowed.is_empty() || is_listed(allowed))
    }

    /// What is started, for comparison: another program, other arguments or another set of
    /// variables give another digest.
    pub(crate) fn launch_digest(&self) -> String {
        let McpServerConfig { command, args, env, .. } = &self.config;
        crate::pins::digest(
            &serde_json::json!({"command": command, "args": args, "env": env.keys().collect::<Vec<_>>()}),
        )
    }
}

/// Compiles a list of servers; those that are not enabled are checked and left out.
///
/// # Errors
/// The first value that cannot be used.
pub fn compile(servers: &[McpServerConfig]) -> Result<Vec<Server>, ServerConfigError> {
    let mut seen = BTreeSet::new();
    let mut compiled = Vec::new();
    for (index, config) in servers.iter().enumerate() {
        let fault = |key, problem: String| Err(ServerConfigError { index, key, problem });
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if config.id.is_empty() || config.id.len() > MAX_ID_LEN || !config.id.chars().all(fits) {
            return fault("id", format!("expected 1 to {MAX_ID_LEN} characters out of letters, digits, `_` and `-`"));
        }
        if !seen.insert(skeleton(&config.id)) {
            return fault("id", format!("another server has the key `{}`, or one that looks like it", config.id));
        }
        if config.command.trim().is_empty() {
            return fault("command", "expected a program".to_owned());
        }
        if config.command.contains('/') && !config.command.starts_with(['/', '~']) {
            return fault("command", "expected an absolute path, or a name that is looked up in `PATH`".to_owned());
        }
        if let Some(name) = config.env.keys().find(|name| name.is_empty() || name.contains(['=', '\0'])) {
            return fault("env", format!("`{}` is no name of a variable", name.escape_debug()));
        }
        if config.timeout == 0 {
            return fault("timeout", "expected at least 1 second".to_owned());
        }
        if config.start_timeout == 0 {
            return fault("start_timeout", "expected at least 1 second".to_owned());
        }
        if config.max_output_tokens == 0 {
            return fault("max_output_tokens", "expected at least 1".to_owned());
        }
        if config.enabled {
            compiled.push(Server {
                timeout: Duration::from_secs(config.timeout),
                start_timeout: Duration::from_secs(config.start_timeout),
                config: config.clone(),
            });
        }
    }
    Ok(compiled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(id: &str) -> McpServerConfig {
        serde_json::from_value(serde_json::json!({"id": id, "command": "server"})).unwrap()
    }

    #[test]
    fn what_cannot_be_used_is_named_by_its_key() {
        let check = |servers: &[McpServerConfig], expected: Option<(usize, &str)>| {
            let found = compile(servers).err();
            assert_eq!(found.as_ref().map(|error| (error.index, error.key)), expected, "{found:?}");
        };
        check(&[server("a"), server("b")], None);
        check(&[server("")], Some((0, "id")));
        check(&[server("a b")], Some((0, "id")));
        check(&[server("files"), server("fi1es")], Some((1, "id")));
        check(&[McpServerConfig { command: "bin/x".to_owned(), ..server("a") }], Some((0, "command")));
        check(&[McpServerConfig { timeout: 0, ..server("a") }], Some((0, "timeout")));
    }

    #[test]
    fn denied_tools_are_not_offered_though_they_are_allowed() {
        let lists = McpServerConfig {
            allow_tools: vec!["read*".to_owned()],
            deny_tools: vec!["read_secret".to_owned()],
            ..server("a")
        };
        let server = compile(&[lists]).unwrap().remove(0);
        assert!(server.offers("read_file") && !server.offers("read_secret") && !server.offers("write"));
    }
}
