//! Lines that are no messages, and a server that goes on.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _};

use crate::support::{Raw, Seen, builder};

async fn check(line: &[u8], id: Value, code: i64) {
    let mut client = Raw::connect(builder(&Arc::default()).build());
    client.initialize("2025-11-25").await;
    client.send(line).await;
    let answer = client.receive().await;
    let shown = String::from_utf8_lossy(&line[..line.len().min(100)]);
    assert_eq!(answer["error"]["code"], code, "{shown}: {answer}");
    assert_eq!(answer.get("id").cloned().unwrap_or(Value::Null), id, "{shown}");
    still_alive(&mut client).await;
}

async fn still_alive(client: &mut Raw) {
    let pong = client.ask(json!({"jsonrpc": "2.0", "id": "alive", "method": "ping"})).await;
    assert_eq!(pong, json!({"jsonrpc": "2.0", "id": "alive", "result": {}}));
}

fn tool_call(id: u64, tool: &str, arguments: &Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

#[tokio::test]
async fn an_id_stands_for_one_call_at_a_time() {
    let seen = Arc::new(Seen::default());
    let mut client = Raw::connect(builder(&seen).build());
    client.initialize("2025-11-25").await;
    client.send(tool_call(7, "hang", &json!({})).to_string().as_bytes()).await;
    seen.started.notified().await;
    for request in
        [tool_call(7, "echo", &json!({"text": "x"})), json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list"})]
    {
        let twice = client.ask(request).await;
        assert_eq!((&twice["id"], &twice["error"]["code"]), (&json!(7), &json!(-32600)), "{twice}");
    }
    let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
    client.send(cancelled.to_string().as_bytes()).await;
    // Free again once the first has ended.
    loop {
        let answer = client.ask(tool_call(7, "echo", &json!({"text": "x"}))).await;
        if answer["error"].is_null() {
            assert_eq!(answer["result"]["content"][0]["text"], "x");
            return;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn who_does_not_read_is_not_read_and_holds_nothing_up() {
    for is_stopped in [true, false] {
        let stop = tokio_util::sync::CancellationToken::new();
        let (near, far) = tokio::io::duplex(64 << 10);
        let (read, write) = tokio::io::split(far);
        let (server, stopped) = (builder(&Arc::default()).build(), stop.clone());
        let serving = tokio::spawn(async move { server.serve_until(read, write, stopped).await });
        let (read, write) = tokio::io::split(near);
        let mut client = Raw { write, read: tokio::io::BufReader::new(read).lines(), serving };
        client.initialize("2025-11-25").await;
        // Answers of 120 KB that nobody reads: after some of them the server takes nothing more.
        let mut sent = 0;
        let sending = async {
            loop {
                let call = tool_call(sent + 1, "lines", &json!({"limit": 10_000})).to_string();
                client.send(call.as_bytes()).await;
                sent += 1;
            }
        };
        // Long enough that it has read ahead all that it reads at once.
        let held = tokio::time::timeout(std::time::Duration::from_secs(2), sending).await;
        assert!(held.is_err() && sent < 40_000, "it reads on: {sent}");
        // Told to end, or left by its client, which goes on not reading: it ends in either case.
        if is_stopped {
            stop.cancel();
        } else {
            client.write.shutdown().await.unwrap();
        }
        assert!(client.serving.await.unwrap().is_ok());
        drop(client.read);
    }
}

#[tokio::test]
async fn who_does_not_take_refusals_is_seen_to_leave() {
    let (near, far) = tokio::io::duplex(4 << 10);
    let (read, write) = tokio::io::split(far);
    let server = builder(&Arc::default()).build();
    let serving = tokio::spawn(async move { server.serve(read, write).await });
    let (read, write) = tokio::io::split(near);
    let mut client = Raw { write, read: tokio::io::BufReader::new(read).lines(), serving };
    client.initialize("2025-11-25").await;
    for _ in 0..1000 {
        client.send(b"not json").await;
    }
    client.write.shutdown().await.unwrap();
    assert!(client.serving.await.unwrap().is_ok());
    drop(client.read);
}

#[tokio::test]
async fn malformed_messages_are_answered_where_they_can_be() {
    check(b"not json", Value::Null, -32700).await;
    check(b"{\"jsonrpc\":\"2.0\",\"id\":5,", json!(5), -32700).await;
    check(b"\xff\xfe\xfd", Value::Null, -32700).await;
    check(br#"{"jsonrpc":"2.0","id":18446744073709551617,"method":"ping"}"#, Value::Null, -32600).await;
    check(b"{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"ping\",\"params\":{\"x\":\"\xff\"}}", json!(6), -32600).await;
    check(
        br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":"\ud800"}}}"#,
        json!(7),
        -32600,
    )
    .await;
    check(br#"[{"jsonrpc":"2.0","id":8,"method":"ping"}]"#, Value::Null, -32600).await;
    check(br#"{"jsonrpc":"1.0","id":9,"method":"ping"}"#, json!(9), -32600).await;
    check(br#"{"jsonrpc":"2.0","id":10,"method":"no/such"}"#, json!(10), -32601).await;
    check(br#"{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":5}}"#, json!(11), -32602).await;
    check(
        br#"{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"echo","arguments":[]}}"#,
        json!(12),
        -32602,
    )
    .await;
    check(br#"{"jsonrpc":"2.0","id":13,"method":"tools/call"}"#, json!(13), -32602).await;
    check(br#"{"jsonrpc":"2.0","id":14,"method":"tools/list","params":{"cursor":"x"}}"#, json!(14), -32602).await;
}

#[tokio::test]
async fn a_line_of_fifty_megabytes_is_refused_by_its_id() {
    let mut line =
        br#"{"jsonrpc":"2.0","id":15,"method":"tools/call","params":{"name":"echo","arguments":{"text":""#.to_vec();
    line.resize(50 << 20, b'x');
    line.extend_from_slice(br#""}}}"#);
    check(&line, json!(15), -32600).await;
}

#[tokio::test]
async fn what_needs_no_answer_gets_none() {
    let mut client = Raw::connect(builder(&Arc::default()).build());
    for line in [
        "",
        "  ",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"no/such"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}"#,
    ] {
        client.send(line.as_bytes()).await;
    }
    client.initialize("2025-11-25").await;
    for line in [
        "\r",
        r#"{"jsonrpc":"2.0","method":"no/such","params":[1]}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    ] {
        client.send(line.as_bytes()).await;
    }
    still_alive(&mut client).await;
}

#[tokio::test]
async fn requests_before_the_handshake_are_answered_and_do_not_end_it() {
    let mut client = Raw::connect(builder(&Arc::default()).build());
    let pong = client.ask(json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})).await;
    assert_eq!(pong["result"], json!({}));
    let early = client.ask(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})).await;
    assert!(early["error"].is_object(), "{early}");
    client.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    client.initialize("2025-11-25").await;
    still_alive(&mut client).await;
}

#[tokio::test]
async fn a_message_in_many_pieces_is_one_message() {
    use tokio::io::AsyncWriteExt as _;
    let mut client = Raw::connect(builder(&Arc::default()).build());
    client.initialize("2025-11-25").await;
    for byte in
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\r\n"
    {
        client.write.write_all(&[*byte]).await.unwrap();
        tokio::task::yield_now().await;
    }
    assert_eq!(client.receive().await["id"], 1);
    assert_eq!(client.receive().await["id"], 2);
}
