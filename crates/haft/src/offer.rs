//! What the sessions of a toolbox are shown.

use std::{collections::BTreeSet, sync::Arc};

use tools_catalog::{WordedTools, Wording};
use tools_core::{DynExecutor, Embedder, Shared, ToolDef, ToolExecutor as _, ToolName};
use tools_graph::{
    DependencyFault, DependencyLayer, ListSettings, Profile, SessionLists, ToolDependencyGraph, ToolSearch, core_tools,
    searched_tools,
};

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig},
    part::PartList,
};

/// What the sessions of a toolbox are shown, made once and shared by all that are narrowed from it.
#[derive(Debug)]
pub(crate) struct ToolOffer {
    pub(crate) lists: Arc<SessionLists>,
    /// How tools are worded.
    pub(crate) words: WordedTools,
    /// What was wrong with the rules on dependencies.
    pub(crate) faults: Shared<Vec<DependencyFault>>,
    /// The model that finds tools by what they mean.
    embedder: Option<Arc<dyn Embedder>>,
}

impl ToolOffer {
    /// What is shown under a configuration, of no tools yet.
    pub(crate) fn new(config: &HaftConfig, embedder: Option<Arc<dyn Embedder>>, parts: &mut PartList) -> Self {
        let lists = Arc::new(SessionLists::new(ListSettings::default()));
        // It holds calls back whose tool needs another first.
        parts.layers.push(Arc::new(DependencyLayer::new(Arc::clone(&lists))));
        let words = Wording { description_length: None, tafc: config.tools.tafc.compile() };
        Self { lists, words: WordedTools::new(words), faults: Shared::new(vec![]), embedder }
    }

    /// Takes in the tools that there are, and adds `tool_search` where they are too many for one
    /// list.
    ///
    /// # Errors
    /// A value that cannot be used, by key and line.
    pub(crate) fn of(
        &self,
        loaded: &LoadedConfig<HaftConfig>,
        executors: &mut Vec<DynExecutor>,
    ) -> Result<(), LoadError> {
        let tools: Vec<Arc<ToolDef>> =
            executors.iter().flat_map(|executor| executor.tool_definitions().to_vec()).collect();
        let names: BTreeSet<ToolName> = tools.iter().map(|tool| tool.name.clone()).collect();
        let config = &loaded.config;
        let filter = config.agent.tool_filter.compile().map_err(|fault| loaded.fault_in("agent.tool_filter", fault))?;
        let (graph, faults) = ToolDependencyGraph::new(&config.tools.dependencies, &names, filter.always_on());
        let (name, configured) = (&config.mcp.profile, &config.tools.profiles);
        let profile = Profile::named(name, configured, &names).map_err(|fault| match fault.tool {
            Some(index) => loaded.fault(&format!("tools.profiles.{name}.tools[{index}]"), fault.problem),
            None => loaded.fault("mcp.profile", fault.problem),
        })?;
        let Profile { tools: profile, description_length, is_searched } = profile;
        self.words.reword(Wording { description_length, tafc: config.tools.tafc.compile() });
        self.faults.store(faults);
        let mut core = if is_searched { searched_tools(&names) } else { core_tools(&names) };
        core.extend(filter.always_on().iter().filter(|name| names.contains(*name)).cloned());
        self.lists.configure(ListSettings {
            tools: profile,
            core,
            search_above: if is_searched { 0 } else { config.mcp.search_above },
            graph,
            filter: Some(filter),
            embedder: self.embedder.clone(),
        });
        // What servers list may become long later.
        if self.lists.is_long(&tools) || !config.mcp.servers.is_empty() {
            let search = ToolSearch::new(Arc::clone(&self.lists)).into_executor();
            executors.push(DynExecutor::new(search));
        }
        Ok(())
    }
}
