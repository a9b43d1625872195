//! From a configuration to a toolbox: every section is compiled before anything is put together.

use std::{
    collections::BTreeSet,
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use tools_core::{CallContext, DynExecutor, Layer, ModelHints, ServerName, SessionId, UnlistedLayer};

use crate::{
    Place, Toolbox,
    config::{self, HaftConfig, LoadError, LoadedConfig},
    credentials,
    own_places::OwnPlaces,
    part::Part,
    parts::{Layers, Parts, Sets},
    wiring::Wiring,
};

/// Builds a [`Toolbox`].
pub struct ToolboxBuilder {
    loaded: LoadedConfig<HaftConfig>,
    workdir: PathBuf,
    spelled: Option<PathBuf>,
    beside: Option<PathBuf>,
    was_discovered: bool,
    session: Option<SessionId>,
    server: Option<ServerName>,
    #[cfg(feature = "policy")]
    guest: Option<tools_core::CallerId>,
    executors: Vec<DynExecutor>,
    layers: Vec<(Place, Arc<dyn Layer>)>,
    #[cfg(feature = "policy")]
    judge: Option<Arc<dyn tools_core::Judge>>,
    #[cfg(any(feature = "memory", feature = "graph", feature = "code"))]
    embedder: Option<Arc<dyn tools_core::Embedder>>,
    #[cfg(feature = "llm")]
    providers: Vec<Arc<dyn tools_providers::Provider>>,
}

impl fmt::Debug for ToolboxBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolboxBuilder").field("workdir", &self.workdir).finish_non_exhaustive()
    }
}

impl Toolbox {
    /// Starts building one from a configuration. `workdir` is where relative paths start, and what
    /// tools are kept in where the configuration names no other folders: a folder that exists. A
    /// relative one is taken from the folder that this process works in when the toolbox is built.
    pub fn builder(config: LoadedConfig<HaftConfig>, workdir: impl Into<PathBuf>) -> ToolboxBuilder {
        ToolboxBuilder {
            loaded: config,
            workdir: workdir.into(),
            spelled: None,
            beside: None,
            was_discovered: false,
            session: None,
            server: None,
            #[cfg(feature = "policy")]
            guest: None,
            executors: vec![],
            layers: vec![],
            #[cfg(feature = "policy")]
            judge: None,
            #[cfg(any(feature = "memory", feature = "graph", feature = "code"))]
            embedder: None,
            #[cfg(feature = "llm")]
            providers: vec![],
        }
    }
}

impl ToolboxBuilder {
    /// The configuration was found in the user's folder and named by nobody: one that lies where
    /// tools may write is refused.
    pub fn discovered(self) -> Self {
        Self { was_discovered: true, ..self }
    }

    /// Sets the user's spelling of the working directory where it leads through links: file tools
    /// take paths that begin so.
    pub fn spelled(self, spelled: impl Into<PathBuf>) -> Self {
        Self { spelled: Some(spelled.into()), ..self }
    }

    /// Sets the place where the configuration would be: files of rules are looked for beside it
    /// when it was read from no file.
    pub fn beside(self, file: Option<PathBuf>) -> Self {
        Self { beside: file, ..self }
    }

    /// The session that calls belong to; without it a fresh one.
    pub fn session(self, session: SessionId) -> Self {
        Self { session: Some(session), ..self }
    }

    /// The name of this server among several that serve the same guests: jobs and placeholders name
    /// it, and those of other servers are refused by their names.
    pub fn server(self, name: ServerName) -> Self {
        Self { server: Some(name), ..self }
    }

    /// The guest that the toolbox is for: what is agreed to in it beyond a session counts for the
    /// calls of this guest alone, and what other guests agreed to does not count in it.
    #[cfg(feature = "policy")]
    pub fn guest(self, caller: tools_core::CallerId) -> Self {
        Self { guest: Some(caller), ..self }
    }

    /// One more executor. Its tools come after the built-in ones and stand behind the same layers.
    /// A name that another tool has already is an error when the toolbox is built.
    pub fn executor(mut self, executor: DynExecutor) -> Self {
        #[cfg(feature = "catalog")]
        let executor = DynExecutor::new(tools_catalog::Checked::new(executor));
        self.executors.push(executor);
        self
    }

