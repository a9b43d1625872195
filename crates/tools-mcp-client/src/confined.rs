//! A launcher for programs that need no other confinement: starts servers over stdio as their
//! sections say.

use std::{path::PathBuf, sync::Arc};

use tools_core::CallContext;
use tools_sandbox::kernel::{Confinement, MaskRules, Network, Sandbox};
use tools_sandbox::view::{Surroundings, View, ViewRequest};

use crate::{Launch, LaunchFolders, Launcher, NetworkAccess, PreparedServer, Server};

/// A launcher that starts servers over stdio as their sections say: with the environment of `env`
/// and `env_pass`, the access of `workspace` to the working directory of the call, the places of
/// `read_paths`, and no network but with `network = "open"`. Whatever the section says, the home is
/// empty but for toolchains and these places, and the files of
/// [`SECRET_PRESET`](tools_sandbox::SECRET_PRESET) are masked.
///
/// `network = "gate"` and servers over HTTP are errors: a gate and the credentials for a request
/// are the host's, which writes a [`Launcher`] of its own, over [`Launch`].
///
/// ```no_run
/// use std::sync::Arc;
///
/// use tools_core::CallContext;
/// use tools_mcp_client::{McpServers, McpTools, compile, confined_launcher, pins::LockStore};
///
/// async fn tools(project: &str) -> Result<McpTools, Box<dyn std::error::Error>> {
///     let section = serde_json::json!({"id": "notes", "command": "notes-server", "workspace": "read"});
///     let servers = compile(&[serde_json::from_value(section)?])?;
///     let servers = Arc::new(McpServers::new(servers, LockStore::new("mcp.lock.json"), []));
///     let launcher = confined_launcher();
///     servers.introduce(&launcher, &CallContext::new(project)).await; // pins what they list
///     Ok(McpTools::new(servers, launcher))
/// }
/// ```
pub fn confined_launcher() -> Launcher {
    let hidden = MaskRules::preset();
    Arc::new(move |server: &Server, cx: &CallContext| {
        if server.is_remote() {
            return Err("a server over HTTP needs a launcher that knows its credentials".to_owned());
        }
        let network = match server.config.network {
            NetworkAccess::Off => Network::Closed,
            NetworkAccess::Open => Network::Open,
            NetworkAccess::Gate => return Err("there is no gate for the network here".to_owned()),
        };
        let workspace = cx.workdir().canonicalize().map_err(|error| format!("the working directory: {error}"))?;
        let launch = Launch::of(server, vec![workspace], cx.workdir())?;
        let sandbox = launch.held(|folders| held(folders, &hidden, network))?;
        Ok(PreparedServer::Child(Box::new(launch.in_sandbox(sandbox, &hidden, None))))
    })
}

fn held(folders: LaunchFolders, rules: &MaskRules, network: Network) -> Result<Sandbox, String> {
    let LaunchFolders { writable, protected, readable } = folders;
    let further: Vec<(PathBuf, String)> =
        readable.into_iter().map(|place| (place, "the section of the server".to_owned())).collect();
    let ask = ViewRequest {
        writable: &writable,
        further: &further,
        denies: &|path| rules.denies(path),
        handed_in: vec![],
        caches: None,
    };
    let view = View::discover(&Surroundings::of_process(), ask);
    let masks = rules.masks(&writable);
    if masks.incomplete {
        return Err("the folders that it may write are too large to be searched for secret files".to_owned());
    }
    let mut hidden = masks.paths;
    hidden.extend(rules.masks_read_only(&view.searched, &writable));
    let (held, absent) = (masks.obeyed.held(), masks.obeyed.missing_hooks);
    let view = Some(Arc::new(view));
    let ask = Confinement { writable, hidden, protected, held, absent, view, network, ..Confinement::default() };
    Sandbox::compile(&ask).map_err(|error| error.to_string())
}
