//! The tool `search_code`: reads a call, updates the index, asks the layers, shows the hits.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tools_core::{
    CallContext, ClaimSource, Clock, Embedder, Inspection, KeyFault, Locked as _, Shared, SystemClock, Tool, ToolDef,
    ToolError, ToolKind, ToolOutput, ToolTraits, Typed, Window, WindowWriter,
};

use crate::config::{IndexConfig, IndexPolicy, VectorBackend};
use crate::error::CodeError;
use crate::hit::{Hit, Layer, fuse};
use crate::index::Index;
use crate::languages::form_of;
use crate::lsp::{LaunchConfinement, NameAnswer, NameQuery, Servers};
use crate::query::Query;
use crate::render::Style;
use crate::scope::SearchScope;
use crate::semantic::joined;
use crate::structural::Search;
use crate::sync_result::SyncResult;
use crate::vectors::{ChunkIndex, MeaningResult, MeaningSearch};
use tools_sandbox::{FileAccess, Sources, Space};

/// Default number of hits.
const USUAL: usize = 15;
/// Maximum number of hits.
const MAX_HITS: usize = 50;
/// Maximum number of definitions in one outline.
const MAX_OUTLINED: usize = 2000;
/// Number of passages shown besides the definitions of a name.
const BESIDE: usize = 3;
/// Minimum score of a passage, as a fraction of the best score.
const TELLING: f32 = 0.4;
/// Maximum number of attempts when files change during a search.
const TRIES: usize = 3;
/// Maximum number of indexes: one per workspace and set of rules.
const INDEXES: usize = 4;
/// Bytes reserved in an answer for the notes below the hits.
const NOTES: usize = 700;

/// The tool. It searches the files of [`Sources`] and keeps an index per workspace.
#[derive(Clone)]
pub struct SearchCode {
    policy: Shared<IndexPolicy>,
    /// The backend of the policy when the tool was made.
    backend: VectorBackend,
    sources: Arc<dyn Sources>,
    embedder: Option<Arc<dyn Embedder>>,
    meaning: Option<Arc<MeaningSearch>>,
    held: Option<LaunchConfinement>,
    servers: Arc<Servers>,
    indexes: Arc<Mutex<Indexes>>,
}

/// Each index with the time of its last use.
type Indexes = HashMap<Space, (Arc<Index>, u64)>;

tools_core::partial_debug!(SearchCode { policy });

impl SearchCode {
    /// A tool under a policy. Indexing starts with the first call.
    pub fn new(policy: Shared<IndexPolicy>, sources: Arc<dyn Sources>) -> Self {
        let backend = policy.load().backend;
        let (servers, indexes) = (Arc::default(), Arc::default());
        Self { policy, backend, sources, embedder: None, meaning: None, held: None, servers, indexes }
    }

    /// Adds the language servers of the policy, with this confinement. Without it no server is
    /// started.
    pub fn with_servers(self, held: LaunchConfinement) -> Self {
        Self { held: Some(held), ..self }
    }

    /// Ranks passages by meaning as well as by words.
    pub(crate) fn embedded_by(self, embedder: Arc<dyn Embedder>) -> Self {
        Self { embedder: Some(embedder), ..self }
    }

    /// Ranks passages by meaning, and also finds them by meaning if the section names a vector
    /// store.
    ///
    /// # Errors
    /// The configuration of the store is not usable.
    pub fn configured(self, config: &IndexConfig, embedder: &Arc<dyn Embedder>) -> Result<Self, KeyFault> {
        let tool = self.embedded_by(Arc::clone(embedder));
        Ok(match config.store()? {
            Some(store) => tool.storing(store, Arc::clone(embedder), Arc::new(SystemClock)),
            None => tool,
        })
    }

    /// Finds passages by their vectors too: `embedder` makes them and `store` keeps them. The
    /// backend of the policy must not be `words`.
    pub fn storing(self, store: Arc<dyn ChunkIndex>, embedder: Arc<dyn Embedder>, clock: Arc<dyn Clock>) -> Self {
        Self { meaning: Some(Arc::new(MeaningSearch::new(store, embedder, clock))), ..self }
    }

    /// Converts the tool into an executor.
    pub fn into_executor(self) -> Typed<Self> {
        Typed::new(self)
    }

