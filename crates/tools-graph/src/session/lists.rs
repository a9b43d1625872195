//! The lists of all sessions of a host.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, OnceLock};

use tools_core::{Embedder, Locked as _, SessionId, Shared, ToolDef, ToolDefs, ToolName, ToolOrigin};

use crate::{
    Bm25, EmbeddingScorer, FusedScorer, Grams, Prerequisites, Query, Scorer, ToolDependencyGraph, ToolFilterMode,
    ToolFilterPolicy, ToolSchemaFilter, ToolSelection, score::best,
};

/// The tool that searches for others.
pub(super) const SEARCH: &str = "tool_search";
/// Number of tools above which n-grams are not used: their index needs several times the memory.
const FINE: usize = 10_000;

/// Settings of the lists of sessions.
#[derive(Debug, Clone)]
pub struct ListSettings {
    /// The tools that may be shown, in this order; `None` for all in their own order.
    pub tools: Option<Vec<ToolName>>,
    /// Initial tools of a long list, in order.
    pub core: Vec<ToolName>,
    /// A list of more tools than this is long: it begins with the core and `tool_search`, and grows
    /// on request.
    pub search_above: usize,
    /// Requirements of the tools.
    pub graph: ToolDependencyGraph,
    /// Selects tools by the topic of a turn; `None` shows all.
    pub filter: Option<ToolFilterPolicy>,
    /// Also ranks tools by their meaning.
    pub embedder: Option<Arc<dyn Embedder>>,
}

impl Default for ListSettings {
    fn default() -> Self {
        Self {
            tools: None,
            core: vec![],
            search_above: usize::MAX,
            graph: ToolDependencyGraph::default(),
            filter: None,
            embedder: None,
        }
    }
}

/// The lists of all sessions of a host. Clones of the `Arc` share them; every method holds a lock
/// briefly.
pub struct SessionLists {
    settings: Shared<ListSettings>,
    index: Shared<Index>,
    sessions: Mutex<HashMap<SessionId, Session>>,
}

/// The existing tools, and their search index once it is needed.
#[derive(Default)]
struct Index {
    /// All published tools.
    published: Vec<Arc<ToolDef>>,
    /// Those that may be shown.
    tools: Vec<Arc<ToolDef>>,
    scorer: OnceLock<Arc<dyn Scorer>>,
    /// The part of `scorer` that ranks by meaning; empty without a model.
    by_meaning: OnceLock<Arc<EmbeddingScorer>>,
    filter: OnceLock<Option<ToolSchemaFilter>>,
}

#[derive(Default)]
struct Session {
    /// The list, once it was shown or requested; `None` if it always contains all tools.
    list: Option<ToolSelection>,
    /// Tools that succeeded.
    completed: BTreeSet<ToolName>,
    /// Tools that the last turn showed although their requirements are not met.
    open: BTreeSet<ToolName>,
}

impl SessionLists {
    /// Lists with these settings, without tools: see [`SessionLists::publish`].
    pub fn new(settings: ListSettings) -> Self {
        Self { settings: Shared::new(settings), index: Shared::new(Index::default()), sessions: Mutex::default() }
    }

    /// Changes the settings for new lists; existing lists of sessions stay.
    pub fn configure(&self, settings: ListSettings) {
        self.settings.store(settings);
        self.index.store(Index::default());
    }

    /// Sets the existing tools.
    pub fn publish(&self, tools: &[Arc<ToolDef>]) {
        let index = self.index.load();
        let is_same = |(mine, given): (&Arc<ToolDef>, &Arc<ToolDef>)| Arc::ptr_eq(mine, given);
        if index.published.len() != tools.len() || !index.published.iter().zip(tools).all(is_same) {
            self.index.store(Index { published: tools.to_vec(), tools: self.offered(tools), ..Index::default() });
        }
    }

    /// Whether a list of these tools is long, so that `tool_search` is offered.
    pub fn is_long(&self, tools: &[Arc<ToolDef>]) -> bool {
        self.offered(tools).iter().filter(|tool| tool.name.as_str() != SEARCH).count()
            > self.settings.load().search_above
    }

    /// The tools of the profile, in its order.
    fn offered(&self, tools: &[Arc<ToolDef>]) -> Vec<Arc<ToolDef>> {
        let settings = self.settings.load();
        let Some(wanted) = &settings.tools else { return tools.to_vec() };
        let by_name: HashMap<&ToolName, &Arc<ToolDef>> = tools.iter().map(|tool| (&tool.name, tool)).collect();
        let search = ToolName::parse(SEARCH).ok();
        let listed = wanted.iter().chain(search.as_ref().filter(|search| !wanted.contains(search)));
        listed.filter_map(|name| by_name.get(name).map(|tool| Arc::clone(tool))).collect()
    }

