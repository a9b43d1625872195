//! Limits of an agent from the configuration.

use tools_agent::AgentSettings;

use super::HaftConfig;

/// The limits that a configuration sets for an agent.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a float beyond the range takes its end")]
pub fn agent_settings(config: &HaftConfig) -> AgentSettings {
    let agent = &config.agent;
    AgentSettings {
        max_tool_iterations: agent.max_tool_iterations.get(),
        context_budget_tokens: agent.context_budget_tokens,
        start_early: agent.start_early,
        summarize_output: config.tools.summarize_output,
        max_cost_millionths: agent.max_cost.map(|cost| (cost * 1_000_000.0).round() as u64),
        ..AgentSettings::default()
    }
}
