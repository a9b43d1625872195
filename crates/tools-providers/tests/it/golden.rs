//! Requests as text, one for each interface and option: a change shows in a file that is read in
//! review.

use serde_json::Value;
use tools_providers::codec::{Options, encode};
use tools_providers::{CacheMode, Protocol, Request, ToolChoice, ToolList};

use crate::history;

fn check(name: &str, options: &Options, choice: ToolChoice<'_>) {
    let (tools, messages) = (history::tools(), history::everything(options.protocol));
    let request = Request { tool_choice: choice, ..Request::new("Be good.", &tools, &messages, "session-1") };
    let body = String::from_utf8(encode(options, &request)).unwrap();
    let value: Value = serde_json::from_str(&body).unwrap();
    // The order of members is part of what is promised: what changes comes last.
    let order: Vec<&str> = ["\"model\"", "\"tools\"", "\"messages\":", "\"input\":["]
        .into_iter()
        .filter(|name| body.contains(*name))
        .collect();
    assert!(order.is_sorted_by_key(|name| body.find(*name)), "{body}");
    insta::assert_snapshot!(name, serde_json::to_string_pretty(&value).unwrap());
}

#[test]
fn anthropic() {
    let options = Options {
        cache_minimum: 0,
        cache: CacheMode::Hour,
        thinking_tokens: Some(4_000),
        ..Options::new(Protocol::Anthropic, "m")
    };
    check("anthropic", &options, ToolChoice::Any);
}

#[test]
fn openai_chat() {
    check(
        "openai-chat",
        &Options { strict: true, ..Options::new(Protocol::OpenAiChat, "m") },
        ToolChoice::Tool("read"),
    );
}

#[test]
fn openai_compatible() {
    check(
        "openai-compatible",
        &Options { is_compatible: true, ..Options::new(Protocol::OpenAiChat, "m") },
        ToolChoice::Auto,
    );
}

#[test]
fn openai_responses() {
    let options = Options { reasoning_effort: Some("low".to_owned()), ..Options::new(Protocol::OpenAiResponses, "m") };
    check("openai-responses", &options, ToolChoice::None);
}

#[test]
fn ollama() {
    check("ollama", &Options::new(Protocol::Ollama, "m"), ToolChoice::Auto);
}

#[test]
fn marks_are_left_out_below_the_minimum_and_where_they_are_off() {
    let marks = |options: Options| {
        let (tools, messages) = (history::tools(), history::everything(Protocol::Anthropic));
        let body = encode(&options, &Request::new("Be good.", &tools, &messages, "s"));
        String::from_utf8(body).unwrap().matches("cache_control").count()
    };
    let usual = Options::new(Protocol::Anthropic, "m");
    assert_eq!(marks(usual.clone()), 0);
    assert_eq!(marks(Options { cache_minimum: 0, ..usual.clone() }), 4);
    assert_eq!(marks(Options { cache_minimum: 250, ..usual.clone() }), 2);
    assert_eq!(marks(Options { cache_minimum: 0, cache: CacheMode::Off, ..usual }), 0);
}

#[test]
fn what_a_strict_interface_adds_is_taken_out_again() {
    let tools = history::tools();
    let messages = [tools_providers::Message::user("x")];
    let request = Request::new("", &tools, &messages, "s");
    let options = Options { strict: true, ..Options::new(Protocol::OpenAiChat, "m") };
    let body = String::from_utf8(encode(&options, &request)).unwrap();
    assert!(body.contains(r#""required":["limit","path"]"#) && body.contains(r#""strict":true"#), "{body}");
    let reply = r#"{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"read","arguments":"{\"path\":\"x\",\"limit\":null}"}}]},"finish_reason":"tool_calls"}]}"#;
    let decoder = tools_providers::codec::Decoder::new(&options, &request);
    let reply = decoder.whole(reply.as_bytes(), &tools_providers::NoSink).unwrap();
    let call = reply.message.calls().next().unwrap();
    assert_eq!(Value::Object(call.input.clone().unwrap()), serde_json::json!({"path": "x"}));
}

#[test]
fn no_tools_and_no_system_text_leave_nothing_behind() {
    let (tools, messages) = (ToolList::default(), [tools_providers::Message::user("x")]);
    for protocol in crate::valid::PROTOCOLS {
        let body =
            String::from_utf8(encode(&Options::new(protocol, "m"), &Request::new("", &tools, &messages, "s"))).unwrap();
        assert!(!body.contains("tool") && !body.contains("system") && !body.contains("instructions"), "{body}");
    }
}
