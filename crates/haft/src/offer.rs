//! What the sessions of a toolbox are shown.

use std::{collections::BTreeSet, sync::Arc};

use tools_catalog::{WordedTools, Wording};
use tools_core::{DynExecutor, Embedder, Layer, SessionId, Shared, ToolDef, ToolDefs, ToolExecutor as _, ToolName};
use tools_graph::{
    DependencyFault, DependencyLayer, ListSettings, Profile, SessionLists, ToolDependencyGraph, ToolSearch, core_tools,
    searched_tools,
};

use crate::config::{HaftConfig, LoadError, LoadedConfig};

/// What the sessions of a toolbox are shown, made once and shared by all that are narrowed from it.
#[derive(Debug)]
pub(crate) struct ToolOffer {
    lists: Arc<SessionLists>,
    words: WordedTools,
    /// What was wrong with the rules on dependencies.
    faults: Shared<Vec<DependencyFault>>,
    /// The model that finds tools by what they mean.
    embedder: Option<Arc<dyn Embedder>>,
}

impl ToolOffer {
    /// What is shown under a configuration, of no tools yet.
    pub(crate) fn new(loaded: &LoadedConfig<HaftConfig>, embedder: Option<Arc<dyn Embedder>>) -> Self {
        let words = Wording { description_length: None, tafc: loaded.config.tools.tafc.compile() };
        Self {
            lists: Arc::new(SessionLists::new(ListSettings::default())),
            words: WordedTools::new(words),
            faults: Shared::new(vec![]),
            embedder,
        }
    }

    /// The layer that holds calls back whose tool needs another first.
    pub(crate) fn layer(&self) -> Arc<dyn Layer> {
        Arc::new(DependencyLayer::new(Arc::clone(&self.lists)))
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

    /// Takes in the tools that may be shown, so that none is found that no list would have.
    pub(crate) fn publish(&self, listed: &ToolDefs) {
        self.lists.publish(listed);
    }

    /// What a session is shown of these tools.
    pub(crate) fn shown(&self, session: &SessionId, listed: &ToolDefs) -> ToolDefs {
        self.words.of(&self.lists.shown(session, listed))
    }

    /// What a turn shows that is about `text`.
    pub(crate) fn turn(&self, session: &SessionId, listed: &ToolDefs, text: &str, used: &[ToolName]) -> ToolDefs {
        self.words.of(&self.lists.turn(session, listed, text, used))
    }

    /// Forgets what a session was shown and what it completed.
    pub(crate) fn forget(&self, session: &SessionId) {
        self.lists.forget(session);
    }

    /// The line of a status display about the filter; `None` while nothing is filtered.
    pub(crate) fn filter_status(&self) -> Option<String> {
        self.lists.filter_status()
    }

    /// What was wrong with the rules on dependencies, a sentence each.
    pub(crate) fn lint(&self) -> Vec<String> {
        self.faults.load().iter().map(ToString::to_string).collect()
    }
}
