//! All tools, all layers, one way in.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use tools_core::{
    CallContext, CompositeExecutor, Confirmer, Decisions, Locked as _, RecordedResult, SessionId, Stack, ToolCall,
};

use crate::config::{HaftConfig, LoadError, ReloadState, paths};
use crate::inner::Inner;
use crate::parts::Parts;
use crate::tools::ToolSet;

/// All tools behind all layers: what a host holds. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Toolbox {
    pub(crate) stack: Arc<Stack>,
    pub(crate) context: CallContext,
    pub(crate) config: Arc<HaftConfig>,
    /// Its own tools; `None` when there are none.
    #[cfg_attr(not(feature = "shell"), expect(dead_code, reason = "only their commands are asked for"))]
    pub(crate) set: Option<Arc<ToolSet>>,
    pub(crate) inner: Arc<Inner>,
}

impl Toolbox {
    /// The dispatcher: for hosts that ask people in their own way.
    pub fn stack(&self) -> &Arc<Stack> {
        &self.stack
    }

    /// The context every call starts from: its session, and where relative paths start.
    pub fn context(&self) -> CallContext {
        self.context.clone()
    }

    /// The configuration in force.
    pub fn config(&self) -> &HaftConfig {
        &self.config
    }

    /// The configuration that counts by now: after a reload another one than [`Self::config`].
    pub fn running(&self) -> Arc<HaftConfig> {
        self.inner.running.locked().clone()
    }

    /// The file that the configuration was read from; `None` for a text or the defaults.
    pub fn config_file(&self) -> Option<&Path> {
        self.inner.loaded.file.as_deref()
    }

    /// The parts that its tools share: gates, record, stores, models, servers.
    pub fn parts(&self) -> &Parts {
        &self.inner.parts
    }

    /// The confinement of commands; `None` when there are no tools.
    #[cfg(feature = "shell")]
    pub fn commands(&self) -> Option<&Arc<tools_shell::CommandConfinement>> {
        self.set.as_ref().map(|set| &set.commands)
    }

    /// Makes a call; where a person has to agree, `confirmer` asks one, and the call is judged
    /// again with their consent.
    pub async fn call(&self, call: ToolCall, cx: &CallContext, confirmer: &dyn Confirmer) -> RecordedResult {
        self.stack.ask(call, cx, confirmer, Some(self)).await
    }

    /// Forgets what a session used of its quota and what its calls gave; what people allowed for it
    /// stays.
    pub fn reset_session(&self, session: &SessionId) {
        #[cfg(feature = "policy")]
        self.parts().gates.state.reset(session);
        #[cfg(feature = "graph")]
        self.parts().offering.lists.forget(session);
        let _ = session;
    }

    /// Forgets a session, what it saw of files and credentials, and what people allowed for it, and
    /// ends its jobs; see [`Toolbox::end_jobs`] for waiting until they are gone.
    pub fn end_session(&self, session: &SessionId) {
        self.reset_session(session);
        self.inner.shared.ends.ended(session);
        self.inner.sets.all().iter().for_each(|set| set.parts.ends.ended(session));
    }

    /// Woken when other tools may be listed than before.
    pub fn relisted(&self) -> &Arc<tokio::sync::Notify> {
        &self.inner.relisted
    }

    /// Ends what a session runs in the background. When this returns nothing of it is left.
    #[cfg_attr(not(feature = "shell"), expect(clippy::unused_async, reason = "there are no jobs to wait for"))]
    pub async fn end_jobs(&self, session: &SessionId) {
        #[cfg(feature = "shell")]
        self.parts().jobs.end_session(session).await;
        let _ = session;
    }

    /// Rules that can never match, and whatever else in the configuration holds but does not do
    /// what it looks like.
    pub fn lint(&self) -> Vec<String> {
        let (config, mut found) = (&self.config, Vec::new());
        #[cfg(feature = "policy")]
        found.extend(self.parts().gates.lint(&self.stack.definitions()));
        #[cfg(feature = "retry")]
        found.extend(config.tools.retry.lint(&self.stack.definitions(), cfg!(feature = "llm")));
        #[cfg(feature = "filter")]
        found.extend(self.parts().filters.warnings.load().as_ref().clone());
        #[cfg(all(feature = "file", feature = "shell"))]
        found.extend(self.set.iter().flat_map(|_| config.tools.file.lint(tools_sandbox::home().as_deref())));
        #[cfg(feature = "graph")]
        found.extend(self.parts().offering.faults.load().iter().map(ToString::to_string));
        #[cfg(feature = "shell")]
        found.extend(config.tools.shell.lint(self.workdir(), tools_sandbox::home().as_deref()));
        let _ = (config, &mut found);
        found
    }

    /// Outcome of the last change of the configuration file; `None` when it did not change, or is
    /// not watched.
    pub fn last_reload(&self) -> Option<ReloadState> {
        self.inner.last_reload.locked().clone()
    }

    /// The roots that tools are kept in: canonical, absolute.
    pub fn roots(&self) -> Vec<PathBuf> {
        paths::roots(&self.inner.loaded.config, self.context.workdir())
    }

    /// The same toolbox, kept in `roots` only: which must lie inside its own. The record and the
    /// rules are shared.
    ///
    /// # Errors
    /// When one of the roots cannot be opened.
    pub fn narrowed(&self, roots: &[PathBuf]) -> Result<Self, LoadError> {
        let loaded = self.inner.loaded.with(paths::narrowed(&self.running(), roots));
        let workdir = roots.first().map_or_else(|| self.workdir().to_owned(), Clone::clone);
        let rules = paths::read_rules(&loaded, &workdir)?;
        let (stack, set) = self.inner.stack(&loaded, &workdir, Some(roots.to_vec()), &rules)?;
        let context = self.context.clone().with_workdir(workdir);
        Ok(Self { stack, context, config: Arc::new(loaded.config), set, inner: Arc::clone(&self.inner) })
    }

    /// The layers around no tools at all: for a session whose workspace is empty.
    pub fn without_tools(&self) -> Arc<Stack> {
        Arc::new(Stack::new(self.inner.layers.clone(), CompositeExecutor::new([])))
    }

    /// Base of relative paths.
    pub fn workdir(&self) -> &Path {
        self.context.workdir()
    }
}

/// In a build without gates what people allow is not kept: every answer is for one call. Without a
/// record, refusals are not recorded.
#[async_trait]
impl Decisions for Toolbox {
    #[cfg(feature = "policy")]
    fn allow_for_session(&self, session: &SessionId, rule: tools_core::StoredRule) {
        self.parts().gates.allow_for_session(session, rule);
    }

    #[cfg(feature = "policy")]
    async fn allow_always(&self, cx: &CallContext, rule: tools_core::StoredRule) {
        self.parts().gates.allow_in_project(cx, rule).await;
    }

    #[cfg(feature = "policy")]
    async fn reject_always(&self, cx: &CallContext, rule: tools_core::StoredRule) {
        self.parts().gates.reject_in_project(cx, rule).await;
    }

    #[cfg(feature = "audit")]
    async fn declined(
        &self,
        call: ToolCall,
        cx: &CallContext,
        refusal: tools_core::Refusal,
        error: tools_core::ToolError,
    ) {
        if let Some(record) = &self.parts().record {
            record.audit.decline(&self.stack.inspect(call, cx).await, &refusal, error);
        }
    }
}
