//! Commands in terminals of the client: shown there while they run, and as text where that fails.

use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Notify;
use tools_acp::{Viewer, show_in_terminal};

use crate::{client::Client, doubles::Host};

fn viewed() -> (Host, Arc<Notify>) {
    let viewer = Viewer { program: "/bin/viewer".into(), arguments: vec!["--show".into()] };
    let host = Host { viewer: Some(viewer), ..Host::default() };
    let go = Arc::clone(&host.go);
    (host, go)
}

fn content(message: &Value) -> &Value {
    &message["params"]["update"]["content"]
}

/// A client with terminals that was asked for one; also the request.
async fn asked_for_a_terminal(host: Host) -> (Client, Value) {
    let mut client = Client::open_with(host, json!({"terminal": true})).await;
    client.say("print").await;
    let asked = client.until(|message| message["method"] == "terminal/create").await;
    (client, asked)
}

/// The same, whose terminal is there; also the name of the viewer's socket.
async fn with_terminal(host: Host) -> (Client, String) {
    let (mut client, asked) = asked_for_a_terminal(host).await;
    let params = &asked["params"];
    assert_eq!((&params["command"], &params["args"][0]), (&json!("/bin/viewer"), &json!("--show")), "{asked}");
    let socket = params["args"][1].as_str().expect("a name").to_owned();
    client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"terminalId": "t-1"}})).await;
    (client, socket)
}

/// Waits for the end of the call, gives its content, and lets the terminal go if it is to be.
async fn ended(client: &mut Client, status: &str, is_released: bool) -> Value {
    let ended = client.until(|message| message["params"]["update"]["status"] == status).await;
    if is_released {
        let release = client.until(|message| message["method"] == "terminal/release").await;
        assert_eq!(release["params"], json!({"sessionId": "s-1", "terminalId": "t-1"}));
        client.send(&json!({"jsonrpc": "2.0", "id": release["id"], "result": {}})).await;
    }
    content(&ended).clone()
}

fn text(text: &str) -> Value {
    json!({"type": "content", "content": {"type": "text", "text": text}})
}

#[tokio::test]
async fn a_viewer_prints_what_the_call_prints_and_ends_with_it() {
    let (host, go) = viewed();
    let (mut client, socket) = with_terminal(host).await;
    let viewer = tokio::task::spawn_blocking(move || {
        let mut shown = vec![];
        (show_in_terminal(&socket, &mut shown), String::from_utf8(shown).expect("it is text"))
    });
    let terminal = json!({"type": "terminal", "terminalId": "t-1"});
    let attached = client.until(|message| content(message)[0]["type"] == "terminal").await;
    assert_eq!(content(&attached), &json!([terminal]));
    go.notify_one();
    assert_eq!(ended(&mut client, "completed", true).await, json!([terminal, text("one")]));
    let (code, shown) = viewer.await.expect("it does not panic");
    assert_eq!((code.expect("it ends"), shown.as_str()), (0, "one \\u{1b}[2J\n"));
    client.leave().await;
}

#[tokio::test]
async fn closing_the_terminal_cancels_the_call() {
    let (host, _go) = viewed();
    let (mut client, socket) = with_terminal(host).await;
    let address = SocketAddr::from_abstract_name(&socket).expect("a name");
    let viewer = UnixStream::connect_addr(&address).expect("the agent waits");
    client.until(|message| content(message)[0]["type"] == "terminal").await;
    drop(viewer);
    let content = ended(&mut client, "failed", true).await;
    assert_eq!(content[1], text("closed"));
    client.leave().await;
}

#[tokio::test]
async fn without_a_terminal_the_output_is_text() {
    let refusal = json!({"code": -32601, "message": "no terminals"});
    for result in [("error", refusal), ("result", json!({"terminal": 7}))] {
        let (host, go) = viewed();
        let (mut client, asked) = asked_for_a_terminal(host).await;
        client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], result.0: result.1})).await;
        go.notify_one();
        assert_eq!(ended(&mut client, "completed", false).await, json!([text("one")]));
        client.leave().await;
    }
}

#[tokio::test]
async fn a_call_that_ends_first_waits_for_no_terminal() {
    let (host, go) = viewed();
    let (mut client, asked) = asked_for_a_terminal(host).await;
    go.notify_one();
    let done = client.until(|message| message["params"]["update"]["status"] == "completed").await;
    assert_eq!(content(&done), &json!([text("one")]));
    client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"terminalId": "t-1"}})).await;
    let viewer = UnixStream::connect_addr(
        &SocketAddr::from_abstract_name(asked["params"]["args"][1].as_str().expect("a name")).expect("a name"),
    );
    assert!(viewer.is_ok());
    let release = client.until(|message| message["method"] == "terminal/release").await;
    assert_eq!(release["params"]["terminalId"], "t-1");
    client.leave().await;
}

#[tokio::test]
async fn a_client_without_terminals_is_asked_for_none() {
    let (host, go) = viewed();
    let mut client = Client::open(host).await;
    let id = client.say("print").await;
    client.until(|message| content(message)[0] == text("one \u{1b}[2J\n")).await;
    go.notify_one();
    let mut methods = vec![];
    loop {
        let message = client.message().await;
        if message["id"] == id {
            break;
        }
        methods.push(message["method"].clone());
    }
    assert!(methods.iter().all(|method| method == "session/update"), "{methods:?}");
    client.leave().await;
}
