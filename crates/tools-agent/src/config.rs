//! What is configured of the loop.

/// The limits of an agent and what it does with a long conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSettings {
    /// How many requests to the model one turn makes at most; at least 1.
    pub max_tool_iterations: u32,
    /// How many tokens a conversation may hold; `None` for what the model reads at most.
    pub context_budget_tokens: Option<u64>,
    /// Whether long results are summarised by a model before they go into the conversation.
    pub summarize_output: bool,
    /// How many fenced blocks of one answer are run where the model calls no tools natively.
    pub max_blocks: usize,
    /// How often a request is repeated that failed for a reason that may pass.
    pub provider_attempts: u32,
    /// What a turn may cost, in the currency of the prices; `None` for no limit. In millionths.
    pub max_cost_millionths: Option<u64>,
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            max_tool_iterations: 10,
            context_budget_tokens: None,
            summarize_output: false,
            max_blocks: 4,
            provider_attempts: 3,
            max_cost_millionths: None,
        }
    }
}
