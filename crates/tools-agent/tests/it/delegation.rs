//! Sub-agents: on the same gates, quota and record, and never with more than the agent that calls
//! them.

use std::sync::Arc;

use serde_json::json;
use tools_agent::{Agent, AgentSettings, Restrictions, Stop, SubAgent};
use tools_core::{CompositeExecutor, DynExecutor, ToolName};
use tools_providers::{Prices, Usage};

use crate::doubles::{Host, Model, call, said, text, tools};

#[tokio::test]
async fn a_sub_agent_only_reads_and_its_calls_belong_to_the_call_above() {
    let below = Model::saying([
        said(vec![
            call("w", "write", json!({})),
            call("r", "read", json!({})),
            call("s", "reviewer", json!({"task": "x"})),
        ]),
        text("looks fine"),
    ]);
    let narrowing = Restrictions { read_only: true, ..Restrictions::default() };
    let name = ToolName::parse("reviewer").unwrap();
    let reviewer = SubAgent::new(name, "Reviews.", Arc::new(below), narrowing);
    let executor = tools();
    let all = CompositeExecutor::new([DynExecutor::new(executor.clone()), DynExecutor::new(reviewer.clone())]);
    let host = Host::new(all);
    let model = Model::saying([said(vec![call("t", "reviewer", json!({"task": "review it"}))]), text("done")]);
    let mut agent = Agent::builder(Arc::new(model), Arc::new(host.clone())).sub_agent(reviewer).build();
    let turn = agent.run("go").await;
    assert_eq!(turn.stop, Stop::Done);
    let result = agent.history().messages()[2].tool_results().next().unwrap().clone();
    assert_eq!((result.text.as_str(), result.is_error), ("looks fine", false));
    let ran: Vec<String> = executor.ran().iter().map(|ran| ran.tool.as_str().to_owned()).collect();
    assert_eq!(ran, ["read"]);
    let refused = host.refused.lock().unwrap();
    assert_eq!(refused.iter().map(|(_, code)| *code).collect::<Vec<_>>(), ["narrowed", "narrowed"]);
}

#[tokio::test]
async fn what_a_sub_agent_costs_is_on_the_account_of_the_one_above() {
    let costly = |said: crate::doubles::Said| {
        let mut reply = said?;
        reply.usage = Usage { input: 1000, ..Usage::default() };
        Ok(reply)
    };
    let priced = |model: Model| model.with(|info| info.prices = Some(Prices { input: 1.0, ..Prices::default() }));
    let below = [costly(said(vec![call("r", "read", json!({}))])), costly(text("looks fine")), costly(text("again"))];
    let name = ToolName::parse("reviewer").unwrap();
    let below = Arc::new(priced(Model::saying(below)));
    let reviewer = SubAgent::new(name, "Reviews.", below, Restrictions::default());
    let host = Host::new(CompositeExecutor::new([DynExecutor::new(tools()), DynExecutor::new(reviewer.clone())]));
    let ask = |id| costly(said(vec![call(id, "reviewer", json!({"task": "review it"}))]));
    let model = Arc::new(priced(Model::saying([ask("a"), costly(text("done")), ask("b"), costly(text("done"))])));
    let settings = AgentSettings { max_cost_millionths: Some(1_500), ..AgentSettings::default() };
    let build = || Agent::builder(model.clone(), Arc::new(host.clone())).sub_agent(reviewer.clone());
    let mut agent = build().build();
    let turn = agent.run("go").await;
    assert_eq!((turn.stop, turn.usage.input, turn.calls), (Stop::Done, 4000, 2));
    let totals = agent.status().totals;
    assert_eq!((totals.requests, totals.calls, totals.millionths), (4, 2, Some(4_000)));
    // The limit of a turn counts both: one request above, one below.
    let turn = build().settings(settings).build().run("go").await;
    assert_eq!((turn.stop, turn.usage.input), (Stop::Cost { millionths: 1_500 }, 2000));
}
