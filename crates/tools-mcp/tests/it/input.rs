//! What a tool asks its client for: in requests of the server's own, or in results.

use std::sync::{Arc, atomic::Ordering};

use serde_json::{Value, json};

use crate::support::{Client, Person, Raw, Seen, builder, call, connect, meta, text};

/// A call of `survey` by a client of 2026-07-28 with these capabilities.
fn survey(id: u64, capabilities: &Value, more: &Value) -> Value {
    let mut params = json!({"name": "survey", "arguments": {}, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    }});
    params.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

fn all() -> Value {
    json!({"elicitation": {"form": {}}, "sampling": {}})
}

fn named(name: &str) -> Value {
    json!({"name": {"action": "accept", "content": {"name": name}}})
}

fn greeted() -> Value {
    json!({"greeting": {"role": "assistant", "content": {"type": "text", "text": "Hello!"}, "model": "m"}})
}

/// The next request of a call that waits.
fn with(asked: &Value, answers: &Value) -> Value {
    json!({"requestState": asked["result"]["requestState"], "inputResponses": answers})
}

#[tokio::test]
async fn a_call_begins_anew_until_all_answers_are_there() {
    let seen = Arc::new(Seen::default());
    let mut client = Raw::connect(builder(&seen).build());
    let first = client.ask(survey(1, &all(), &json!({}))).await;
    let request = &first["result"]["inputRequests"]["name"];
    assert_eq!(first["result"]["resultType"], "input_required", "{first}");
    assert_eq!(request["params"]["message"], "The tool `survey` asks: Who?", "{first}");
    let second = client.ask(survey(2, &all(), &with(&first, &named("A")))).await;
    assert_eq!(second["result"]["inputRequests"]["greeting"]["method"], "sampling/createMessage", "{second}");
    assert_ne!(second["result"]["requestState"], first["result"]["requestState"]);
    assert_eq!(seen.removed.load(Ordering::SeqCst), 0, "nothing is done before the last answer");
    let done = client.ask(survey(3, &all(), &with(&second, &greeted()))).await;
    let said = done["result"]["content"][0]["text"].as_str().unwrap();
    assert!(said.contains("\"A\"") && said.contains("Hello!"), "{done}");
    assert_eq!(seen.removed.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_handle_counts_once_for_its_call_and_nothing_else_is_one() {
    let mut client = Raw::connect(builder(&Arc::default()).build());
    let first = client.ask(survey(1, &all(), &json!({}))).await;
    let state = first["result"]["requestState"].as_str().unwrap();
    let forged = json!({"requestState": format!("{state}x"), "inputResponses": named("A")});
    let refused = client.ask(survey(2, &all(), &forged)).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    client.ask(survey(3, &all(), &with(&first, &named("A")))).await;
    let again = client.ask(survey(4, &all(), &with(&first, &named("B")))).await;
    assert_eq!(again["error"]["code"], -32602, "{again}");
}

#[tokio::test]
async fn what_is_no_answer_is_asked_for_again_and_more_than_that_is_passed_over() {
    let mut client = Raw::connect(builder(&Arc::default()).build());
    let first = client.ask(survey(1, &all(), &json!({}))).await;
    let bad = with(&first, &json!({"name": 12345, "other": {"action": "accept"}}));
    let again = client.ask(survey(2, &all(), &bad)).await;
    assert!(again["result"]["inputRequests"]["name"].is_object(), "{again}");
    // A client may send an answer before it is asked; the tool gets it when it asks.
    let mut both = named("A");
    both.as_object_mut().unwrap().extend(greeted().as_object().cloned().unwrap());
    let done = client.ask(survey(3, &all(), &json!({"inputResponses": both}))).await;
    assert!(done["result"]["content"][0]["text"].as_str().unwrap().contains("Hello!"), "{done}");
}

#[tokio::test]
async fn what_a_client_does_not_offer_is_named() {
    let mut client = Raw::connect(builder(&Arc::default()).build());
    let forms = json!({"elicitation": {}});
    let first = client.ask(survey(1, &forms, &json!({}))).await;
    let refused = client.ask(survey(2, &forms, &with(&first, &named("A")))).await;
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
    assert_eq!(refused["error"]["data"]["requiredCapabilities"], json!({"sampling": {}}));
}

#[tokio::test]
async fn before_2026_the_client_is_asked_while_the_call_waits() {
    let seen = Arc::new(Seen::default());
    let (client, _serving) = connect(builder(&seen).build(), Client::new(Person::Accepts(json!({"name": "A"})))).await;
    let result = call(&client, "survey", json!({})).await;
    // The form was shown; of a model this client has none.
    assert_eq!(client.service().questions.lock().unwrap().len(), 1);
    assert_eq!(meta(&result, "haft/code"), "input_not_offered", "{}", text(&result));
    let (client, _serving) = connect(builder(&seen).build(), Client::new(Person::None)).await;
    let result = call(&client, "survey", json!({})).await;
    assert_eq!(meta(&result, "haft/code"), "input_not_offered", "{}", text(&result));
    assert_eq!(seen.removed.load(Ordering::SeqCst), 0);
}
