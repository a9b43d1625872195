//! Streams that are cut at every byte give the same reply, and what is wrong with them is an error
//! of its kind.

use std::sync::Mutex;

use serde_json::json;
use tools_providers::codec::{Decoder, Options, ReplyError};
use tools_providers::scripted::{Fault, ScriptedCall, Turn, answer};
use tools_providers::{Block, Delta, Message, NoSink, Protocol, ProviderFault, Reply, Request, StopReason, ToolList};

use crate::valid::PROTOCOLS;

fn turn() -> Turn {
    let params = |text: &str| json!({"command": text}).as_object().unwrap().clone();
    let call = |text: &str, id: Option<&str>| ScriptedCall {
        tool: "bash".to_owned(),
        params: params(text),
        id: id.map(str::to_owned),
        ..ScriptedCall::default()
    };
    Turn {
        thinking: "Hm Д.".to_owned(),
        text: "Ich lese \u{1F600}\nnoch.".to_owned(),
        calls: vec![call("ls \"Д\"", None), call("", Some("")), call("x", Some("twice")), call("y", Some("twice"))],
        ..Turn::default()
    }
}

fn read(protocol: Protocol, bytes: &[&[u8]]) -> Result<Reply, ReplyError> {
    let (tools, messages) = (ToolList::default(), [Message::user("x")]);
    let request = Request::new("", &tools, &messages, "s");
    let mut decoder = Decoder::new(&Options::new(protocol, "m"), &request);
    for piece in bytes {
        decoder.push(piece, &NoSink)?;
    }
    decoder.finish(&NoSink)
}

fn bytes(protocol: Protocol, turn: &Turn) -> Vec<u8> {
    answer(protocol, turn, 7).pieces.concat()
}

#[test]
fn pieces_of_every_size_and_every_cut_give_the_same_reply() {
    for protocol in PROTOCOLS {
        let bytes = bytes(protocol, &turn());
        let whole = read(protocol, &[&bytes]).unwrap();
        assert_eq!((whole.stop.clone(), whole.message.calls().count()), (StopReason::ToolUse, 4), "{protocol:?}");
        assert_eq!(whole.message.text(), turn().text);
        let ids: std::collections::BTreeSet<&str> = whole.message.calls().map(|call| call.id.as_str()).collect();
        assert!(ids.len() == 4 && !ids.contains(""), "{protocol:?}: {ids:?}");
        assert!(whole.message.calls().all(|call| call.input.is_ok()));
        assert!(
            whole
                .message
                .blocks
                .iter()
                .any(|block| matches!(block, Block::Thinking(thinking) if thinking.text == "Hm Д."))
        );
        for size in [1, 2, 3, 7, 64] {
            let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
            assert_eq!(read(protocol, &pieces).unwrap(), whole, "{protocol:?} in pieces of {size}");
        }
        for cut in 0..bytes.len() {
            assert_eq!(read(protocol, &[&bytes[..cut], &bytes[cut..]]).unwrap(), whole, "{protocol:?} cut at {cut}");
        }
    }
}

#[test]
fn a_stream_that_breaks_off_is_no_reply() {
    for protocol in PROTOCOLS {
        let bytes = bytes(protocol, &turn());
        let whole = read(protocol, &[&bytes]).unwrap();
        for end in 0..bytes.len() {
            match read(protocol, &[&bytes[..end]]) {
                Err(broken) => assert_eq!(broken.fault, ProviderFault::Truncated, "{protocol:?} at {end}"),
                // Only what says nothing more may be missing, the count of tokens among it.
                Ok(reply) => assert_eq!(reply.message, whole.message, "{protocol:?} at {end}"),
            }
        }
    }
}

#[test]
fn what_is_wrong_with_a_stream_has_its_kind() {
    let faults = [
        (Fault::Truncated, ProviderFault::Truncated),
        (Fault::InvalidUtf8, ProviderFault::Protocol),
        (Fault::NotJson, ProviderFault::Protocol),
        (Fault::ErrorInStream, ProviderFault::Overloaded),
    ];
    for protocol in PROTOCOLS {
        for (fault, expected) in faults {
            let bytes = bytes(protocol, &Turn { fault: Some(fault), ..turn() });
            assert_eq!(read(protocol, &[&bytes]).unwrap_err().fault, expected, "{protocol:?} {fault:?}");
        }
    }
}

