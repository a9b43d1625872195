//! What the loop of an agent adds to an iteration when model and tool take no time, and how that
//! grows with the conversation.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::runtime::Runtime;
use tools_agent::{Agent, AgentSettings, StackHost, StopCode};
use tools_core::{CallContext, Inspection, Stack, Tool, ToolDef, ToolError, ToolKind, ToolOutput, ToolTraits, Typed};
use tools_providers::{
    Block, Message, ModelInfo, Provider, ProviderError, Reply, Request, Role, Sink, StopReason, ToolUse, Usage,
};

/// Requests in a turn.
const REQUESTS: u64 = 50;

/// Calls a tool in each answer but the last of a turn.
struct Model {
    info: ModelInfo,
    answers: AtomicU64,
}

impl Model {
    fn new() -> Self {
        let info = ModelInfo {
            id: "model".to_owned(),
            context_tokens: 100_000_000,
            max_output_tokens: 1000,
            supports_tool_use: true,
            cache_minimum: None,
            prices: None,
        };
        Self { info, answers: AtomicU64::new(0) }
    }
}

#[async_trait]
impl Provider for Model {
    fn name(&self) -> &'static str {
        "bench"
    }

    fn model(&self) -> &ModelInfo {
        &self.info
    }

    async fn complete(&self, _: &Request<'_>, _: &dyn Sink) -> Result<Reply, ProviderError> {
        let number = self.answers.fetch_add(1, Ordering::Relaxed);
        let block = if number % REQUESTS == REQUESTS - 1 {
            Block::Text("done".to_owned())
        } else {
            let input = json!({"number": number}).as_object().cloned().unwrap_or_default();
            Block::ToolUse(ToolUse { id: format!("call_{number}"), name: "count".to_owned(), input: Ok(input) })
        };
        let message = Message { role: Role::Assistant, blocks: vec![block] };
        Ok(Reply { message, usage: Usage::default(), stop: StopReason::EndTurn })
    }
}

#[derive(Deserialize, JsonSchema)]
struct Args {
    number: u64,
}

/// Answers with 400 bytes that are never the same.
struct Count;

impl Tool for Count {
    type Args = Args;

    fn definition(&self) -> ToolDef {
        ToolDef::of::<Args>("count", ToolKind::Read, ToolTraits::READ_ONLY)
    }

    async fn inspect(&self, _: &Args, _: &CallContext) -> Result<Inspection, ToolError> {
        Ok(Inspection::read_only())
    }

    async fn run(&self, args: Args, _: &CallContext) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text(format!("{:0400}", args.number)))
    }
}

fn agent() -> Agent {
    let stack = Arc::new(Stack::new(vec![], Typed::new(Count)));
    let host = StackHost::new(stack, CallContext::new("/"));
    let settings = AgentSettings {
        max_tool_iterations: u32::MAX,
        context_budget_tokens: Some(100_000_000),
        ..AgentSettings::default()
    };
    Agent::builder(Arc::new(Model::new()), Arc::new(host)).settings(settings).build()
}

/// Runs a turn; the time of one of its iterations.
async fn iteration(agent: &mut Agent) -> Duration {
    let begun = Instant::now();
    let turn = agent.run("go on").await;
    let took = begun.elapsed();
    assert_eq!(turn.stop.code(), StopCode::Done, "{turn:?}");
    took / u32::try_from(REQUESTS).unwrap_or(1)
}

fn iterations(c: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let mut group = c.benchmark_group("loop");
    for messages in [200_usize, 2_000, 20_000] {
        group.bench_function(BenchmarkId::new("iteration", messages), |b| {
            b.iter_custom(|times| {
                runtime.block_on(async {
                    let mut took = Duration::ZERO;
                    let mut agent = agent();
                    for _ in 0..times {
                        // Each turn adds a hundred messages.
                        if agent.history().messages().len() >= messages + messages / 10 {
                            agent.clear();
                        }
                        while agent.history().messages().len() < messages {
                            iteration(&mut agent).await;
                        }
                        took += iteration(&mut agent).await;
                    }
                    took
                })
            });
        });
    }
    group.finish();
}

criterion_group!(benches, iterations);
criterion_main!(benches);
