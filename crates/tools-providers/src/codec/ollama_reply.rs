//! Decodes replies of Ollama: calls arrive complete, and often without ids.

use serde_json::Value;

use super::{ReplyError, parts::Parts};
use crate::{Sink, StopReason};

/// Handles a line, or a whole answer.
pub(super) fn take(parts: &mut Parts, line: &Value, sink: &dyn Sink) -> Result<(), ReplyError> {
    let message = &line["message"];
    parts.thought(message["thinking"].as_str().unwrap_or_default(), sink)?;
    parts.text(message["content"].as_str().unwrap_or_default(), sink)?;
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        let function = &call["function"];
        let at =
            parts.call(call["id"].as_str().unwrap_or_default(), function["name"].as_str().unwrap_or_default(), sink)?;
        match &function["arguments"] {
            // Some models write the object as text.
            Value::String(arguments) => parts.arguments(at, arguments, sink)?,
            Value::Null => {}
            value => parts.arguments(at, &value.to_string(), sink)?,
        }
    }
    if line["done"] == true {
        // The server reports no count for a prompt that it still has in memory.
        parts.usage.input = line["prompt_eval_count"].as_u64().unwrap_or_default();
        parts.usage.output = line["eval_count"].as_u64().unwrap_or_default();
        parts.stop = Some(match line["done_reason"].as_str() {
            None | Some("stop") => StopReason::EndTurn,
            Some("length") => StopReason::MaxTokens,
            Some(other) => StopReason::Other(other.to_owned()),
        });
    }
    Ok(())
}
