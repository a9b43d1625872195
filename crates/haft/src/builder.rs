//! From a configuration to a toolbox: every section is compiled before anything is put together.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use tools_core::{CallContext, DynExecutor, Embedder, InUse, Layer, ModelHints, ServerName, SessionId};

use crate::config::{self, LoadError, LoadedConfig};
use crate::inner::Inner;
use crate::parts::Parts;
use crate::{Place, Toolbox, stack};

/// Builds a [`Toolbox`].
#[derive(Default)]
pub struct ToolboxBuilder {
    pub(crate) loaded: LoadedConfig,
    workdir: PathBuf,
    session: Option<SessionId>,
    layers: Vec<(Place, Arc<dyn Layer>)>,
    pub(crate) spelled: Option<PathBuf>,
    pub(crate) beside: Option<PathBuf>,
    pub(crate) was_discovered: bool,
    pub(crate) server: Option<ServerName>,
    pub(crate) executors: Vec<DynExecutor>,
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    #[cfg(feature = "policy")]
    pub(crate) guest: Option<tools_core::CallerId>,
    #[cfg(feature = "policy")]
    pub(crate) judge: Option<Arc<dyn tools_core::Judge>>,
    #[cfg(feature = "llm")]
    pub(crate) providers: Vec<Arc<dyn tools_providers::Provider>>,
}

tools_core::partial_debug!(ToolboxBuilder { workdir });

impl Toolbox {
    /// Starts building one from a configuration. `workdir` is where relative paths start, and what
    /// tools are kept in where the configuration names no other folders: a folder that exists. A
    /// relative one is taken from the folder that this process works in when the toolbox is built.
    pub fn builder(config: LoadedConfig, workdir: impl Into<PathBuf>) -> ToolboxBuilder {
        ToolboxBuilder { loaded: config, workdir: workdir.into(), ..ToolboxBuilder::default() }
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
    pub fn embedder(self, embedder: Arc<dyn Embedder>) -> Self {
        Self { embedder: Some(embedder), ..self }
    }

    /// Compiles every section and puts the toolbox together.
    ///
    /// # Errors
    /// The first section that cannot be compiled, by key and line, or that switches on what this
    /// build does not have: nothing runs on half a configuration. Two tools or two layers of one
    /// name.
    pub fn build(mut self) -> Result<Toolbox, LoadError> {
        self.loaded = config::refuse(self.loaded)?;
        let workdir = std::path::absolute(&self.workdir)
            .map_err(|source| LoadError::Workdir { path: self.workdir.clone(), source })?;
        let rules = config::paths::read_rules(&self.loaded, &workdir)?;
        // One for all who only read it.
        let config = Arc::new(self.loaded.config.clone());
        let (parts, shared) = Parts::new(&mut self, &config, &workdir, &rules)?;
        let hints = ModelHints { reasoning: config.agent.reasoning_model, ..ModelHints::default() };
        let context = CallContext::new(workdir).with_model(hints);
        let context = match self.session {
            Some(session) => context.in_session(session),
            None => context,
        };
        let inner = Inner {
            loaded: self.loaded,
            running: Mutex::new(Arc::clone(&config)),
            executors: self.executors,
            layers: stack::ordered(&shared.layers, &self.layers)?,
            #[cfg(feature = "hosts")]
            judging: stack::judging(&shared.layers, &self.layers)?,
            shared,
            sets: InUse::default(),
            last_reload: Mutex::default(),
            #[cfg(feature = "mcp-client")]
            relisted: Arc::clone(parts.servers.changed()),
            #[cfg(not(feature = "mcp-client"))]
            relisted: Arc::default(),
            joined: InUse::default(),
            parts: Arc::new(parts),
        };
        let (stack, set) = inner.stack(&inner.loaded, context.workdir(), None, &rules)?;
        Ok(Toolbox { stack, context, config, set, inner: Arc::new(inner) })
    }
}
