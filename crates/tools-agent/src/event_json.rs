//! Events as JSON, for programs that watch a turn. Names are permanent.

use serde_json::{Value, json};
use tools_core::{EventKind, ToolEvent};

use crate::{AgentEvent, CompressionStrategy};

impl AgentEvent {
    /// The event as one object with the key `event`.
    pub fn to_json(&self) -> Value {
        match self {
            Self::TurnStarted { turn } => json!({"event": "turn_started", "turn": turn}),
            Self::Requested { iteration, tokens, limit } => {
                json!({"event": "requested", "iteration": iteration, "tokens": tokens, "limit": limit})
            }
            Self::Text { text } => json!({"event": "text", "text": text}),
            Self::Thinking { text } => json!({"event": "thinking", "text": text}),
            Self::Retrying { problem } => json!({"event": "retrying", "problem": problem}),
            Self::Replied { usage, millionths, calls } => {
                json!({"event": "replied", "usage": usage, "cost_millionths": millionths, "calls": calls})
            }
            Self::Called { call, id, tool, params } => {
                json!({"event": "called", "call_id": call, "id": id, "tool": tool, "params": params})
            }
            Self::Tool(event) => tool(event),
            Self::Answered { call, id, tool, is_error, code, text } => {
                json!({"event": "answered", "call_id": call, "id": id, "tool": tool, "is_error": is_error, "code": code, "text": text})
            }
            Self::Cleared { results, bytes } => json!({"event": "cleared", "results": results, "bytes": bytes}),
            Self::Compacted { strategy, messages, before, after } => json!({
                "event": "compacted", "strategy": strategy, "messages": messages,
                "tokens_before": before, "tokens_after": after, "autonomous": *strategy == CompressionStrategy::Autonomous,
            }),
            Self::Warned { text } => json!({"event": "warned", "text": text}),
            Self::TurnEnded { stop } => json!({"event": "turn_ended", "stop": stop.code(), "notice": stop.notice()}),
        }
    }
}

fn tool(event: &ToolEvent) -> Value {
    let mut object = match &event.kind {
        EventKind::Started { tool, kind, title, locations } => {
            json!({"event": "tool_started", "tool": tool, "kind": kind, "title": title, "locations": locations.len()})
        }
        EventKind::Output { stream, text, dropped_before } => {
            json!({"event": "tool_output", "stream": stream, "text": text, "dropped_before": dropped_before})
        }
        EventKind::Progress { done, total, message } => {
            json!({"event": "tool_progress", "done": done, "total": total, "message": message})
        }
        EventKind::ConfirmationRequested(prompt) => {
            json!({"event": "confirmation_requested", "tool": prompt.tool, "reason": prompt.reason})
        }
        EventKind::Rollback { restored, deleted } => {
            json!({"event": "rollback", "restored": restored, "deleted": deleted})
        }
        EventKind::Warned { text } => json!({"event": "tool_warned", "text": text}),
        EventKind::Finished { status, display, raw_response, .. } => {
            json!({"event": "tool_finished", "status": status, "display": display, "raw_response": raw_response})
        }
        _ => json!({"event": "tool_other"}),
    };
    object["call_id"] = event.call.as_str().into();
    object["at"] = event.at.to_string().into();
    object
}
