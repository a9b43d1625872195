//! The places of our own: what calls must not write, since it decides about later ones or keeps
//! what calls did, and what no tool may even read. They are kept from calls also when they are not
//! there yet.

use std::path::{Path, PathBuf, absolute};
use std::sync::Arc;

use tools_sandbox::kernel::Canonical;

use super::{HaftConfig, LoadError, LoadedConfig, paths, places};

/// Folders of this user that are ours as a whole, under the names by which they are read.
fn folders() -> Vec<PathBuf> {
    let usual = places::config_file().and_then(|file| file.parent().map(Path::to_owned));
    usual.into_iter().chain([places::state_dir()]).filter_map(|folder| absolute(folder).ok()).collect()
}

/// Makes the folders that would lie where tools may write: what is not there cannot be held by the
/// kernel. `discovered` is a configuration file that was found, not given by its path.
///
/// # Errors
/// When one cannot be held, or what was found lies where tools may write.
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

/// The places that decide about calls, and those that keep what calls did. Told from the first
/// configuration.
#[derive(Debug)]
pub(crate) struct ReservedPlaces {
    own: Vec<PathBuf>,
    config: Arc<HaftConfig>,
}

impl ReservedPlaces {
    /// Those of a configuration that stands, or would stand, in the file `beside`.
    pub(crate) fn new(loaded: &LoadedConfig, config: &Arc<HaftConfig>, beside: Option<&Path>) -> Self {
        let named = std::env::var_os("HAFT_CONFIG").map(PathBuf::from).filter(|file| file.is_absolute());
        let overlays = loaded.overlay_folder().map(Path::to_owned);
        let files = loaded.file.clone().into_iter().chain(overlays).chain(named).chain(obeyed(config, beside));
        let own = files.filter_map(|file| absolute(file).ok()).chain(folders()).collect();
        Self { own, config: Arc::clone(config) }
    }

    /// All of them as they are now, wherever they lie and whether or not they are there, under
    /// every name they have.
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

/// What decides about calls beside the configuration, under the names by which it is read: it may
/// not be there.
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

/// What is kept of calls: the record of them, what they changed, what people agreed to.
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

/// Whether changes of calls are kept.
#[cfg(feature = "checkpoint")]
pub(crate) fn keeps_changes(config: &HaftConfig) -> bool {
    config.tools.checkpoints.enabled && config.tools.enabled
}

/// What no tool may even read: what was kept for others.
pub(crate) fn private(config: &HaftConfig) -> Vec<PathBuf> {
    let (state, mut canonical) = (places::state_dir(), Canonical::default());
    // A build that keeps nothing for others names none of it.
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

/// The folder of logins at MCP servers. It is created when a server takes logins: the kernel cannot
/// hide a folder that does not exist, and somebody may log in while a job runs.
#[cfg(feature = "mcp-client-http")]
fn logins(config: &HaftConfig, canonical: &mut Canonical) -> PathBuf {
    let folder = places::logins();
    if config.mcp.servers.iter().any(tools_mcp_client::McpServerConfig::takes_login) {
        let _ = tools_sandbox::make_private_folder(&folder);
    }
    canonical.by_words(&folder)
}
