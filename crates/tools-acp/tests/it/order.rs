//! Sessions, their order and their ends.

use std::{sync::atomic::Ordering, time::Duration};

use serde_json::{Value, json};

use crate::{client::Client, doubles::Host};

fn update(message: &Value) -> &Value {
    &message["params"]["update"]
}

fn text(message: &Value) -> &str {
    update(message)["content"][0]["content"]["text"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn a_question_comes_after_its_call_and_an_answer_once() {
    let mut client = Client::open(Host::default()).await;
    let id = client.say("ask").await;
    assert_eq!(update(&client.message().await)["sessionUpdate"], "tool_call");
    let asked = client.message().await;
    assert_eq!(asked["method"], "session/request_permission");
    assert_eq!(asked["params"]["toolCall"]["toolCallId"], "c-1");
    assert!(asked.to_string().contains("Always allow calls that match: touch *"), "{asked}");
    let busy = client.say("another").await;
    let refused = client.until(|message| message["id"] == busy).await;
    assert_eq!(refused["error"]["code"], -32600);
    let answer = json!({"outcome": {"outcome": "selected", "optionId": "allow_always"}});
    client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer})).await;
    client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer})).await;
    let ended = client.message().await;
    assert_eq!((update(&ended)["status"].as_str(), text(&ended)), (Some("completed"), "Always"));
    assert_eq!(client.message().await, json!({"jsonrpc": "2.0", "id": id, "result": {"stopReason": "end_turn"}}));
    client.leave().await;
}

#[tokio::test]
async fn a_question_that_nobody_answers_is_withdrawn_and_refused() {
    let host = Host { patience: Duration::from_millis(20), ..Host::default() };
    let mut client = Client::open(host).await;
    let id = client.say("ask").await;
    let asked = client.until(|message| message["method"] == "session/request_permission").await;
    let withdrawn = client.until(|message| message["method"] == "$/cancel_request").await;
    assert_eq!(withdrawn["params"]["requestId"], asked["id"]);
    let ended = client.until(|message| update(message)["status"] == "completed").await;
    assert_eq!(text(&ended), "Nobody(NoAnswer)");
    client.until(|message| message["id"] == id && message.get("result").is_some()).await;
    client.leave().await;
}

#[tokio::test]
async fn a_cancelled_turn_says_so_and_leaves_no_call_open() {
    let mut client = Client::open(Host::default()).await;
    let id = client.say("wait").await;
    client.until(|message| update(message)["sessionUpdate"] == "tool_call").await;
    client.send(&json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s-1"}})).await;
    let ended = client.message().await;
    assert_eq!(update(&ended)["status"], "failed", "{ended}");
    assert_eq!(client.message().await, json!({"jsonrpc": "2.0", "id": id, "result": {"stopReason": "cancelled"}}));
    // A cancel between turns, or of another session, is nothing.
    for session in ["s-1", "s-9"] {
        client.send(&json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})).await;
    }
    let id = client.say("hello").await;
    assert_eq!(update(&client.message().await)["content"]["text"], "hello");
    assert_eq!(client.message().await["id"], id);
    client.leave().await;
}

#[tokio::test]
async fn a_kept_session_is_told_again_before_it_is_open() {
    let host = Host::default();
    let open = host.open.clone();
    let mut client = Client::raw(host);
    client.greet().await;
    let listed = client.request("session/list", json!({})).await;
    assert_eq!(listed["result"]["sessions"][0]["sessionId"], "kept");
    let id = client.begin("session/load", json!({"sessionId": "kept", "cwd": "/", "mcpServers": []})).await;
    let kinds = ["user_message_chunk", "tool_call", "agent_message_chunk", "tool_call_update"];
    for kind in kinds {
        assert_eq!(update(&client.message().await)["sessionUpdate"], kind);
    }
    let opened = client.message().await;
    assert_eq!((&opened["id"], &opened["result"]["modes"]["currentModeId"]), (&json!(id), &json!("ask")));
    assert_eq!(opened["result"].get("sessionId"), None);
    let again = client.request("session/load", json!({"sessionId": "kept", "cwd": "/", "mcpServers": []})).await;
    assert_eq!(again["error"]["code"], -32602);
    let missing = client.request("session/resume", json!({"sessionId": "other", "cwd": "/"})).await;
    assert_eq!(missing["error"]["code"], -32002);
    let closed = client.request("session/close", json!({"sessionId": "kept"})).await;
    assert_eq!((&closed["result"], open.load(Ordering::SeqCst)), (&json!({}), 0));
    client.leave().await;
}

#[tokio::test]
async fn a_deleted_session_has_ended_and_one_that_never_was_is_deleted_too() {
    let host = Host::default();
    let forgotten = std::sync::Arc::clone(&host.forgotten);
    let mut client = Client::open(host).await;
    client.say("wait").await;
    client.message().await;
    client.begin("session/delete", json!({"sessionId": "s-1"})).await;
    let mut answers = vec![];
    while answers.len() < 2 {
        let message = client.message().await;
        if message.get("id").is_some() {
            answers.push(message["result"].clone());
        }
    }
    assert_eq!(answers, [json!({"stopReason": "cancelled"}), json!({})]);
    let never = client.request("session/delete", json!({"sessionId": "never-was"})).await;
    assert_eq!(never["result"], json!({}));
    let stuck = client.request("session/delete", json!({"sessionId": "stuck"})).await;
    assert!(stuck["error"]["message"].as_str().is_some_and(|text| text.contains("the disk is full")), "{stuck}");
    let odd = client.request("session/delete", json!({"sessionId": ""})).await;
    assert_eq!(odd["error"]["code"], -32602);
    let gone = client.request("session/prompt", json!({"sessionId": "s-1", "prompt": []})).await;
    assert_eq!(gone["error"]["code"], -32002);
    assert_eq!(*forgotten.lock().unwrap(), ["s-1, 0 open", "never-was, 0 open", "stuck, 0 open"]);
    client.leave().await;
}

#[tokio::test]
async fn a_mode_is_set_between_turns() {
    let mut client = Client::open(Host::default()).await;
    let set = client.request("session/set_mode", json!({"sessionId": "s-1", "modeId": "read-only"})).await;
    assert_eq!(set["result"], json!({}));
    client.say("mode").await;
    assert_eq!(update(&client.message().await)["content"]["text"], "read-only");
    let odd = client.request("session/set_mode", json!({"sessionId": "s-1", "modeId": "yolo"})).await;
    assert!(odd["error"]["message"].as_str().is_some_and(|text| text.contains("ask, read-only, verify")), "{odd}");
    client.leave().await;
}

#[tokio::test]
async fn servers_of_the_client_are_named_and_not_started() {
    let mut client = Client::raw(Host::default());
    client.greet().await;
    let servers = json!([{"name": "db", "command": "/bin/db", "args": [], "env": []}]);
    client.begin("session/new", json!({"cwd": "/", "mcpServers": servers})).await;
    assert_eq!(client.message().await["result"]["sessionId"], "s-1");
    let told = client.message().await;
    let said = update(&told)["content"]["text"].as_str().unwrap_or_default();
    assert!(said.contains("not started: db.") && said.contains("haft mcp add"), "{told}");
    client.leave().await;
}
