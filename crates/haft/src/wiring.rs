//! What every set of tools of a toolbox is wired with: made once, and shared by the toolboxes that
//! are narrowed from it.

/// What the tools of a toolbox share, one field for each topic.
#[derive(Debug)]
pub(crate) struct Wiring {
    #[cfg(any(feature = "shell", feature = "file"))]
    pub(crate) reserved: crate::own_places::ReservedPlaces,
    /// Folders as people spell them, each with its canonical path.
    #[cfg(feature = "file")]
    pub(crate) spellings: Vec<(std::path::PathBuf, std::path::PathBuf)>,
    #[cfg(feature = "file")]
    pub(crate) credentials: std::sync::Arc<tools_secrets::LiveSecrets>,
    #[cfg(feature = "policy")]
    pub(crate) gates: std::sync::Arc<tools_policy::Gates>,
    #[cfg(feature = "llm")]
    pub(crate) models: std::sync::Arc<tools_providers::Models>,
    #[cfg(feature = "shell")]
    pub(crate) jobs: std::sync::Arc<tools_shell::Jobs>,
    /// The networks of sessions whose commands are gated.
    #[cfg(feature = "egress")]
    pub(crate) outlets: std::sync::Arc<tools_egress_proxy::SessionNetworks>,
    /// The model that finds code by what it means.
    #[cfg(feature = "code")]
    pub(crate) embedder: Option<std::sync::Arc<dyn tools_core::Embedder>>,
    #[cfg(feature = "memory")]
    pub(crate) memory: Vec<tools_core::DynExecutor>,
    /// The MCP servers, whose processes belong to sessions.
    #[cfg(feature = "mcp-client")]
    pub(crate) servers: std::sync::Arc<tools_mcp_client::McpServers>,
    /// `None` where it is switched off.
    #[cfg(feature = "scheduler")]
    pub(crate) scheduler: Option<tools_scheduler::SchedulerTools>,
    #[cfg(feature = "skills")]
    pub(crate) skills: std::sync::Arc<tools_skills::Skills>,
    #[cfg(feature = "overflow")]
    pub(crate) overflow: std::sync::Arc<tools_overflow::LiveOverflow>,
    #[cfg(feature = "cache")]
    pub(crate) cache: std::sync::Arc<tools_cache::LiveCache>,
    #[cfg(feature = "audit")]
    pub(crate) record: Option<crate::record::Record>,
    #[cfg(feature = "filter")]
    pub(crate) filters: std::sync::Arc<tools_filter::LiveFilters>,
    #[cfg(feature = "checkpoint")]
    pub(crate) checkpoints: Option<std::sync::Arc<tools_checkpoint::Checkpoints>>,
    /// What sessions are shown.
    #[cfg(feature = "graph")]
    pub(crate) offering: crate::offer::ToolOffer,
    /// One for all sessions: it keeps what TLS and names need, and no page.
    #[cfg(feature = "web")]
    pub(crate) web: std::sync::Arc<tools_web::client::WebClient>,
}
