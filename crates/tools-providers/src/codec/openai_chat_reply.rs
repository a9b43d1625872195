//! Decodes replies of OpenAI's chat completions, and of nearly compatible servers.

use serde_json::Value;

use super::{ReplyError, parts::Parts};
use crate::{Sink, StopReason};

/// Calls of the stream: their number there, their id, and their position here.
#[derive(Debug, Default)]
pub(super) struct OpenCalls(Vec<(Option<u64>, String, usize)>);

/// Handles a chunk, or a whole completion.
pub(super) fn take(parts: &mut Parts, open: &mut OpenCalls, chunk: &Value, sink: &dyn Sink) -> Result<(), ReplyError> {
    if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
        let count = |value: &Value| value.as_u64().unwrap_or_default();
        let cached = usage["prompt_tokens_details"]["cached_tokens"].as_u64();
        let cached = cached.or(usage["prompt_cache_hit_tokens"].as_u64()).unwrap_or_default();
        parts.usage.cached_read = cached;
        parts.usage.input = count(&usage["prompt_tokens"]).saturating_sub(cached);
        parts.usage.output = count(&usage["completion_tokens"]);
    }
    let Some(choice) = chunk["choices"].get(0) else { return Ok(()) };
    let delta = choice.get("delta").or(choice.get("message")).unwrap_or(&Value::Null);
    let text = |name: &str| delta[name].as_str().unwrap_or_default();
    parts.thought(text("reasoning_content"), sink)?;
    parts.thought(text("reasoning"), sink)?;
    parts.text(text("content"), sink)?;
    parts.text(text("refusal"), sink)?;
    for call in delta["tool_calls"].as_array().into_iter().flatten() {
        self::call(parts, open, call, sink)?;
    }
    if let Some(reason) = choice["finish_reason"].as_str() {
        let refused = !text("refusal").is_empty();
        parts.stop = Some(if refused { StopReason::Refusal } else { stop(reason) });
    }
    Ok(())
}

/// Handles a piece of a call. It continues the call with the same number, unless it has another id
/// and a name: some servers number every call 0, others give no number.
fn call(parts: &mut Parts, open: &mut OpenCalls, call: &Value, sink: &dyn Sink) -> Result<(), ReplyError> {
    let index = call["index"].as_u64();
    let id = call["id"].as_str().unwrap_or_default();
    let name = call["function"]["name"].as_str().unwrap_or_default();
    let known = match index {
        Some(_) => open.0.iter().rposition(|(number, ..)| *number == index),
        None if name.is_empty() => open.0.len().checked_sub(1),
        None => None,
    };
    let known = known.filter(|at| name.is_empty() || id.is_empty() || open.0[*at].1 == id);
    let at = if let Some(at) = known {
        open.0[at].2
    } else {
        let at = parts.call(id, name, sink)?;
        open.0.push((index, id.to_owned(), at));
        at
    };
    match &call["function"]["arguments"] {
        Value::String(more) => parts.arguments(at, more, sink),
        Value::Null => Ok(()),
        // An object although the protocol requires a string.
        value => parts.arguments(at, &value.to_string(), sink),
    }
}

fn stop(reason: &str) -> StopReason {
    match reason {
        "stop" => StopReason::EndTurn,
        "tool_calls" | "function_call" => StopReason::ToolUse,
        "length" => StopReason::MaxTokens,
        "content_filter" => StopReason::Refusal,
        other => StopReason::Other(other.to_owned()),
    }
}
