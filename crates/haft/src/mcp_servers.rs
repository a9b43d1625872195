//! MCP servers in a toolbox: where their pins are kept, what each is held to, and their tools among
//! the others.

use std::{ffi::OsString, path::Path, sync::Arc};

use tools_catalog::Checked;
use tools_core::{CallContext, DynExecutor, Redactor};
use tools_mcp_client::{
    Launch, Launcher, McpServers, McpTools, NetworkAccess, PreparedChild, PreparedRemote, PreparedServer, Secret,
    Server, TokenReader, Way, compile, pins::LockStore,
};
use tools_sandbox::kernel::{Network, NetworkNamespace};

use crate::{
    commands::Commands,
    config::{HaftConfig, LoadError, LoadedConfig},
    own_places::lock_file,
    wiring::Wiring,
};

/// The servers of a configuration; none is started.
///
/// # Errors
/// A server that cannot be used, by key and line.
pub(crate) fn servers(
    loaded: &LoadedConfig<HaftConfig>,
    beside: Option<&Path>,
    redactor: Arc<dyn Redactor>,
) -> Result<Arc<McpServers>, LoadError> {
    let compiled = compile(&loaded.config.mcp.servers);
    let servers = compiled
        .map_err(|error| loaded.fault(&format!("mcp.servers[{}].{}", error.index, error.key), error.problem))?;
    Ok(Arc::new(McpServers::new(servers, LockStore::new(lock_file(beside)), []).redacting(redactor)))
}

/// The tools of the servers, started below the confinement of `commands`; calls are held to the
/// pinned definitions.
pub(crate) fn executor(wiring: &Arc<Wiring>, commands: &Arc<Commands>) -> DynExecutor {
    let tools = McpTools::new(Arc::clone(&wiring.servers), launcher(wiring, commands));
    DynExecutor::new(Checked::new(DynExecutor::new(tools)))
}

/// Makes servers ready to be started.
pub(crate) fn launcher(wiring: &Arc<Wiring>, commands: &Arc<Commands>) -> Launcher {
    let (wiring, commands) = (Arc::clone(wiring), Arc::clone(commands));
    Arc::new(move |server: &Server, cx: &CallContext| {
        if server.is_remote() {
            return credentials(server).map(PreparedServer::Remote);
        }
        prepared(&wiring, &commands, server, cx).map(|child| PreparedServer::Child(Box::new(child)))
    })
}

/// What is sent to a server over HTTP besides the protocol; a command is run at the first request.
fn credentials(server: &Server) -> Result<PreparedRemote, String> {
    let config = &server.config;
    let variable = |name: &str| {
        let value = std::env::var(name).map_err(|_| format!("`{name}` is not set"))?;
        Secret::new(&value).ok_or_else(|| format!("`{name}` holds nothing that can be sent"))
    };
    let mut headers = Vec::new();
    for (name, value) in &config.headers {
        headers.push((
            name.clone(),
            Secret::new(value).ok_or_else(|| format!("the header `{name}` holds nothing that can be sent"))?,
        ));
    }
    for (name, holder) in &config.header_env {
        headers.push((name.clone(), variable(holder)?));
    }
    let token = if config.token_env.is_empty() {
        (!config.token_command.is_empty()).then(|| token_of(config.token_command.clone()))
    } else {
        let token = variable(&config.token_env)?;
        Some(Arc::new(move || -> Reading { Box::pin(std::future::ready(Ok(token.clone()))) }) as TokenReader)
    };
    let prepared = PreparedRemote::new(headers, token);
    #[cfg(feature = "mcp-client-http")]
    let login = config.takes_login().then(|| server_login(server)).transpose().map_err(|error| error.to_string())?;
    #[cfg(feature = "mcp-client-http")]
    let prepared = prepared.with_login(login);
    Ok(prepared)
}

