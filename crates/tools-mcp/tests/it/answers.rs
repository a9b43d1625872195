//! How much an answer may hold is known before the call, and depends on who asks.

use std::sync::Arc;

use serde_json::json;

use crate::support::{Client, Person, builder, call, connect, text};

/// Bytes that the tool `lines` is told it may fill, for a client of this name.
async fn told(name: &'static str, cap: Option<usize>) -> usize {
    let server = builder(&Arc::default());
    let server = match cap {
        Some(cap) => server.answer_cap(cap).build(),
        None => server.build(),
    };
    let (client, _serving) = connect(server, Client { name, ..Client::new(Person::None) }).await;
    text(&call(&client, "budget", json!({})).await).parse().unwrap()
}

#[tokio::test]
async fn the_budget_of_a_client_travels_with_each_call() {
    assert_eq!(told("claude-code", None).await, 24_000);
    assert_eq!(told("codex-mcp-client", None).await, 10_000);
    assert_eq!(told("codex-mcp-client", Some(5_000)).await, 4_000);
    assert_eq!(told("anything", Some(1)).await, 1_000);
}

#[tokio::test]
async fn the_server_itself_cuts_nothing() {
    let (client, _serving) = connect(builder(&Arc::default()).build(), Client::new(Person::None)).await;
    let answer = text(&call(&client, "lines", json!({"limit": 20_000})).await);
    assert_eq!(answer, (0..20_000).map(|n| format!("line {n:06}\n")).collect::<Vec<_>>().concat());
}
