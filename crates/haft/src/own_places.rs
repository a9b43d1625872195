//! The places of our own: what calls must not write, since it decides about later ones or keeps
//! what calls did, and what no tool may even read. They are kept from calls also when they are not
//! there yet.

use std::path::{Path, PathBuf};
#[cfg(any(feature = "shell", feature = "file"))]
use std::sync::Arc;

#[cfg(any(feature = "shell", feature = "file"))]
use tools_sandbox::kernel::Canonical;

#[cfg(any(feature = "shell", feature = "file"))]
use crate::config::LoadedConfig;
use crate::config::{HaftConfig, LoadError, paths, places};

/// Folders that are ours as a whole, under the names by which they are read.
#[derive(Debug)]
pub(crate) struct OwnPlaces(Vec<PathBuf>);

impl OwnPlaces {
    /// Those of this user.
    pub(crate) fn of_user() -> Self {
        let usual = places::config_file().and_then(|file| file.parent().map(Path::to_owned));
        let folders = usual.into_iter().chain([places::state_dir()]);
        Self(folders.filter_map(|folder| std::path::absolute(folder).ok()).collect())
    }

    /// Makes the folders that would lie where tools may write: what is not there cannot be held by
    /// the kernel. `discovered` is a configuration that nobody named.
    ///
    /// # Errors
    /// When one cannot be held, or what was found lies where tools may write.
    pub(crate) fn guard(
        &self,
        config: &HaftConfig,
        workdir: &Path,
        discovered: Option<&Path>,
    ) -> Result<(), LoadError> {
        let roots = paths::writable(config, workdir);
        if let Some(file) = discovered {
            let names = [std::path::absolute(file).ok(), file.canonicalize().ok()];
            if let Some(root) = roots.iter().find(|root| names.iter().flatten().any(|name| name.starts_with(root))) {
                return Err(LoadError::Writable { file: file.to_owned(), root: root.clone() });
            }
        }
        for folder in &self.0 {
            if let Some(root) = roots.iter().find(|root| folder.starts_with(root)) {
                tools_sandbox::make_private_below(root, folder)
                    .map_err(|problem| LoadError::Unguarded { path: folder.clone(), problem })?;
            }
        }
        Ok(())
    }
}

/// The places that decide about calls, and those that keep what calls did. Told from the first
/// configuration.
#[cfg(any(feature = "shell", feature = "file"))]
#[derive(Debug)]
pub(crate) struct ReservedPlaces {
    own: Vec<PathBuf>,
    config: Arc<HaftConfig>,
}

#[cfg(any(feature = "shell", feature = "file"))]
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
        let own = files.filter_map(|file| std::path::absolute(file).ok()).chain(own.0.iter().cloned());
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
#[cfg(any(feature = "shell", feature = "file"))]
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
#[cfg(any(feature = "shell", feature = "file"))]
fn kept(config: &HaftConfig, canonical: &mut Canonical) -> Vec<PathBuf> {
    let state = places::state_dir();
    let _ = (config, &canonical, &state);
    let folders = Vec::<Vec<PathBuf>>::from([
        #[cfg(feature = "policy")]
        vec![config.tools.approvals.scripts(&state)],
        #[cfg(feature = "audit")]
        config.tools.audit.files(&state),
        #[cfg(feature = "checkpoint")]
        crate::checkpoints::is_kept(config)
            .then(|| crate::checkpoints::folder(config, &state, canonical))
            .into_iter()
            .collect(),
    ]);
    folders.concat()
}

/// What no tool may even read: what was kept for others.
#[cfg(any(feature = "shell", feature = "file"))]
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
        crate::checkpoints::folder(config, &state, &mut canonical),
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