#[test]
fn arguments_that_are_no_json_are_data_with_a_place() {
    for protocol in PROTOCOLS {
        let call = ScriptedCall {
            tool: "bash".to_owned(),
            arguments: Some("{\"command\": \"ls".to_owned()),
            ..ScriptedCall::default()
        };
        let turn = Turn { calls: vec![call], stop: "max_tokens".to_owned(), ..Turn::default() };
        let stop = if protocol == Protocol::OpenAiChat { "length" } else { "max_tokens" };
        let reply = read(protocol, &[&bytes(protocol, &Turn { stop: stop.to_owned(), ..turn })]).unwrap();
        let bad = reply.message.calls().next().unwrap().input.clone().unwrap_err();
        assert!(bad.at.is_some() && reply.stop == StopReason::MaxTokens, "{protocol:?}: {bad:?} {:?}", reply.stop);
    }
}

#[test]
fn a_megabyte_of_arguments_is_read() {
    for protocol in PROTOCOLS {
        let params = json!({"command": "x".repeat(1_000_000)}).as_object().unwrap().clone();
        let turn = Turn {
            calls: vec![ScriptedCall { tool: "bash".to_owned(), params: params.clone(), ..ScriptedCall::default() }],
            ..Turn::default()
        };
        let bytes = bytes(protocol, &turn);
        let reply = read(protocol, &bytes.chunks(1_400).collect::<Vec<_>>()).unwrap();
        assert_eq!(reply.message.calls().next().unwrap().input.as_ref().unwrap(), &params);
    }
}

#[test]
fn what_comes_is_shown_while_it_comes() {
    for protocol in PROTOCOLS {
        let shown = Mutex::new((String::new(), 0));
        let sink = |delta: Delta<'_>| {
            let mut shown = shown.lock().unwrap();
            match delta {
                Delta::Text(text) => shown.0.push_str(text),
                Delta::CallStart { .. } => shown.1 += 1,
                _ => {}
            }
        };
        let (tools, messages) = (ToolList::default(), [Message::user("x")]);
        let request = Request::new("", &tools, &messages, "s");
        let mut decoder = Decoder::new(&Options::new(protocol, "m"), &request);
        decoder.push(&bytes(protocol, &turn()), &sink).unwrap();
        assert!(decoder.is_done());
        assert_eq!(*shown.lock().unwrap(), (turn().text, 4), "{protocol:?}");
    }
}

#[test]
fn servers_that_nearly_speak_chat_completions_are_understood() {
    let check = |stream: &str, expected: &[(&str, &str)]| {
        let reply = read(Protocol::OpenAiChat, &[stream.as_bytes()]).unwrap();
        let calls: Vec<(String, String)> = reply
            .message
            .calls()
            .map(|call| (call.name.clone(), serde_json::to_string(call.input.as_ref().unwrap()).unwrap()))
            .collect();
        let calls: Vec<(&str, &str)> = calls.iter().map(|(name, input)| (name.as_str(), input.as_str())).collect();
        assert_eq!(calls, expected, "{stream}");
    };
    let chunk = |calls: &str| format!("data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{calls}]}}}}]}}\n\n");
    let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    // No number.
    let one = chunk(r#"{"id":"a","function":{"name":"x","arguments":"{\"a\":"}}"#)
        + &chunk(r#"{"function":{"arguments":"1}"}}"#);
    check(&format!("{one}{end}"), &[("x", r#"{"a":1}"#)]);
    // Every call is number 0.
    let two = chunk(r#"{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}"#)
        + &chunk(r#"{"index":0,"id":"b","function":{"name":"y","arguments":"{}"}}"#);
    check(&format!("{two}{end}"), &[("x", "{}"), ("y", "{}")]);
    // The arguments are an object, and the id and the name come again with every piece.
    check(
        &format!("{}{end}", chunk(r#"{"index":0,"id":"a","function":{"name":"x","arguments":{"a":2}}}"#)),
        &[("x", r#"{"a":2}"#)],
    );
    let again = chunk(r#"{"index":0,"id":"a","function":{"name":"x","arguments":"{\"a\""}}"#)
        + &chunk(r#"{"index":0,"id":"a","function":{"name":"x","arguments":":3}"}}"#);
    check(&format!("{again}{end}"), &[("x", r#"{"a":3}"#)]);
}
