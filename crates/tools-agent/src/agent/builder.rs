//! Builds an agent, and the operations on it between its turns.

use std::sync::Arc;

use tools_core::{CallContext, CallId, CallPhase, Confirmer, NobodyToAsk};
use tools_providers::Provider;

use super::shared::{OneAtATime, Phases, Shared};
use super::state::{AgentStatus, State};
use crate::{AgentEvents, AgentSettings, Budget, CompressDesk, History, Reformat, SubAgent, ToolHost};

/// Default name of the outermost agent.
const MAIN: &str = "main";

/// A model with its tools and its conversation.
pub struct Agent {
    pub(super) shared: Arc<Shared>,
    pub(super) state: State,
}

/// Puts an [`Agent`] together.
pub struct AgentBuilder {
    shared: Shared,
    history: History,
    turn: u64,
    agents: Vec<SubAgent>,
}

impl Agent {
    /// Starts building an agent: `provider` answers, and `host` makes the calls.
    pub fn builder(provider: Arc<dyn Provider>, host: Arc<dyn ToolHost>) -> AgentBuilder {
        let shared = Shared {
            compressor: Arc::clone(&provider),
            provider,
            host,
            confirmer: OneAtATime::new(Arc::new(NobodyToAsk)),
            settings: AgentSettings::default(),
            reformat: None,
            events: AgentEvents::none(),
            phase: Phases::new(CallPhase::Executor),
            path: Arc::from(MAIN),
            desk: CompressDesk::default(),
            accounts: vec![],
            system: String::new(),
            below: None,
        };
        AgentBuilder { shared, history: History::default(), turn: 0, agents: vec![] }
    }

    /// The conversation.
    pub fn history(&self) -> &History {
        &self.state.history
    }

    /// The number of turns.
    pub fn turns(&self) -> u64 {
        self.state.turn
    }

    /// Forgets the conversation and the statistics of the model. The host's state of the session
    /// (quota, cache, completed tools) is not affected.
    pub fn clear(&mut self) {
        let totals = self.state.totals;
        let turn = self.state.turn;
        let ids = std::mem::take(&mut self.state.ids);
        self.state = State { turn, totals, ids, ..State::default() };
    }

    /// Its status.
    pub fn status(&self) -> AgentStatus {
        let model = self.shared.provider.model();
        AgentStatus {
            model: format!("{}/{}", self.shared.provider.name(), model.id),
            turn: self.state.turn,
            iteration: self.state.iteration,
            max_iterations: self.shared.settings.max_tool_iterations,
            tokens: self.tokens(),
            limit: self.budget().map(Budget::limit),
            messages: self.state.history.messages().len(),
            summaries: self.state.history.summaries().len(),
            totals: self.state.totals,
            reputation: self.state.reputation.standings(),
        }
    }

    /// Maximum number of tokens of the conversation; `None` for no limit.
    pub(super) fn budget(&self) -> Option<u64> {
        let of_model = Some(self.shared.provider.model().context_tokens).filter(|tokens| *tokens > 0);
        self.shared.settings.context_budget_tokens.or(of_model)
    }

    /// Number of tokens of the next request, as far as known.
    pub(super) fn tokens(&self) -> u64 {
        self.state.history.budget().tokens(self.state.shown.bytes)
    }
}

impl AgentBuilder {
    /// Sets the operator's instructions for the model. They should contain no time and nothing else
    /// that changes between turns.
    pub fn system(mut self, text: impl Into<String>) -> Self {
        self.shared.system = text.into();
        self
    }

    /// The limits.
    pub fn settings(mut self, settings: AgentSettings) -> Self {
        self.shared.settings = settings;
        self
    }

    /// Sets the confirmer, which asks a person for approval. Without one, calls that need approval
    /// are refused.
    pub fn confirmer(mut self, confirmer: Arc<dyn Confirmer>) -> Self {
        self.shared.confirmer = OneAtATime::new(confirmer);
        self
    }

    /// Sets the model that writes summaries [default: the model of the agent].
    pub fn compressor(mut self, provider: Arc<dyn Provider>) -> Self {
        self.shared.compressor = provider;
        self
    }

    /// Sets the model that rewrites wrong parameters. Without one they are not rewritten.
    pub fn reformat(mut self, reformat: Arc<dyn Reformat>) -> Self {
        self.shared.reformat = Some(reformat);
        self
    }

    /// Sets the receiver of events.
    pub fn events(mut self, events: AgentEvents) -> Self {
        self.shared.events = events;
        self
    }

    /// Sets the phase in which the model makes its calls. A planner only reads; a verifier edits no
    /// files; in `Autonomous` no person is asked.
    pub fn phase(mut self, phase: CallPhase) -> Self {
        self.shared.phase = Phases::new(phase);
        self
    }

    /// Sets a phase that can change from outside: a change applies from the next call on, also
    /// during a turn.
    #[cfg(feature = "acp")]
    pub(crate) fn phase_of(mut self, phase: tools_core::Shared<CallPhase>) -> Self {
        self.shared.phase = phase;
        self
    }

    /// Sets the desk of the tool `compress_context`, if that is among the tools.
    pub fn compress_desk(mut self, desk: CompressDesk) -> Self {
        self.shared.desk = desk;
        self
    }

    /// Adds an agent that this one may call. Its tool must be among those of the host.
    pub fn sub_agent(mut self, agent: SubAgent) -> Self {
        self.agents.push(agent);
        self
    }

    /// Resumes a conversation after a number of turns.
    pub fn resuming(mut self, history: History, turns: u64) -> Self {
        self.history = history;
        self.turn = turns;
        self
    }

    /// Marks the agent as working for another agent's call.
    pub(crate) fn below(mut self, path: String, parent: CallContext, call: CallId) -> Self {
        self.shared.path = Arc::from(path);
        self.shared.below = Some((parent, call));
        self
    }

    /// The agent.
    pub fn build(mut self) -> Agent {
        if *self.shared.phase.load() == CallPhase::Autonomous {
            self.shared.confirmer = OneAtATime::new(Arc::new(NobodyToAsk));
        }
        self.shared.settings.max_tool_iterations = self.shared.settings.max_tool_iterations.max(1);
        for agent in self.agents {
            self.shared.accounts.push(agent.bind(&self.shared.host));
        }
        let state = State { history: self.history, turn: self.turn, ..State::default() };
        Agent { shared: Arc::new(self.shared), state }
    }
}

tools_core::partial_debug!(Agent { path: shared.path, turn: state.turn });

tools_core::partial_debug!(AgentBuilder { path: shared.path });
