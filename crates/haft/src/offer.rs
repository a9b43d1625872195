//! The tools that the sessions of a toolbox are shown.

use std::{collections::BTreeSet, sync::Arc};

use tools_catalog::{WordedTools, Wording};
use tools_core::{
    CallContext, DynExecutor, Embedder, SessionId, Shared, ToolDef, ToolDefs, ToolExecutor as _, ToolName,
};
use tools_graph::{
    DependencyFault, DependencyLayer, ListSettings, Profile, SessionLists, ToolDependencyGraph, ToolSearch,
};

use crate::Toolbox;
use crate::config::{LoadError, LoadedConfig};
use crate::part::PartMaker;

/// Tools shown to the sessions of a toolbox and of those narrowed from it.
#[derive(Debug)]
pub struct ToolOffer {
    /// The list of tools for each session.
    pub lists: Arc<SessionLists>,
    /// Wording of the tools' definitions.
    pub(crate) words: WordedTools,
    /// Faults of the dependency rules.
    pub(crate) faults: Shared<Vec<DependencyFault>>,
    /// Model that finds tools by their meaning.
    embedder: Option<Arc<dyn Embedder>>,
}

impl PartMaker<'_> {
    /// Creates the offer; it contains no tools yet.
    pub(crate) fn offering(&mut self, embedder: Option<Arc<dyn Embedder>>) -> ToolOffer {
        let lists = Arc::new(SessionLists::new(ListSettings::default()));
        // This layer holds back calls of tools that need another tool first.
        self.list.layers.push(Arc::new(DependencyLayer::new(Arc::clone(&lists))));
        let words = Wording { description_length: None, tafc: self.config.tools.tafc.compile() };
        ToolOffer { lists, words: WordedTools::new(words), faults: Shared::new(vec![]), embedder }
    }
}

impl ToolOffer {
    /// Sets the existing tools, and adds `tool_search` if they are too many for one list.
    pub(crate) fn of(&self, loaded: &LoadedConfig, executors: &mut Vec<DynExecutor>) -> Result<(), LoadError> {
        let tools: Vec<Arc<ToolDef>> =
            executors.iter().flat_map(|executor| executor.tool_definitions().to_vec()).collect();
        let names: BTreeSet<ToolName> = tools.iter().map(|tool| tool.name.clone()).collect();
        let config = &loaded.config;
        let filter = config.agent.tool_filter.compile().map_err(|fault| loaded.fault_in("agent.tool_filter", fault))?;
        let (graph, faults) = ToolDependencyGraph::new(&config.tools.dependencies, &names, filter.always_on());
        let (name, configured) = (&config.mcp.profile, &config.tools.profiles);
        let profile = Profile::named(name, configured, &names);
        let profile = profile.map_err(|fault| loaded.fault(&fault.key, fault.problem))?;
        let wording = Wording { description_length: profile.description_length, tafc: config.tools.tafc.compile() };
        self.words.reword(wording);
        self.faults.store(faults);
        self.lists.configure(ListSettings {
            core: profile.core(&names, filter.always_on()),
            search_above: if profile.is_searched { 0 } else { config.mcp.search_above },
            tools: profile.tools,
            graph,
            filter: Some(filter),
            embedder: self.embedder.clone(),
        });
        // The tools of servers may become many later.
        if self.lists.is_long(&tools) || !config.mcp.servers.is_empty() {
            let search = ToolSearch::new(Arc::clone(&self.lists)).into_executor();
            executors.push(DynExecutor::new(search));
        }
        Ok(())
    }
}

impl Toolbox {
    /// Tools shown to a model that calls them natively, in the session of this toolbox: those of
    /// the profile, in its wording, and with the field for thoughts if configured.
    pub fn offered(&self) -> ToolDefs {
        self.shown(self.context.session(), &self.stack.listed())
    }

    /// Tools shown in another session, selected from `listed`.
    pub fn shown(&self, session: &SessionId, listed: &ToolDefs) -> ToolDefs {
        self.worded(session, listed, &self.parts().offering.lists.shown(session, listed))
    }

    /// Tools shown for a turn about `text`, usually the user's last message; `used` are tools it
    /// has already called. With `agent.tool_filter`, matching tools are added to those that the
    /// session was shown before.
    pub fn turn(&self, cx: &CallContext, text: &str, used: &[ToolName]) -> ToolDefs {
        #[cfg(feature = "mcp-client")]
        self.relist();
        let (session, listed) = (cx.session(), self.stack.listed());
        self.worded(session, &listed, &self.parts().offering.lists.turn(session, &listed, text, used))
    }

    /// Tools shown to a session, in its wording, followed by the tools of the skill it invoked.
    fn worded(&self, session: &SessionId, listed: &ToolDefs, shown: &ToolDefs) -> ToolDefs {
        let shown = self.parts().offering.words.of(shown);
        #[cfg(feature = "skills")]
        let shown = self.parts().skills.with_declared(session, listed, shown);
        let _ = (session, listed);
        shown
    }
}
