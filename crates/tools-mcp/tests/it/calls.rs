//! Calls: results, failures, cancellation, disconnection, concurrency.

use std::sync::{Arc, atomic::Ordering};

use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest};
use rmcp::service::PeerRequestOptions;
use serde_json::json;

use crate::support::{Client, Person, Raw, Seen, builder, call, connect, meta, text};

#[tokio::test]
async fn a_call_gives_text_and_no_structure_unless_asked() {
    let (client, _serving) = connect(builder(&Arc::default()).build(), Client::new(Person::None)).await;
    let result = call(&client, "echo", json!({"text": "hello"})).await;
    assert_eq!((text(&result).as_str(), result.is_error), ("hello", Some(false)));
    assert_eq!((result.structured_content, result.meta), (None, None));
}

#[tokio::test]
async fn structure_comes_where_the_request_or_the_server_says_so() {
    let mut client = Raw::connect(builder(&Arc::default()).build());
    client.initialize("2025-06-18").await;
    let request = |structured: bool| {
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params":
            {"name": "echo", "arguments": {"text": "x"}, "_meta": {"haft/structured": structured}}})
    };
    assert_eq!(client.ask(request(true)).await["result"]["structuredContent"], json!({"text": "x"}));
    let mut client = Raw::connect(builder(&Arc::default()).structured(tools_mcp::StructuredContent::Always).build());
    client.initialize("2025-06-18").await;
    assert_eq!(client.ask(request(false)).await["result"].get("structuredContent"), None);
}

#[tokio::test]
async fn a_failure_is_a_result_the_model_can_read() {
    let (client, _serving) = connect(builder(&Arc::default()).build(), Client::new(Person::None)).await;
    let result = call(&client, "fail", json!({})).await;
    assert_eq!(result.is_error, Some(true));
    let expected = "[tool_error]\ncategory: permanent_failure\nerror: it broke\nsuggestion: The same call will fail again; read the error and change the approach.\nretryable: false\n\nas far as it came";
    assert_eq!(text(&result), expected);
    assert_eq!(meta(&result, "haft/code"), "broken");
}

#[tokio::test]
async fn an_unknown_tool_and_bad_parameters_are_results_too() {
    let (client, _serving) = connect(builder(&Arc::default()).build(), Client::new(Person::None)).await;
    let check = async |tool: &str, category: &str, part: &str| {
        let result = call(&client, tool, json!({})).await;
        assert_eq!(result.is_error, Some(true));
        assert_eq!(meta(&result, "haft/category"), category, "{tool}");
        assert!(text(&result).contains(part), "{}", text(&result));
    };
    check("ecko", "tool_not_found", "Did you mean `echo`?").await;
    check("no such tool", "invalid_parameters", "is not a tool name").await;
    check("echo", "invalid_parameters", "text").await;
}

#[tokio::test]
async fn a_warning_stands_in_the_text_once_per_connection() {
    let (client, _serving) = connect(builder(&Arc::default()).build(), Client::new(Person::None)).await;
    let first = call(&client, "stubborn", json!({})).await;
    assert_eq!(text(&first), "[warning] this tool is stubborn\ndone");
    let second = call(&client, "stubborn", json!({})).await;
    assert_eq!(text(&second), "done");
    assert_eq!(meta(&second, "haft/warnings"), json!(["this tool is stubborn"]));
}

#[tokio::test]
async fn a_cancelled_call_is_dropped_and_not_answered() {
    let seen = Arc::new(Seen::default());
    let (client, _serving) = connect(builder(&seen).build(), Client::new(Person::None)).await;
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(CallToolRequestParams::new("hang")));
    let handle = client.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap();
    seen.started.notified().await;
    handle.cancel(Some("enough".to_owned())).await.unwrap();
    while !seen.dropped.load(Ordering::SeqCst) {
        tokio::task::yield_now().await;
    }
    assert_eq!(text(&call(&client, "echo", json!({"text": "alive"})).await), "alive");
}

#[tokio::test]
async fn a_client_that_leaves_takes_its_calls_along() {
    let seen = Arc::new(Seen::default());
    let mut client = Raw::connect(builder(&seen).build());
    client.initialize("2025-11-25").await;
    client.send(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hang"}}"#).await;
    seen.started.notified().await;
    drop((client.write, client.read));
    assert!(client.serving.await.unwrap().is_ok());
    assert!(seen.dropped.load(Ordering::SeqCst));
}

#[tokio::test]
async fn requests_that_were_sent_before_the_end_are_still_answered() {
    use tokio::io::AsyncWriteExt as _;
    let mut client = Raw::connect(builder(&Arc::default()).build());
    client.initialize("2025-11-25").await;
    client
        .send(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}"#)
        .await;
    client.write.shutdown().await.unwrap();
    assert_eq!(client.receive().await["result"]["content"][0]["text"], "x");
    assert!(client.serving.await.unwrap().is_ok());
}

#[tokio::test]
async fn a_client_that_only_connects_is_no_error() {
    let client = Raw::connect(builder(&Arc::default()).build());
    drop((client.write, client.read));
    assert!(client.serving.await.unwrap().is_ok());
}

#[tokio::test]
async fn a_slow_call_holds_up_neither_others_nor_a_ping() {
    let seen = Arc::new(Seen::default());
    let mut client = Raw::connect(builder(&seen).build());
    client.initialize("2025-11-25").await;
    client.send(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hang"}}"#).await;
    seen.started.notified().await;
    let pong = client.ask(json!({"jsonrpc": "2.0", "id": 2, "method": "ping"})).await;
    assert_eq!(pong, json!({"jsonrpc": "2.0", "id": 2, "result": {}}));
    let call = json!({"name": "echo", "arguments": {"text": "x"}});
    let answer = client.ask(json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": call})).await;
    assert_eq!(answer["id"], 3);
}

#[tokio::test]
async fn the_server_ends_when_it_is_told_to() {
    let seen = Arc::new(Seen::default());
    let server = builder(&seen).build();
    let stop = tokio_util::sync::CancellationToken::new();
    let (near, far) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(far);
    let told = stop.clone();
    let serving = tokio::spawn(async move { server.serve_until(read, write, told).await });
    let client = rmcp::ServiceExt::serve(Client::new(Person::None), near).await.unwrap();
    let hanging = tokio::spawn(async move { client.call_tool(CallToolRequestParams::new("hang")).await.map(drop) });
    seen.started.notified().await;
    stop.cancel();
    assert!(serving.await.unwrap().is_ok());
    assert!(seen.dropped.load(Ordering::SeqCst));
    // Answered as cancelled or cut off, but over.
    let _ = hanging.await.unwrap();
}
