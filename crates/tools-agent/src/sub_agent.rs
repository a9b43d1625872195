//! An agent as a tool of another one. Its calls go through the same gates, quota and record; it can
//! never do more than its caller.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock, Weak};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::{
    Absence, Answer, Approval, CallContext, ConfirmPrompt, Confirmer, ConversationId, ExecuteResult, Inspection,
    Invocation, Questions, RecordedResult, ToolCall, ToolDef, ToolDefs, ToolError, ToolErrorCategory, ToolExecutor,
    ToolKind, ToolName, ToolOutput, ToolTraits, TrustLevel,
};
use tools_providers::Provider;

use crate::{Agent, AgentSettings, ToolHost, account::OpenAccounts};

/// Maximum depth of agents that call agents.
const DEEPEST: usize = 4;

/// Gives a task to another agent, which has a conversation of its own and answers with what it
/// found.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Task {
    /// What it has to do, with everything it needs to know: it sees nothing of this conversation.
    task: String,
}

/// An agent as a tool of another one. Clones are the same tool: one belongs to the tools of the
/// host, one to [`crate::AgentBuilder::sub_agent`].
#[derive(Clone)]
pub struct SubAgent(Arc<Inner>);

struct Inner {
    name: ToolName,
    definitions: ToolDefs,
    provider: Arc<dyn Provider>,
    narrowing: Restrictions,
    system: String,
    settings: AgentSettings,
    host: OnceLock<Weak<dyn ToolHost>>,
    accounts: Arc<OpenAccounts>,
}

/// A running agent. Its usage is noted when it ends or is dropped.
struct RunningAgent<'a> {
    agent: Agent,
    accounts: &'a OpenAccounts,
    conversation: ConversationId,
}

impl Drop for RunningAgent<'_> {
    fn drop(&mut self) {
        self.accounts.note(&self.conversation, self.agent.status().totals);
    }
}

/// Restrictions of a sub-agent compared with the agent that calls it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restrictions {
    /// Its tools; `None` for all.
    pub tools: Option<BTreeSet<ToolName>>,
    /// Whether it only reads.
    pub read_only: bool,
    /// Maximum trust of its calls; `None` for that of the calling agent.
    pub trust: Option<TrustLevel>,
}

impl SubAgent {
    /// Creates an agent with this tool name and description.
    pub fn new(
        name: ToolName,
        description: impl Into<String>,
        provider: Arc<dyn Provider>,
        narrowing: Restrictions,
    ) -> Self {
        // Its calls are judged individually; giving it a task changes nothing.
        let traits = ToolTraits { cacheable: false, idempotent: false, open_world: true, ..ToolTraits::READ_ONLY };
        let definition = ToolDef::new(
            name.clone(),
            description.into(),
            tools_core::inline_schema::<Task>(),
            ToolKind::Think,
            traits,
        );
        let definitions: ToolDefs = Arc::from([Arc::new(definition)]);
        Self(Arc::new(Inner {
            name,
            definitions,
            provider,
            narrowing,
            system: String::new(),
            settings: AgentSettings::default(),
            host: OnceLock::new(),
            accounts: Arc::default(),
        }))
    }

    /// Sets its system prompt and limits. Must be called before it is cloned.
    pub fn with(self, system: impl Into<String>, settings: AgentSettings) -> Self {
        let inner = &self.0;
        Self(Arc::new(Inner {
            name: inner.name.clone(),
            definitions: Arc::clone(&inner.definitions),
            provider: Arc::clone(&inner.provider),
            narrowing: inner.narrowing.clone(),
            system: system.into(),
            settings,
            host: OnceLock::new(),
            accounts: Arc::default(),
        }))
    }

    /// Sets the host that makes the agent's calls, unless one is set already. Returns the accounts
    /// in which its usage is noted.
    pub(crate) fn bind(&self, host: &Arc<dyn ToolHost>) -> Arc<OpenAccounts> {
        let _ = self.0.host.set(Arc::downgrade(host));
        Arc::clone(&self.0.accounts)
    }

    async fn work(&self, call: &ToolCall, cx: &CallContext) -> ExecuteResult {
        if call.tool != self.0.name {
            return Ok(None);
        }
        let task: Task = call.parse()?;
        let host = self.0.host.get().and_then(Weak::upgrade).ok_or_else(|| unusable("it belongs to no agent"))?;
        let above = cx.origin().map_or("main", |origin| &origin.agent_path).to_owned();
        if above.split('/').count() >= DEEPEST {
            return Err(unusable("agents give work to one another too deep"));
        }
        let narrowed = NarrowedHost { host, narrowing: self.0.narrowing.clone(), own: self.0.name.clone() };
        let cx = match self.0.narrowing.trust {
            Some(level) => cx.clone().capped(level),
            None => cx.clone(),
        };
        let agent = Agent::builder(Arc::clone(&self.0.provider), Arc::new(narrowed))
            .system(self.0.system.clone())
            .settings(self.0.settings.clone())
            .confirmer(Arc::new(ForwardedQuestions(cx.questions().cloned())))
            .phase(cx.phase())
            .below(format!("{above}/{}", self.0.name), cx.clone(), call.id.clone())
            .build();
        let mut working = RunningAgent { agent, accounts: &self.0.accounts, conversation: cx.conversation().clone() };
        let turn = working.agent.run_until(&task.task, cx.cancel()).await;
        if turn.stop.is_done() {
            return Ok(Some(ToolOutput::text(turn.text)));
        }
        let notice = turn.stop.notice();
        let error = ToolError::new(ToolErrorCategory::PermanentFailure, "sub_agent_stopped", notice);
        Err(error.with_output(ToolOutput::text(turn.text)))
    }
}

