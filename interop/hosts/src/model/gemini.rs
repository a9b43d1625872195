//! The `generateContent` interface, which Gemini CLI speaks.

use serde_json::{Value, json};

use super::{Reply, Wire, texts};

/// The interface.
pub struct Gemini;

impl Wire for Gemini {
    fn is_turn(&self, path: &str, body: &Value) -> bool {
        path.contains("streamGenerateContent") && !self.offered(body).is_empty()
    }

    fn offered(&self, body: &Value) -> Vec<String> {
        let tools = body["tools"].as_array().into_iter().flatten();
        let tools = tools.filter_map(|tool| tool["functionDeclarations"].as_array()).flatten();
        tools.filter_map(|tool| Some(tool["name"].as_str()?.to_owned())).collect()
    }

    fn results(&self, body: &Value) -> Vec<String> {
        let parts = body["contents"].as_array().into_iter().flatten();
        let parts = parts.filter_map(|content| content["parts"].as_array()).flatten();
        parts.filter_map(|part| part.get("functionResponse")).map(|it| texts(&it["response"])).collect()
    }

    fn call(&self, _: &Value, number: usize, tool: &str, input: &Value) -> Reply {
        let call = json!({"id": format!("call_{number:03}"), "name": tool, "args": input});
        stream(&json!({"functionCall": call}))
    }

    fn say(&self, path: &str, _: &Value, text: &str) -> Reply {
        if path.contains("countTokens") {
            return Reply::json(&json!({"totalTokens": 1}));
        }
        if path.contains("streamGenerateContent") {
            return stream(&json!({"text": text}));
        }
        Reply::json(&response(&json!({"text": text})))
    }
}

fn response(part: &Value) -> Value {
    let content = json!({"role": "model", "parts": [part]});
    json!({
        "candidates": [{"index": 0, "content": content, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
    })
}

fn stream(part: &Value) -> Reply {
    Reply { kind: "text/event-stream", body: format!("data: {}\r\n\r\n", response(part)) }
}
