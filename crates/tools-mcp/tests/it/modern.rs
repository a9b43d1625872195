//! Protocol 2026-07-28: no handshake, and questions that travel in results.

use std::sync::{Arc, atomic::Ordering};

use serde_json::{Value, json};

use crate::support::{Raw, Seen, builder};

fn request(id: u64, method: &str, parameters: Value) -> Value {
    let mut parameters = parameters;
    parameters["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters})
}

fn call(id: u64, more: &Value) -> Value {
    let mut parameters = json!({"name": "remove", "arguments": {"path": "x"}});
    parameters.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
    request(id, "tools/call", parameters)
}

#[tokio::test]
async fn discovery_and_calls_need_no_handshake() {
    let mut client = Raw::connect(builder(&Arc::default()).build());
    let found = client.ask(request(1, "server/discover", json!({}))).await;
    assert!(found["result"]["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")), "{found}");
    let listed = client.ask(request(2, "tools/list", json!({}))).await;
    assert_eq!(listed["result"]["tools"][0]["name"], "echo", "{listed}");
    let parameters = json!({"name": "echo", "arguments": {"text": "hi"}});
    let answer = client.ask(request(3, "tools/call", parameters)).await;
    assert_eq!(answer["result"]["content"][0]["text"], "hi", "{answer}");
}

#[tokio::test]
async fn what_the_revision_has_no_more_is_unknown_in_it() {
    let mut client = Raw::connect(builder(&Arc::default()).build());
    client.ask(request(1, "tools/list", json!({}))).await;
    for method in ["initialize", "logging/setLevel", "resources/subscribe", "no/such"] {
        let answer = client.ask(request(2, method, json!({}))).await;
        assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
    }
    let known = client.ask(request(3, "resources/read", json!({"uri": 5}))).await;
    assert_eq!(known["error"]["code"], -32602, "{known}");
}

#[tokio::test]
async fn a_question_travels_in_the_result_and_its_answer_in_the_next_request() {
    let seen = Arc::new(Seen::default());
    let mut client = Raw::connect(builder(&seen).build());
    let asked = client.ask(call(1, &json!({}))).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    assert_eq!(asked["result"]["inputRequests"]["approval"]["method"], "elicitation/create");
    let state = &asked["result"]["requestState"];
    let answer = json!({"approval": {"action": "accept", "content": {"decision": "once"}}});
    let retry = json!({"requestState": state, "inputResponses": answer});
    let done = client.ask(call(2, &retry)).await;
    assert_eq!(done["result"]["content"][0]["text"], "removed x", "{done}");
    assert_eq!(seen.removed.load(Ordering::SeqCst), 1);

    let again = client.ask(call(3, &retry)).await;
    assert_eq!(again["result"]["_meta"]["haft/code"], "stale_answer", "{again}");
    assert_eq!(seen.removed.load(Ordering::SeqCst), 1, "a consent is used once");
}

#[tokio::test]
async fn a_consent_to_one_call_is_none_to_another() {
    let seen = Arc::new(Seen::default());
    let mut client = Raw::connect(builder(&seen).build());
    let asked = client.ask(call(1, &json!({}))).await;
    let answer = json!({"approval": {"action": "accept", "content": {"decision": "once"}}});
    let other = json!({"name": "remove", "arguments": {"path": "y"}, "inputResponses": answer,
        "requestState": asked["result"]["requestState"]});
    let refused = client.ask(request(2, "tools/call", other)).await;
    assert_eq!(refused["result"]["_meta"]["haft/code"], "stale_answer", "{refused}");
    assert_eq!(seen.removed.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_refusal_or_nothing_runs_nothing() {
    for (answer, code) in [
        (json!({"approval": {"action": "decline"}}), "declined"),
        (json!({"approval": {"action": "cancel"}}), "question_dismissed"),
        (json!({"approval": "yes"}), "nobody_answered"),
        (json!({}), "nobody_answered"),
    ] {
        let seen = Arc::new(Seen::default());
        let mut client = Raw::connect(builder(&seen).build());
        let asked = client.ask(call(1, &json!({}))).await;
        let retry = json!({"requestState": asked["result"]["requestState"], "inputResponses": answer});
        let refused = client.ask(call(2, &retry)).await;
        assert_eq!(refused["result"]["_meta"]["haft/code"], code, "{refused}");
        assert_eq!(seen.removed.load(Ordering::SeqCst), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_late_answer_is_asked_for_again() {
    let seen = Arc::new(Seen::default());
    let mut client = Raw::connect(builder(&seen).build());
    let asked = client.ask(call(1, &json!({}))).await;
    tokio::time::advance(std::time::Duration::from_secs(121)).await;
    let answer = json!({"approval": {"action": "accept", "content": {"decision": "once"}}});
    let again =
        client.ask(call(2, &json!({"requestState": asked["result"]["requestState"], "inputResponses": answer}))).await;
    assert_eq!(again["result"]["resultType"], "input_required", "{again}");
    assert_eq!(seen.removed.load(Ordering::SeqCst), 0);
    let retry = json!({"requestState": again["result"]["requestState"], "inputResponses": answer});
    let done = client.ask(call(3, &retry)).await;
    assert_eq!(done["result"]["content"][0]["text"], "removed x", "{done}");
}
