//! Clients that subscribe to resources, in both revisions: they hear of what changes after each
//! call, and of nothing else.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use tools_core::SessionId;
use tools_mcp::{
    Body, Contents, McpServer, Resource, ResourceError, ResourcePage, ResourceTarget, ResourceTemplate, Resources,
};

use crate::support::{Raw, builder};

/// A log that changes with each call, and a text that never does.
struct Shelf;

#[async_trait]
impl Resources for Shelf {
    async fn list(&self, _: &SessionId, _: Option<&str>) -> Result<ResourcePage, ResourceError> {
        Ok(ResourcePage::default())
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        vec![]
    }

    async fn find(&self, _: &SessionId, uri: &str) -> Result<ResourceTarget, ResourceError> {
        if !uri.starts_with("log:") && uri != "text:1" {
            return Err(ResourceError::NotFound);
        }
        let body = Body::Text("content".to_owned());
        Ok(ResourceTarget::Contents(Contents { mime: "text/plain", body, next: None }))
    }

    fn changes(&self, uri: &str) -> bool {
        uri.starts_with("log:")
    }

    async fn complete(&self, _: &SessionId, _: &str, _: &str, _: &str) -> Result<Option<Vec<String>>, ResourceError> {
        Ok(None)
    }

    async fn stored(&self, _: &SessionId, _: &str) -> Option<Resource> {
        None
    }
}

fn server() -> McpServer {
    builder(&Arc::default()).resources(Arc::new(Shelf)).build()
}

/// All that comes up to the answer of a call of `echo`, which is last.
async fn called(client: &mut Raw, params: Value) -> Vec<Value> {
    let request = json!({"jsonrpc": "2.0", "id": 90, "method": "tools/call", "params": params});
    client.send(request.to_string().as_bytes()).await;
    let mut came = vec![];
    loop {
        let message = client.receive().await;
        if message["id"] == 90 {
            assert_eq!(message["result"]["content"][0]["text"], "hi", "{message}");
            return came;
        }
        came.push(message);
    }
}

fn echo() -> Value {
    json!({"name": "echo", "arguments": {"text": "hi"}})
}

/// The URIs of notices.
fn updated(messages: &[Value]) -> Vec<&str> {
    let notices = messages.iter().filter(|message| message["method"] == "notifications/resources/updated");
    notices.map(|notice| notice["params"]["uri"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_client_hears_of_what_it_subscribed_to_until_it_does_no_more() {
    let mut client = Raw::connect(server());
    let greeting = client.initialize("2025-11-25").await;
    assert_eq!(greeting["result"]["capabilities"]["resources"]["subscribe"], true, "{greeting}");
    let about = |method: &str, uri: &str| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"uri": uri}});
    assert!(updated(&called(&mut client, echo()).await).is_empty(), "nobody subscribed");
    for uri in ["log:a", "log:a", "text:1"] {
        let subscribed = client.ask(about("resources/subscribe", uri)).await;
        assert_eq!(subscribed["result"], json!({}), "{uri}: {subscribed}");
    }
    let unknown = client.ask(about("resources/subscribe", "text:2")).await;
    assert_eq!(unknown["error"]["code"], -32002, "what cannot be read: {unknown}");
    assert_eq!(updated(&called(&mut client, echo()).await), ["log:a"]);
    assert_eq!(updated(&called(&mut client, echo()).await), ["log:a"]);
    for _ in 0..2 {
        let ended = client.ask(about("resources/unsubscribe", "log:a")).await;
        assert_eq!(ended["result"], json!({}), "{ended}");
    }
    assert!(updated(&called(&mut client, echo()).await).is_empty());
    // Bounded, whatever a client asks for.
    for number in 0..100 {
        let subscribed = client.ask(about("resources/subscribe", &format!("log:{number}"))).await;
        assert_eq!(subscribed["result"], json!({}), "{subscribed}");
    }
    let refused = client.ask(about("resources/subscribe", "log:one-too-many")).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}

#[tokio::test]
async fn a_client_without_a_handshake_listens_to_what_changes() {
    let mut client = Raw::connect(server());
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let wanted = json!({"resourceSubscriptions": ["log:a", "text:1", "other:x"], "toolsListChanged": true});
    let params = json!({"notifications": wanted, "_meta": meta});
    let listen = json!({"jsonrpc": "2.0", "id": 7, "method": "subscriptions/listen", "params": params});
    let accepted = client.ask(listen).await;
    assert_eq!(accepted["method"], "notifications/subscriptions/acknowledged", "{accepted}");
    let accepted = &accepted["params"]["notifications"];
    assert_eq!(accepted["resourceSubscriptions"], json!(["log:a"]), "{accepted}");
    let mut call = echo();
    call["_meta"] = meta;
    let mut came = called(&mut client, call.clone()).await;
    while updated(&came).is_empty() {
        came.push(client.receive().await);
    }
    assert_eq!(updated(&came), ["log:a"]);
}