    /// Selects the tools that a session is shown. The same list as before where it may be, so that
    /// the prompt's beginning stays what it was: a long list, and one in which tools wait for
    /// others, only grow.
    pub fn shown(&self, session: &SessionId, tools: &[Arc<ToolDef>]) -> ToolDefs {
        self.publish(tools);
        let offered = self.offered(tools);
        let is_long = self.is_long(tools);
        let mut sessions = self.sessions.locked();
        let session = sessions.entry(session.clone()).or_default();
        let held = self.held(session, &offered);
        let is_free = |tool: &&Arc<ToolDef>| !held.contains_key(&tool.name);
        if !is_long && !self.settings.load().graph.has_rules() {
            return offered.into_iter().filter(|tool| tool.name.as_str() != SEARCH).collect();
        }
        let here: Vec<Arc<ToolDef>> = offered.iter().filter(is_free).cloned().collect();
        if is_long {
            let list =
                session.list.get_or_insert_with(|| ToolSelection::ordered(ToolFilterMode::Search, self.core(&here)));
            return list.tools().cloned().collect();
        }
        let here: Vec<_> = here.into_iter().filter(|tool| tool.name.as_str() != SEARCH).collect();
        let list =
            session.list.get_or_insert_with(|| ToolSelection::ordered(ToolFilterMode::Append, here.iter().cloned()));
        list.request(&here, &here.iter().map(|tool| tool.name.clone()).collect());
        list.tools().cloned().collect()
    }

    /// Selects the tools of a session's turn by its topic: what the filter chooses, added to what
    /// was shown before. Without a filter this is [`SessionLists::shown`].
    pub fn turn(&self, session: &SessionId, tools: &[Arc<ToolDef>], text: &str, referenced: &[ToolName]) -> ToolDefs {
        self.publish(tools);
        let index = self.index.load();
        let Some(filter) = index.filter(&self.settings.load()) else {
            return self.shown(session, tools);
        };
        let mut sessions = self.sessions.locked();
        let session = sessions.entry(session.clone()).or_default();
        let needs = self.settings.load().graph.prerequisites(&session.completed);
        let query = Query::new(text).with_used_tools(referenced.iter().cloned()).boosting(needs.boosts().clone());
        let chosen = filter.filter_with(&index.tools, &query, &needs);
        session.open = chosen.included.keys().filter(|tool| !needs.missing(tool).is_empty()).cloned().collect();
        let begin = || {
            let is_core = |tool: &&Arc<ToolDef>| {
                matches!(tool.origin, ToolOrigin::Builtin) && needs.missing(&tool.name).is_empty()
                    || filter.policy().always_on().contains(&tool.name)
            };
            ToolSelection::new(filter.policy().mode(), index.tools.iter().filter(is_core).cloned())
        };
        let list = session.list.get_or_insert_with(begin);
        list.turn(&index.tools, &chosen);
        list.tools().cloned().collect()
    }

    /// The tools that a text asks for, best first, at most `most`: those it names, or else those
    /// that match its words. They are shown to the session from now on.
    pub fn search(&self, session: &SessionId, text: &str, most: usize) -> Vec<Arc<ToolDef>> {
        let index = self.index.load();
        let mut sessions = self.sessions.locked();
        let session = sessions.entry(session.clone()).or_default();
        let held = self.held(session, &index.tools);
        let by_name: HashMap<&str, &Arc<ToolDef>> = index.tools.iter().map(|tool| (tool.name.as_str(), tool)).collect();
        let may_be_shown = |tool: &&Arc<ToolDef>| tool.name.as_str() != SEARCH && !held.contains_key(&tool.name);
        let named = text.split(|c: char| c == ',' || c.is_whitespace()).filter_map(|word| by_name.get(word).copied());
        let mut found: Vec<Arc<ToolDef>> = named.filter(may_be_shown).cloned().collect();
        if found.is_empty()
            && let Some(scores) = index.scorer(self.settings.load().embedder.as_ref()).score(text)
        {
            let fitting = scores.iter().filter(|(_, score)| *score > 0.0);
            let ranked = best(fitting, most.saturating_add(held.len() + 1));
            let tools = ranked.into_iter().filter_map(|(name, _)| by_name.get(name.as_str()).copied());
            found = tools.filter(may_be_shown).cloned().collect();
        }
        found.truncate(most);
        let wanted = found.iter().map(|tool| tool.name.clone()).collect();
        if let Some(list) = &mut session.list {
            list.request(&index.tools, &wanted);
        } else {
            let mut list = ToolSelection::ordered(ToolFilterMode::Search, self.core(&index.tools));
            list.request(&index.tools, &wanted);
            session.list = Some(list);
        }
        found
    }

