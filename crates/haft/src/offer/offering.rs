//! What the sessions of a toolbox are shown.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

use tools_catalog::TafcPolicy;
use tools_core::{DynExecutor, Embedder, Layer, SessionId, Shared, ToolDef, ToolDefs, ToolExecutor as _, ToolName};
use tools_graph::{DependencyFault, DependencyLayer, ListSettings, SessionLists, ToolDependencyGraph, ToolSearch};

use super::profiles::{self, Profile};
use crate::config::{HaftConfig, LoadError, LoadedConfig};

/// What the sessions of a toolbox are shown, made once and shared by all that are narrowed from it.
#[derive(Debug)]
pub(crate) struct ToolOffer {
    lists: Arc<SessionLists>,
    words: Shared<Words>,
    /// What was wrong with the rules on dependencies.
    faults: Shared<Vec<DependencyFault>>,
    /// The model that finds tools by what they mean.
    embedder: Option<Arc<dyn Embedder>>,
    /// Definitions in other words, by name, each with the one it was made of.
    shaped: Mutex<HashMap<ToolName, ShapedTool>>,
}

/// A definition, and what it became in other words.
type ShapedTool = (Arc<ToolDef>, Arc<ToolDef>);

/// In which words tools are shown.
#[derive(Debug, Clone, Copy)]
struct Words {
    description_length: Option<usize>,
    tafc: TafcPolicy,
}

impl ToolOffer {
    /// What is shown under a configuration, of no tools yet.
    pub(crate) fn new(loaded: &LoadedConfig<HaftConfig>, embedder: Option<Arc<dyn Embedder>>) -> Self {
        let words = Words { description_length: None, tafc: loaded.config.tools.tafc.compile() };
        Self {
            lists: Arc::new(SessionLists::new(ListSettings::default())),
            words: Shared::new(words),
            faults: Shared::new(vec![]),
            embedder,
            shaped: Mutex::default(),
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
        let filter = config.agent.tool_filter.compile();
        let filter =
            filter.map_err(|error| loaded.fault(&format!("agent.tool_filter.{}", error.key), error.problem))?;
        let (graph, faults) = ToolDependencyGraph::new(&config.tools.dependencies, &names, filter.always_on());
        let Profile { tools: profile, description_length, is_searched } = profiles::chosen(loaded, &names)?;
        self.words.store(Words { description_length, tafc: config.tools.tafc.compile() });
        self.faults.store(faults);
        let mut core = if is_searched { profiles::searched(&names) } else { profiles::core(&names) };
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
        self.worded(&self.lists.shown(session, listed))
    }

    /// What a turn shows that is about `text`.
    pub(crate) fn turn(&self, session: &SessionId, listed: &ToolDefs, text: &str, used: &[ToolName]) -> ToolDefs {
        self.worded(&self.lists.turn(session, listed, text, used))
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

    /// The definitions in the words of the profile. The same definition gives the same one again.
    fn worded(&self, tools: &ToolDefs) -> ToolDefs {
        let words = self.words.load();
        let mut shaped = self.shaped.lock().unwrap_or_else(PoisonError::into_inner);
        let worded = |tool: &Arc<ToolDef>| match shaped.get(&tool.name) {
            Some((of, made)) if Arc::ptr_eq(of, tool) => Arc::clone(made),
            _ => {
                let made = words.of(tool);
                shaped.insert(tool.name.clone(), (Arc::clone(tool), Arc::clone(&made)));
                made
            }
        };
        tools.iter().map(worded).collect()
    }
}

impl Words {
    fn of(&self, tool: &Arc<ToolDef>) -> Arc<ToolDef> {
        let short = self.description_length.and_then(|most| shortened(&tool.description, most));
        let tool = short.map_or_else(|| Arc::clone(tool), |text| Arc::new(ToolDef::clone(tool).described(text)));
        self.tafc.augment(&tool).map_or(tool, Arc::new)
    }
}

/// The first sentences of a text that fit; at least the beginning of the first. `None` where all of
/// it fits.
fn shortened(text: &str, most: usize) -> Option<String> {
    let (cut, _) = text.char_indices().nth(most)?;
    let kept = &text[..cut];
    let ends = kept.match_indices(['.', '!', '?']).map(|(at, _)| at + 1);
    let end = ends.rev().find(|end| text[*end..].starts_with(char::is_whitespace));
    Some(end.map_or_else(|| format!("{}…", kept.trim_end()), |end| kept[..end].to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_end_with_a_sentence_that_fits() {
        let text = "Reads a file. Use it for text, e.g. of v1.2. Not for images.";
        let check =
            |most: usize, expected: Option<&str>| assert_eq!(shortened(text, most).as_deref(), expected, "{most}");
        check(200, None);
        check(text.len(), None);
        check(text.len() - 1, Some("Reads a file. Use it for text, e.g. of v1.2."));
        check(20, Some("Reads a file."));
        check(5, Some("Reads…"));
        check(0, Some("…"));
        assert_eq!(shortened("äöü ß", 3).as_deref(), Some("äöü…"));
    }
}
