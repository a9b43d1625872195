//! Decodes replies of Anthropic's messages.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::ReplyError;
use super::parts::{Part, Parts};
use crate::{Delta, Sink, StopReason};

/// Maps block numbers of the stream to positions here. `None` for unknown kinds.
#[derive(Debug, Default)]
pub(super) struct OpenBlocks(BTreeMap<u64, Option<usize>>);

/// Handles an event, or a whole message.
pub(super) fn take(parts: &mut Parts, open: &mut OpenBlocks, event: &Value, sink: &dyn Sink) -> Result<(), ReplyError> {
    match event["type"].as_str().unwrap_or_default() {
        "message_start" => usage(parts, &event["message"]["usage"]),
        "content_block_start" => {
            let at = block(parts, &event["content_block"], sink)?;
            open.0.insert(event["index"].as_u64().unwrap_or_default(), at);
        }
        "content_block_delta" => {
            let index = event["index"].as_u64().unwrap_or_default();
            let Some(at) = open.0.get(&index) else {
                return Err(ReplyError::protocol("a piece of a block that never began"));
            };
            if let Some(at) = *at {
                delta(parts, at, &event["delta"], sink)?;
            }
        }
        "message_delta" => {
            usage(parts, &event["usage"]);
            if let Some(reason) = event["delta"]["stop_reason"].as_str() {
                open.0.clear();
                parts.stop = Some(stop(reason));
            }
        }
        "message" => {
            for content in event["content"].as_array().into_iter().flatten() {
                block(parts, content, sink)?;
            }
            usage(parts, &event["usage"]);
            parts.stop = Some(stop(event["stop_reason"].as_str().unwrap_or("end_turn")));
        }
        // `ping`, `content_block_stop`, `message_stop`, and future kinds.
        _ => {}
    }
    Ok(())
}

/// Handles the start of a block; in a whole message, the complete block.
fn block(parts: &mut Parts, block: &Value, sink: &dyn Sink) -> Result<Option<usize>, ReplyError> {
    let text = |name: &str| block[name].as_str().unwrap_or_default();
    match text("type") {
        "text" => {
            // Each block starts a new part.
            parts.blocks.push(Part::Text(String::new()));
            parts.text(text("text"), sink)?;
        }
        "thinking" | "redacted_thinking" => {
            let thoughts = text("thinking").to_owned();
            if !thoughts.is_empty() {
                sink.take(Delta::Thinking(&thoughts));
            }
            parts.blocks.push(Part::Thinking { text: thoughts, raw: Some(block.clone()) });
        }
        "tool_use" => {
            let at = parts.call(text("id"), text("name"), sink)?;
            // In a stream the arguments follow in pieces, and this object is empty.
            if block["input"].as_object().is_some_and(|input| !input.is_empty()) {
                parts.arguments(at, &block["input"].to_string(), sink)?;
            }
            return Ok(Some(at));
        }
        _ => return Ok(None),
    }
    Ok(Some(parts.blocks.len() - 1))
}

fn delta(parts: &mut Parts, at: usize, delta: &Value, sink: &dyn Sink) -> Result<(), ReplyError> {
    let of = |name: &str| delta[name].as_str().unwrap_or_default();
    match of("type") {
        "input_json_delta" => return parts.arguments(at, of("partial_json"), sink),
        "text_delta" => {
            if at + 1 == parts.blocks.len() {
                return parts.text(of("text"), sink);
            }
            if let Some(Part::Text(text)) = parts.blocks.get_mut(at) {
                text.push_str(of("text"));
                sink.take(Delta::Text(of("text")));
            }
        }
        "thinking_delta" => {
            if let Some(Part::Thinking { text, raw: Some(raw) }) = parts.blocks.get_mut(at) {
                text.push_str(of("thinking"));
                raw["thinking"] = json!(text);
                sink.take(Delta::Thinking(of("thinking")));
            }
        }
        "signature_delta" => {
            if let Some(Part::Thinking { raw: Some(raw), .. }) = parts.blocks.get_mut(at) {
                let before = raw["signature"].as_str().unwrap_or_default().to_owned();
                raw["signature"] = json!(before + of("signature"));
            }
        }
        _ => {}
    }
    Ok(())
}

/// Updates the usage; later events may leave out known values.
fn usage(parts: &mut Parts, usage: &Value) {
    let set = |field: &mut u64, name: &str| {
        if let Some(count) = usage[name].as_u64() {
            *field = count;
        }
    };
    set(&mut parts.usage.input, "input_tokens");
    set(&mut parts.usage.cached_read, "cache_read_input_tokens");
    set(&mut parts.usage.cache_write, "cache_creation_input_tokens");
    set(&mut parts.usage.output, "output_tokens");
}

fn stop(reason: &str) -> StopReason {
    match reason {
        "end_turn" | "stop_sequence" => StopReason::EndTurn,
        "tool_use" => StopReason::ToolUse,
        "max_tokens" | "model_context_window_exceeded" => StopReason::MaxTokens,
        "refusal" => StopReason::Refusal,
        other => StopReason::Other(other.to_owned()),
    }
}
