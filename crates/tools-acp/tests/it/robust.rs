//! Whatever a client sends, does not read, or breaks off.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use crate::{client::Client, doubles::Host};

async fn code(client: &mut Client, text: &str) -> (Value, i64) {
    client.send_text(text).await;
    let answer = client.message().await;
    (answer["id"].clone(), answer["error"]["code"].as_i64().unwrap_or_default())
}

#[tokio::test]
async fn every_odd_message_has_its_error_and_the_server_lives_on() {
    let mut client = Client::raw(Host::default());
    let early = r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/"}}"#;
    assert_eq!(code(&mut client, early).await, (json!(1), -32600));
    client.greet().await;
    let cases = [
        ("nonsense", Value::Null, -32700),
        ("{\"jsonrpc\":", Value::Null, -32700),
        ("[]", Value::Null, -32600),
        (r#"{"jsonrpc":"2.0","id":7}"#, json!(7), -32600),
        (r#"{"jsonrpc":"2.0","id":"x","method":"session/fork","params":{}}"#, json!("x"), -32601),
        (r#"{"jsonrpc":"2.0","id":null,"method":"_own/thing"}"#, Value::Null, -32601),
        (r#"{"jsonrpc":"2.0","id":8,"method":"initialize","params":{"protocolVersion":1}}"#, json!(8), -32600),
        (r#"{"jsonrpc":"2.0","id":9,"method":"authenticate","params":{"methodId":"x"}}"#, json!(9), -32602),
        (r#"{"jsonrpc":"2.0","id":10,"method":"session/new","params":{"mcpServers":[]}}"#, json!(10), -32602),
        (
            r#"{"jsonrpc":"2.0","id":11,"method":"session/new","params":{"cwd":"src","mcpServers":[]}}"#,
            json!(11),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":12,"method":"session/new","params":{"cwd":"/not/there","mcpServers":[]}}"#,
            json!(12),
            -32602,
        ),
        (r#"{"jsonrpc":"2.0","id":13,"method":"session/new","params":{"cwd":7}}"#, json!(13), -32602),
        (
            r#"{"jsonrpc":"2.0","id":14,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}"#,
            json!(14),
            -32002,
        ),
        (r#"{"jsonrpc":"2.0","id":15,"method":"session/prompt","params":[]}"#, json!(15), -32602),
        (r#"{"jsonrpc":"2.0","id":16,"method":"session/list","params":{"cursor":"x"}}"#, json!(16), -32602),
    ];
    for (text, id, expected) in cases {
        assert_eq!(code(&mut client, text).await, (id, expected), "{text}");
    }
    let deep = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    assert_eq!(code(&mut client, &deep).await, (Value::Null, -32700));
    let huge = format!(r#"{{"jsonrpc":"2.0","id":17,"method":"{}"}}"#, "x".repeat(17 * 1024 * 1024));
    assert_eq!(code(&mut client, &huge).await, (Value::Null, -32600));
    // Answers to questions that nobody asked, and notifications that nobody knows, are nothing.
    client.send_text(r#"{"jsonrpc":"2.0","id":99,"result":{}}"#).await;
    client.send_text(r#"{"jsonrpc":"2.0","method":"$/whatever","params":{}}"#).await;
    let opened = client.request("session/new", json!({"cwd": "/", "mcpServers": []})).await;
    assert_eq!(opened["result"]["sessionId"], "s-1");
    client.leave().await;
}

#[tokio::test]
async fn an_id_in_flight_is_not_used_twice() {
    let mut client = Client::open(Host::default()).await;
    let id = client.say("wait").await;
    let again = json!({"jsonrpc": "2.0", "id": id, "method": "session/list", "params": {}});
    client.send(&again).await;
    let refused = client.until(|message| message["id"] == id).await;
    assert_eq!(refused["error"]["code"], -32600);
    client.send(&json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s-1"}})).await;
    let ended = client.until(|message| message["id"] == id).await;
    assert_eq!(ended["result"]["stopReason"], "cancelled");
    client.send(&again).await;
    assert!(client.until(|message| message["id"] == id).await.get("result").is_some());
    client.leave().await;
}

#[tokio::test]
async fn a_client_that_leaves_leaves_nothing_behind_whatever_ran() {
    for task in ["hello", "ask", "wait", "flood"] {
        let host = Host::default();
        let open = host.open.clone();
        let mut client = Client::open(host).await;
        client.say(task).await;
        client.message().await;
        client.leave().await;
        assert_eq!(open.load(Ordering::SeqCst), 0, "{task}");
    }
}

#[tokio::test]
async fn a_client_that_does_not_read_is_still_heard() {
    let host = Host::default();
    let open = host.open.clone();
    let mut client = Client::open(host).await;
    client.say("flood").await;
    // Requests are read although nothing of the flood is taken: the answer comes behind what was
    // told before.
    let listed = client.begin("session/list", json!({})).await;
    client.send(&json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s-1"}})).await;
    client.until(|message| message["id"] == listed).await;
    client.until(|message| message["result"]["stopReason"] == "cancelled").await;
    client.leave().await;
    assert_eq!(open.load(Ordering::SeqCst), 0);
}
