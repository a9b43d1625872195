//! `/status`: state of a session.

use haft::agents::AgentStatus;
use serde::Serialize;

use super::turns::AgentRun;
use crate::output::{self, one_line};

/// State of a session: the agent, and the counters of its toolbox.
#[derive(Serialize)]
struct SessionStatus {
    #[serde(flatten)]
    agent: AgentStatus,
    quota: Quota,
    cache: Cache,
    /// Jobs that run in the background.
    jobs: usize,
    /// Tools that are blocked because they kept failing.
    blocked_tools: Vec<String>,
    /// Tools of MCP servers held until a person reviews their changes.
    held_tools: Vec<HeldTool>,
}

#[derive(Serialize)]
struct HeldTool {
    server: String,
    tool: String,
}

#[derive(Serialize)]
struct Quota {
    used: u64,
    most: Option<u64>,
}

#[derive(Serialize)]
struct Cache {
    hits: u64,
    misses: u64,
}

impl SessionStatus {
    fn of(running: &AgentRun) -> Self {
        let toolbox = &running.toolbox;
        let context = toolbox.context();
        let (used, most) = toolbox.parts().gates.state.ledger.state(context.session());
        let cached = toolbox.parts().cache.results().metrics();
        Self {
            agent: running.agent.status(),
            quota: Quota { used, most },
            cache: Cache { hits: cached.hits, misses: cached.misses },
            jobs: toolbox.parts().jobs.running(context.session()),
            held_tools: held(toolbox.parts().servers.held(context.session())),
            blocked_tools: toolbox
                .parts()
                .gates
                .state
                .health
                .blocked()
                .into_iter()
                .map(|(tool, ..)| tool.to_string())
                .collect(),
        }
    }
}

fn held(tools: Vec<(String, String)>) -> Vec<HeldTool> {
    tools.into_iter().map(|(server, tool)| HeldTool { server, tool }).collect()
}

pub(super) fn show(running: &AgentRun, as_json: bool) {
    let status = SessionStatus::of(running);
    if as_json {
        return output::json(&status);
    }
    let SessionStatus { agent, quota, cache, jobs, blocked_tools, held_tools } = status;
    output::line(&format!("model: {}", one_line(&agent.model)));
    output::line(&format!("turn {}, request {}/{}", agent.turn, agent.iteration, agent.max_iterations));
    let limit = agent.limit.map_or_else(|| "no limit".to_owned(), |limit| format!("of {limit}"));
    output::line(&format!(
        "context: {} tokens {limit}, {} messages, {} summaries",
        agent.tokens, agent.messages, agent.summaries
    ));
    let quota = quota.most.map_or_else(|| "no quota".to_owned(), |most| format!("quota {}/{most}", quota.used));
    output::line(&format!("calls: {} ({quota})", agent.totals.calls));
    output::line(&format!("cache: {} hits, {} misses", cache.hits, cache.misses));
    output::line(&format!("jobs: {jobs} running"));
    if !blocked_tools.is_empty() {
        output::line(&format!("blocked tools: {}", blocked_tools.join(", ")));
    }
    if !held_tools.is_empty() {
        let names: Vec<String> =
            held_tools.iter().map(|held| format!("{} of {}", one_line(&held.tool), one_line(&held.server))).collect();
        output::line(&format!("held tools: {}; `haft pins review` shows what changed", names.join(", ")));
    }
    gates(running);
    for standing in &agent.reputation {
        let faulty = (standing.faulty * 100.0).round();
        output::line(&format!("{}: {faulty} % of {:.0} calls had wrong parameters", standing.tool, standing.calls));
    }
    output::line(&running.status_line());
}

/// Prints the enabled parts of the configuration that decide about calls.
fn gates(running: &AgentRun) {
    let config = running.toolbox.config();
    if let Some(filter) = running.toolbox.parts().offering.lists.filter_status() {
        output::line(&filter);
    }
    let adversarial = &config.tools.adversarial_policy;
    if adversarial.enabled {
        output::line(&format!(
            "adversarial gate: provider {}, {} policies, fail_open={}",
            one_line(&adversarial.provider),
            adversarial.policies.len(),
            adversarial.fail_open
        ));
    }
}
