//! All tools behind all layers, with one entry point.

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

/// All tools behind all layers: the main type for a host. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Toolbox {
    pub(crate) stack: Arc<Stack>,
    pub(crate) context: CallContext,
    pub(crate) config: Arc<HaftConfig>,
    /// Its own tools; `None` if there are none.
    #[cfg_attr(not(feature = "shell"), expect(dead_code, reason = "only their commands are asked for"))]
    pub(crate) set: Option<Arc<ToolSet>>,
    pub(crate) inner: Arc<Inner>,
}

impl Toolbox {
    /// The dispatcher: for hosts that ask people in their own way.
    pub fn stack(&self) -> &Arc<Stack> {
        &self.stack
    }

    /// The context that every call starts from: its session, and the base of relative paths.
    pub fn context(&self) -> CallContext {
        self.context.clone()
    }

    /// The configuration at the start.
    pub fn config(&self) -> &HaftConfig {
        &self.config
    }

    /// The configuration in force: after a reload, a different one from [`Self::config`].
    pub fn running(&self) -> Arc<HaftConfig> {
        self.inner.running.locked().clone()
    }

    /// The file that the configuration was read from; `None` for a text or for defaults.
    pub fn config_file(&self) -> Option<&Path> {
        self.inner.loaded.file.as_deref()
    }

    /// The parts shared by its tools: gates, record, stores, models, servers.
    pub fn parts(&self) -> &Parts {
        &self.inner.parts
    }

    /// The confinement of commands; `None` if there are no tools.
    #[cfg(feature = "shell")]
    pub fn commands(&self) -> Option<&Arc<tools_shell::CommandConfinement>> {
        self.set.as_ref().map(|set| &set.commands)
    }

    /// Makes a call. If it needs approval, `confirmer` asks a person, and the call is judged again
    /// with their consent.
    pub async fn call(&self, call: ToolCall, cx: &CallContext, confirmer: &dyn Confirmer) -> RecordedResult {
        self.stack.ask(call, cx, confirmer, Some(self)).await
    }

    /// Resets the quota of a session and forgets the results of its calls; approvals for the
    /// session stay.
    pub fn reset_session(&self, session: &SessionId) {
        #[cfg(feature = "policy")]
        self.parts().gates.state.reset(session);
        #[cfg(feature = "graph")]
        self.parts().offering.lists.forget(session);
        let _ = session;
    }

    /// Forgets a session with what it saw of files and credentials and its approvals, and ends its
    /// jobs. [`Toolbox::end_jobs`] waits until they are gone.
    pub fn end_session(&self, session: &SessionId) {
        self.reset_session(session);
        self.inner.shared.ends.ended(session);
        self.inner.sets.all().iter().for_each(|set| set.parts.ends.ended(session));
    }

    /// Notified when the list of tools may have changed.
    pub fn relisted(&self) -> &Arc<tokio::sync::Notify> {
        &self.inner.relisted
    }

    /// Ends the background jobs of a session. On return, none of their processes is left.
    #[cfg_attr(not(feature = "shell"), expect(clippy::unused_async, reason = "there are no jobs to wait for"))]
    pub async fn end_jobs(&self, session: &SessionId) {
        #[cfg(feature = "shell")]
        self.parts().jobs.end_session(session).await;
        let _ = session;
    }

    /// Problems of a valid configuration: rules that can never match, and settings that do not do
    /// what they seem to.
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

    /// Outcome of the last change of the configuration file; `None` if it did not change or is not
    /// watched.
    pub fn last_reload(&self) -> Option<ReloadState> {
        self.inner.last_reload.locked().clone()
    }

    /// The roots of the tools: canonical, absolute.
    pub fn roots(&self) -> Vec<PathBuf> {
        paths::roots(&self.inner.loaded.config, self.context.workdir())
    }

    /// A toolbox confined to `roots`, which must lie inside its own roots. It shares the record and
    /// the rules.
    ///
    /// # Errors
    /// If one of the roots cannot be opened.
    pub fn narrowed(&self, roots: &[PathBuf]) -> Result<Self, LoadError> {
        let loaded = self.inner.loaded.with(paths::narrowed(&self.running(), roots));
        let workdir = roots.first().map_or_else(|| self.workdir().to_owned(), Clone::clone);
        let rules = paths::read_rules(&loaded, &workdir)?;
        let (stack, set) = self.inner.stack(&loaded, &workdir, Some(roots.to_vec()), &rules)?;
        let context = self.context.clone().with_workdir(workdir);
        Ok(Self { stack, context, config: Arc::new(loaded.config), set, inner: Arc::clone(&self.inner) })
    }

    /// The layers around an empty set of tools, for a session with an empty workspace.
    pub fn without_tools(&self) -> Arc<Stack> {
        Arc::new(Stack::new(self.inner.layers.clone(), CompositeExecutor::new([])))
    }

    /// Base of relative paths.
    pub fn workdir(&self) -> &Path {
        self.context.workdir()
    }
}

/// In a build without gates, approvals are not stored: every answer is for one call. Without a
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
