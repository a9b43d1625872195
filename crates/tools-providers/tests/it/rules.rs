//! What each provider refuses, written down from their documentation and not from the encoder: a
//! request is parsed as JSON and looked at from outside.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;
use tools_providers::Protocol;

/// What is wrong with a request; empty for one that is accepted.
pub(crate) fn broken(protocol: Protocol, body: &[u8]) -> Vec<String> {
    let Ok(body) = serde_json::from_slice::<Value>(body) else { return vec!["no JSON".to_owned()] };
    let mut found = Vec::new();
    let fault = &mut |is_broken: bool, what: &str| {
        if is_broken {
            found.push(what.to_owned());
        }
    };
    match protocol {
        Protocol::Anthropic => anthropic(&body, fault),
        Protocol::OpenAiChat => chat(&body, fault),
        Protocol::OpenAiResponses => responses(&body, fault),
        Protocol::Ollama => ollama(&body, fault),
    }
    found
}

fn is_name(value: &Value) -> bool {
    value.as_str().is_some_and(|name| {
        (1..=64).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
    })
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn anthropic(body: &Value, fault: &mut dyn FnMut(bool, &str)) {
    let messages = items(&body["messages"]);
    fault(messages.is_empty(), "no messages");
    fault(messages.first().is_some_and(|first| first["role"] != "user"), "the first message is not the user's");
    fault(body["max_tokens"].as_u64().is_none_or(|most| most == 0), "no max_tokens");
    let budget = body["thinking"]["budget_tokens"].as_u64().unwrap_or_default();
    fault(budget > 0 && body["max_tokens"].as_u64() <= Some(budget), "thoughts are longer than the answer");
    fault(
        body.get("thinking").is_some() && matches!(body["tool_choice"]["type"].as_str(), Some("any" | "tool")),
        "thinks and has to call",
    );
    let mut ids = HashSet::new();
    for (at, message) in messages.iter().enumerate() {
        let content = items(&message["content"]);
        fault(content.is_empty(), "a message without content");
        fault(at > 0 && messages[at - 1]["role"] == message["role"], "the same role twice");
        let kinds: Vec<&str> = content.iter().filter_map(|block| block["type"].as_str()).collect();
        for block in content {
            match block["type"].as_str() {
                Some("text") => {
                    fault(block["text"].as_str().is_none_or(|text| text.trim().is_empty()), "an empty text");
                }
                Some("tool_use") => {
                    fault(message["role"] != "assistant", "a call of the user");
                    fault(!is_name(&block["name"]) || !is_name(&block["id"]), "a name or id that is refused");
                    fault(!block["input"].is_object(), "an input that is no object");
                    fault(!ids.insert(block["id"].clone()), "an id twice");
                }
                Some("tool_result") => fault(
                    items(&block["content"]).iter().any(|part| {
                        part["type"] == "text" && part["text"].as_str().is_none_or(|text| text.trim().is_empty())
                    }),
                    "an empty text in a result",
                ),
                Some("thinking") => fault(message["role"] != "assistant", "thoughts of the user"),
                Some("image") => fault(message["role"] != "user", "a picture of the model"),
                _ => fault(true, "an unknown block"),
            }
        }
        let first_other = kinds.iter().position(|kind| *kind != "tool_result").unwrap_or(kinds.len());
        fault(kinds[first_other..].contains(&"tool_result"), "a result after something else");
        let called: Vec<&Value> = items(&message["content"])
            .iter()
            .filter(|block| block["type"] == "tool_use")
            .map(|block| &block["id"])
            .collect();
        let next = messages.get(at + 1).map_or(&[][..], |next| items(&next["content"]));
        let answered: Vec<&Value> =
            next.iter().filter(|block| block["type"] == "tool_result").map(|block| &block["tool_use_id"]).collect();
        fault(called != answered, "calls and results do not match");
    }
    fault(
        messages
            .first()
            .is_some_and(|first| items(&first["content"]).iter().any(|block| block["type"] == "tool_result")),
        "a result before any call",
    );
    let marks = body.to_string().matches("\"cache_control\"").count();
    fault(marks > 4, "more than four marks");
}

fn chat(body: &Value, fault: &mut dyn FnMut(bool, &str)) {
    let messages = items(&body["messages"]);
    fault(messages.is_empty(), "no messages");
    let mut open: BTreeSet<String> = BTreeSet::new();
    let mut ids = HashSet::new();
    for message in messages {
        let role = message["role"].as_str().unwrap_or_default();
        fault(role != "tool" && !open.is_empty(), "a call without its result right behind");
        match role {
            "tool" => {
                let id = message["tool_call_id"].as_str().unwrap_or_default();
                fault(!open.remove(id), "a result without a call");
                fault(!message["content"].is_string(), "a result that is not a string");
            }
            "assistant" => {
                let calls = items(&message["tool_calls"]);
                fault(message["content"].is_null() && calls.is_empty(), "an answer without content");
                fault(message.get("tool_calls").is_some() && calls.is_empty(), "an empty list of calls");
                for call in calls {
                    let id = call["id"].as_str().unwrap_or_default();
                    fault(id.is_empty() || id.len() > 40 || !ids.insert(id.to_owned()), "an id that is refused");
                    fault(!is_name(&call["function"]["name"]), "a name that is refused");
                    let arguments = call["function"]["arguments"].as_str().map(serde_json::from_str::<Value>);
                    fault(!matches!(arguments, Some(Ok(Value::Object(_)))), "arguments that are no text of an object");
                    open.insert(id.to_owned());
                }
            }
            "user" | "system" => {
                fault(message["content"].as_str().is_some_and(|text| text.trim().is_empty()), "an empty text");
                fault(message["content"].as_array().is_some_and(Vec::is_empty), "an empty content");
            }
            _ => fault(true, "an unknown role"),
        }
    }
    fault(!open.is_empty(), "a call without a result");
}

fn responses(body: &Value, fault: &mut dyn FnMut(bool, &str)) {
    let input = items(&body["input"]);
    fault(input.is_empty(), "no input");
    fault(body["store"] != false, "it is stored");
    let (mut open, mut ids) = (BTreeSet::new(), HashSet::new());
    for (at, item) in input.iter().enumerate() {
        match item["type"].as_str() {
            Some("function_call") => {
                let id = item["call_id"].as_str().unwrap_or_default();
                fault(id.is_empty() || id.len() > 64 || !ids.insert(id.to_owned()), "an id that is refused");
                fault(!is_name(&item["name"]), "a name that is refused");
                let arguments = item["arguments"].as_str().map(serde_json::from_str::<Value>);
                fault(!matches!(arguments, Some(Ok(Value::Object(_)))), "arguments that are no text of an object");
                open.insert(id.to_owned());
            }
            Some("function_call_output") => {
                fault(!open.remove(item["call_id"].as_str().unwrap_or_default()), "a result without a call");
                fault(item["output"].is_null(), "a result without output");
            }
            Some("message") if item["role"] == "assistant" => {
                let text = item["content"].as_str().unwrap_or_default();
                fault(text.trim().is_empty(), "an empty message, or one without its id");
            }
            Some("message") => {
                let parts = items(&item["content"]);
                let is_input = |part: &Value| part["type"].as_str().is_some_and(|kind| kind.starts_with("input_"));
                fault(parts.is_empty(), "an empty message");
                fault(!parts.iter().all(is_input), "a part of the other role");
            }
            Some("reasoning") => {
                fault(!item["encrypted_content"].is_string(), "thoughts that the server does not know");
                fault(at + 1 == input.len(), "thoughts without what follows from them");
            }
            _ => fault(true, "an unknown item"),
        }
    }
    fault(!open.is_empty(), "a call without a result");
}

fn ollama(body: &Value, fault: &mut dyn FnMut(bool, &str)) {
    let messages = items(&body["messages"]);
    fault(messages.is_empty(), "no messages");
    fault(body["options"]["num_ctx"].as_u64().is_none(), "no context length");
    let mut open = 0_usize;
    for message in messages {
        fault(!message["content"].is_string(), "a content that is not a string");
        match message["role"].as_str() {
            Some("tool") => {
                fault(open == 0, "a result without a call");
                fault(!message["tool_name"].is_string(), "a result without its tool");
                open = open.saturating_sub(1);
            }
            Some("assistant") => {
                fault(open > 0, "a call without a result");
                let calls = items(&message["tool_calls"]);
                fault(
                    calls.iter().any(|call| !call["function"]["arguments"].is_object()),
                    "arguments that are not an object",
                );
                open = calls.len();
            }
            Some("user" | "system") => fault(open > 0, "a call without a result"),
            _ => fault(true, "an unknown role"),
        }
    }
    fault(open > 0, "a call without a result");
}