    /// The tools that must succeed before the session may call this one; empty if there are none.
    pub fn missing(&self, session: &SessionId, tool: &ToolName) -> Vec<ToolName> {
        if !self.settings.load().graph.has_rules() {
            return vec![];
        }
        let index = self.index.load();
        let mut sessions = self.sessions.locked();
        let session = sessions.entry(session.clone()).or_default();
        if session.open.contains(tool) {
            return vec![];
        }
        self.held(session, &index.tools).remove(tool).unwrap_or_default()
    }

    /// The filter's line for a status display, with the number of tools that have a vector; `None`
    /// if filtering is disabled.
    pub fn filter_status(&self) -> Option<String> {
        let index = self.index.load();
        let embeddings = index.by_meaning.get().map_or(0, |scorer| scorer.embeddings());
        self.settings.load().filter.as_ref()?.status(embeddings)
    }

    /// Notes that a call of a tool succeeded.
    pub fn complete(&self, session: &SessionId, tool: &ToolName) {
        if self.settings.load().graph.has_rules() {
            self.sessions.locked().entry(session.clone()).or_default().completed.insert(tool.clone());
        }
    }

    /// Forgets a session, as when its conversation begins anew or ends.
    pub fn forget(&self, session: &SessionId) {
        self.sessions.locked().remove(session);
    }

    /// The tools with unmet requirements, unless all have some: a session that can call no tool
    /// cannot meet any requirement.
    fn held(&self, session: &Session, tools: &[Arc<ToolDef>]) -> BTreeMap<ToolName, Vec<ToolName>> {
        if !self.settings.load().graph.has_rules() {
            return BTreeMap::new();
        }
        let needs: Prerequisites = self.settings.load().graph.prerequisites(&session.completed);
        let waiting = |tool: &Arc<ToolDef>| (tool.name.clone(), needs.missing(&tool.name).to_vec());
        let held: BTreeMap<_, _> = tools.iter().map(waiting).filter(|(_, missing)| !missing.is_empty()).collect();
        if held.len() == tools.len() && !tools.is_empty() {
            tracing::warn!("every tool needs another one first: prerequisites are not asked for");
            return BTreeMap::new();
        }
        held
    }

    /// Initial tools of a long list.
    fn core(&self, tools: &[Arc<ToolDef>]) -> Vec<Arc<ToolDef>> {
        let settings = self.settings.load();
        let wanted = settings.core.iter().map(ToolName::as_str).chain([SEARCH]);
        wanted.filter_map(|name| tools.iter().find(|tool| tool.name.as_str() == name).cloned()).collect()
    }
}

impl Index {
    fn scorer(&self, embedder: Option<&Arc<dyn Embedder>>) -> &Arc<dyn Scorer> {
        self.scorer.get_or_init(|| {
            let mut scorers: Vec<Arc<dyn Scorer>> = vec![Arc::new(Bm25::new(&self.tools))];
            if self.tools.len() <= FINE {
                scorers.push(Arc::new(Grams::new(&self.tools)));
            }
            if let Some(embedder) = embedder {
                let by_meaning = EmbeddingScorer::in_background(&self.tools, Arc::clone(embedder));
                scorers.push(Arc::clone(self.by_meaning.get_or_init(|| Arc::new(by_meaning))) as Arc<dyn Scorer>);
            }
            match <[Arc<dyn Scorer>; 1]>::try_from(scorers) {
                Ok([words]) => words,
                Err(scorers) => Arc::new(FusedScorer::new(scorers)),
            }
        })
    }

    /// `None` if everything is shown, because no scorer is configured.
    fn filter(&self, settings: &ListSettings) -> Option<&ToolSchemaFilter> {
        let has_model = settings.embedder.is_some();
        let made = self.filter.get_or_init(|| {
            let policy =
                settings.filter.as_ref().filter(|policy| policy.is_enabled() && (policy.is_lexical() || has_model))?;
            Some(ToolSchemaFilter::new(policy, Arc::clone(self.scorer(settings.embedder.as_ref()))))
        });
        made.as_ref()
    }
}

tools_core::partial_debug!(SessionLists { settings });
