//! Random turns: whatever models, tools and people do, each call has one result, nothing runs
//! twice, nothing is told before it is on record, and the conversation stays one that every
//! provider accepts.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::json;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tools_agent::{Agent, AgentSettings};
use tools_core::{
    Approval, CallContext, ExecuteResult, Inspection, Invocation, Layer, Next, Outcome, Stack, ToolCall, ToolDef,
    ToolDefs, ToolError, ToolErrorCategory, ToolExecutor, ToolKind, ToolName, ToolOutput, ToolTraits,
};
use tools_providers::ProviderFault;
use tools_testkit::Numbers;

use crate::doubles::{Host, Model, call, fault, said, text};

const TURNS: u64 = 10_000;
/// Turns of one agent before another one begins.
const OF_ONE: u64 = 25;

/// What became of calls, by their identifiers.
#[derive(Default)]
struct Seen {
    recorded: HashMap<String, u32>,
    ran: HashMap<String, u32>,
}

#[derive(Clone)]
struct World {
    seen: Arc<Mutex<Seen>>,
    cancel: Arc<Mutex<CancellationToken>>,
    drop_now: Arc<Notify>,
}

/// Tools that do everything that tools do.
struct Anything(World, ToolDefs);

const TOOLS: [&str; 7] = ["good", "bad", "slow", "panic", "cancel", "drop", "edit"];

impl ToolExecutor for Anything {
    fn tool_definitions(&self) -> ToolDefs {
        Arc::clone(&self.1)
    }

    async fn inspect(&self, call: &ToolCall, _: &CallContext) -> Result<Inspection, ToolError> {
        if call.params.contains_key("odd") {
            return Err(ToolError::new(ToolErrorCategory::InvalidParameters, "odd", "`odd` is odd"));
        }
        Ok(if call.tool.as_str() == "edit" { Inspection::mutating() } else { Inspection::read_only() })
    }

    async fn execute_tool_call(&self, call: &ToolCall, cx: &CallContext) -> ExecuteResult {
        *self.0.seen.lock().unwrap().ran.entry(call.id.to_string()).or_default() += 1;
        let fail = |category, code| Err(ToolError::new(category, code, "it failed"));
        match call.tool.as_str() {
            "bad" => fail(ToolErrorCategory::PermanentFailure, "bad"),
            "slow" => {
                tokio::task::yield_now().await;
                fail(ToolErrorCategory::Timeout, "slow")
            }
            "panic" => panic!("as planned"),
            "cancel" => {
                self.0.cancel.lock().unwrap().cancel();
                cx.cancel().cancelled().await;
                std::future::pending().await
            }
            "drop" => {
                self.0.drop_now.notify_one();
                std::future::pending().await
            }
            _ => Ok(Some(ToolOutput::text(format!("result of {}", call.id)))),
        }
    }

    async fn execute_tool_call_confirmed(&self, call: &ToolCall, _: &Approval, cx: &CallContext) -> ExecuteResult {
        self.execute_tool_call(call, cx).await
    }
}

/// Puts every call on record before its result goes on, and denies some.
struct Record(World);

struct Line<'a>(&'a World, String);

impl Drop for Line<'_> {
    fn drop(&mut self) {
        *self.0.seen.lock().unwrap().recorded.entry(self.1.clone()).or_default() += 1;
    }
}

#[async_trait]
impl Layer for Record {
    fn name(&self) -> &'static str {
        "record"
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        let _line = Line(&self.0, inv.call.id.to_string());
        if inv.call.params.contains_key("denied") {
            return Err(ToolError::new(ToolErrorCategory::PolicyBlocked, "denied", "no"));
        }
        inv.inspection()?;
        next.run(inv).await
    }
}