/// The login of this user at the authorization server of an MCP server over HTTP.
///
/// # Errors
/// When the section of the server cannot be used, or a variable that it names is not set.
#[cfg(feature = "mcp-client-http")]
pub fn server_login(server: &Server) -> Result<Arc<tools_mcp_client::ServerLogin>, tools_mcp_client::LoginError> {
    use tools_mcp_client::{ClientKeys, LoginError, LoginStore, ServerLogin};
    let oauth = server.config.oauth.clone().unwrap_or_default();
    let variable = |name: &str| {
        let value = (!name.is_empty()).then(|| std::env::var(name)).transpose();
        value.map_err(|_| LoginError::Config(format!("`{name}` is not set")))
    };
    let keys =
        ClientKeys { secret: variable(&oauth.client_secret_env)?, private_key: variable(&oauth.private_key_env)? };
    ServerLogin::new(server, keys, &LoginStore::new(crate::own_places::logins()), Arc::new(tools_core::SystemClock))
}

type Reading = std::pin::Pin<Box<dyn Future<Output = Result<Secret, String>> + Send>>;

/// Reads a token that a command prints.
#[cfg(feature = "mcp-client-http")]
fn token_of(words: Vec<String>) -> TokenReader {
    Arc::new(move || -> Reading {
        let words = words.clone();
        Box::pin(async move {
            let text = tools_sandbox::process::printed(&words, "token_command").await?;
            Secret::new(&text).ok_or_else(|| "`token_command` printed no token".to_owned())
        })
    })
}

#[cfg(not(feature = "mcp-client-http"))]
fn token_of(_: Vec<String>) -> TokenReader {
    Arc::new(|| -> Reading { Box::pin(std::future::ready(Err("this build runs no commands for tokens".to_owned()))) })
}

fn prepared(wiring: &Wiring, commands: &Commands, server: &Server, cx: &CallContext) -> Result<PreparedChild, String> {
    let mut launch = Launch::of(server, commands.writable(), cx.workdir())?;
    let (network, way) = network(wiring, server, cx, &mut launch.env)?;
    let joins = way.as_ref().map(|(_, network)| Arc::clone(network));
    let sandbox = launch.held(|folders| commands.server(folders, network, joins.clone()))?;
    Ok(launch.in_sandbox(sandbox, way.map(|(way, _)| way)))
}

type NetworkWay = (Arc<dyn Way>, Arc<NetworkNamespace>);

#[cfg(feature = "egress")]
fn network(
    wiring: &Wiring,
    server: &Server,
    cx: &CallContext,
    env: &mut Vec<(OsString, OsString)>,
) -> Result<(Network, Option<NetworkWay>), String> {
    use tools_shell::WayOut as _;
    match server.config.network {
        NetworkAccess::Off => Ok((Network::Closed, None)),
        NetworkAccess::Open => Ok((Network::Open, None)),
        NetworkAccess::Gate => {
            let line = std::iter::once(&server.config.command).chain(&server.config.args);
            let line = line.map(String::as_str).collect::<Vec<_>>().join(" ");
            let passage = wiring.outlets.open(&line, cx);
            let passage = passage.ok_or("there can be no network of its own here, which `network = \"gate\"` needs")?;
            let variables = passage.variables();
            env.retain(|(name, _)| variables.iter().all(|(other, _)| other != name));
            env.extend(variables);
            let network = passage.network();
            Ok((Network::Gate, Some((Arc::new(GatedWay(passage)), network))))
        }
    }
}

#[cfg(not(feature = "egress"))]
fn network(
    _: &Wiring,
    server: &Server,
    _: &CallContext,
    _: &mut Vec<(OsString, OsString)>,
) -> Result<(Network, Option<NetworkWay>), String> {
    match server.config.network {
        NetworkAccess::Off => Ok((Network::Closed, None)),
        NetworkAccess::Open => Ok((Network::Open, None)),
        NetworkAccess::Gate => Err("this build has no gate for the network".to_owned()),
    }
}

/// The way out of a server through the endpoint of its session.
#[cfg(feature = "egress")]
struct GatedWay(Arc<dyn tools_shell::Passage>);

#[cfg(feature = "egress")]
impl std::fmt::Debug for GatedWay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("GatedWay")
    }
}

#[cfg(feature = "egress")]
impl Way for GatedWay {
    fn started(&self, supervisor: i32) {
        self.0.started(supervisor);
    }
}
