//! What a turn does, and every way in which it ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tools_agent::{Agent, AgentEvent, AgentEvents, AgentSettings, Stop, StopCode, ToolHost, Turn};
use tools_core::{
    CallContext, CallPhase, Inspection, Tool, ToolDef, ToolError, ToolErrorCategory, ToolKind, ToolOutput, ToolTraits,
    Typed,
};
use tools_providers::{Block, Prices, ProviderFault, Usage};

use crate::doubles::{Host, Model, call, fault, said, text, tools};

/// Counts.
#[derive(serde::Deserialize, schemars::JsonSchema)]
pub(crate) struct Nothing {}

/// A tool that gives another text each time.
pub(crate) struct Counter {
    pub(crate) name: &'static str,
    pub(crate) poll: bool,
    pub(crate) count: AtomicU64,
}

impl Tool for Counter {
    type Args = Nothing;

    fn definition(&self) -> ToolDef {
        let definition = ToolDef::of::<Nothing>(self.name, ToolKind::Read, ToolTraits::READ_ONLY);
        if self.poll { definition.polled() } else { definition }
    }

    async fn inspect(&self, _: &Nothing, _: &CallContext) -> Result<Inspection, ToolError> {
        Ok(Inspection::read_only())
    }

    async fn run(&self, _: Nothing, _: &CallContext) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text(self.count.fetch_add(1, Ordering::Relaxed).to_string()))
    }
}

pub(crate) fn counter(name: &'static str, poll: bool) -> Typed<Counter> {
    Typed::new(Counter { name, poll, count: AtomicU64::new(0) })
}

fn agent(model: Model, host: Host, settings: AgentSettings) -> Agent {
    Agent::builder(Arc::new(model), Arc::new(host) as Arc<dyn ToolHost>).settings(settings).build()
}

async fn run(model: Model, host: Host) -> (Turn, Agent) {
    let mut agent = agent(model, host, AgentSettings::default());
    let turn = agent.run("do it").await;
    agent.history().check().unwrap();
    (turn, agent)
}

fn results(agent: &Agent) -> Vec<(String, bool, String)> {
    let messages = agent.history().messages().iter();
    messages
        .flat_map(|message| message.tool_results().map(|one| (one.id.clone(), one.is_error, one.text.clone())))
        .collect()
}

#[tokio::test]
async fn calls_are_made_and_their_results_stand_first_and_in_order() {
    let model = Model::saying([
        said(vec![
            Block::Text("I look".to_owned()),
            call("b", "read", json!({})),
            call("a", "nothing_like_it", json!({})),
            call("c", "panic", json!({})),
            call("d", "read", json!("no object")),
            call("e", "list", json!({})),
        ]),
        text("found"),
    ]);
    let (turn, mut agent) = run(model, Host::new(tools())).await;
    assert_eq!((turn.stop, turn.text.as_str(), turn.calls), (Stop::Done, "found", 5));
    let seen = results(&agent);
    let ids: Vec<&str> = seen.iter().map(|(id, ..)| id.as_str()).collect();
    assert_eq!(ids, ["b", "a", "c", "d", "e"]);
    assert_eq!(seen[0].2, "content of a file");
    for (index, said) in [(1, "tool_not_found"), (2, "permanent_failure"), (3, "invalid_parameters")] {
        assert!(seen[index].1 && seen[index].2.contains(said), "{:?}", seen[index]);
    }
    agent.run("thanks").await;
    agent.history().check().unwrap();
    assert_eq!(agent.history().messages().len(), 6);
}

#[tokio::test]
async fn a_turn_makes_so_many_requests_and_no_more() {
    let model = Model::answering(|request| {
        let at = request.messages.len();
        said(vec![call(&format!("c{at}"), "count", json!({"n": at}))])
    });
    let mut agent = agent(model, Host::new(counter("count", false)), AgentSettings::default());
    let turn = agent.run("go").await;
    assert_eq!((turn.stop.code(), turn.iterations, turn.calls), (StopCode::IterationCap, 10, 10));
    agent.history().check().unwrap();
    assert!(turn.stop.notice().contains("agent.max_tool_iterations"));
}

#[tokio::test]
async fn equal_calls_end_the_turn_also_where_the_output_differs() {
    let same = || Model::answering(|_| said(vec![call("x", "count", json!({}))]));
    let host = Host::new(counter("count", false));
    let (turn, agent) = run(same(), host.clone()).await;
    assert_eq!((turn.stop.code(), turn.calls), (StopCode::DoomLoop, 5));
    let seen = results(&agent);
    let texts: Vec<&str> = seen.iter().take(3).map(|(.., text)| text.as_str()).collect();
    assert_eq!(texts, ["0", "1", "2"]);
    assert!(seen[3].2.contains("policy_blocked") && seen[4].2.contains("cancelled"), "{seen:?}");
    let codes: Vec<&str> = host.refused.lock().unwrap().iter().map(|(_, code)| *code).collect();
    assert_eq!(codes, ["loop", "cancelled"]);
    let (turn, _) = run(same(), Host::new(counter("count", true))).await;
    assert_eq!(turn.stop.code(), StopCode::IterationCap, "a tool that is polled");
}

