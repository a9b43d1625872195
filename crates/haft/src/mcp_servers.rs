//! MCP servers in a toolbox: where their pins are kept, what each is held to, and their tools among
//! the others.

use std::{path::Path, sync::Arc};

use tools_catalog::Checked;
use tools_core::{CallContext, DynExecutor, Shared};
#[cfg(feature = "mcp-client-http")]
use tools_mcp_client::PreparedRemote;
use tools_mcp_client::{
    Launch, LaunchFolders, Launcher, McpServers, McpTools, PreparedChild, PreparedServer, Server, compile,
    pins::LockStore,
};
use tools_secrets::SecretRedactor;

use crate::{
    commands::Commands,
    config::{HaftConfig, LoadError, LoadedConfig, places::lock_file},
    part::PartList,
    wiring::Wiring,
};

/// The servers of a configuration; none is started.
///
/// # Errors
/// A server that cannot be used, by key and line.
pub(crate) fn servers(
    loaded: &LoadedConfig<HaftConfig>,
    beside: Option<&Path>,
    redactor: &Shared<SecretRedactor>,
    parts: &mut PartList,
) -> Result<Arc<McpServers>, LoadError> {
    let compiled = compile(&loaded.config.mcp.servers);
    let servers = compiled
        .map_err(|error| loaded.fault(&format!("mcp.servers[{}].{}", error.index, error.key), error.problem))?;
    let servers = McpServers::new(servers, LockStore::new(lock_file(beside)), []).redacting(Arc::new(redactor.clone()));
    let servers = Arc::new(servers);
    parts.forget(&servers, McpServers::end);
    Ok(servers)
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
    #[cfg(feature = "egress")]
    let out = Some(&*wiring.outlets as &dyn tools_sandbox::kernel::WayOut);
    #[cfg(not(feature = "egress"))]
    let (out, _) = (None, wiring);
    let (network, way) = launch.network(server, out, cx)?;
    let sandbox = launch.held(|LaunchFolders { writable, protected, readable }| {
        let further = readable.into_iter().map(|place| (place, "`mcp.servers`".to_owned())).collect();
        commands.held.server(writable, protected, further, network, way.as_ref().map(|way| way.network()))
    })?;
    Ok(launch.in_sandbox(sandbox, commands.held.hidden(), way))
}
