//! What a request begins with is what the one before it was, to the byte, over 500 turns.

use std::sync::Arc;

use tools_providers::codec::Options;
use tools_providers::scripted::{Script, ScriptedCall, ScriptedProvider, Turn};
use tools_providers::{Message, NoSink, Protocol, Provider as _, Request, StopReason, Usage};

use crate::{history, rules, valid::PROTOCOLS};

/// The documented points: marks of the cache move with the newest turn.
fn unmarked(body: &[u8]) -> String {
    String::from_utf8(body.to_vec()).unwrap().replace(r#","cache_control":{"type":"ephemeral"}"#, "")
}

async fn bodies(protocol: Protocol) -> Vec<Vec<u8>> {
    let turns = (0..500).map(|number| {
        let params = serde_json::json!({"command": format!("step {number}"), "b": {"z": 1, "a": 2}})
            .as_object()
            .unwrap()
            .clone();
        let call = ScriptedCall { tool: "bash".to_owned(), params, ..ScriptedCall::default() };
        let usage = Some(Usage { input: 1, cached_read: number, cache_write: 2, output: 3 });
        Turn {
            thinking: "Hm.".to_owned(),
            text: format!("turn {number}"),
            calls: vec![call; if number % 2 == 0 { 1 } else { 2 }],
            usage,
            ..Turn::default()
        }
    });
    let provider = ScriptedProvider::with_options(
        Script { protocol, turns: turns.collect(), ..Script::default() },
        Options { cache_minimum: 0, ..Options::new(protocol, "m") },
    );
    let tools = history::tools();
    let mut messages = vec![Message::user("Go.")];
    for number in 0..500 {
        let request = Request::new("Be good.", &tools, &messages, "s");
        let reply = provider.complete(&request, &NoSink).await.unwrap();
        assert_eq!(
            (reply.stop, reply.usage.cached_read),
            (StopReason::ToolUse, if protocol == Protocol::Ollama { 0 } else { number })
        );
        let results: Vec<_> = reply
            .message
            .calls()
            .map(|call| history::result(&call.id, &call.name, &format!("done {number}"), false))
            .collect();
        messages.push(Arc::new(reply.message));
        messages.push(Message::results(results));
    }
    provider.bodies()
}

#[tokio::test]
async fn a_request_begins_as_the_one_before_it() {
    for protocol in PROTOCOLS {
        let bodies = bodies(protocol).await;
        assert_eq!(bodies.len(), 500);
        let last = bodies.last().unwrap().clone();
        let bodies: Vec<String> = bodies.iter().map(|body| unmarked(body)).collect();
        for pair in bodies.windows(2) {
            // All but the brackets that close the list and the request.
            let before = pair[0].strip_suffix("]}").unwrap();
            assert!(pair[1].starts_with(before), "{protocol:?}: {before}\n{}", pair[1]);
        }
        assert!(rules::broken(protocol, &last).is_empty());
        let marks = String::from_utf8_lossy(&last).matches("cache_control").count();
        assert_eq!(marks, if protocol == Protocol::Anthropic { 4 } else { 0 });
    }
}

#[test]
fn the_same_request_is_the_same_bytes() {
    for protocol in PROTOCOLS {
        let messages = history::everything(protocol);
        let encode = || {
            tools_providers::codec::encode(
                &Options::new(protocol, "m"),
                &Request::new("x", &history::tools(), &messages, "s"),
            )
        };
        assert_eq!(encode(), encode());
    }
}
