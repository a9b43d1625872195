//! A layer of your own: how long each tool worked, waiting for a person not included.
//! `cargo run -p haft --example own_layer`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use haft::config::LoadedConfig;
use haft::core::{Invocation, Layer, Next, NobodyToAsk, Outcome, ToolCall, ToolName};
use haft::{Place, Toolbox};

/// Calls and time of each tool.
type Totals = BTreeMap<ToolName, (u64, Duration)>;

#[derive(Clone, Default)]
struct Timing(Arc<Mutex<Totals>>);

#[async_trait]
impl Layer for Timing {
    fn name(&self) -> &'static str {
        "timing"
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        let began = Instant::now();
        let outcome = next.run(inv).await;
        let mut totals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (calls, time) = totals.entry(inv.call.tool.clone()).or_default();
        *calls += 1;
        *time += began.elapsed();
        outcome
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let timing = Timing::default();
    let toolbox = Toolbox::builder(LoadedConfig::parse("", &|_| None)?, std::env::current_dir()?)
        .layer(Place::AfterGates, timing.clone())
        .build()?;
    for (tool, arguments) in [
        ("bash", serde_json::json!({"command": "echo hello"})),
        ("list_directory", serde_json::json!({"path": "."})),
        // Not counted: the gates refuse it.
        ("bash", serde_json::json!({"command": "rm -rf /"})),
    ] {
        let recorded = toolbox.call(ToolCall::new(tool, arguments)?, &toolbox.context(), &NobodyToAsk).await;
        if let Err(error) = recorded.outcome {
            println!("{tool}: {error}");
        }
    }
    for (tool, (calls, time)) in &*timing.0.lock().unwrap_or_else(PoisonError::into_inner) {
        println!("{tool}: {calls} calls, {} ms", time.as_millis());
    }
    Ok(())
}
