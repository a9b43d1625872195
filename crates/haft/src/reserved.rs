//! What no tool may change, and what none may even read, of a toolbox.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use tools_sandbox::kernel::Canonical;
#[cfg(any(feature = "memory", feature = "scheduler", feature = "sqlite"))]
use tools_sandbox::store_places;

use crate::{
    config::{HaftConfig, LoadedConfig, places},
    own_places::OwnPlaces,
};

/// The places that decide about calls, and those that keep what calls did. Told from the first
/// configuration.
#[derive(Debug)]
pub(crate) struct ReservedPlaces {
    own: Vec<PathBuf>,
    config: Arc<HaftConfig>,
}

impl ReservedPlaces {
    /// Those of a configuration that stands, or would stand, in the file `beside`.
    pub(crate) fn new(
        own: &OwnPlaces,
        loaded: &LoadedConfig<HaftConfig>,
        config: &Arc<HaftConfig>,
        beside: Option<&Path>,
    ) -> Self {
        let named = std::env::var_os("HAFT_CONFIG").map(PathBuf::from).filter(|file| file.is_absolute());
        let overlays = loaded.overlay_folder().map(Path::to_owned);
        let files = loaded.file.clone().into_iter().chain(overlays).chain(named).chain(obeyed(config, beside));
        let own = files.filter_map(|file| std::path::absolute(file).ok()).chain(own.folders().iter().cloned());
        Self { own: own.collect(), config: Arc::clone(config) }
    }

    /// All of them as they are now, wherever they lie and whether or not they are there, under
    /// every name they have.
    pub(crate) fn now(&self) -> Vec<PathBuf> {
        let mut canonical = Canonical::default();
        let kept = kept(&self.config, &mut canonical);
        let named = self.own.iter().chain(&kept).flat_map(|file| {
            let canonical = canonical.of(file);
            std::path::absolute(file).ok().into_iter().chain(canonical)
        });
        let mut reserved: Vec<PathBuf> = named.collect();
        reserved.sort();
        reserved.dedup();
        reserved
    }
}

/// What decides about calls beside the configuration, under the names by which it is read: it may
/// not be there.
fn obeyed(config: &HaftConfig, beside: Option<&Path>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    #[cfg(feature = "filter")]
    files.extend(tools_filter::Filters::file(&config.tools.filters, beside, tools_sandbox::home().as_deref()));
    #[cfg(feature = "policy")]
    files.push(config.tools.approvals.file(&places::state_dir()));
    #[cfg(feature = "mcp-client")]
    files.push(places::lock_file(beside));
    let _ = (config, beside, &mut files);
    files
}

/// What is kept of calls: the record of them, what they changed, what people agreed to.
fn kept(config: &HaftConfig, canonical: &mut Canonical) -> Vec<PathBuf> {
    let (mut folders, state) = (Vec::new(), places::state_dir());
    #[cfg(feature = "policy")]
    folders.push(config.tools.approvals.scripts(&state));
    #[cfg(feature = "audit")]
    folders.extend(config.tools.audit.files(&state));
    #[cfg(feature = "checkpoint")]
    if config.tools.checkpoints.enabled && config.tools.enabled {
        folders.push(crate::checkpoints::folder(config, &state, canonical));
    }
    let _ = (config, state, canonical, &mut folders);
    folders
}

/// What no tool may even read: what was kept for others.
pub(crate) fn private(config: &HaftConfig) -> Vec<PathBuf> {
    let (mut folders, mut canonical) = (Vec::new(), Canonical::default());
    let state = places::state_dir();
    #[cfg(feature = "sqlite")]
    if config.tools.overflow.enabled && config.tools.overflow.database.is_empty() {
        folders.extend(store_places(&state, &config.tools.overflow.path, &mut canonical));
    }
    #[cfg(feature = "memory")]
    if config.tools.memory.enabled {
        folders.extend(store_places(&state, &config.tools.memory.path, &mut canonical));
    }
    #[cfg(feature = "scheduler")]
    if config.scheduler.enabled {
        folders.extend(store_places(&state, &config.scheduler.path, &mut canonical));
    }
    #[cfg(feature = "checkpoint")]
    folders.push(crate::checkpoints::folder(config, &state, &mut canonical));
    #[cfg(feature = "policy")]
    folders.push(config.tools.approvals.scripts(&state));
    #[cfg(feature = "mcp-client-http")]
    folders.push(logins(config, &mut canonical));
    let _ = (config, state, &mut canonical, &mut folders);
    folders
}

/// The folder of logins at MCP servers. It is made where somebody may log in while a job runs: what
/// is not there cannot be hidden by the kernel.
#[cfg(feature = "mcp-client-http")]
fn logins(config: &HaftConfig, canonical: &mut Canonical) -> PathBuf {
    let folder = places::logins();
    if config.mcp.servers.iter().any(tools_mcp_client::McpServerConfig::takes_login) {
        let _ = tools_sandbox::make_private_folder(&folder);
    }
    canonical.by_words(&folder)
}
