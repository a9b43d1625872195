//! Haft's own files and folders. Calls must not write those that decide about later calls or that
//! record what calls did, and no tool may read the private ones. They are protected even if they do
//! not exist yet.

use std::path::{Path, PathBuf, absolute};
use std::sync::Arc;

use tools_sandbox::kernel::Canonical;

use super::{HaftConfig, LoadError, LoadedConfig, paths, places};

/// This user's folders that belong to Haft as a whole, under the names by which they are read.
fn folders() -> Vec<PathBuf> {
    let usual = places::config_file().and_then(|file| file.parent().map(Path::to_owned));
    usual.into_iter().chain([places::state_dir()]).filter_map(|folder| absolute(folder).ok()).collect()
}

/// Creates the folders that would lie where tools may write, since the kernel cannot protect a
/// missing path. `discovered` is a configuration file that was found, not named.
///
/// # Errors
/// If one cannot be protected, or the discovered file lies where tools may write.
pub(crate) fn guard(config: &HaftConfig, workdir: &Path, discovered: Option<&Path>) -> Result<(), LoadError> {
    let roots = paths::writable(config, workdir);
    if let Some(file) = discovered {
        let names = [absolute(file).ok(), file.canonicalize().ok()];
        if let Some(root) = roots.iter().find(|root| names.iter().flatten().any(|name| name.starts_with(root))) {
            return Err(LoadError::Writable { file: file.to_owned(), root: root.clone() });
        }
    }
    for path in folders() {
        if let Some(root) = roots.iter().find(|root| path.starts_with(root)) {
            tools_sandbox::make_private_below(root, &path).map_err(|problem| LoadError::Unguarded { path, problem })?;
        }
    }
    Ok(())
}

/// Places that decide about calls or record what they did, determined from the first configuration.
#[derive(Debug)]
pub(crate) struct ReservedPlaces {
    own: Vec<PathBuf>,
    config: Arc<HaftConfig>,
}

impl ReservedPlaces {
    /// Places of a configuration that is, or would be, in the file `beside`.
    pub(crate) fn new(loaded: &LoadedConfig, config: &Arc<HaftConfig>, beside: Option<&Path>) -> Self {
        let named = std::env::var_os("HAFT_CONFIG").map(PathBuf::from).filter(|file| file.is_absolute());
        let overlays = loaded.overlay_folder().map(Path::to_owned);
        let files = loaded.file.clone().into_iter().chain(overlays).chain(named).chain(obeyed(config, beside));
        let own = files.filter_map(|file| absolute(file).ok()).chain(folders()).collect();
        Self { own, config: Arc::clone(config) }
    }

    /// All places as they are now, existing or not, under every name they have.
    pub(crate) fn now(&self) -> Vec<PathBuf> {
        let mut canonical = Canonical::default();
        let kept = kept(&self.config, &mut canonical);
        let named = self.own.iter().chain(&kept);
        let mut reserved: Vec<PathBuf> =
            named.flat_map(|file| [absolute(file).ok(), canonical.of(file)]).flatten().collect();
        reserved.sort();
        reserved.dedup();
        reserved
    }
}

/// Places besides the configuration that decide about calls, under the names by which they are
/// read. They may not exist.
fn obeyed(config: &HaftConfig, beside: Option<&Path>) -> Vec<PathBuf> {
    let _ = (config, beside);
    let files = Vec::<Option<PathBuf>>::from([
        #[cfg(feature = "filter")]
        tools_filter::Filters::file(&config.tools.filters, beside, tools_sandbox::home().as_deref()),
        #[cfg(feature = "policy")]
        Some(config.tools.approvals.file(&places::state_dir())),
        #[cfg(feature = "mcp-client")]
        Some(places::lock_file(beside)),
    ]);
    files.into_iter().flatten().collect()
}

/// Places that store what calls did: the record, changes, approvals.
fn kept(config: &HaftConfig, canonical: &mut Canonical) -> Vec<PathBuf> {
    let state = places::state_dir();
    let _ = (config, &canonical, &state);
    let folders = Vec::<Vec<PathBuf>>::from([
        #[cfg(feature = "policy")]
        vec![config.tools.approvals.scripts(&state)],
        #[cfg(feature = "audit")]
        config.tools.audit.files(&state),
        #[cfg(feature = "checkpoint")]
        Vec::from_iter(keeps_changes(config).then(|| config.tools.checkpoints.folder(&state, canonical))),
    ]);
    folders.concat()
}

/// Whether changes of calls are stored.
#[cfg(feature = "checkpoint")]
pub(crate) fn keeps_changes(config: &HaftConfig) -> bool {
    config.tools.checkpoints.enabled && config.tools.enabled
}

/// Places that no tool may even read: data stored for others.
pub(crate) fn private(config: &HaftConfig) -> Vec<PathBuf> {
    let (state, mut canonical) = (places::state_dir(), Canonical::default());
    // A build without such stores has no private places.
    let _ = config;
    let stores = Vec::<Option<&PathBuf>>::from([
        #[cfg(feature = "sqlite")]
        Some(&config.tools.overflow)
            .filter(|store| store.enabled && store.database.is_empty())
            .map(|store| &store.path),
        #[cfg(feature = "memory")]
        config.tools.memory.enabled.then_some(&config.tools.memory.path),
        #[cfg(feature = "scheduler")]
        config.scheduler.enabled.then_some(&config.scheduler.path),
    ]);
    let stores: Vec<PathBuf> = (stores.into_iter().flatten())
        .flat_map(|path| tools_sandbox::store_places(&state, path, &mut canonical))
        .collect();
    let others = Vec::<PathBuf>::from([
        #[cfg(feature = "checkpoint")]
        config.tools.checkpoints.folder(&state, &mut canonical),
        #[cfg(feature = "policy")]
        config.tools.approvals.scripts(&state),
        #[cfg(feature = "mcp-client-http")]
        logins(config, &mut canonical),
    ]);
    [stores, others].concat()
}

/// Folder of logins at MCP servers. It is created if a server takes logins: the kernel cannot hide
/// a missing folder, and a user may log in while a job runs.
#[cfg(feature = "mcp-client-http")]
fn logins(config: &HaftConfig, canonical: &mut Canonical) -> PathBuf {
    let folder = places::logins();
    if config.mcp.servers.iter().any(tools_mcp_client::McpServerConfig::takes_login) {
        let _ = tools_sandbox::make_private_folder(&folder);
    }
    canonical.by_words(&folder)
}
