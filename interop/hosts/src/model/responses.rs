//! The Responses interface, which Codex speaks.

use serde_json::{Value, json};

use super::{Reply, Wire, texts};

/// The interface.
pub struct Responses;

impl Wire for Responses {
    fn is_turn(&self, path: &str, body: &Value) -> bool {
        path.contains("/responses") && !self.offered(body).is_empty()
    }

    fn offered(&self, body: &Value) -> Vec<String> {
        let mut names = Vec::new();
        for tool in body["tools"].as_array().into_iter().flatten() {
            let name = tool["name"].as_str().or_else(|| tool["type"].as_str()).unwrap_or_default();
            match tool["tools"].as_array() {
                // Tools of a server stand in a namespace.
                Some(inner) => {
                    names.extend(inner.iter().filter_map(|tool| Some(format!("{name}/{}", tool["name"].as_str()?))))
                }
                None => names.push(name.to_owned()),
            }
        }
        names
    }

    fn results(&self, body: &Value) -> Vec<String> {
        let items = body["input"].as_array().into_iter().flatten();
        let is_result = |item: &&Value| item["type"].as_str().is_some_and(|kind| kind.ends_with("call_output"));
        items.filter(is_result).map(|item| texts(&item["output"])).collect()
    }

    fn call(&self, _: &Value, number: usize, tool: &str, input: &Value) -> Reply {
        let id = format!("call_{number:03}");
        let mut item = json!({"type": "function_call", "id": format!("fc_{number:03}"), "call_id": id, "arguments": input.to_string()});
        match tool.split_once('/') {
            Some((namespace, name)) => {
                item["namespace"] = namespace.into();
                item["name"] = name.into();
            }
            None => item["name"] = tool.into(),
        }
        stream(&item)
    }

    fn say(&self, _: &str, _: &Value, text: &str) -> Reply {
        let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
        stream(&json!({"type": "message", "id": "msg_1", "role": "assistant", "content": content}))
    }
}

fn stream(item: &Value) -> Reply {
    let usage = json!({
        "input_tokens": 1, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 1,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 2,
    });
    Reply::events(&[
        json!({"type": "response.created", "response": {"id": "resp_1"}}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": {"id": "resp_1", "output": [item], "usage": usage}}),
    ])
}
