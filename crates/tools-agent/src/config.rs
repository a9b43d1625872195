//! Settings of the loop.

/// The limits of an agent and what it does with a long conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSettings {
    /// Maximum number of requests to the model in one turn; at least 1.
    pub max_tool_iterations: u32,
    /// Maximum number of tokens in a conversation; `None` for the model's own limit.
    pub context_budget_tokens: Option<u64>,
    /// Whether long results are summarised by a model before they go into the conversation.
    pub summarize_output: bool,
    /// Maximum number of fenced blocks run per answer, where the model has no native tool calls.
    pub max_blocks: usize,
    /// Number of attempts of a request that fails for a passing reason.
    pub provider_attempts: u32,
    /// Whether calls that only read are started while the model still writes its answer.
    pub start_early: bool,
    /// Maximum cost of a turn, in the currency of the prices; `None` for no limit. In millionths.
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
            start_early: false,
            max_cost_millionths: None,
        }
    }
}
