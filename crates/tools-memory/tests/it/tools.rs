//! The tools as executors.

use std::{path::Path, sync::Arc};

use serde_json::json;
use sqlx::Connection as _;
use tools_core::{CallContext, CompositeExecutor, Shared, Stack, ToolCall};
use tools_memory::{Memories, MemoryConfig, MemoryTools, SqliteMemories, TaintedSessions, project_of};
use tools_secrets::SecretRedactor;
use tools_testkit::{Workspace, contract};

use crate::saving::{clock, memories, of_project};

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

#[tokio::test]
async fn a_damaged_page_closes_no_other_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let policy = MemoryConfig::default().compile().unwrap();
    let open = || {
        let store = Arc::new(SqliteMemories::at(&path));
        Memories::new(store, Shared::new(policy), Arc::new(SecretRedactor::default()), Arc::new(clock()))
    };
    let saving = open();
    for number in 0..40 {
        let content = format!("zebra {number} {}", format!("stripe{number} ").repeat(200));
        saving.save(of_project(&project_of(Path::new("/")), &content)).await.unwrap();
    }
    drop(saving);
    // All of it goes into the one file, in which a page with a memory is overwritten.
    let mut database = sqlx::SqliteConnection::connect(&format!("sqlite://{}", path.display())).await.unwrap();
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut database).await.unwrap();
    database.close().await.unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes.windows(8).position(|part| part == b"zebra 20").unwrap() / 4096 * 4096;
    bytes[at..at + 4096].fill(0);
    std::fs::write(&path, bytes).unwrap();

    let tools = MemoryTools::new(open(), TaintedSessions::default()).into_executors();
    let stack = Stack::new(vec![], CompositeExecutor::new(tools));
    let call = ToolCall::new("memory_search", json!({"query": "zebra", "limit": 20})).unwrap();
    let found = stack.dispatch(call, &CallContext::new("/")).await.unwrap();
    assert!(found.summary.contains("the store of memories is damaged: "), "{}", found.summary);
    let lost = found.raw_response.as_ref().and_then(|raw| raw["unreadable"].as_u64());
    assert!(lost.is_some_and(|lost| (1..10).contains(&lost)), "{lost:?}");
}
