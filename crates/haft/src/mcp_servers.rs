//! Sets up MCP servers in a toolbox: the place of their pins, and their confinement.

use std::sync::Arc;

use tools_mcp_client::{Introductions, Launcher, McpServers, compile, pins::LockStore};

use crate::Toolbox;
use crate::config::{LoadError, places};
use crate::part::PartMaker;
use crate::parts::Parts;

impl PartMaker<'_> {
    /// The configured servers; none is started.
    pub(crate) fn servers(&mut self) -> Result<Arc<McpServers>, LoadError> {
        let servers = compile(&self.config.mcp.servers);
        let servers = servers.map_err(|error| self.loaded.fault_in("mcp", error.fault()))?;
        let servers = McpServers::new(servers, LockStore::new(places::lock_file(self.beside)), []);
        let servers = Arc::new(servers.redacting(self.redactor()));
        self.list.ends.register(&servers, McpServers::end);
        Ok(servers)
    }
}

/// Launches servers inside the confinement of commands.
pub(crate) fn launcher(parts: &Parts, commands: &Arc<tools_shell::CommandConfinement>) -> Launcher {
    #[cfg(feature = "egress")]
    let out = Some(Arc::clone(&parts.outlets) as _);
    #[cfg(not(feature = "egress"))]
    let (out, _) = (None, parts);
    tools_mcp_client::launcher(Arc::clone(commands) as _, out, places::logins())
}

impl Toolbox {
    /// Launcher of MCP servers for calls of this toolbox; `None` if it has no tools.
    pub fn server_launcher(&self) -> Option<Launcher> {
        Some(launcher(self.parts(), self.commands()?))
    }

    /// Asks MCP servers for their tools if these are not known yet. The definitions are saved, so
    /// that later starts do not ask again. The result names each server that cannot be reached; the
    /// tools of the others are offered.
    pub async fn introduce_servers(&self) -> Introductions {
        let servers = &self.parts().servers;
        let Some(launcher) = self.server_launcher().filter(|_| !servers.all().is_empty()) else {
            return Introductions::default();
        };
        let introduced = servers.introduce(&launcher, &self.context).await;
        self.refresh();
        introduced
    }

    /// Updates the offered tools to what MCP servers list now. To be called between turns.
    pub fn relist(&self) {
        if self.parts().servers.settle() {
            self.refresh();
        }
    }

    /// Makes all stacks ask their executors for their tools again.
    fn refresh(&self) {
        self.inner.joined.all().iter().for_each(|joined| joined.refresh());
    }
}