    /// The index of a space. Drops the least recently used one when there are too many.
    fn index(&self, space: &Space) -> Arc<Index> {
        let mut indexes = self.indexes.locked();
        // An index for older rules will not be used again.
        indexes.retain(|known, _| known.roots != space.roots || known == space);
        let clock = indexes.values().map(|(_, used)| *used).max().unwrap_or_default() + 1;
        if !indexes.contains_key(space) && indexes.len() >= INDEXES {
            let oldest = indexes.iter().min_by_key(|(_, (_, used))| *used).map(|(space, _)| space.clone());
            oldest.and_then(|oldest| indexes.remove(&oldest));
        }
        let (index, used) = indexes.entry(space.clone()).or_default();
        *used = clock;
        Arc::clone(index)
    }
}

/// Finds code without reading files: where a name is defined or used, code about a topic
/// (`semantic`), or the signatures of a file or folder (`outline`). For Rust, Python, JavaScript,
/// TypeScript, Go, Java, C, C++ and Bash; `grep` searches other text.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// A name (`Stack::dispatch`) or a few words. Optional for `outline`.
    query: Option<String>,
    /// Default `auto`: a definition, else words.
    kind: Option<SearchKind>,
    /// File or folder. Default: workspace.
    path: Option<String>,
    /// For example `rust`.
    lang: Option<String>,
    /// Default 15, at most 50.
    limit: Option<usize>,
    offset: Option<usize>,
}

/// Kind of the search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchKind {
    /// The kind that fits the query.
    #[default]
    Auto,
    /// Definitions of a name.
    Definition,
    /// Uses of a name.
    Reference,
    /// Code that is about something.
    Semantic,
    /// Lines that hold the query as it is.
    Text,
    /// Definitions in a file or folder.
    Outline,
}

impl Tool for SearchCode {
    type Args = Args;

    fn definition(&self) -> ToolDef {
        ToolDef::of::<Args>("search_code", ToolKind::Search, ToolTraits::READ_ONLY).titled("Search code")
    }

    async fn inspect(&self, args: &Args, cx: &CallContext) -> Result<Inspection, ToolError> {
        SearchRequest::read(args)?;
        self.sources.inspect(args.path.as_deref(), cx)
    }

    async fn run(&self, args: Args, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        let asked = SearchRequest::read(&args)?;
        let sight: Arc<dyn FileAccess> = self.sources.sight(cx)?.into();
        let policy = self.policy.load();
        let told = self.consulted(&asked, &args, &sight, &policy, cx).await?;
        let tool = self.clone();
        aside(move || tool.search(&asked, args.path.as_deref(), sight.as_ref(), &policy, &told)).await
    }
}

/// Runs blocking work on a thread for it.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(CodeError::Lost.into()))
}

/// The answer of the language servers.
#[derive(Debug, Clone, Default)]
enum LanguageServerAnswer {
    /// No server is configured for the language.
    #[default]
    Nobody,
    Told(NameAnswer),
    /// Reason for the failure.
    Failed(String),
}

/// The parameters of a call.
#[derive(Debug, Clone)]
struct SearchRequest {
    query: Option<Query>,
    kind: SearchKind,
    wanted: SearchScope,
    limit: usize,
    offset: usize,
}

impl SearchRequest {
    fn read(args: &Args) -> Result<Self, CodeError> {
        let kind = args.kind.unwrap_or_default();
        let text = args.query.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let query = match text {
            Some(text) => Some(Query::read(text)?),
            None if kind == SearchKind::Outline => None,
            None if args.query.is_some() => return Err(CodeError::NoWords),
            None => return Err(CodeError::NoQuery),
        };
        let (usual, most) = if kind == SearchKind::Outline { (MAX_OUTLINED, MAX_OUTLINED) } else { (USUAL, MAX_HITS) };
        Ok(Self {
            query,
            kind,
            wanted: SearchScope::in_language(args.lang.as_deref())?,
            limit: args.limit.unwrap_or(usual).clamp(1, most),
            offset: args.offset.unwrap_or(0),
        })
    }

    /// Whether the kind of search includes passages.
    fn is_in_words(&self) -> bool {
        matches!(self.kind, SearchKind::Auto | SearchKind::Semantic)
    }
}

/// Hits, with the text around them.
#[derive(Default)]
struct Answer {
    /// Lines above the hits.
    head: Vec<String>,
    hits: Vec<Hit>,
    notes: Vec<String>,
    /// Reason why passages were found by words alone although vectors are configured.
    only_words: Option<String>,
}

