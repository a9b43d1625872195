//! A server that greets while it is still being made.

use std::sync::{Arc, mpsc};

use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio_util::sync::CancellationToken;
use tools_mcp::{Greeting, McpServer, ServeError};

use crate::support::{Raw, builder};

/// A connection to a server that is made once the sender says how.
fn connect() -> (Raw, mpsc::Sender<Result<McpServer, &'static str>>) {
    let (made, waiting) = mpsc::channel();
    let (near, far) = tokio::io::duplex(64 << 10);
    let (read, write) = tokio::io::split(far);
    let build = move || waiting.recv().unwrap();
    let serving = McpServer::serve_while_building(Greeting::default(), build, read, write, CancellationToken::new());
    let (read, write) = tokio::io::split(near);
    (Raw { write, read: BufReader::new(read).lines(), serving: tokio::spawn(serving) }, made)
}

fn call() -> serde_json::Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo", "arguments": {"text": "x"}}})
}

#[tokio::test]
async fn the_handshake_does_not_wait_and_calls_do() {
    let (mut client, made) = connect();
    assert_eq!(client.initialize("2025-11-25").await["result"]["serverInfo"]["name"], "tools-mcp");
    client.send(call().to_string().as_bytes()).await;
    let pong = client.ask(json!({"jsonrpc": "2.0", "id": 2, "method": "ping"})).await;
    assert_eq!(pong["id"], 2);
    made.send(Ok(builder(&Arc::default()).build())).unwrap();
    assert_eq!(client.receive().await["result"]["content"][0]["text"], "x");
    let listed = client.ask(json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list"})).await;
    assert_eq!(listed["result"]["tools"][0]["name"], "echo");
}

#[tokio::test(start_paused = true)]
async fn what_was_asked_before_the_client_left_is_answered_when_the_server_is_made() {
    let (mut client, made) = connect();
    client.initialize("2025-11-25").await;
    client.send(call().to_string().as_bytes()).await;
    client.write.shutdown().await.unwrap();
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    tokio::time::advance(std::time::Duration::from_secs(1)).await;
    made.send(Ok(builder(&Arc::default()).build())).unwrap();
    assert_eq!(client.receive().await["result"]["content"][0]["text"], "x");
    assert!(client.serving.await.unwrap().is_ok());
}

#[tokio::test]
async fn a_server_that_cannot_be_made_ends_with_the_reason() {
    let (mut client, made) = connect();
    client.initialize("2025-11-25").await;
    client.send(call().to_string().as_bytes()).await;
    made.send(Err("no such file")).unwrap();
    let error = client.serving.await.unwrap().unwrap_err();
    assert!(matches!(&error, ServeError::Setup(reason) if reason.to_string() == "no such file"), "{error}");
}

#[tokio::test]
async fn the_reason_is_told_even_if_the_client_left() {
    let (client, made) = connect();
    drop((client.write, client.read));
    made.send(Err("no such file")).unwrap();
    assert!(matches!(client.serving.await.unwrap(), Err(ServeError::Setup(_))));
}
