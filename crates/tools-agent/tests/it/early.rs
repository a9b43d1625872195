//! Calls that are started while the model writes: which calls are, and that the results are the
//! same as without.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::json;
use tools_agent::{Agent, AgentSettings, Stop, ToolHost};
use tools_core::{
    Approval, CallContext, ConfirmReason, DynExecutor, ExecuteResult, Inspection, Invocation, Layer, Next, Outcome,
    SpeculationOutcome, Stack, ToolCall, ToolDef, ToolDefs, ToolError, ToolExecutor, ToolKind, ToolName, ToolOrigin,
    ToolOutput, ToolTraits,
};
use tools_providers::{ModelInfo, Provider, ProviderFault, Reply, Request, Sink};
use tools_testkit::{Behaviour, Numbers, ScriptedExecutor};

use crate::doubles::{Host, Model, Said, call, fault, said, text, tools, write};

fn agent(model: impl Provider + 'static, host: Host, start_early: bool) -> Agent {
    let settings = AgentSettings { start_early, max_tool_iterations: 100, ..AgentSettings::default() };
    Agent::builder(Arc::new(model), Arc::new(host) as Arc<dyn ToolHost>).settings(settings).build()
}

fn results(agent: &Agent) -> Vec<String> {
    let messages = agent.history().messages().iter();
    messages.flat_map(|message| message.tool_results().map(|one| one.text.clone())).collect()
}

/// A model that writes slowly, and whose connection breaks first after each answer of `broken`;
/// `look` is called then.
struct Torn<F> {
    inner: Model,
    broken: Mutex<Vec<Reply>>,
    look: F,
}

#[async_trait]
impl<F: Fn() + Send + Sync> Provider for Torn<F> {
    fn name(&self) -> &'static str {
        "torn"
    }

    fn model(&self) -> &ModelInfo {
        self.inner.model()
    }

    async fn complete(&self, request: &Request<'_>, sink: &dyn Sink) -> Said {
        let torn = self.broken.lock().unwrap().pop();
        if let Some(reply) = torn {
            write(&reply, sink).await;
            (self.look)();
            return fault(ProviderFault::Truncated);
        }
        let said = self.inner.complete(request, sink).await;
        if let Ok(reply) = &said {
            write(reply, sink).await;
        }
        said
    }
}

/// What the record says of each call, in its order.
#[derive(Clone, Default)]
struct Origins(Arc<Mutex<Vec<Option<SpeculationOutcome>>>>);

#[async_trait]
impl Layer for Origins {
    fn name(&self) -> &'static str {
        "origins"
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        self.0.lock().unwrap().push(inv.context.origin().and_then(|origin| origin.speculative));
        next.run(inv).await
    }
}

#[tokio::test]
async fn a_call_that_reads_runs_once_and_before_the_answer_is_complete() {
    let tools = tools();
    let (seen, origins) = (tools.clone(), Origins::default());
    let host = Host::over(Stack::new(vec![Arc::new(origins.clone())], tools.clone()));
    let asked = vec![call("a", "read", json!({"path": "x}"})), call("b", "list", json!({}))];
    let torn = said(asked.clone()).unwrap();
    let model = Torn {
        inner: Model::saying([said(asked)]),
        broken: Mutex::new(vec![torn]),
        look: move || assert_eq!(seen.ran().len(), 2, "both ran while the model wrote"),
    };
    let refused = Arc::clone(&host.refused);
    let mut agent = agent(model, host, true);
    assert_eq!(agent.run("go").await.stop, Stop::Done);
    assert_eq!(results(&agent), ["content of a file", "a list"]);
    // Those of the answer that broke are on record as called off, and those of the other ran once.
    assert_eq!(refused.lock().unwrap().iter().map(|(_, code)| *code).collect::<Vec<_>>(), ["cancelled", "cancelled"]);
    assert_eq!(tools.ran().len(), 4);
    assert_eq!(*origins.0.lock().unwrap(), [Some(SpeculationOutcome::Early); 2]);
}

#[tokio::test]
async fn without_the_setting_nothing_runs_early() {
    let tools = tools();
    let (seen, host) = (tools.clone(), Host::new(tools));
    let torn = said(vec![call("a", "read", json!({}))]).unwrap();
    let look = move || assert!(seen.ran().is_empty(), "{:?}", seen.ran());
    let model = Torn { inner: Model::saying([text("done")]), broken: Mutex::new(vec![torn]), look };
    assert_eq!(agent(model, host, false).run("go").await.stop, Stop::Done);
}