impl Answer {
    /// Adds the answer of a language server.
    fn with(mut self, search: &Search<'_>, asked: &SearchRequest, told: &LanguageServerAnswer) -> Self {
        let (LanguageServerAnswer::Told(told), Some(query)) = (told, &asked.query) else {
            if let LanguageServerAnswer::Failed(why) = told {
                self.notes.push(format!("lsp: {why}"));
            }
            return self;
        };
        let Some(name) = query.definition_names().last().or(query.names.last()) else { return self };
        let (uses, elsewhere) = search.hits_at(&told.references, &name.text);
        let outside =
            if elsewhere > 0 { format!(", {elsewhere} more outside of what is searched") } else { String::new() };
        self.head.push(format!("[lsp] {} references{outside}\n", uses.len()));
        if asked.kind == SearchKind::Reference {
            self.hits = fuse(vec![self.hits, uses]);
        } else {
            let what = told.hover.as_deref().map(|text| search.shown_of(text)).filter(|text| !text.is_empty());
            self.head.extend(what.map(|text| format!("[lsp] {text}\n")));
            let (defined, _) = search.hits_at(&told.definitions, &name.text);
            for hit in defined {
                match self.hits.iter_mut().find(|known| known.path == hit.path && known.line == hit.line) {
                    Some(known) => known.layers.push(Layer::Lsp),
                    None => self.hits.push(hit),
                }
            }
        }
        self
    }
}

impl SearchCode {
    /// Asks the language server about the definition of the name in a query.
    async fn consulted(
        &self,
        asked: &SearchRequest,
        args: &Args,
        sight: &Arc<dyn FileAccess>,
        policy: &Arc<IndexPolicy>,
        cx: &CallContext,
    ) -> Result<LanguageServerAnswer, ToolError> {
        let is_about_a_name = match asked.kind {
            SearchKind::Auto => asked.query.as_ref().is_some_and(|query| query.is_name),
            SearchKind::Definition | SearchKind::Reference => true,
            _ => false,
        };
        let Some(held) = self.held.as_ref().filter(|_| is_about_a_name && !policy.servers.is_empty()) else {
            return Ok(LanguageServerAnswer::Nobody);
        };
        let (tool, asked, path) = (self.clone(), asked.clone(), args.path.clone());
        let (seeing, limits) = (Arc::clone(sight), Arc::clone(policy));
        let located = aside(move || tool.located(&asked, path.as_deref(), seeing.as_ref(), &limits)).await?;
        let Some((language, place)) = located else { return Ok(LanguageServerAnswer::Nobody) };
        let Some(server) = policy.servers.get(language) else { return Ok(LanguageServerAnswer::Nobody) };
        let roots = sight.space().roots;
        let told = self.servers.ask(held, (language, server), &roots, &place, cx).await;
        Ok(told.map_or_else(LanguageServerAnswer::Failed, LanguageServerAnswer::Told))
    }

    /// The place where the name of a query is defined, for a server.
    fn located(
        &self,
        asked: &SearchRequest,
        path: Option<&str>,
        sight: &dyn FileAccess,
        policy: &IndexPolicy,
    ) -> Result<Option<(&'static str, NameQuery)>, ToolError> {
        let Some(query) = &asked.query else { return Ok(None) };
        let index = self.index(&sight.space());
        let synced = index.sync(sight, path, policy)?;
        let wanted = SearchScope { starts: synced.walked.starts, ..asked.wanted.clone() };
        let search = Search { index: &index, sight, policy, wanted: &wanted };
        let named = Query { is_name: true, ..query.clone() };
        let found = search.definitions(&named).into_iter().next();
        Ok(found.and_then(|hit| {
            let fresh = index.fresh(sight, &hit.path, policy).filter(|fresh| fresh.hash == hit.hash)?;
            let language = form_of(&hit.path)?.language()?;
            let text = String::from_utf8(fresh.text).ok()?;
            let column = hit.symbol?.column as usize;
            let (path, language_id) = (hit.path.to_path_buf(), language.id);
            Some((language.name, NameQuery { path, language_id, text, line: hit.line, column }))
        }))
    }