fn model(world: World, host: &Host, mut numbers: Numbers) -> Model {
    let refused = Arc::clone(&host.refused);
    let mut told = 0;
    Model::answering(move |request| {
        // What the model is told is on record already.
        let seen = world.seen.lock().unwrap();
        let refused = refused.lock().unwrap();
        let refused: HashSet<&str> = refused.iter().map(|(id, _)| id.as_str()).collect();
        for message in &request.messages[told..] {
            for result in message.tool_results().filter(|result| result.text.starts_with("result of ")) {
                let id = result.text.trim_start_matches("result of ");
                assert!(
                    seen.recorded.contains_key(id) || refused.contains(id),
                    "{id} was told before it was on record"
                );
            }
        }
        told = request.messages.len();
        match numbers.below(12) {
            0 => fault(ProviderFault::Auth),
            1 | 2 => text("done"),
            3 => said(vec![]),
            _ => {
                let calls = 1 + numbers.below(5);
                let blocks = (0..calls).map(|at| {
                    let tool = TOOLS.get(usize::try_from(numbers.below(9)).unwrap()).copied().unwrap_or("good");
                    // A model that stops the world does so rarely, and a few calls come again and
                    // again.
                    let tool =
                        if matches!(tool, "cancel" | "drop" | "panic") && numbers.below(4) > 0 { "good" } else { tool };
                    let params = match numbers.below(10) {
                        0 => json!({"denied": true}),
                        1 => json!({"odd": true}),
                        2 => json!("no object"),
                        3 | 4 => json!({}),
                        _ => json!({"n": numbers.below(1_000_000)}),
                    };
                    let tool = if numbers.below(20) == 0 { "nobody_has_it" } else { tool };
                    call(&format!("{}-{at}", numbers.below(3)), tool, params)
                });
                said(blocks.collect())
            }
        }
    })
}

#[tokio::test]
async fn whatever_happens_each_call_has_one_result() {
    let quiet = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let definition = |name: &str| {
        let name = ToolName::parse(name).unwrap();
        let traits = if name.as_str() == "edit" { ToolTraits::EDIT } else { ToolTraits::READ_ONLY };
        Arc::new(ToolDef::new(name, "", tools_core::inline_schema::<()>(), ToolKind::Other, traits))
    };
    let definitions: ToolDefs = TOOLS.iter().map(|name| definition(name)).collect();
    let (mut dropped, mut cancelled, mut calls) = (0_u32, 0_u32, 0_u64);
    for agent in 0..TURNS / OF_ONE {
        let world = World { seen: Arc::default(), cancel: Arc::default(), drop_now: Arc::default() };
        let executor = Anything(world.clone(), Arc::clone(&definitions));
        let host = Host::over(Stack::new(vec![Arc::new(Record(world.clone()))], executor));
        let numbers = Numbers::new(0x9e37_79b9_7f4a_7c15 ^ (agent + 1).wrapping_mul(0x2545_f491_4f6c_dd1d));
        let model = model(world.clone(), &host, numbers);
        let settings = AgentSettings { provider_attempts: 1, ..AgentSettings::default() };
        let mut agent = Agent::builder(Arc::new(model), Arc::new(host.clone())).settings(settings).build();
        for turn in 0..OF_ONE {
            let cancel = CancellationToken::new();
            *world.cancel.lock().unwrap() = cancel.clone();
            let before = agent.history().messages().len();
            let ended = tokio::select! {
                biased;
                ended = agent.run_until("go", &cancel) => Some(ended),
                () = world.drop_now.notified() => None,
            };
            match ended {
                None => dropped += 1,
                Some(ended) => {
                    cancelled += u32::from(cancel.is_cancelled());
                    calls += ended.calls;
                }
            }
            agent.history().check().unwrap_or_else(|invalid| panic!("turn {turn}: {invalid}"));
            assert!(agent.history().messages().len() >= before);
        }
        let seen = world.seen.lock().unwrap();
        let twice = seen.ran.iter().find(|(_, count)| **count > 1);
        assert_eq!(twice, None, "a call ran twice");
        let unrecorded = seen.ran.keys().find(|id| seen.recorded.get(*id) != Some(&1));
        assert_eq!(unrecorded, None, "a call is not on record exactly once");
    }
    std::panic::set_hook(quiet);
    assert!(dropped > 100 && cancelled > 100 && calls > TURNS, "{dropped} {cancelled} {calls}");
}
