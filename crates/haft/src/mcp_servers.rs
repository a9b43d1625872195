//! MCP servers in a toolbox: where their pins are kept, what each is held to, and their tools among
//! the others.

use std::{ffi::OsString, path::Path, sync::Arc};

use tools_catalog::Checked;
use tools_core::{CallContext, DynExecutor, Redactor};
#[cfg(feature = "mcp-client-http")]
use tools_mcp_client::PreparedRemote;
use tools_mcp_client::{
    Launch, LaunchFolders, Launcher, McpServers, McpTools, NetworkAccess, PreparedChild, PreparedServer, Server, Way,
    compile, pins::LockStore,
};
use tools_sandbox::kernel::{Network, NetworkNamespace};

use crate::{
    commands::Commands,
    config::{HaftConfig, LoadError, LoadedConfig, places::lock_file},
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
            #[cfg(feature = "mcp-client-http")]
            return PreparedRemote::of(server, &crate::config::places::logins()).map(PreparedServer::Remote);
            #[cfg(not(feature = "mcp-client-http"))]
            return Err("this build reaches no servers over HTTP".to_owned());
        }
        prepared(&wiring, &commands, server, cx).map(|child| PreparedServer::Child(Box::new(child)))
    })
}

/// The login of this user at the authorization server of an MCP server over HTTP.
///
/// # Errors
/// As [`tools_mcp_client::ServerLogin::of_user`].
#[cfg(feature = "mcp-client-http")]
pub fn server_login(server: &Server) -> Result<Arc<tools_mcp_client::ServerLogin>, tools_mcp_client::LoginError> {
    tools_mcp_client::ServerLogin::of_user(server, &crate::config::places::logins())
}

fn prepared(wiring: &Wiring, commands: &Commands, server: &Server, cx: &CallContext) -> Result<PreparedChild, String> {
    let mut launch = Launch::of(server, commands.held.writable(), cx.workdir())?;
    let (network, way) = network(wiring, server, cx, &mut launch.env)?;
    let joins = way.as_ref().map(|(_, network)| Arc::clone(network));
    let sandbox = launch.held(|LaunchFolders { writable, protected, readable }| {
        let further = readable.into_iter().map(|place| (place, "`mcp.servers`".to_owned())).collect();
        commands.held.server(writable, protected, further, network, joins.clone())
    })?;
    Ok(launch.in_sandbox(sandbox, commands.held.hidden(), way.map(|(way, _)| way)))
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