#[tokio::test]
async fn what_changes_something_or_needs_a_person_never_runs_early_and_neither_does_what_stands_behind_it() {
    let name = |name: &str| ToolName::parse(name).unwrap();
    let reads = ToolTraits::READ_ONLY;
    let remote = ToolOrigin::Mcp { server: "far".to_owned(), trusted: true };
    let schema = || schemars::json_schema!({"type": "object"});
    let mut of_server = ToolDef::new(name("remote"), "Reads.", schema(), ToolKind::Read, reads);
    of_server.origin = remote;
    let wishes =
        Inspection { confirm: Some(ConfirmReason::new("a person decides", "test")), ..Inspection::read_only() };
    let canaries = ScriptedExecutor::new()
        .tool("edits", ToolTraits::EDIT, Behaviour::reply("edited"))
        .tool("again", ToolTraits { idempotent: false, cacheable: false, ..reads }, Behaviour::reply("again"))
        .tool("fetches", ToolTraits { open_world: true, ..reads }, Behaviour::reply("fetched"))
        .inspected("asks", reads, Behaviour::reply("asked"), Ok(wishes))
        .inspected("writes", reads, Behaviour::reply("written"), Ok(Inspection::mutating()))
        .defined(of_server, Behaviour::reply("remote"))
        .tool("read", reads, Behaviour::reply("read"));
    for canary in ["edits", "again", "fetches", "asks", "writes", "remote", "unknown"] {
        let tools = canaries.clone();
        // Through layers of executors: what is asked is asked of the tool itself.
        let erased = DynExecutor::new(DynExecutor::new(DynExecutor::new(tools.clone())));
        let before = tools.ran().len();
        let torn = said(vec![call("a", canary, json!({})), call("b", "read", json!({}))]).unwrap();
        let look = move || assert_eq!(tools.ran().len(), before, "{canary} ran");
        let model = Torn { inner: Model::saying([text("done")]), broken: Mutex::new(vec![torn]), look };
        assert_eq!(agent(model, Host::new(erased), true).run("go").await.stop, Stop::Done);
    }
}

/// One number: `get` reads it, `add` counts it up, `slow` reads it after a while.
struct Number(AtomicU64, ToolDefs);

impl ToolExecutor for Number {
    fn tool_definitions(&self) -> ToolDefs {
        Arc::clone(&self.1)
    }

    async fn inspect(&self, call: &ToolCall, _: &CallContext) -> Result<Inspection, ToolError> {
        Ok(if call.tool.as_str() == "add" { Inspection::mutating() } else { Inspection::read_only() })
    }

    async fn execute_tool_call(&self, call: &ToolCall, _: &CallContext) -> ExecuteResult {
        let number = match call.tool.as_str() {
            "add" => self.0.fetch_add(1, Ordering::SeqCst) + 1,
            "slow" => {
                tokio::task::yield_now().await;
                self.0.load(Ordering::SeqCst)
            }
            _ => self.0.load(Ordering::SeqCst),
        };
        Ok(Some(ToolOutput::text(format!("{} gives {number}", call.tool))))
    }

    async fn execute_tool_call_confirmed(&self, call: &ToolCall, _: &Approval, cx: &CallContext) -> ExecuteResult {
        self.execute_tool_call(call, cx).await
    }
}

fn number() -> Number {
    let define = |name: &str, traits| {
        let schema = schemars::json_schema!({"type": "object"});
        Arc::new(ToolDef::new(ToolName::parse(name).unwrap(), "A number.", schema, ToolKind::Other, traits))
    };
    let reads = ToolTraits::READ_ONLY;
    let tools = [define("get", reads), define("slow", reads), define("add", ToolTraits::EDIT)];
    Number(AtomicU64::new(0), tools.into_iter().collect())
}

/// Answers with up to five calls each, of which some break off.
fn random_model(mut numbers: Numbers) -> Torn<fn()> {
    let mut answer = || {
        let calls = 1 + numbers.below(5);
        let blocks = (0..calls).map(|at| {
            let tool = ["get", "slow", "add"][usize::try_from(numbers.below(3)).unwrap()];
            call(&at.to_string(), tool, json!({"salt": numbers.below(1000)}))
        });
        said(blocks.collect())
    };
    let answers: Vec<Said> = (0..8).map(|_| answer()).collect();
    let torn: Vec<Reply> = (0..2).map(|_| answer().unwrap()).collect();
    Torn { inner: Model::saying(answers), broken: Mutex::new(torn), look: || {} }
}

#[tokio::test]
async fn results_are_the_same_as_without() {
    let mut calls = 0;
    for seed in 0..500 {
        let mut seen = vec![];
        for start_early in [false, true] {
            let mut agent = agent(random_model(Numbers::new(seed)), Host::new(number()), start_early);
            agent.run("go").await;
            agent.history().check().unwrap();
            seen.push(results(&agent));
        }
        assert_eq!(seen[0], seen[1], "seed {seed}");
        calls += seen[0].len();
    }
    assert!(calls > 5_000, "{calls}");
}