fn unusable(why: &str) -> ToolError {
    ToolError::new(ToolErrorCategory::PermanentFailure, "sub_agent_unusable", format!("the agent cannot work: {why}"))
}

impl ToolExecutor for SubAgent {
    fn tool_definitions(&self) -> ToolDefs {
        Arc::clone(&self.0.definitions)
    }

    async fn inspect(&self, call: &ToolCall, _: &CallContext) -> Result<Inspection, ToolError> {
        if call.tool != self.0.name {
            return Ok(Inspection::default());
        }
        call.parse::<Task>().map(|_| Inspection::read_only())
    }

    async fn execute_tool_call(&self, call: &ToolCall, cx: &CallContext) -> ExecuteResult {
        self.work(call, cx).await
    }

    async fn execute_tool_call_confirmed(
        &self,
        call: &ToolCall,
        approval: &Approval,
        cx: &CallContext,
    ) -> ExecuteResult {
        approval.check(call)?;
        self.work(call, cx).await
    }
}

/// A host that permits less than the one behind it.
struct NarrowedHost {
    host: Arc<dyn ToolHost>,
    narrowing: Restrictions,
    /// The tool of this agent itself.
    own: ToolName,
}

impl NarrowedHost {
    /// Why a call is not passed to the host.
    async fn objection(&self, call: &ToolCall, cx: &CallContext) -> Option<ToolError> {
        let definition = self.host.definition(&call.tool);
        if !self.is_let(&definition) {
            return Some(refused(call, "is not among its tools"));
        }
        if self.narrowing.read_only {
            let inv = self.host.inspect(call.clone(), cx).await;
            if inv.inspection().is_ok_and(|inspection| !inspection.read_only) {
                return Some(refused(call, "changes something, and it may only read"));
            }
        }
        None
    }

    fn is_let(&self, tool: &ToolDef) -> bool {
        let is_named = |tools: &BTreeSet<ToolName>| tools.contains(&tool.name);
        tool.name != self.own && self.narrowing.tools.as_ref().is_none_or(is_named)
    }
}

fn refused(call: &ToolCall, why: &str) -> ToolError {
    ToolError::new(
        ToolErrorCategory::PolicyBlocked,
        "narrowed",
        format!("this agent may not call `{}`, which {why}", call.tool),
    )
}

#[async_trait]
impl ToolHost for NarrowedHost {
    fn context(&self) -> CallContext {
        self.host.context()
    }

    fn offered(&self, cx: &CallContext, text: &str, used: &[ToolName]) -> ToolDefs {
        let changes_nothing = |tool: &ToolDef| !self.narrowing.read_only || tool.trusted_traits().read_only;
        let is_shown = |tool: &&Arc<ToolDef>| self.is_let(tool) && changes_nothing(tool);
        self.host.offered(cx, text, used).iter().filter(is_shown).cloned().collect()
    }

    fn definition(&self, tool: &ToolName) -> Arc<ToolDef> {
        self.host.definition(tool)
    }

    async fn inspect(&self, call: ToolCall, cx: &CallContext) -> Invocation {
        self.host.inspect(call, cx).await
    }

    async fn call(&self, call: ToolCall, cx: &CallContext, confirmer: &dyn Confirmer) -> RecordedResult {
        match self.objection(&call, cx).await {
            Some(error) => {
                let error = self.host.refuse(call, cx, error).await;
                RecordedResult { outcome: Err(error), journal: tools_core::Journal::default() }
            }
            None => self.host.call(call, cx, confirmer).await,
        }
    }

    fn reserve(&self, cx: &CallContext, calls: u64) -> bool {
        self.host.reserve(cx, calls)
    }

    async fn refuse(&self, call: ToolCall, cx: &CallContext, error: ToolError) -> ToolError {
        self.host.refuse(call, cx, error).await
    }
}

/// Passes questions to the confirmer of the call that the agent works for.
struct ForwardedQuestions(Option<Questions>);

#[async_trait]
impl Confirmer for ForwardedQuestions {
    async fn confirm(&self, prompt: &ConfirmPrompt) -> Answer {
        match &self.0 {
            Some(questions) => questions.ask(prompt.clone()).await,
            None => Answer::Nobody(Absence::CannotAsk),
        }
    }
}

impl fmt::Debug for SubAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubAgent").field("name", &self.0.name).field("narrowing", &self.0.narrowing).finish()
    }
}
