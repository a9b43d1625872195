//! State of an agent between turns.

use std::{collections::HashSet, sync::Arc};

use serde::Serialize;
use tools_core::{CallId, ToolDefs, ToolName};
use tools_providers::{ToolList, Usage};

use crate::{DoomWatch, History, Reputation, ReputationLine, fenced};

/// State of an agent between turns.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) history: History,
    pub(crate) doom: DoomWatch,
    pub(crate) reputation: Reputation,
    pub(crate) turn: u64,
    pub(crate) iteration: u32,
    pub(crate) totals: AgentTotals,
    /// Cost of the turn so far, in millionths.
    pub(crate) spent: u64,
    /// Tools that were called in the turn.
    pub(crate) used: Vec<ToolName>,
    /// IDs of calls that were used: a provider may use one twice.
    pub(crate) ids: HashSet<String>,
    /// Whether the model has read text from outside.
    pub(crate) is_tainted: bool,
    pub(crate) shown: VisibleTools,
    /// Latest outputs of tools: text that repeats them is not a call.
    pub(crate) echoes: Vec<String>,
}

/// The tools of a turn as shown to the model.
#[derive(Default)]
pub(crate) struct VisibleTools {
    pub(crate) tools: Option<ToolDefs>,
    /// The tools in the request: none if the model calls them in its text.
    pub(crate) list: ToolList,
    pub(crate) system: String,
    /// Size of both in bytes.
    pub(crate) bytes: u64,
}

impl VisibleTools {
    /// Sets the tools of a turn. If they are unchanged, the list stays identical byte for byte.
    pub(crate) fn update(&mut self, tools: &ToolDefs, system: &str, native: bool) {
        let is_same = self.tools.as_ref().is_some_and(|before| {
            before.len() == tools.len() && before.iter().zip(tools.iter()).all(|(a, b)| Arc::ptr_eq(a, b))
        });
        if is_same {
            return;
        }
        if native {
            self.list = ToolList::new(tools);
            system.clone_into(&mut self.system);
        } else {
            self.list = ToolList::default();
            self.system = format!("{system}\n\n{}", fenced::instructions(tools));
        }
        let schema = |tool: &Arc<tools_core::ToolDef>| tool.input.as_value().to_string().len() + tool.description.len();
        let tools_bytes: usize = if native { tools.iter().map(schema).sum() } else { 0 };
        self.bytes = (self.system.len() + tools_bytes) as u64;
        self.tools = Some(Arc::clone(tools));
    }
}

/// Usage of an agent in all its turns, including that of the agents that worked for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct AgentTotals {
    /// Tokens.
    pub usage: Usage,
    /// Requests to the model.
    pub requests: u64,
    /// Calls with a result.
    pub calls: u64,
    /// The cost, in millionths; `None` if prices are unknown.
    pub millionths: Option<u64>,
}

/// Status of an agent, as `/status` shows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentStatus {
    /// The provider and its model.
    pub model: String,
    /// The turn, from 1; 0 before the first.
    pub turn: u64,
    /// The latest request of the turn.
    pub iteration: u32,
    /// Maximum number of requests in one turn.
    pub max_iterations: u32,
    /// Tokens of the conversation, as far as known.
    pub tokens: u64,
    /// Maximum number of tokens of the next request; `None` for no limit.
    pub limit: Option<u64>,
    /// Messages of the conversation.
    pub messages: usize,
    /// Summaries in it.
    pub summaries: usize,
    /// The usage.
    pub totals: AgentTotals,
    /// The model's statistics for each tool.
    pub reputation: Vec<ReputationLine>,
}

impl AgentTotals {
    /// Adds further usage.
    pub(crate) fn add(&mut self, more: Self) {
        self.usage += more.usage;
        self.requests += more.requests;
        self.calls += more.calls;
        if let Some(millionths) = more.millionths {
            self.millionths = Some(self.millionths.unwrap_or_default().saturating_add(millionths));
        }
    }
}

impl State {
    /// Adds usage to the totals and its cost to that of the turn.
    pub(crate) fn charge(&mut self, used: AgentTotals) {
        self.spent = self.spent.saturating_add(used.millionths.unwrap_or_default());
        self.totals.add(used);
    }

    /// A unique id for a call of the session: the provider's own if possible.
    pub(crate) fn call_id(&mut self, id: &str) -> CallId {
        match CallId::parse(id) {
            Ok(parsed) if self.ids.insert(id.to_owned()) => parsed,
            _ => CallId::generate(),
        }
    }
}