    fn search(
        &self,
        asked: &SearchRequest,
        path: Option<&str>,
        sight: &dyn FileAccess,
        policy: &IndexPolicy,
        told: &LanguageServerAnswer,
    ) -> Result<ToolOutput, ToolError> {
        let index = self.index(&sight.space());
        let mut tries = 0;
        loop {
            tries += 1;
            let synced = index.sync(sight, path, policy)?;
            let wanted = SearchScope { starts: synced.walked.starts.clone(), ..asked.wanted.clone() };
            // The vector store needs the state of all files, also of those outside of `path`.
            let is_whole = match path.filter(|_| self.meaning.is_some() && asked.is_in_words()) {
                Some(_) => !index.sync(sight, None, policy)?.walked.is_cut,
                None => path.is_none() && !synced.walked.is_cut,
            };
            let search = Search { index: &index, sight, policy, wanted: &wanted };
            let mut answer = self.answer(&search, asked, is_whole).with(&search, asked, told);
            let slow = index.state().timed_out_files().filter(|file| wanted.holds(&file.path, file.form)).count();
            if slow > 0 {
                answer.notes.push(format!(
                    "{slow} files take too long to be parsed: what they define is not all known; `grep` finds it"
                ));
            }
            answer.notes.extend(too_long(&index, &wanted, sight, policy));
            if sight.is_cancelled() {
                return Err(crate::index::cancelled());
            }
            let mut filling = WindowWriter::new(sight.answer().less(NOTES));
            let parts = asked.query.as_ref().map_or(&[][..], |query| query.parts.as_slice());
            let is_outline = asked.kind == SearchKind::Outline;
            let hits = answer.hits.get(asked.offset.min(answer.hits.len())..).unwrap_or_default();
            for line in &answer.head {
                filling.takes(line);
            }
            let page = search.page(hits, Style { parts, limit: asked.limit, is_outline }, &mut filling);
            if page.is_stale && tries < TRIES {
                continue;
            }
            return Ok(self.output(asked, &answer, page, &synced, policy));
        }
    }

    fn answer(&self, search: &Search<'_>, asked: &SearchRequest, is_whole: bool) -> Answer {
        let Some(query) = asked.query.as_ref().filter(|_| asked.kind != SearchKind::Outline) else {
            return Answer { hits: search.outline(asked.query.as_ref()), ..Answer::default() };
        };
        let hits = match asked.kind {
            SearchKind::Definition => {
                let named = Query { is_name: true, ..query.clone() };
                search.definitions(if query.definition_names().next().is_some() { query } else { &named })
            }
            SearchKind::Reference => query.names.last().map(|name| search.references(name)).unwrap_or_default(),
            SearchKind::Semantic => return self.passages(search, query, is_whole),
            SearchKind::Text => search.lines(query),
            SearchKind::Auto | SearchKind::Outline => return self.every_layer(search, query, is_whole),
        };
        Answer { hits, ..Answer::default() }
    }

    /// Looks up a name as a definition first; ranks words by all layers together.
    fn every_layer(&self, search: &Search<'_>, query: &Query, is_whole: bool) -> Answer {
        let defined = search.definitions(query);
        let found = self.passages(search, query, is_whole);
        if !query.is_name || defined.is_empty() {
            return Answer { hits: fuse(vec![defined, found.hits]), ..found };
        }
        let Answer { hits: passages, mut notes, only_words, .. } = found;
        if let Some(name) = query.definition_names().next() {
            let mentions = search.mentions(&name.text);
            notes.extend((mentions.times > 0).then(|| {
                format!(
                    "`{}` stands {} times in {} files; `kind: reference` lists its uses",
                    name.text, mentions.times, mentions.files
                )
            }));
        }
        // The definition already leads to passages in the same file.
        let is_new = |hit: &Hit| hit.symbol.is_some() && !defined.iter().any(|known| known.path == hit.path);
        let beside: Vec<Hit> = passages.into_iter().filter(is_new).take(BESIDE).collect();
        let mut hits = defined;
        hits.extend(beside);
        Answer { hits, notes, only_words, ..Answer::default() }
    }

    /// The passages for a query: by words, by meaning if there is a model, and by stored vectors if
    /// there is a store.
    fn passages(&self, search: &Search<'_>, query: &Query, is_whole: bool) -> Answer {
        let (hits, files) = search.passages(query);
        if self.backend == VectorBackend::Words {
            let hits = match self.embedder.as_deref() {
                Some(embedder) => search.embedded(query, hits, embedder),
                None => hits,
            };
            return Answer { hits: telling(hits), ..Answer::default() };
        }
        let words = telling(hits);
        let only_words = |hits, why: String| Answer { hits, only_words: Some(why), ..Answer::default() };
        let Some(meaning) = &self.meaning else {
            let why = match (self.backend, &self.embedder) {
                (_, None) => "there is no model (`embedding.model`)",
                (VectorBackend::Qdrant, Some(_)) => "this build has no adapter for Qdrant",
                (_, Some(_)) => "no store of vectors is in use",
            };
            return only_words(words, why.to_owned());
        };
        match meaning.search(search, &query.text, &files, (is_whole, search.policy.vectors_per_call)) {
            Ok(MeaningResult { hits: near, missing }) => {
                let note = format!("{missing} files have no vectors yet and were found by words; later calls go on");
                let notes = if missing > 0 { vec![note] } else { vec![] };
                Answer { hits: joined(words, near), notes, ..Answer::default() }
            }
            Err(error) => only_words(words, error.to_string()),
        }
    }

