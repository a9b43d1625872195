//! All tools, all layers, one way in.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use tools_core::{
    Approval, CallContext, CallerId, Confirmer, Decisions, Desk, Locked as _, RecordedResult, Refusal, SessionId,
    Stack, StoredRule, SystemClock, ToolCall, ToolDef, ToolError, ToolName,
};

use crate::{
    config::{HaftConfig, LoadError, ReloadState, paths},
    parts::Parts,
};

/// All tools behind all layers: what a host holds. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Toolbox {
    pub(crate) stack: Arc<Stack>,
    pub(crate) context: CallContext,
    pub(crate) config: Arc<HaftConfig>,
    /// What the last reload put in place.
    pub(crate) running: Arc<Mutex<Arc<HaftConfig>>>,
    pub(crate) parts: Arc<Parts>,
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
        self.running.locked().clone()
    }

    /// The file that the configuration was read from; `None` for a text or the defaults.
    pub fn config_file(&self) -> Option<&Path> {
        self.parts.loaded.file.as_deref()
    }

    /// The record of calls; `None` where none is kept.
    #[cfg(feature = "audit")]
    pub fn record(&self) -> Option<&Arc<dyn tools_audit::RecordStore>> {
        self.parts.wiring.record.as_ref().map(|record| &record.store)
    }

    /// The store of long output; `None` when it is off.
    #[cfg(feature = "overflow")]
    pub fn stored_output(&self) -> Option<&tools_overflow::Archive> {
        self.parts.wiring.overflow.archive()
    }

    /// Confinement of a command by now, as in the result of a call.
    ///
    /// # Errors
    /// Why none would run.
    #[cfg(feature = "shell")]
    pub fn strength(&self) -> Result<tools_sandbox::kernel::Strength, String> {
        self.tools().map_or_else(
            || Err("there are no tools".to_owned()),
            |tools| tools.commands.held.strength(cfg!(feature = "egress")),
        )
    }

    /// The files and folders that commands see which are held at this level.
    #[cfg(feature = "shell")]
    pub fn view(&self, level: tools_sandbox::kernel::Level) -> tools_sandbox::view::ViewReport {
        let made = self.tools().map(|tools| tools.commands.held.view(&tools.commands.held.writable()));
        made.map(|made| made.view.report(level, &made.left_out)).unwrap_or_default()
    }

    /// The definition of a tool; a cautious one without schema when nobody owns it.
    pub fn definition(&self, tool: &ToolName) -> Arc<ToolDef> {
        self.stack.definition(tool).unwrap_or_else(|| Arc::new(ToolDef::unknown(tool.clone())))
    }

    /// Makes a call; where a person has to agree, `confirmer` asks one, and the call is judged
    /// again with their consent.
    pub async fn call(&self, call: ToolCall, cx: &CallContext, confirmer: &dyn Confirmer) -> RecordedResult {
        self.stack.ask(call, cx, confirmer, Some(self)).await
    }

    /// Makes a call that a person agreed to beforehand, whether or not they would have been asked.
    /// Every gate judges it. What it asks while it runs goes to `confirmer`.
    pub async fn call_approved(&self, call: ToolCall, cx: &CallContext, confirmer: &dyn Confirmer) -> RecordedResult {
        let approval = Approval::grant(&call, CallerId::person(), &SystemClock);
        let (questions, desk) = Desk::open();
        let cx = &cx.clone().with_questions(questions);
        desk.while_running(confirmer, self.stack.run(call, Some(approval), cx)).await
    }

    /// Puts on record that a person refused a call; `error` is what its model is told. Nothing in a
    /// build without a record.
    #[cfg_attr(not(feature = "audit"), expect(clippy::unused_async, reason = "nothing is inspected for no record"))]
    pub async fn decline(&self, call: ToolCall, cx: &CallContext, refusal: &Refusal, error: ToolError) {
        #[cfg(feature = "audit")]
        if let Some(record) = &self.parts.wiring.record {
            let inv = self.stack.inspect(call, cx).await;
            record.audit.decline(&inv, refusal, error);
        }
        #[cfg(not(feature = "audit"))]
        drop((call, cx, refusal, error));
    }

    /// Forgets what a session used of its quota and what its calls gave; what people allowed for it
    /// stays.
    pub fn reset_session(&self, session: &SessionId) {
        #[cfg(feature = "policy")]
        self.gates().state.reset(session);
        #[cfg(feature = "graph")]
        self.parts.wiring.offering.lists.forget(session);
        let _ = session;
    }

    /// Forgets a session, what it saw of files and credentials, and what people allowed for it, and
    /// ends its jobs; see
    /// [`Toolbox::end_jobs`] for waiting until they are gone.
    pub fn end_session(&self, session: &SessionId) {
        self.reset_session(session);
        self.parts.shared.end(session);
        self.parts.sets.all().iter().for_each(|set| set.parts.end(session));
    }

    /// The MCP servers of the configuration.
    #[cfg(feature = "mcp-client")]
    pub fn servers(&self) -> &Arc<tools_mcp_client::McpServers> {
        &self.parts.wiring.servers
    }

    /// The launcher of MCP servers for calls of this toolbox; `None` when it has no tools.
    #[cfg(feature = "mcp-client")]
    pub fn server_launcher(&self) -> Option<tools_mcp_client::Launcher> {
        Some(crate::mcp_servers::launcher(&self.parts.wiring, &self.tools()?.commands))
    }

    /// Asks MCP servers for their tools whose tools are not known yet. Their definitions are kept,
    /// so that later starts ask nobody. A server that cannot be reached is named in what comes
    /// back; the others are offered.
    #[cfg(feature = "mcp-client")]
    pub async fn introduce_servers(&self) -> tools_mcp_client::Introductions {
        let Some(launcher) = self.server_launcher().filter(|_| !self.servers().all().is_empty()) else {
            return tools_mcp_client::Introductions::default();
        };
        let introduced = self.servers().introduce(&launcher, &self.context).await;
        self.parts.refresh();
        introduced
    }

    /// Offers what MCP servers list now, where that is something else than before: to be called
    /// between turns.
    #[cfg(feature = "mcp-client")]
    pub fn relist(&self) {
        self.parts.relist();
    }

    /// Woken when other tools may be listed than before.
    pub fn relisted(&self) -> &Arc<tokio::sync::Notify> {
        &self.parts.relisted
    }

    /// The tools that a model is shown which calls them natively, in the session of this toolbox:
    /// those of the profile, in its words, and with the field for thoughts where that is
    /// configured.
    #[cfg(feature = "graph")]
    pub fn offered(&self) -> tools_core::ToolDefs {
        self.shown(self.context.session(), &self.stack.listed())
    }

    /// The same in another session, of these tools.
    #[cfg(feature = "graph")]
    pub fn shown(&self, session: &SessionId, listed: &tools_core::ToolDefs) -> tools_core::ToolDefs {
        self.worded(session, listed, &self.parts.wiring.offering.lists.shown(session, listed))
    }

    /// The tools that a turn shows which is about `text`, usually what the user wrote last; `used`
    /// are tools that it has called already. With `agent.tool_filter` what fits is added to what
    /// the session was shown before.
    #[cfg(feature = "graph")]
    pub fn turn(&self, cx: &CallContext, text: &str, used: &[ToolName]) -> tools_core::ToolDefs {
        #[cfg(feature = "mcp-client")]
        self.parts.relist();
        let (session, listed) = (cx.session(), self.stack.listed());
        self.worded(session, &listed, &self.parts.wiring.offering.lists.turn(session, &listed, text, used))
    }

    /// The line of a status display about the filter of definitions; `None` while nothing is
    /// filtered.
    #[cfg(feature = "graph")]
    pub fn filter_status(&self) -> Option<String> {
        self.parts.wiring.offering.lists.filter_status()
    }

    /// What a session is shown, in its words, and behind it the tools of the skill that it has
    /// invoked.
    #[cfg(feature = "graph")]
    fn worded(
        &self,
        session: &SessionId,
        listed: &tools_core::ToolDefs,
        shown: &tools_core::ToolDefs,
    ) -> tools_core::ToolDefs {
        let shown = self.parts.wiring.offering.words.of(shown);
        #[cfg(feature = "skills")]
        return self.skills().with_declared(session, listed, shown);
        #[cfg(not(feature = "skills"))]
        {
            let _ = (self, session, listed);
            shown
        }
    }

    /// A model by its name in `[[llm.providers]]`; for an empty name the one that agents use.
    /// `None` when there is none.
    #[cfg(feature = "llm")]
    pub fn provider(&self, name: &str) -> Option<Arc<dyn tools_providers::Provider>> {
        self.parts.wiring.models.of(&self.config.llm, name)
    }

    /// The model that writes wrong parameters anew (`tools.retry.parameter_reformat_provider`);
    /// `None` where the model that wrote them does.
    #[cfg(feature = "llm")]
    pub fn reformat_provider(&self) -> Option<Arc<dyn tools_providers::Provider>> {
        #[cfg(feature = "retry")]
        return self.parts.wiring.models.named(&self.running().tools.retry.parameter_reformat_provider);
        #[cfg(not(feature = "retry"))]
        None
    }

    /// The number of jobs that a session runs in the background.
    #[cfg(feature = "shell")]
    pub fn running_jobs(&self, session: &SessionId) -> usize {
        self.parts.wiring.jobs.running(session)
    }

    /// Ends what a session runs in the background. When this returns nothing of it is left.
    #[cfg_attr(not(feature = "shell"), expect(clippy::unused_async, reason = "there are no jobs to wait for"))]
    pub async fn end_jobs(&self, session: &SessionId) {
        #[cfg(feature = "shell")]
        self.parts.wiring.jobs.end_session(session).await;
        let _ = session;
    }

    /// The skills of this workspace. A host that knows turns says when one has ended:
    /// [`tools_skills::Skills::end_turn`].
    #[cfg(feature = "skills")]
    pub fn skills(&self) -> &tools_skills::Skills {
        &self.parts.wiring.skills
    }

    /// The results that are kept to be served again: for its counters, and to clear it when a
    /// conversation begins anew. A reload begins another.
    #[cfg(feature = "cache")]
    pub fn cache(&self) -> Arc<tools_cache::ToolResultCache> {
        self.parts.wiring.cache.results()
    }

    /// The store of changes made by calls, for undoing them; `None` when it is not kept.
    #[cfg(feature = "checkpoint")]
    pub fn checkpoints(&self) -> Option<&tools_checkpoint::Checkpoints> {
        self.parts.wiring.checkpoints.as_deref()
    }

    /// The rules that the output of commands is filtered by.
    #[cfg(feature = "filter")]
    pub fn filters(&self) -> &tools_core::Shared<tools_filter::FilterPipeline> {
        &self.parts.wiring.filters.pipeline
    }

    /// Rules that can never match, and whatever else in the configuration holds but does not do
    /// what it looks like.
    pub fn lint(&self) -> Vec<String> {
        let (config, mut found) = (&self.config, Vec::new());
        #[cfg(feature = "policy")]
        found.extend(self.gates().lint(&self.stack.definitions()));
        #[cfg(feature = "retry")]
        found.extend(config.tools.retry.lint(&self.stack.definitions(), cfg!(feature = "llm")));
        #[cfg(feature = "filter")]
        found.extend(self.parts.wiring.filters.warnings.load().as_ref().clone());
        #[cfg(all(feature = "file", feature = "shell"))]
        found.extend(self.tools().iter().flat_map(|_| config.tools.file.lint(tools_sandbox::home().as_deref())));
        #[cfg(feature = "graph")]
        found.extend(self.parts.wiring.offering.faults.load().iter().map(ToString::to_string));
        #[cfg(feature = "shell")]
        found.extend(config.tools.shell.lint(self.workdir(), tools_sandbox::home().as_deref()));
        let _ = (config, &mut found);
        found
    }

    /// Outcome of the last change of the configuration file; `None` when it did not change, or is
    /// not watched.
    pub fn last_reload(&self) -> Option<ReloadState> {
        self.parts.last_reload.locked().clone()
    }

    /// The roots that tools are kept in: canonical, absolute.
    pub fn roots(&self) -> Vec<PathBuf> {
        paths::roots(&self.parts.loaded.config, self.context.workdir())
    }

    /// The policies of this toolbox's own tools; `None` when there are none.
    #[cfg(feature = "shell")]
    pub(crate) fn tools(&self) -> Option<Arc<crate::tools::ToolSet>> {
        self.parts.sets.all().into_iter().find(|set| set.workdir == self.workdir())
    }

    /// The same toolbox, kept in `roots` only: which must lie inside its own. The record and the
    /// rules are shared.
    ///
    /// # Errors
    /// When one of the roots cannot be opened.
    pub fn narrowed(&self, roots: &[PathBuf]) -> Result<Self, LoadError> {
        let loaded = self.parts.loaded.with(paths::narrowed(&self.running(), roots));
        let workdir = roots.first().map_or_else(|| self.workdir().to_owned(), Clone::clone);
        let rules = paths::read_rules(&loaded, &workdir)?;
        let stack = self.parts.stack(&loaded, &workdir, Some(roots.to_vec()), &rules)?;
        let context = self.context.clone().with_workdir(workdir);
        Ok(Self { stack, context, config: Arc::new(loaded.config), ..self.clone() })
    }

    /// The layers around no tools at all: for a session whose workspace is empty.
    pub fn without_tools(&self) -> Arc<Stack> {
        self.parts.closed()
    }

    /// Base of relative paths.
    pub fn workdir(&self) -> &Path {
        self.context.workdir()
    }
}

/// In a build without gates nobody keeps what people allow: every answer is for one call.
#[async_trait]
impl Decisions for Toolbox {
    fn allow_for_session(&self, session: &SessionId, rule: StoredRule) {
        #[cfg(feature = "policy")]
        self.gates().allow_for_session(session, rule);
        #[cfg(not(feature = "policy"))]
        drop((session, rule));
    }

    async fn allow_always(&self, cx: &CallContext, rule: StoredRule) {
        #[cfg(feature = "policy")]
        self.gates().allow_in_project(cx, rule).await;
        #[cfg(not(feature = "policy"))]
        drop((cx, rule));
    }

    async fn reject_always(&self, cx: &CallContext, rule: StoredRule) {
        #[cfg(feature = "policy")]
        self.gates().reject_in_project(cx, rule).await;
        #[cfg(not(feature = "policy"))]
        drop((cx, rule));
    }

    async fn declined(&self, call: ToolCall, cx: &CallContext, refusal: Refusal, error: ToolError) {
        self.decline(call, cx, &refusal, error).await;
    }
}