#[tokio::test]
async fn equal_outputs_end_the_turn_whatever_alphabet_they_are_in() {
    let long = "кот ".repeat(300);
    let tools = tools_testkit::ScriptedExecutor::new().tool(
        "say",
        ToolTraits::READ_ONLY,
        tools_testkit::Behaviour::reply(long),
    );
    let model = Model::answering(|request| said(vec![call("x", "say", json!({"n": request.messages.len()}))]));
    let (turn, _) = run(model, Host::new(tools)).await;
    assert_eq!((turn.stop.code(), turn.iterations), (StopCode::DoomLoop, 3));
    assert!(turn.stop.notice().contains("кот кот"), "{}", turn.stop.notice());
}

#[tokio::test]
async fn a_provider_is_asked_again_where_that_can_help() {
    tokio::time::pause();
    let model = Model::saying([fault(ProviderFault::Overloaded), fault(ProviderFault::Stalled), text("here")]);
    let (turn, _) = run(model, Host::new(tools())).await;
    assert_eq!((turn.stop, turn.text.as_str()), (Stop::Done, "here"));
    let model = Model::saying([fault(ProviderFault::Auth), text("never")]);
    let (turn, mut agent) = run(model, Host::new(tools())).await;
    assert_eq!(turn.stop, Stop::Provider { fault: ProviderFault::Auth, message: "it broke".to_owned() });
    let again = agent.run("again").await;
    assert_eq!(again.text, "never");
    agent.history().check().unwrap();
}

#[tokio::test]
async fn a_context_that_is_too_long_is_not_sent() {
    let settings = AgentSettings { context_budget_tokens: Some(1000), ..AgentSettings::default() };
    let mut agent = agent(Model::saying([]), Host::new(tools()), settings);
    let turn = agent.run(&"слово ".repeat(2000)).await;
    let Stop::ContextBudget { tokens, limit: 800 } = turn.stop else { panic!("{:?}", turn.stop) };
    assert!(tokens > 5000 && turn.iterations == 0, "{tokens}");
    agent.history().check().unwrap();
    agent.clear();
    assert_eq!(agent.run("short").await.stop, Stop::Done);
}

#[tokio::test]
async fn a_cancelled_turn_has_all_its_results_and_runs_nothing_more() {
    let cancel = CancellationToken::new();
    let token = cancel.clone();
    let model = Model::answering(move |_| {
        token.cancel();
        said(vec![call("a", "read", json!({})), call("b", "write", json!({})), call("c", "write", json!({}))])
    });
    let executor = tools();
    let host = Host::new(executor.clone());
    let mut agent = agent(model, host, AgentSettings::default());
    let turn = agent.run_until("go", &cancel).await;
    assert_eq!(turn.stop, Stop::Cancelled);
    assert_eq!(executor.ran(), []);
    assert_eq!(results(&agent).len(), 3);
    agent.history().check().unwrap();
}

#[tokio::test]
async fn a_turn_costs_no_more_than_it_may() {
    let model = Model::answering(|request| {
        let mut reply = said(vec![call("x", "count", json!({"n": request.messages.len()}))])?;
        reply.usage = Usage { input: 1000, ..Usage::default() };
        Ok(reply)
    })
    .with(|info| info.prices = Some(Prices { input: 1.0, ..Prices::default() }));
    let settings = AgentSettings { max_cost_millionths: Some(2_500), ..AgentSettings::default() };
    let mut agent = agent(model, Host::new(counter("count", false)), settings);
    let turn = agent.run("go").await;
    assert_eq!((turn.stop.code(), turn.iterations), (StopCode::Cost, 3));
    assert_eq!(agent.status().totals.millionths, Some(3_000));
}

#[tokio::test]
async fn a_planner_changes_nothing_and_a_verifier_edits_nothing() {
    let check = async |phase: CallPhase, ran: usize| {
        let model = Model::saying([said(vec![call("a", "read", json!({})), call("b", "write", json!({}))])]);
        let executor = tools();
        let mut agent = Agent::builder(Arc::new(model), Arc::new(Host::new(executor.clone()))).phase(phase).build();
        agent.run("go").await;
        assert_eq!(executor.ran().len(), ran, "{phase:?}");
    };
    check(CallPhase::Planner, 1).await;
    check(CallPhase::Executor, 2).await;
}

