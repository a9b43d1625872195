//! What the sessions of a toolbox are shown.

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

/// The tools that the sessions of a toolbox are shown, also of those that are narrowed from it.
#[derive(Debug)]
pub struct ToolOffer {
    /// The tools that each is shown.
    pub lists: Arc<SessionLists>,
    /// How tools are worded.
    pub(crate) words: WordedTools,
    /// What was wrong with the rules on dependencies.
    pub(crate) faults: Shared<Vec<DependencyFault>>,
    /// The model that finds tools by what they mean.
    embedder: Option<Arc<dyn Embedder>>,
}

impl PartMaker<'_> {
    /// What is shown, of no tools yet.
    pub(crate) fn offering(&mut self, embedder: Option<Arc<dyn Embedder>>) -> ToolOffer {
        let lists = Arc::new(SessionLists::new(ListSettings::default()));
        // It holds calls back whose tool needs another first.
        self.list.layers.push(Arc::new(DependencyLayer::new(Arc::clone(&lists))));
        let words = Wording { description_length: None, tafc: self.config.tools.tafc.compile() };
        ToolOffer { lists, words: WordedTools::new(words), faults: Shared::new(vec![]), embedder }
    }
}

impl ToolOffer {
    /// Takes in the tools that there are, and adds `tool_search` where they are too many for one
    /// list.
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
        // What servers list may become long later.
        if self.lists.is_long(&tools) || !config.mcp.servers.is_empty() {
            let search = ToolSearch::new(Arc::clone(&self.lists)).into_executor();
            executors.push(DynExecutor::new(search));
        }
        Ok(())
    }
}

impl Toolbox {
    /// The tools that a model is shown which calls them natively, in the session of this toolbox:
    /// those of the profile, in its words, and with the field for thoughts where that is
    /// configured.
    pub fn offered(&self) -> ToolDefs {
        self.shown(self.context.session(), &self.stack.listed())
    }

    /// The same in another session, of these tools.
    pub fn shown(&self, session: &SessionId, listed: &ToolDefs) -> ToolDefs {
        self.worded(session, listed, &self.parts().offering.lists.shown(session, listed))
    }

    /// The tools that a turn shows which is about `text`, usually what the user wrote last; `used`
    /// are tools that it has called already. With `agent.tool_filter` what fits is added to what
    /// the session was shown before.
    pub fn turn(&self, cx: &CallContext, text: &str, used: &[ToolName]) -> ToolDefs {
        #[cfg(feature = "mcp-client")]
        self.relist();
        let (session, listed) = (cx.session(), self.stack.listed());
        self.worded(session, &listed, &self.parts().offering.lists.turn(session, &listed, text, used))
    }

    /// What a session is shown, in its words, and behind it the tools of the skill that it has
    /// invoked.
    fn worded(&self, session: &SessionId, listed: &ToolDefs, shown: &ToolDefs) -> ToolDefs {
        let shown = self.parts().offering.words.of(shown);
        #[cfg(feature = "skills")]
        let shown = self.parts().skills.with_declared(session, listed, shown);
        let _ = (session, listed);
        shown
    }
}
