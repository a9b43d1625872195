//! Sub-agents: on the same gates, quota and record, and never with more than the agent that calls
//! them.

use std::sync::Arc;

use serde_json::json;
use tools_agent::{Agent, Restrictions, Stop, SubAgent};
use tools_core::{CompositeExecutor, DynExecutor, ToolName};

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
