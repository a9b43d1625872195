//! Every history makes a request that its provider accepts, after every turn.

use proptest::prelude::*;
use tools_providers::codec::{Options, encode};
use tools_providers::{Protocol, Request, ToolChoice};

use crate::{history, rules};

pub(crate) const PROTOCOLS: [Protocol; 4] =
    [Protocol::Anthropic, Protocol::OpenAiChat, Protocol::OpenAiResponses, Protocol::Ollama];

#[test]
fn the_rules_notice_what_is_wrong() {
    let check = |protocol, body: &str, expected: &str| {
        let found = rules::broken(protocol, body.as_bytes());
        assert!(found.iter().any(|what| what == expected), "{body}: {found:?}");
    };
    check(
        Protocol::Anthropic,
        r#"{"max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"tool_result","tool_use_id":"x"}]}]}"#,
        "a result after something else",
    );
    check(
        Protocol::Anthropic,
        r#"{"max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"n","input":{}}]}]}"#,
        "calls and results do not match",
    );
    check(
        Protocol::OpenAiChat,
        r#"{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"x","function":{"name":"n","arguments":"{}"}}]},{"role":"user","content":"a"}]}"#,
        "a call without its result right behind",
    );
    check(
        Protocol::OpenAiChat,
        r#"{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"x","function":{"name":"n","arguments":{}}}]}]}"#,
        "arguments that are no text of an object",
    );
    check(
        Protocol::OpenAiResponses,
        r#"{"store":false,"input":[{"type":"function_call_output","call_id":"x","output":""}]}"#,
        "a result without a call",
    );
    check(Protocol::Ollama, r#"{"messages":[{"role":"tool","content":""}]}"#, "a result without its tool");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]
    #[test]
    fn every_history_makes_a_valid_request(messages in history::histories(), thinks in any::<bool>(), forced in any::<bool>()) {
        let tools = history::tools();
        for protocol in PROTOCOLS {
            for turns in 1..=messages.len() {
                let mut request = Request::new("Be good.", &tools, &messages[..turns], "s");
                request.tool_choice = if forced { ToolChoice::Any } else { ToolChoice::Auto };
                let options = Options { thinking_tokens: thinks.then_some(2_000), cache_minimum: 0, ..Options::new(protocol, "m") };
                let body = encode(&options, &request);
                let found = rules::broken(protocol, &body);
                prop_assert!(found.is_empty(), "{:?}: {:?}\n{}", protocol, found, String::from_utf8_lossy(&body));
            }
        }
    }
}
