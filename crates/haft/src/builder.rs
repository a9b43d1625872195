//! From a configuration to a toolbox: every section is compiled before anything is put together.

use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use tools_core::{CallContext, DynExecutor, InUse, Layer, ModelHints, ServerName, SessionId, UnlistedLayer};

use crate::{
    Place, Toolbox,
    config::{self, HaftConfig, LoadError, LoadedConfig},
    given::Given,
    part::PartList,
    parts::Parts,
    stack,
    wired::wired,
};

/// Builds a [`Toolbox`].
pub struct ToolboxBuilder {
    given: Given,
    workdir: PathBuf,
    session: Option<SessionId>,
    layers: Vec<(Place, Arc<dyn Layer>)>,
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
        let given = Given { loaded: config, ..Given::default() };
        ToolboxBuilder { given, workdir: workdir.into(), session: None, layers: vec![] }
    }
}

impl ToolboxBuilder {
    /// The configuration was found in the user's folder and named by nobody: one that lies where
    /// tools may write is refused.
    pub fn discovered(mut self) -> Self {
        self.given.was_discovered = true;
        self
    }

    /// Sets the user's spelling of the working directory where it leads through links: file tools
    /// take paths that begin so.
    pub fn spelled(mut self, spelled: impl Into<PathBuf>) -> Self {
        self.given.spelled = Some(spelled.into());
        self
    }

    /// Sets the place where the configuration would be: files of rules are looked for beside it
    /// when it was read from no file.
    pub fn beside(mut self, file: Option<PathBuf>) -> Self {
        self.given.beside = file;
        self
    }

    /// The session that calls belong to; without it a fresh one.
    pub fn session(self, session: SessionId) -> Self {
        Self { session: Some(session), ..self }
    }

    /// The name of this server among several that serve the same guests: jobs and placeholders name
    /// it, and those of other servers are refused by their names.
    pub fn server(mut self, name: ServerName) -> Self {
        self.given.server = Some(name);
        self
    }

    /// The guest that the toolbox is for: what is agreed to in it beyond a session counts for the
    /// calls of this guest alone, and what other guests agreed to does not count in it.
    #[cfg(feature = "policy")]
    pub fn guest(mut self, caller: tools_core::CallerId) -> Self {
        self.given.guest = Some(caller);
        self
    }

    /// One more executor. Its tools come after the built-in ones and stand behind the same layers.
    /// A name that another tool has already is an error when the toolbox is built.
    pub fn executor(mut self, executor: DynExecutor) -> Self {
        #[cfg(feature = "catalog")]
        let executor = DynExecutor::new(tools_catalog::Checked::new(executor));
        self.given.executors.push(executor);
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
        self.given.providers.push(provider);
        self
    }

    /// The model that judges calls under `[tools.adversarial_policy]`, instead of the provider that
    /// is configured there.
    #[cfg(feature = "policy")]
    pub fn judge(mut self, judge: Arc<dyn tools_core::Judge>) -> Self {
        self.given.judge = Some(judge);
        self
    }

    /// The model that finds tools, memories and code by what they mean, instead of the one that is
    /// configured. Without any they are found by their words.
    #[cfg(any(feature = "memory", feature = "graph", feature = "code"))]
    pub fn embedder(mut self, embedder: Arc<dyn tools_core::Embedder>) -> Self {
        self.given.embedder = Some(embedder);
        self
    }

    /// Compiles every section and puts the toolbox together.
    ///
    /// # Errors
    /// The first section that cannot be compiled, by key and line, or that switches on what this
    /// build does not have: nothing runs on half a configuration. Two tools or two layers of one
    /// name.
    pub fn build(mut self) -> Result<Toolbox, LoadError> {
        self.given.loaded = config::refuse(self.given.loaded)?;
        let workdir = std::path::absolute(&self.workdir)
            .map_err(|source| LoadError::Workdir { path: self.workdir.clone(), source })?;
        let rules = config::paths::read_rules(&self.given.loaded, &workdir)?;
        // One for all who only read it.
        let config = Arc::new(self.given.loaded.config.clone());
        let mut shared = PartList::default();
        let wiring = wired(&mut self.given, &config, &workdir, &rules, &mut shared)?;
        shared.layers.push(Arc::new(UnlistedLayer));
        let hints = ModelHints { reasoning: config.agent.reasoning_model, ..ModelHints::default() };
        let context = CallContext::new(workdir).with_model(hints);
        let context = match self.session {
            Some(session) => context.in_session(session),
            None => context,
        };
        let parts = Parts {
            loaded: self.given.loaded,
            executors: self.given.executors,
            layers: stack::ordered(&shared.layers, &self.layers)?,
            #[cfg(feature = "hosts")]
            judging: stack::judging(&shared.layers, &self.layers)?,
            shared,
            sets: InUse::default(),
            last_reload: Mutex::default(),
            #[cfg(feature = "mcp-client")]
            relisted: Arc::clone(wiring.servers.changed()),
            #[cfg(not(feature = "mcp-client"))]
            relisted: Arc::default(),
            joined: InUse::default(),
            wiring: Arc::new(wiring),
        };
        let stack = parts.stack(&parts.loaded, context.workdir(), None, &rules)?;
        let running = Arc::new(Mutex::new(Arc::clone(&config)));
        Ok(Toolbox { stack, context, config, running, parts: Arc::new(parts) })
    }
}
