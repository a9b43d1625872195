//! The tools as executors.

use serde_json::json;
use tools_core::{CallContext, CompositeExecutor, Stack, ToolCall};
use tools_memory::{MemoryTools, TaintedSessions};
use tools_testkit::{Workspace, contract};

use crate::saving::{clock, memories};

#[tokio::test]
async fn the_tools_keep_the_contract_of_executors() {
    let tools = MemoryTools::new(memories(&clock(), 100), TaintedSessions::default()).into_executors();
    let call = |tool, params| ToolCall::new(tool, params).unwrap();
    let samples = [
        call("memory_save", json!({"content": "the port is 80"})),
        call("memory_search", json!({"query": "port"})),
        call("memory_search", json!({"query": ""})),
    ];
    contract::check(CompositeExecutor::new(tools), &Workspace::new(), &samples).await;
}

#[tokio::test]
async fn what_is_not_shown_or_not_taken_over_is_said() {
    let tools = MemoryTools::new(memories(&clock(), 100), TaintedSessions::default()).into_executors();
    let stack = Stack::new(vec![], CompositeExecutor::new(tools));
    let says = async |tool: &str, params| {
        let call = ToolCall::new(tool, params).unwrap();
        stack.dispatch(call, &CallContext::new("/")).await.unwrap().summary
    };
    for number in 1..=4 {
        says("memory_save", json!({"content": format!("fact {number} about zebras")})).await;
    }
    let found = says("memory_search", json!({"query": "zebras", "limit": 3})).await;
    assert!(found.matches(" about zebras").count() == 3 && found.contains("[more were found;"), "{found}");
    let found = says("memory_search", json!({"query": "zebras", "limit": 4})).await;
    assert!(found.matches(" about zebras").count() == 4 && !found.contains("more were found"), "{found}");
    let again = says("memory_save", json!({"content": "fact 1 about zebras", "tags": ["stripes"]})).await;
    assert!(again.contains("was there already") && again.contains("stay as they were"), "{again}");
    let again = says("memory_save", json!({"content": "fact 1 about zebras"})).await;
    assert!(!again.contains("stay as they were"), "{again}");
}
