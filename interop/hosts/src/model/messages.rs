//! The Messages interface, which Claude Code speaks.

use serde_json::{Value, json};

use super::{Reply, Wire, texts};

/// The interface.
pub struct Messages;

impl Wire for Messages {
    fn is_turn(&self, path: &str, body: &Value) -> bool {
        // Side questions (a title, a summary of what ran) come without tools.
        path.contains("/messages") && !path.contains("count_tokens") && !self.offered(body).is_empty()
    }

    fn offered(&self, body: &Value) -> Vec<String> {
        let tools = body["tools"].as_array().into_iter().flatten();
        tools.filter_map(|tool| Some(tool["name"].as_str()?.to_owned())).collect()
    }

    fn results(&self, body: &Value) -> Vec<String> {
        let parts = body["messages"].as_array().into_iter().flatten();
        let parts = parts.filter_map(|message| message["content"].as_array()).flatten();
        parts.filter(|part| part["type"] == "tool_result").map(|part| texts(&part["content"])).collect()
    }

    fn call(&self, body: &Value, number: usize, tool: &str, input: &Value) -> Reply {
        let id = format!("toolu_{number:03}");
        let block = json!({"type": "tool_use", "id": id, "name": tool, "input": {}});
        let delta = json!({"type": "input_json_delta", "partial_json": input.to_string()});
        stream(body, &block, &delta, "tool_use")
    }

    fn say(&self, path: &str, body: &Value, text: &str) -> Reply {
        if path.contains("count_tokens") {
            return Reply::json(&json!({"input_tokens": 1}));
        }
        if body["stream"] != true {
            let content = json!([{"type": "text", "text": text}]);
            return Reply::json(&message(body, &content, &json!("end_turn")));
        }
        let block = json!({"type": "text", "text": ""});
        stream(body, &block, &json!({"type": "text_delta", "text": text}), "end_turn")
    }
}

fn message(body: &Value, content: &Value, stop: &Value) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": content,
        "stop_reason": stop, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1},
    })
}

fn stream(body: &Value, block: &Value, delta: &Value, stop: &str) -> Reply {
    Reply::events(&[
        json!({"type": "message_start", "message": message(body, &json!([]), &Value::Null)}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null}, "usage": {"output_tokens": 1}}),
        json!({"type": "message_stop"}),
    ])
}