    /// One more layer, at a place among the built-in ones. The name of another layer is an error
    /// when the toolbox is built.
    pub fn layer(mut self, place: Place, layer: impl Layer + 'static) -> Self {
        self.layers.push((place, Arc::new(layer)));
        self
    }

    /// One more model, under its own name. It stands in for a configured one of that name.
    #[cfg(feature = "llm")]
    pub fn provider(mut self, provider: Arc<dyn tools_providers::Provider>) -> Self {
        self.providers.push(provider);
        self
    }

    /// The model that judges calls under `[tools.adversarial_policy]`, instead of the provider that
    /// is configured there.
    #[cfg(feature = "policy")]
    pub fn judge(self, judge: Arc<dyn tools_core::Judge>) -> Self {
        Self { judge: Some(judge), ..self }
    }

    /// The model that finds tools, memories and code by what they mean, instead of the one that is
    /// configured. Without any they are found by their words.
    #[cfg(any(feature = "memory", feature = "graph", feature = "code"))]
    pub fn embedder(self, embedder: Arc<dyn tools_core::Embedder>) -> Self {
        Self { embedder: Some(embedder), ..self }
    }

    /// Compiles every section and puts the toolbox together.
    ///
    /// # Errors
    /// The first section that cannot be compiled, by key and line, or that switches on what this
    /// build does not have: nothing runs on half a configuration. Two tools or two layers of one
    /// name.
    pub fn build(self) -> Result<Toolbox, LoadError> {
        #[cfg(not(feature = "file"))]
        let _ = &self.spelled;
        #[cfg(feature = "file")]
        let spelled = self.spelled;
        let Self { loaded, workdir, beside, was_discovered, session, server, executors, layers: own, .. } = self;
        let loaded = config::refuse(loaded)?;
        let workdir =
            std::path::absolute(&workdir).map_err(|source| LoadError::Workdir { path: workdir.clone(), source })?;
        let beside = loaded.file.clone().or(beside);
        #[cfg(not(any(feature = "filter", feature = "shell", feature = "file")))]
        let _ = &beside;
        let discovered = loaded.file.as_deref().filter(|_| was_discovered);
        let places = OwnPlaces::of_user();
        places.guard(&loaded.config, &workdir, discovered)?;
        config::places::own_state_dir().map_err(LoadError::StateFolder)?;

        let credentials = Arc::new(credentials::live(&loaded, server.clone())?);
        #[cfg(feature = "llm")]
        let models = crate::models::open(&loaded, self.providers)?;
        #[cfg(all(feature = "policy", feature = "llm"))]
        let judge = self.judge.or_else(|| crate::models::judge(&models, &loaded.config));
        #[cfg(all(feature = "policy", not(feature = "llm")))]
        let judge = self.judge;
        #[cfg(feature = "policy")]
        let judged =
            Arc::new(crate::gates::GatePart::new(&loaded, judge, credentials.now(), names_of(&executors), self.guest)?);
        #[cfg(feature = "policy")]
        let gates = Arc::clone(&judged.gates);
        #[cfg(any(feature = "memory", feature = "graph", feature = "code"))]
        let embedder = self.embedder;
        #[cfg(all(feature = "embed", any(feature = "memory", feature = "graph", feature = "code")))]
        let embedder = match embedder {
            Some(embedder) => Some(embedder),
            None => crate::embedding::model(&loaded)?,
        };
        #[cfg(feature = "memory")]
        let memory = crate::memory::MemoryParts::new(&loaded, credentials.redactor(), embedder.clone())?.map(Arc::new);
        #[cfg(feature = "scheduler")]
        let scheduler = crate::scheduler::SchedulerParts::new(&loaded, credentials.redactor())?.map(Arc::new);
        #[cfg(feature = "skills")]
        let skills = crate::skills::find(&loaded.config.skills, &workdir, Arc::new(credentials.redactor().clone()));
        #[cfg(feature = "overflow")]
        let overflow = Arc::new(crate::overflow::Overflow::new(&loaded)?);
        #[cfg(feature = "cache")]
        let cache = Arc::new(crate::results::Cache::new(&loaded.config));
        #[cfg(feature = "retry")]
        let retry = crate::live::Live::new(&loaded, "tools.retry", |config| config.tools.retry.compile())?;
        #[cfg(feature = "audit")]
        let record = crate::record::Record::open(&loaded, credentials.redactor())?.map(Arc::new);
        #[cfg(feature = "egress")]
        let outlets = {
            let audit = record.as_ref().map(|record| Arc::clone(&record.audit));
            let sessions = Arc::clone(&gates.state.rules);
            Arc::new(crate::egress::networks(&loaded, sessions, credentials.redactor(), audit)?)
        };
        #[cfg(feature = "filter")]
        let filters =
            Arc::new(tools_filter::LiveFilters::new(&loaded.config.tools.filters, beside.clone(), tools_sandbox::home));
        let rules = config::paths::read_rules(&loaded, &workdir)?;
        #[cfg(feature = "checkpoint")]
        let checkpoints = crate::checkpoints::keep(&loaded.config, &workdir, rules.clone());

        #[cfg(feature = "mcp-client")]
        let servers = {
            let redactor = Arc::new(credentials.redactor().clone());
            crate::mcp_servers::servers(&loaded, beside.as_deref(), redactor)?
        };

        // The order of the layers, outermost first; `crate::layers` lists it with reasons.
        let own = |place| own.iter().filter(move |(at, _)| *at == place).map(|(_, layer)| Arc::clone(layer));
        let mut layers = vec![credentials.announce()];
        #[cfg(feature = "audit")]
        layers.extend(record.iter().map(|record| record.layer()));
        #[cfg(feature = "hosts")]
        let judging = {
            use tools_policy::gate::Stands;
            let gates = [Stands::BeforeCall, Stands::AroundExecution].into_iter().flat_map(|place| gates.layers(place));
            layers.iter().cloned().chain(own(Place::BeforeGates)).chain(gates).collect()
        };
        #[cfg(feature = "graph")]
        let offering = Arc::new(crate::offer::ToolOffer::new(&loaded, embedder.clone()));
        #[cfg(feature = "graph")]
        layers.push(offering.layer());
        layers.extend(own(Place::BeforeGates));
        #[cfg(feature = "skills")]
        layers.push(crate::skills::layer(&skills));
        #[cfg(feature = "policy")]
        layers.extend(gates.layers(tools_policy::gate::Stands::BeforeCall));
        layers.extend(own(Place::AfterGates));
        #[cfg(feature = "memory")]
        layers.extend(memory.iter().map(|memory| memory.layer()));
        #[cfg(feature = "cache")]
        layers.push(cache.layer());
        #[cfg(feature = "overflow")]
        layers.push(overflow.layer());
        #[cfg(feature = "filter")]
        layers.push(Arc::new(filters.layer()));
        #[cfg(feature = "audit")]
        layers.extend(record.iter().map(|record| record.noting()));
        layers.push(credentials.layer());
        #[cfg(feature = "checkpoint")]
        layers.extend(checkpoints.iter().map(|checkpoints| Arc::new(checkpoints.clone()) as Arc<dyn Layer>));
        #[cfg(feature = "policy")]
        layers.extend(gates.layers(tools_policy::gate::Stands::AroundExecution));
        layers.extend(own(Place::AroundExecution));
        #[cfg(feature = "retry")]
        layers.push(Arc::new(tools_retry::RetryLayer::new(retry.policy())));
        // Programs that have their calls judged ask for the reason of a refusal: not among the
        // layers that judge.
        layers.insert(0, Arc::new(UnlistedLayer));
        distinct(&layers)?;

        // What follows the configuration, in the order in which it is swapped: what tools ask comes
        // before them.
        #[cfg_attr(
            not(any(
                feature = "llm",
                feature = "egress",
                feature = "retry",
                feature = "cache",
                feature = "memory",
                feature = "scheduler",
                feature = "overflow",
                feature = "filter",
                feature = "audit"
            )),
            expect(unused_mut, reason = "nothing is added to what is always here")
        )]
        let mut shared: Vec<Arc<dyn Part>> = Vec::from([
            #[cfg(feature = "policy")]
            (judged as Arc<dyn Part>),
            Arc::clone(&credentials) as Arc<dyn Part>,
        ]);
        #[cfg(feature = "llm")]
        shared.push(Arc::clone(&models) as Arc<dyn Part>);
        #[cfg(feature = "egress")]
        shared.push(Arc::clone(&outlets) as Arc<dyn Part>);
        #[cfg(feature = "retry")]
        shared.push(retry);
        #[cfg(feature = "cache")]
        shared.push(Arc::clone(&cache) as Arc<dyn Part>);
        #[cfg(feature = "memory")]
        shared.extend(memory.iter().map(|memory| Arc::clone(&memory.policy) as Arc<dyn Part>));
        #[cfg(feature = "scheduler")]
        shared.extend(scheduler.iter().map(|scheduler| Arc::clone(scheduler) as Arc<dyn Part>));
        #[cfg(feature = "overflow")]
        shared.push(Arc::clone(&overflow) as Arc<dyn Part>);
        #[cfg(feature = "filter")]
        shared.push(Arc::clone(&filters) as Arc<dyn Part>);
        #[cfg(feature = "audit")]
        shared.extend(record.iter().map(|record| Arc::clone(record) as Arc<dyn Part>));

        // One for all who only read it.
        let config = Arc::new(loaded.config.clone());
        let hints = ModelHints { reasoning: config.agent.reasoning_model, ..ModelHints::default() };
        let context = CallContext::new(workdir).with_model(hints);
        let context = match session {
            Some(session) => context.in_session(session),
            None => context,
        };
        #[cfg(feature = "shell")]
        let board = credentials::board(credentials.redactor());
        let wiring = Arc::new(Wiring {
            #[cfg(feature = "code")]
            embedder,
            #[cfg(any(feature = "shell", feature = "file"))]
            reserved: crate::reserved::ReservedPlaces::new(&places, &loaded, &config, beside.as_deref()),
            #[cfg(feature = "file")]
            spellings: crate::files::spellings(spelled, &loaded.config, context.workdir()),
            #[cfg(feature = "file")]
            credentials,
            #[cfg(feature = "policy")]
            gates,
            #[cfg(feature = "shell")]
            jobs: Arc::new(tools_shell::Jobs::shown_on(board).at_server(server)),
            #[cfg(feature = "egress")]
            outlets,
            #[cfg(feature = "memory")]
            memory,
            #[cfg(feature = "mcp-client")]
            servers: Arc::clone(&servers),
            #[cfg(feature = "scheduler")]
            scheduler,
            #[cfg(feature = "skills")]
            skills,
            #[cfg(feature = "overflow")]
            overflow,
            #[cfg(feature = "web")]
            web: Arc::default(),
        });
        let parts = Parts {
            loaded,
            wiring,
            executors,
            layers: Layers(layers),
            #[cfg(feature = "hosts")]
            judging: Layers(judging),
            shared,
            sets: Sets::default(),
            #[cfg(feature = "graph")]
            offering,
            #[cfg(feature = "llm")]
            models,
            #[cfg(feature = "audit")]
            record,
            #[cfg(feature = "cache")]
            cache,
            #[cfg(feature = "filter")]
            filters,
            #[cfg(feature = "checkpoint")]
            checkpoints,
            last_reload: Mutex::default(),
            #[cfg(feature = "mcp-client")]
            relisted: Arc::clone(servers.changed()),
            #[cfg(not(feature = "mcp-client"))]
            relisted: Arc::default(),
            joined: Mutex::default(),
        };
        let stack = parts.stack(&parts.loaded, context.workdir(), None, &rules)?;
        let running = Arc::new(Mutex::new(Arc::clone(&config)));
        Ok(Toolbox { stack, context, config, running, parts: Arc::new(parts) })
    }
}

/// The names of the tools of executors.
#[cfg(feature = "policy")]
fn names_of(executors: &[DynExecutor]) -> BTreeSet<tools_core::ToolName> {
    use tools_core::ToolExecutor as _;
    executors.iter().flat_map(|executor| executor.tool_definitions().to_vec()).map(|tool| tool.name.clone()).collect()
}

/// No layer stands twice, and the built-in ones stand in the documented order.
fn distinct(layers: &[Arc<dyn Layer>]) -> Result<(), LoadError> {
    let mut names = BTreeSet::new();
    let built_in: Vec<&str> = crate::layers().into_iter().map(|row| row.name).collect();
    for layer in layers {
        if !names.insert(layer.name()) {
            return Err(LoadError::LayerTwice { name: layer.name() });
        }
    }
    let there = layers.iter().map(|layer| layer.name()).filter(|name| built_in.contains(name));
    let documented = built_in.iter().copied().filter(|name| names.contains(name));
    debug_assert!(there.eq(documented), "the layers stand in the documented order");
    Ok(())
}
