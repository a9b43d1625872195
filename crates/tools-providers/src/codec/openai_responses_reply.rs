//! Decodes replies of OpenAI's responses: items arrive in pieces and are repeated complete at their
//! end.

use std::collections::BTreeMap;

use serde_json::Value;

use super::ReplyError;
use super::parts::{Part, Parts};
use super::server_error::interpret_error;
use crate::{Delta, NoSink, Sink, StopReason};

/// Items so far: started, filled by pieces, and replaced by the complete item at their end.
#[derive(Debug, Default)]
pub(super) struct OpenItems {
    items: BTreeMap<u64, Item>,
    calls: usize,
    held: usize,
}

#[derive(Debug, Default)]
struct Item {
    value: Value,
    pieces: String,
    /// Index of the call among the calls.
    call: Option<usize>,
    is_done: bool,
}

/// Handles an event, or a whole response.
pub(super) fn take(parts: &mut Parts, open: &mut OpenItems, event: &Value, sink: &dyn Sink) -> Result<(), ReplyError> {
    let index = event["output_index"].as_u64().unwrap_or_default();
    let piece = event["delta"].as_str().unwrap_or_default();
    open.held = open.held.saturating_add(piece.len());
    if open.held > 64 * 1024 * 1024 {
        return Err(ReplyError::protocol("the answer is longer than 64 MiB"));
    }
    match event["type"].as_str().unwrap_or_default() {
        "response.output_item.added" => {
            let value = event["item"].clone();
            let call = (value["type"] == "function_call").then_some(open.calls);
            if let Some(index) = call {
                open.calls += 1;
                sink.take(Delta::CallStart { index, name: value["name"].as_str().unwrap_or_default() });
            }
            open.items.insert(index, Item { value, call, ..Item::default() });
        }
        "response.output_text.delta" | "response.refusal.delta" => {
            sink.take(Delta::Text(piece));
            open.items.entry(index).or_default().pieces.push_str(piece);
        }
        "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => sink.take(Delta::Thinking(piece)),
        "response.function_call_arguments.delta" => {
            let item = open.items.entry(index).or_default();
            item.pieces.push_str(piece);
            if let Some(index) = item.call {
                sink.take(Delta::CallArguments { index, text: piece });
            }
        }
        "response.output_item.done" => {
            let item = open.items.entry(index).or_default();
            (item.value, item.is_done) = (event["item"].clone(), true);
        }
        "response.completed" | "response.incomplete" | "response.done" => end(parts, open, &event["response"])?,
        "response.failed" => return Err(interpret_error(&event["response"]["error"], None)),
        "error" => return Err(interpret_error(event, None)),
        "" if event["object"] == "response" => end(parts, open, event)?,
        _ => {}
    }
    Ok(())
}

fn end(parts: &mut Parts, open: &mut OpenItems, response: &Value) -> Result<(), ReplyError> {
    if response["status"] == "failed" {
        return Err(interpret_error(&response["error"], None));
    }
    let items = std::mem::take(&mut open.items);
    match response["output"].as_array().filter(|output| !output.is_empty()) {
        Some(output) => output.iter().try_for_each(|value| item(parts, value, None))?,
        None => {
            items
                .values()
                .try_for_each(|found| item(parts, &found.value, (!found.is_done).then_some(&found.pieces)))?;
        }
    }
    let usage = &response["usage"];
    let cached = usage["input_tokens_details"]["cached_tokens"].as_u64().unwrap_or_default();
    parts.usage.cached_read = cached;
    parts.usage.input = usage["input_tokens"].as_u64().unwrap_or_default().saturating_sub(cached);
    parts.usage.output = usage["output_tokens"].as_u64().unwrap_or_default();
    if parts.stop.is_none() {
        parts.stop = Some(match response["incomplete_details"]["reason"].as_str() {
            None => StopReason::EndTurn,
            Some("max_output_tokens") => StopReason::MaxTokens,
            Some("content_filter") => StopReason::Refusal,
            Some(other) => StopReason::Other(other.to_owned()),
        });
    }
    Ok(())
}

/// Handles an item of the answer. `pieces` is the text of an item whose end did not arrive.
fn item(parts: &mut Parts, item: &Value, pieces: Option<&String>) -> Result<(), ReplyError> {
    // It was already displayed when it arrived.
    let sink = &NoSink;
    let text = |name: &str| item[name].as_str().unwrap_or_default();
    match text("type") {
        "function_call" => {
            let at = parts.call(text("call_id"), text("name"), sink)?;
            match (pieces, &item["arguments"]) {
                (Some(pieces), _) => parts.arguments(at, pieces, sink)?,
                (None, Value::String(arguments)) => parts.arguments(at, arguments, sink)?,
                (None, Value::Null) => {}
                (None, value) => parts.arguments(at, &value.to_string(), sink)?,
            }
        }
        "reasoning" => {
            let shown = item["summary"]
                .as_array()
                .into_iter()
                .flatten()
                .chain(item["content"].as_array().into_iter().flatten());
            let shown: Vec<&str> = shown.filter_map(|part| part["text"].as_str()).collect();
            // Without the encrypted thoughts the server does not accept the item.
            let raw = item["encrypted_content"].is_string().then(|| item.clone());
            parts.blocks.push(Part::Thinking { text: shown.join("\n"), raw });
        }
        "message" => match pieces {
            Some(pieces) => parts.text(pieces, sink)?,
            None => {
                for content in item["content"].as_array().into_iter().flatten() {
                    if let Some(refusal) = content["refusal"].as_str() {
                        parts.stop = Some(StopReason::Refusal);
                        parts.text(refusal, sink)?;
                    }
                    parts.text(content["text"].as_str().unwrap_or_default(), sink)?;
                }
            }
        },
        _ => {}
    }
    Ok(())
}
