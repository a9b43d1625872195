//! One turn: from the user's message to an answer, or to a stop.

use tokio_util::sync::CancellationToken;
use tools_core::{EarlyRun, InvokedAs};
use tools_providers::{Block, Reply, Request, Usage};

use super::{Agent, calls::RequestedCall, early::discard, request::ask};
use crate::{AgentEvent, AgentTotals, Budget, Pressure, Stop, fenced};

/// Result of a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// The last text of the model.
    pub text: String,
    /// Reason of the end.
    pub stop: Stop,
    /// Number of requests.
    pub iterations: u32,
    /// Number of calls with a result, including those of sub-agents.
    pub calls: u64,
    /// Tokens, including those of sub-agents.
    pub usage: Usage,
}

impl Agent {
    /// Answers the user: asks the model and makes its calls until it is done or something stops it.
    ///
    /// The conversation stays valid even if this future is dropped: each call of an answer then has
    /// one result, and the next turn continues from there.
    pub async fn run(&mut self, task: &str) -> Turn {
        self.run_until(task, &CancellationToken::new()).await
    }

    /// Like [`Agent::run`], until `cancel` is cancelled: then nothing further runs, and running
    /// calls are cancelled.
    pub async fn run_until(&mut self, task: &str, cancel: &CancellationToken) -> Turn {
        let before = self.state.totals;
        self.state.turn += 1;
        self.state.iteration = 0;
        self.state.spent = 0;
        self.state.used.clear();
        self.state.doom = crate::DoomWatch::default();
        let events = self.shared.events.clone();
        events.send(AgentEvent::TurnStarted { turn: self.state.turn }).await;
        let cx = self.shared.context(cancel);
        self.shared.host.heard(&cx, task);
        if !task.is_empty() || self.state.history.messages().is_empty() {
            let said = if task.is_empty() { "(nothing)" } else { task };
            self.state.history.push_user(vec![Block::Text(said.to_owned())]);
        }
        let mut text = String::new();
        let stop = self.iterate(task, cancel, &mut text).await;
        events.send(AgentEvent::TurnEnded { stop: stop.clone() }).await;
        let after = self.state.totals;
        Turn {
            text,
            stop,
            iterations: self.state.iteration,
            calls: after.calls - before.calls,
            usage: difference(after.usage, before.usage),
        }
    }

    async fn iterate(&mut self, task: &str, cancel: &CancellationToken, text: &mut String) -> Stop {
        for iteration in 1..=self.shared.settings.max_tool_iterations {
            if cancel.is_cancelled() {
                return Stop::Cancelled;
            }
            self.show_tools(task, cancel);
            if let Some(stop) = self.make_room(cancel).await {
                return stop;
            }
            let (tokens, limit) = (self.tokens(), self.budget().map(Budget::limit));
            self.state.iteration = iteration;
            self.shared.events.send(AgentEvent::Requested { iteration, tokens, limit }).await;
            let (reply, early) = match self.ask_model(cancel).await {
                Ok(answered) => answered,
                Err(stop) => return stop,
            };
            *text = reply.message.text();
            let wanted = self.wanted(&reply);
            let millionths = self.cost(&reply.usage);
            self.state.charge(AgentTotals { usage: reply.usage, requests: 1, calls: 0, millionths });
            let calls = wanted.len();
            self.shared.events.send(AgentEvent::Replied { usage: reply.usage, millionths, calls }).await;
            if wanted.is_empty() {
                discard(&self.shared, &self.shared.context(cancel), self.state.turn, early).await;
                self.state.history.answer(reply.message, &reply.usage);
                return Stop::Done;
            }
            if let Some(stop) = self.answer_calls(reply, wanted, early, cancel).await {
                return stop;
            }
            if let Some(most) = self.shared.settings.max_cost_millionths.filter(|most| self.state.spent >= *most) {
                return Stop::Cost { millionths: most };
            }
        }
        Stop::IterationCap { iterations: self.shared.settings.max_tool_iterations }
    }

    /// Sets the tools to show in the turn.
    fn show_tools(&mut self, task: &str, cancel: &CancellationToken) {
        let cx = self.shared.context(cancel);
        let tools = self.shared.host.offered(&cx, task, &self.state.used);
        let native = self.shared.provider.model().supports_tool_use;
        self.state.shown.update(&tools, &self.shared.system, native);
    }

    /// Shortens the conversation if it is nearly full; the stop if that does not help.
    async fn make_room(&mut self, cancel: &CancellationToken) -> Option<Stop> {
        let budget = self.budget()?;
        if Budget::pressure(self.tokens(), budget) != Pressure::Low {
            let (results, bytes) = self.state.history.clear_results();
            if results > 0 {
                self.shared.events.send(AgentEvent::Cleared { results, bytes }).await;
            }
        }
        if Budget::pressure(self.tokens(), budget) != Pressure::Low {
            let compacted = self.compact_for(crate::CompressionStrategy::Triggered, None, cancel).await;
            if let Err(error) = compacted {
                let text = format!("the conversation could not be summarised: {error}");
                self.shared.events.send(AgentEvent::Warned { text }).await;
            }
        }
        match Budget::pressure(self.tokens(), budget) {
            Pressure::Over { limit } => Some(Stop::ContextBudget { tokens: self.tokens(), limit }),
            Pressure::Low | Pressure::High => None,
        }
    }

    async fn ask_model(&mut self, cancel: &CancellationToken) -> Result<(Reply, Vec<EarlyRun>), Stop> {
        let (shared, state) = (&self.shared, &self.state);
        let cx = shared.host.context();
        let request =
            Request::new(&state.shown.system, &state.shown.list, state.history.messages(), cx.conversation().as_str());
        ask(shared, &request, state.turn, &shared.context(cancel)).await
    }

    /// Cost of a request, in millionths; `None` if prices are unknown.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cost is positive, and small")]
    fn cost(&self, usage: &Usage) -> Option<u64> {
        let prices = self.shared.provider.model().prices?;
        Some((prices.cost(usage) * 1_000_000.0).round() as u64)
    }

    /// The calls that an answer requests.
    fn wanted(&self, reply: &Reply) -> Vec<RequestedCall> {
        if self.shared.provider.model().supports_tool_use {
            return reply.message.calls().map(RequestedCall::native).collect();
        }
        let tools = self.state.shown.tools.clone().unwrap_or_default();
        let echoes: Vec<&str> = self.state.echoes.iter().map(String::as_str).collect();
        let calls = fenced::calls(&reply.message.text(), &tools, &echoes, self.shared.settings.max_blocks);
        calls.into_iter().enumerate().map(|(index, call)| RequestedCall::fenced(index, call)).collect()
    }

    /// How the model of this agent writes its calls.
    pub(super) fn invoked_as(&self) -> InvokedAs {
        if self.shared.provider.model().supports_tool_use { InvokedAs::Native } else { InvokedAs::Fenced }
    }
}

fn difference(after: Usage, before: Usage) -> Usage {
    Usage {
        input: after.input - before.input,
        cached_read: after.cached_read - before.cached_read,
        cache_write: after.cache_write - before.cache_write,
        output: after.output - before.output,
    }
}