#[tokio::test]
async fn events_come_in_one_order_and_tell_everything() {
    let model = Model::saying([said(vec![call("a", "read", json!({"path": "x"}))]), text("done")]);
    let (events, mut receiver) = AgentEvents::channel(100);
    let mut agent = Agent::builder(Arc::new(model), Arc::new(Host::new(tools()))).events(events).build();
    agent.run("go").await;
    let mut seen = vec![];
    while let Ok(event) = receiver.try_recv() {
        seen.push(match event {
            AgentEvent::TurnStarted { turn } => format!("turn {turn}"),
            AgentEvent::Requested { iteration, .. } => format!("request {iteration}"),
            AgentEvent::Replied { calls, .. } => format!("reply with {calls}"),
            AgentEvent::Called { id, tool, params, .. } => format!("call {id} {tool} {}", params.unwrap_or_default()),
            AgentEvent::Answered { id, text, .. } => format!("result {id} {text}"),
            AgentEvent::TurnEnded { stop } => format!("end {}", stop.code().as_str()),
            other => format!("{other:?}"),
        });
    }
    assert_eq!(
        seen,
        [
            "turn 1",
            "request 1",
            "reply with 1",
            r#"call a read {"path":"x"}"#,
            "result a content of a file",
            "request 2",
            "reply with 0",
            "end done",
        ]
    );
}

#[tokio::test]
async fn a_batch_that_does_not_fit_the_quota_ends_the_turn() {
    let model = Model::saying([said(vec![call("a", "read", json!({})), call("b", "read", json!({}))])]);
    let host = Host::new(tools());
    *host.quota.lock().unwrap() = Some(1);
    let (turn, agent) = run(model, host).await;
    assert_eq!(turn.stop, Stop::Quota);
    assert_eq!(results(&agent).len(), 2);
}

#[tokio::test]
async fn wrong_parameters_are_written_anew_once_and_only_where_they_were_wrong() {
    struct Better(Value);
    #[async_trait::async_trait]
    impl tools_agent::Reformat for Better {
        async fn reformat(&self, _: &tools_agent::ReformatRequest<'_>) -> Option<tools_core::JsonObject> {
            self.0.as_object().cloned()
        }
    }
    /// Reads.
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Args {
        path: String,
        limit: Option<u32>,
    }
    struct Reader;
    impl Tool for Reader {
        type Args = Args;
        fn definition(&self) -> ToolDef {
            ToolDef::of::<Args>("reader", ToolKind::Read, ToolTraits::READ_ONLY)
        }
        async fn inspect(&self, _: &Args, _: &CallContext) -> Result<Inspection, ToolError> {
            Ok(Inspection::read_only())
        }
        async fn run(&self, args: Args, _: &CallContext) -> Result<ToolOutput, ToolError> {
            Ok(ToolOutput::text(format!("{} {:?}", args.path, args.limit)))
        }
    }
    let check = async |better: Value, expected: &str| {
        let model = Model::saying([said(vec![call("a", "reader", json!({"path": "a", "limit": "many"}))])]);
        let mut agent = Agent::builder(Arc::new(model), Arc::new(Host::new(Typed::new(Reader))))
            .reformat(Arc::new(Better(better)))
            .build();
        agent.run("go").await;
        let text = results(&agent).remove(0).2;
        assert!(text.contains(expected), "{text}");
    };
    check(json!({"path": "a", "limit": 3}), "a Some(3)").await;
    check(json!({"path": "/etc/passwd", "limit": 3}), "type_mismatch").await;
    check(json!({"path": "a", "limit": []}), "type_mismatch").await;
}

#[tokio::test]
async fn calls_in_text_are_made_where_the_model_has_no_others() {
    let model = Model::saying([text("I look:\n\n```tool_call\n{\"tool_id\": \"read\"}\n```\n"), text("found")])
        .with(|info| info.supports_tool_use = false);
    let (turn, agent) = run(model, Host::new(tools())).await;
    assert_eq!((turn.stop, turn.calls, turn.text.as_str()), (Stop::Done, 1, "found"));
    assert!(agent.history().messages()[2].text().contains("content of a file"));
}

#[tokio::test]
async fn fifty_calls_and_a_megabyte_of_parameters_are_answered() {
    let blocks = (0..50).map(|n| call(&format!("c{n}"), "read", json!({"n": n}))).collect();
    let large = call("large", "read", json!({"text": "x".repeat(1_000_000)}));
    let model = Model::saying([said(blocks), said(vec![large]), text("done")]);
    let (turn, agent) = run(model, Host::new(tools())).await;
    assert_eq!((turn.stop, turn.calls), (Stop::Done, 51));
    assert_eq!(results(&agent).len(), 51);
}

#[test]
fn a_failure_of_the_infrastructure_is_no_fault_of_the_model() {
    let mut reputation = tools_agent::Reputation::default();
    reputation.note("m", &tools_core::ToolName::parse("read").unwrap(), Some(ToolErrorCategory::ServerError));
    assert!(reputation.standings().is_empty());
}