    fn output(
        &self,
        asked: &SearchRequest,
        answer: &Answer,
        page: crate::render::Page,
        synced: &SyncResult,
        policy: &IndexPolicy,
    ) -> ToolOutput {
        let (total, end) = (answer.hits.len(), asked.offset + page.passed);
        let mut notes = Vec::new();
        let what = if asked.kind == SearchKind::Outline { "definitions" } else { "results" };
        if page.shown == 0 && (total > 0 || answer.head.is_empty()) {
            notes.push(match total {
                0 => nothing(asked),
                _ => format!("no {what} shown; there are {total}, offset is {}", asked.offset),
            });
        } else if end < total {
            notes.push(format!(
                "{what} {}-{end} of {total}; for more: offset={end}, or narrow `path`",
                asked.offset + 1
            ));
        }
        notes.extend(answer.notes.iter().cloned());
        notes.extend(synced.walked.notes.iter().cloned());
        if synced.full > 0 {
            notes.push(format!(
                "{} files did not fit into the index (`index.memory_bytes`); name a `path`, or use `grep`",
                synced.full
            ));
        }
        let layers = self.layers(policy, answer.only_words.as_deref());
        if answer.only_words.is_some()
            && let Some(Value::String(state)) = layers.get("semantic")
        {
            notes.push(format!("semantic: {state}"));
        }
        let mut text = answer.head.concat();
        text.push_str(&page.text);
        for note in notes {
            let _ = writeln!(text, "[{note}]");
        }
        let window = (page.shown > 0).then_some(Window {
            from: asked.offset as u64,
            to: end as u64,
            total: Some(total as u64),
            next: (end < total).then_some(end as u64),
        });
        let mut raw = json!({"hits": page.hits, "total": total, "layers": layers});
        if let Some(why) = synced.unwatched {
            raw["watch"] = format!("off: {why}").into();
        }
        let output = ToolOutput::text(text.trim_end()).with_raw_response(raw).from_source(ClaimSource::Workspace);
        ToolOutput { truncated: end < total, locations: page.locations, window, ..output }
    }

    /// Status of each layer.
    fn layers(&self, policy: &IndexPolicy, only_words: Option<&str>) -> Map<String, Value> {
        let semantic = only_words.map_or_else(|| "ok".to_owned(), |why| format!("by words only: {why}"));
        let lsp = match (policy.servers.is_empty(), &self.held) {
            (true, _) => "off: no server is configured (`index.lsp`)",
            (false, None) => "off: this build cannot confine servers",
            (false, Some(_)) => "ok",
        };
        let layers = [(Layer::Structural, "ok"), (Layer::Semantic, &semantic), (Layer::Lsp, lsp)];
        layers.into_iter().map(|(layer, state)| (layer.name().to_owned(), Value::from(state))).collect()
    }
}

/// The passages whose score is close to the best.
fn telling(mut hits: Vec<Hit>) -> Vec<Hit> {
    let best = hits.first().map_or(0.0, |hit| hit.score);
    hits.retain(|hit| hit.score >= TELLING * best);
    hits.truncate(MAX_HITS);
    hits
}

/// A note on the files of the scope that are too long to be searched.
fn too_long(index: &Index, wanted: &SearchScope, sight: &dyn FileAccess, policy: &IndexPolicy) -> Option<String> {
    let mut state = index.state();
    state.forget_short(policy.max_file_bytes);
    let is_wanted = |path: &&Arc<Path>| form_of(path).is_some_and(|form| wanted.holds(path, form.name()));
    let left_out: Vec<&Arc<Path>> = state.long().filter(is_wanted).collect();
    let first = sight.show(left_out.first()?);
    let which = match left_out.len() - 1 {
        0 => format!("`{first}` is"),
        more => format!("`{first}` and {more} more files are"),
    };
    Some(format!("{which} longer than {} bytes and not searched; `grep` searches them", policy.max_file_bytes))
}

/// Advice when there is no hit.
fn nothing(asked: &SearchRequest) -> String {
    match asked.kind {
        SearchKind::Outline => {
            "nothing is defined there in a language that is known; use `read` or `list_directory`".to_owned()
        }
        SearchKind::Definition => {
            "no definition of that name; `kind: semantic` takes words, `grep` finds any text".to_owned()
        }
        SearchKind::Reference => "no use of that name; `kind: text` searches comments and strings too".to_owned(),
        _ => "nothing found; try other words, or `grep` for text in files of other kinds".to_owned(),
    }
}
