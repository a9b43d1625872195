//! Parts shared by the tools of a toolbox, one field for each.

use std::{path::Path, sync::Arc};

use tools_core::UnlistedLayer;
use tools_sandbox::ReadRules;

use crate::config::{HaftConfig, LoadError, own_places, places};
use crate::part::{PartList, PartMaker};
use crate::{ToolboxBuilder, layers};

/// Parts shared by all tools of a toolbox and of the toolboxes narrowed from it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Parts {
    #[cfg(any(feature = "shell", feature = "file"))]
    pub(crate) reserved: own_places::ReservedPlaces,
    /// Folders as people spell them, each with its canonical path.
    #[cfg(feature = "file")]
    pub(crate) spellings: Vec<(std::path::PathBuf, std::path::PathBuf)>,
    /// Finds credentials in texts and hides them.
    pub credentials: Arc<tools_secrets::LiveSecrets>,
    /// The gates: approvals, quotas, blocked tools.
    #[cfg(feature = "policy")]
    pub gates: Arc<tools_policy::Gates>,
    /// The models by their names.
    #[cfg(feature = "llm")]
    pub models: Arc<tools_providers::Models>,
    /// Background jobs of sessions.
    #[cfg(feature = "shell")]
    pub jobs: Arc<tools_shell::Jobs>,
    /// The networks of sessions whose commands are gated.
    #[cfg(feature = "egress")]
    pub outlets: Arc<tools_egress_proxy::SessionNetworks>,
    /// The model that finds things by their meaning.
    pub embedder: Option<Arc<dyn tools_core::Embedder>>,
    #[cfg(feature = "memory")]
    pub(crate) memory: Vec<tools_core::DynExecutor>,
    /// The MCP servers, whose processes belong to sessions.
    #[cfg(feature = "mcp-client")]
    pub servers: Arc<tools_mcp_client::McpServers>,
    #[cfg(feature = "scheduler")]
    pub(crate) scheduler: Option<tools_scheduler::SchedulerTools>,
    /// The skills of the workspace. A host with turns reports the end of each:
    /// [`tools_skills::Skills::end_turn`].
    #[cfg(feature = "skills")]
    pub skills: Arc<tools_skills::Skills>,
    /// The store of long output.
    #[cfg(feature = "overflow")]
    pub overflow: Arc<tools_overflow::LiveOverflow>,
    /// The cache of results: for its counters, and to clear it when a conversation starts over.
    #[cfg(feature = "cache")]
    pub cache: Arc<tools_cache::LiveCache>,
    /// The record of calls; `None` if calls are not recorded.
    #[cfg(feature = "audit")]
    pub record: Option<tools_audit::Record>,
    /// The rules that filter the output of commands.
    #[cfg(feature = "filter")]
    pub filters: Arc<tools_filter::LiveFilters>,
    /// The store of changes made by calls, for undoing them; `None` if changes are not stored.
    #[cfg(feature = "checkpoint")]
    pub checkpoints: Option<Arc<tools_checkpoint::Checkpoints>>,
    /// The tools shown to sessions.
    #[cfg(feature = "graph")]
    pub offering: crate::offer::ToolOffer,
    /// Shared by all sessions: it holds TLS and DNS state, but no pages.
    #[cfg(feature = "web")]
    pub(crate) web: Arc<tools_web::client::WebClient>,
}

impl Parts {
    /// Builds all parts from what the builder was given, for calls from `workdir`, and the list of
    /// their contributions. `rules` are the read rules of the configuration.
    pub(crate) fn new(
        given: &mut ToolboxBuilder,
        config: &Arc<HaftConfig>,
        workdir: &Path,
        rules: &ReadRules,
    ) -> Result<(Self, PartList), LoadError> {
        let loaded = &given.loaded;
        let beside = loaded.file.as_deref().or(given.beside.as_deref());
        own_places::guard(config, workdir, loaded.file.as_deref().filter(|_| given.was_discovered))?;
        places::own_state_dir().map_err(LoadError::StateFolder)?;

        let mut list = PartList::default();
        let credentials = layers::credentials(loaded, given.server.clone(), &mut list)?;
        let mut maker = PartMaker { loaded, config, workdir, rules, beside, credentials, list };
        maker.list.layers.push(Arc::new(UnlistedLayer));
        maker.list.layers.push(Arc::new(tools_sandbox::WorkspaceLayer::new(workdir)));
        let _ =
            (maker.redactor(), maker.loaded, maker.config, maker.workdir, maker.rules, maker.beside, &given.spelled);
        #[cfg(feature = "llm")]
        let models = maker.models(std::mem::take(&mut given.providers))?;
        #[cfg(feature = "policy")]
        let gates = {
            let judge = given.judge.take();
            #[cfg(feature = "llm")]
            let judge = judge.or_else(|| crate::models::judge(&models, config));
            maker.gates(judge, &given.executors, given.guest.take())?
        };
        let embedder = given.embedder.take();
        #[cfg(feature = "embed")]
        let embedder = match (embedder, &config.embedding.model) {
            (None, Some(folder)) => {
                let model = tools_embed::FolderModel::at(folder);
                Some(Arc::new(model.map_err(|error| loaded.fault("embedding.model", error.to_string()))?) as _)
            }
            (embedder, _) => embedder,
        };
        #[cfg(any(feature = "audit", feature = "scheduler"))]
        let digest =
            maker.list.live.policy(loaded, "tools", |loaded| Ok(crate::config::policy_digest(&loaded.config)))?;
        #[cfg(feature = "audit")]
        let record = maker.record(&digest)?;
        #[cfg(feature = "retry")]
        maker.retry()?;
        let parts = Self {
            #[cfg(any(feature = "shell", feature = "file"))]
            reserved: own_places::ReservedPlaces::new(maker.loaded, maker.config, maker.beside),
            #[cfg(feature = "file")]
            spellings: crate::config::paths::spellings(given.spelled.take(), config, workdir),
            #[cfg(feature = "shell")]
            jobs: maker.jobs(given.server.take()),
            #[cfg(feature = "egress")]
            outlets: maker.networks(&gates, record.as_ref())?,
            #[cfg(feature = "policy")]
            gates,
            #[cfg(feature = "llm")]
            models,
            #[cfg(feature = "memory")]
            memory: maker.memory_tools(embedder.clone())?,
            #[cfg(feature = "mcp-client")]
            servers: maker.servers()?,
            #[cfg(feature = "scheduler")]
            scheduler: maker.scheduler_tools(&digest)?,
            #[cfg(feature = "skills")]
            skills: maker.skills(),
            #[cfg(feature = "overflow")]
            overflow: maker.overflow()?,
            #[cfg(feature = "cache")]
            cache: maker.cache(),
            #[cfg(feature = "audit")]
            record,
            #[cfg(feature = "filter")]
            filters: maker.filters(),
            #[cfg(feature = "checkpoint")]
            checkpoints: maker.checkpoints(),
            #[cfg(feature = "graph")]
            offering: maker.offering(embedder.clone()),
            #[cfg(feature = "web")]
            web: Arc::default(),
            embedder,
            credentials: Arc::clone(&maker.credentials),
        };
        Ok((parts, maker.list))
    }
}
