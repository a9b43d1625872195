//! Builds a toolbox from a configuration. Every section is compiled before the parts are assembled.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use tools_core::{CallContext, DynExecutor, Embedder, Layer, ModelHints, ServerName, SessionId, WeakList};

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
    /// Starts building a toolbox from a configuration. `workdir` is the base of relative paths, and
    /// the root of the tools if the configuration names no others; it must exist. A relative
    /// `workdir` is resolved against the current directory of the process when the toolbox is
    /// built.
    pub fn builder(config: LoadedConfig, workdir: impl Into<PathBuf>) -> ToolboxBuilder {
        ToolboxBuilder { loaded: config, workdir: workdir.into(), ..ToolboxBuilder::default() }
    }
}

impl ToolboxBuilder {
    /// Marks the configuration as found in the user's folder, not named by anybody. It is refused
    /// if it lies where tools may write.
    pub fn discovered(self) -> Self {
        Self { was_discovered: true, ..self }
    }

    /// Sets the user's spelling of the working directory if it leads through links. File tools
    /// accept paths that begin with it.
    pub fn spelled(self, spelled: impl Into<PathBuf>) -> Self {
        Self { spelled: Some(spelled.into()), ..self }
    }

    /// Sets the path that the configuration file would have. If none was read, files of rules are
    /// searched in its folder.
    pub fn beside(self, file: Option<PathBuf>) -> Self {
        Self { beside: file, ..self }
    }

    /// Sets the session of the calls [default: a new one].
    pub fn session(self, session: SessionId) -> Self {
        Self { session: Some(session), ..self }
    }

    /// Sets the name of this server among several that serve the same guests. Jobs and placeholders
    /// contain it, and those of other servers are refused.
    pub fn server(self, name: ServerName) -> Self {
        Self { server: Some(name), ..self }
    }

    /// Sets the guest that the toolbox serves. Approvals that outlast a session then apply to this
    /// guest only, and those of other guests do not apply here.
    #[cfg(feature = "policy")]
    pub fn guest(self, caller: tools_core::CallerId) -> Self {
        Self { guest: Some(caller), ..self }
    }

    /// Adds an executor. Its tools come after the built-in ones and behind the same layers. If a
    /// tool's name is already taken, `build` fails.
    pub fn executor(mut self, executor: DynExecutor) -> Self {
        #[cfg(feature = "catalog")]
        let executor = DynExecutor::new(tools_catalog::CheckedExecutor::new(executor));
        self.executors.push(executor);
        self
    }

    /// Adds a layer at a place among the built-in ones. If its name is already taken, `build`
    /// fails.
    pub fn layer(mut self, place: Place, layer: impl Layer + 'static) -> Self {
        self.layers.push((place, Arc::new(layer)));
        self
    }

    /// Adds a model under its own name. It replaces a configured one of that name.
    #[cfg(feature = "llm")]
    pub fn provider(mut self, provider: Arc<dyn tools_providers::Provider>) -> Self {
        self.providers.push(provider);
        self
    }

    /// Sets the model that judges calls under `[tools.adversarial_policy]`, in place of the
    /// configured provider.
    #[cfg(feature = "policy")]
    pub fn judge(self, judge: Arc<dyn tools_core::Judge>) -> Self {
        Self { judge: Some(judge), ..self }
    }

    /// Sets the model that finds tools, memories and code by their meaning, in place of the
    /// configured one. Without a model they are found by their words.
    pub fn embedder(self, embedder: Arc<dyn Embedder>) -> Self {
        Self { embedder: Some(embedder), ..self }
    }

    /// Compiles every section and assembles the toolbox.
    ///
    /// # Errors
    /// The first section that cannot be compiled or that enables something this build does not
    /// have, by key and line: a partial configuration is never used. Also two tools or two layers
    /// with the same name.
    pub fn build(mut self) -> Result<Toolbox, LoadError> {
        self.loaded = config::refuse(self.loaded)?;
        let workdir = std::path::absolute(&self.workdir)
            .map_err(|source| LoadError::Workdir { path: self.workdir.clone(), source })?;
        let rules = config::paths::read_rules(&self.loaded, &workdir)?;
        // One copy, shared by all who only read it.
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
            sets: WeakList::default(),
            last_reload: Mutex::default(),
            #[cfg(feature = "mcp-client")]
            relisted: Arc::clone(parts.servers.changed()),
            #[cfg(not(feature = "mcp-client"))]
            relisted: Arc::default(),
            joined: WeakList::default(),
            parts: Arc::new(parts),
        };
        let (stack, set) = inner.stack(&inner.loaded, context.workdir(), None, &rules)?;
        Ok(Toolbox { stack, context, config, set, inner: Arc::new(inner) })
    }
}
