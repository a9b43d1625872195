//! The tools as executors.

use serde_json::json;
use tools_core::{CompositeExecutor, ToolCall};
use tools_memory::{MemoryTools, Taint};
use tools_testkit::{Workspace, contract};

use crate::saving::{clock, memories};

#[tokio::test]
async fn the_tools_keep_the_contract_of_executors() {
    let tools = MemoryTools::new(memories(&clock(), 100), Taint::default()).into_executors();
    let call = |tool, params| ToolCall::new(tool, params).unwrap();
    let samples = [
        call("memory_save", json!({"content": "the port is 80"})),
        call("memory_search", json!({"query": "port"})),
        call("memory_search", json!({"query": ""})),
    ];
    contract::check(CompositeExecutor::new(tools), &Workspace::new(), &samples).await;
}
