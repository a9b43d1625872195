//! What every set of tools of a toolbox is wired with: made once, and shared by the toolboxes that
//! are narrowed from it. Each topic is made by its own file.

use std::{path::Path, sync::Arc};

use crate::{
    ToolboxBuilder,
    config::{self, HaftConfig, LoadError, places},
    credentials,
    own_places::OwnPlaces,
    part::PartList,
};

/// What the tools of a toolbox share, one field for each topic.
#[derive(Debug)]
pub(crate) struct Wiring {
    #[cfg(any(feature = "shell", feature = "file"))]
    pub(crate) reserved: crate::own_places::ReservedPlaces,
    /// Folders as people spell them, each with its canonical path.
    #[cfg(feature = "file")]
    pub(crate) spellings: Vec<(std::path::PathBuf, std::path::PathBuf)>,
    #[cfg(feature = "file")]
    pub(crate) credentials: Arc<tools_secrets::LiveSecrets>,
    #[cfg(feature = "policy")]
    pub(crate) gates: Arc<tools_policy::Gates>,
    #[cfg(feature = "llm")]
    pub(crate) models: Arc<tools_providers::Models>,
    #[cfg(feature = "shell")]
    pub(crate) jobs: Arc<tools_shell::Jobs>,
    /// The networks of sessions whose commands are gated.
    #[cfg(feature = "egress")]
    pub(crate) outlets: Arc<tools_egress_proxy::SessionNetworks>,
    /// The model that finds code by what it means.
    #[cfg(feature = "code")]
    pub(crate) embedder: Option<Arc<dyn tools_core::Embedder>>,
    #[cfg(feature = "memory")]
    pub(crate) memory: Vec<tools_core::DynExecutor>,
    /// The MCP servers, whose processes belong to sessions.
    #[cfg(feature = "mcp-client")]
    pub(crate) servers: Arc<tools_mcp_client::McpServers>,
    /// `None` where it is switched off.
    #[cfg(feature = "scheduler")]
    pub(crate) scheduler: Option<tools_scheduler::SchedulerTools>,
    #[cfg(feature = "skills")]
    pub(crate) skills: Arc<tools_skills::Skills>,
    #[cfg(feature = "overflow")]
    pub(crate) overflow: Arc<tools_overflow::LiveOverflow>,
    #[cfg(feature = "cache")]
    pub(crate) cache: Arc<tools_cache::LiveCache>,
    #[cfg(feature = "audit")]
    pub(crate) record: Option<crate::record::Record>,
    #[cfg(feature = "filter")]
    pub(crate) filters: Arc<tools_filter::LiveFilters>,
    #[cfg(feature = "checkpoint")]
    pub(crate) checkpoints: Option<Arc<tools_checkpoint::Checkpoints>>,
    /// What sessions are shown.
    #[cfg(feature = "graph")]
    pub(crate) offering: crate::offer::ToolOffer,
    /// One for all sessions: it keeps what TLS and names need, and no page.
    #[cfg(feature = "web")]
    pub(crate) web: Arc<tools_web::client::WebClient>,
}

impl Wiring {
    /// Compiles every section of what a builder was given, for calls from `workdir`.
    ///
    /// # Errors
    /// The first section that cannot be compiled, by key and line.
    pub(crate) fn new(
        given: &mut ToolboxBuilder,
        config: &Arc<HaftConfig>,
        workdir: &Path,
        parts: &mut PartList,
    ) -> Result<Self, LoadError> {
        let loaded = &given.loaded;
        let beside = loaded.file.as_deref().or(given.beside.as_deref());
        let places = OwnPlaces::of_user();
        places.guard(config, workdir, loaded.file.as_deref().filter(|_| given.was_discovered))?;
        places::own_state_dir().map_err(LoadError::StateFolder)?;

        let credentials = credentials::live(loaded, given.server.clone(), parts)?;
        let redactor = credentials.redactor();
        let _ = (redactor, beside, &given.spelled);
        #[cfg(feature = "llm")]
        let models = crate::models::open(loaded, std::mem::take(&mut given.providers), parts)?;
        #[cfg(feature = "policy")]
        let gates = {
            let judge = given.judge.take();
            #[cfg(feature = "llm")]
            let judge = judge.or_else(|| crate::models::judge(&models, config));
            let hosts = crate::gates::names_of(&given.executors);
            crate::gates::open(loaded, judge, credentials.now(), hosts, given.guest.take(), parts)?
        };
        #[cfg(any(feature = "memory", feature = "graph", feature = "code"))]
        let embedder = given.embedder.take();
        #[cfg(all(feature = "embed", any(feature = "memory", feature = "graph", feature = "code")))]
        let embedder = match embedder {
            Some(embedder) => Some(embedder),
            None => crate::embedding::model(loaded)?,
        };
        #[cfg(any(feature = "audit", feature = "scheduler"))]
        let digest = parts.policy(loaded, "tools", |config| Ok(config::policy_digest(config)))?;
        #[cfg(feature = "audit")]
        let record = crate::record::open(loaded, redactor, &digest, parts)?;
        #[cfg(feature = "retry")]
        {
            let policy = parts.policy(loaded, "tools.retry", |config| config.tools.retry.compile())?;
            parts.layers.push(Arc::new(tools_retry::RetryLayer::new(policy)));
        }
        Ok(Self {
            #[cfg(any(feature = "shell", feature = "file"))]
            reserved: crate::own_places::ReservedPlaces::new(&places, loaded, config, beside),
            #[cfg(feature = "file")]
            spellings: crate::files::spellings(given.spelled.take(), config, workdir),
            #[cfg(feature = "shell")]
            jobs: crate::commands::jobs(redactor, given.server.take(), parts),
            #[cfg(feature = "egress")]
            outlets: crate::egress::networks(loaded, &gates, redactor, record.as_ref(), parts)?,
            #[cfg(feature = "policy")]
            gates,
            #[cfg(feature = "llm")]
            models,
            #[cfg(feature = "memory")]
            memory: crate::memory::tools(loaded, redactor, embedder.clone(), parts)?,
            #[cfg(feature = "mcp-client")]
            servers: crate::mcp_servers::servers(loaded, beside, redactor, parts)?,
            #[cfg(feature = "scheduler")]
            scheduler: crate::scheduler::tools(loaded, redactor, &digest, parts)?,
            #[cfg(feature = "skills")]
            skills: crate::skills::find(&config.skills, workdir, redactor, parts),
            #[cfg(feature = "overflow")]
            overflow: crate::overflow::open(loaded, parts)?,
            #[cfg(feature = "cache")]
            cache: crate::results::cache(config, parts),
            #[cfg(feature = "audit")]
            record,
            #[cfg(feature = "filter")]
            filters: crate::filters::open(config, beside, parts),
            #[cfg(feature = "checkpoint")]
            checkpoints: crate::checkpoints::keep(loaded, workdir, parts)?,
            #[cfg(feature = "graph")]
            offering: crate::offer::ToolOffer::new(config, embedder.clone(), parts),
            #[cfg(feature = "code")]
            embedder,
            #[cfg(feature = "file")]
            credentials,
            #[cfg(feature = "web")]
            web: Arc::default(),
        })
    }
}
