//! Encodes a turn of a script in each protocol.

use serde_json::{Value, json};

use super::script::{Fault, ScriptedCall, Turn};
use crate::{Protocol, Usage};

/// An answer of a scripted server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The header `Content-Type`.
    pub content_type: &'static str,
    /// The header `Retry-After`; empty for none.
    pub retry_after: String,
    /// The chunks of the body.
    pub pieces: Vec<Vec<u8>>,
    /// Its end.
    pub end: End,
}

/// End of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Normal end.
    Whole,
    /// The connection is closed too early.
    Closed,
    /// Nothing more is sent.
    Stalled,
}

/// The bytes of a turn, as the answer to the request with this number.
pub fn answer(protocol: Protocol, turn: &Turn, number: usize) -> Answer {
    if turn.fault == Some(Fault::Status) {
        return refusal(protocol, turn.status, "scripted", turn.retry_after.clone());
    }
    let events = match protocol {
        Protocol::Anthropic => anthropic(turn, number),
        Protocol::OpenAiChat => chat(turn, number),
        Protocol::OpenAiResponses => responses(turn, number),
        Protocol::Ollama => ollama(turn),
    };
    let mut lines: Vec<Vec<u8>> = events.iter().map(|event| framed(protocol, event)).collect();
    if protocol == Protocol::OpenAiChat {
        lines.push(b"data: [DONE]\n\n".to_vec());
    }
    let content_type = if protocol == Protocol::Ollama { "application/x-ndjson" } else { "text/event-stream" };
    let (lines, end) = spoiled(protocol, lines, turn.fault);
    let pieces = match turn.pieces {
        0 => lines,
        size => lines.concat().chunks(size).map(<[u8]>::to_vec).collect(),
    };
    Answer { status: 200, content_type, retry_after: String::new(), pieces, end }
}

/// An error of a server.
pub(super) fn refusal(protocol: Protocol, status: u16, message: &str, retry_after: String) -> Answer {
    let kind = match status {
        401 => "authentication_error",
        404 => "not_found_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        400..500 => "invalid_request_error",
        _ => "api_error",
    };
    let body = match protocol {
        Protocol::Anthropic => json!({"type": "error", "error": {"type": kind, "message": message}}),
        Protocol::OpenAiChat | Protocol::OpenAiResponses => {
            json!({"error": {"message": message, "type": kind, "param": null, "code": null}})
        }
        Protocol::Ollama => json!({"error": message}),
    };
    let pieces = vec![body.to_string().into_bytes()];
    Answer { status, content_type: "application/json", retry_after, pieces, end: End::Whole }
}

fn framed(protocol: Protocol, event: &Value) -> Vec<u8> {
    match (protocol, event["type"].as_str()) {
        (Protocol::Ollama, _) => format!("{event}\n").into_bytes(),
        (Protocol::OpenAiChat, _) | (_, None) => format!("data: {event}\n\n").into_bytes(),
        (_, Some(name)) => format!("event: {name}\ndata: {event}\n\n").into_bytes(),
    }
}

fn spoiled(protocol: Protocol, mut lines: Vec<Vec<u8>>, fault: Option<Fault>) -> (Vec<Vec<u8>>, End) {
    let middle = lines.len() / 2;
    let halve = |lines: &mut Vec<Vec<u8>>| {
        lines.truncate(middle + 1);
        if let Some(last) = lines.last_mut() {
            last.truncate(last.len() / 2);
        }
    };
    match fault {
        None | Some(Fault::Status) => {}
        Some(Fault::ErrorInStream) => {
            lines.truncate(middle);
            let error = json!({"type": "overloaded_error", "message": "scripted"});
            lines.push(framed(
                protocol,
                &match protocol {
                    Protocol::Ollama => json!({"error": "scripted"}),
                    Protocol::OpenAiResponses => {
                        json!({"type": "error", "code": "server_error", "message": "scripted"})
                    }
                    _ => json!({"type": "error", "error": error}),
                },
            ));
        }
        Some(Fault::Truncated) => {
            halve(&mut lines);
            return (lines, End::Closed);
        }
        Some(Fault::Stalled) => {
            halve(&mut lines);
            return (lines, End::Stalled);
        }
        Some(Fault::InvalidUtf8) => {
            if let Some(line) = lines.get_mut(middle) {
                let at = line.len() / 2;
                line.insert(at, 0xff);
            }
        }
        Some(Fault::NotJson) => {
            let line = if protocol == Protocol::Ollama { "{not json\n" } else { "data: {not json\n\n" };
            lines.insert(middle, line.as_bytes().to_vec());
        }
    }
    (lines, End::Whole)
}

fn arguments(call: &ScriptedCall) -> String {
    call.arguments.clone().unwrap_or_else(|| Value::Object(call.params.clone()).to_string())
}

fn id(call: &ScriptedCall, number: usize, index: usize) -> Option<String> {
    match &call.id {
        None => Some(format!("call_s{number}_{index}")),
        Some(id) => (!id.is_empty()).then(|| id.clone()),
    }
}

/// A text in two halves, as models stream it.
fn halves(text: &str) -> [&str; 2] {
    let (first, second) = text.split_at(text.floor_char_boundary(text.len() / 2));
    [first, second]
}

fn usage(turn: &Turn) -> Usage {
    turn.usage.unwrap_or(Usage { input: 100, cached_read: 0, cache_write: 0, output: 10 })
}

fn anthropic(turn: &Turn, number: usize) -> Vec<Value> {
    let usage = usage(turn);
    let cost = json!({
        "input_tokens": usage.input, "cache_read_input_tokens": usage.cached_read,
        "cache_creation_input_tokens": usage.cache_write, "output_tokens": 1,
    });
    let message = json!({
        "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": "scripted", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": cost,
    });
    let mut events = vec![json!({"type": "message_start", "message": message}), json!({"type": "ping"})];
    let mut index = 0;
    let mut block = |start: Value, deltas: Vec<Value>| {
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        events.extend(
            deltas.into_iter().map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta})),
        );
        events.push(json!({"type": "content_block_stop", "index": index}));
        index += 1;
    };
    if !turn.thinking.is_empty() {
        let mut deltas: Vec<Value> =
            halves(&turn.thinking).map(|half| json!({"type": "thinking_delta", "thinking": half})).into();
        deltas.push(json!({"type": "signature_delta", "signature": format!("signed-{number}")}));
        block(json!({"type": "thinking", "thinking": "", "signature": ""}), deltas);
    }
    if !turn.text.is_empty() {
        let deltas = halves(&turn.text).map(|half| json!({"type": "text_delta", "text": half}));
        block(json!({"type": "text", "text": ""}), deltas.into());
    }
    for (at, call) in turn.calls.iter().enumerate() {
        let mut start = json!({"type": "tool_use", "name": call.tool, "input": {}});
        if let Some(id) = id(call, number, at) {
            start["id"] = id.into();
        }
        let deltas = halves(&arguments(call)).map(|half| json!({"type": "input_json_delta", "partial_json": half}));
        block(start, deltas.into());
    }
    let stop = if !turn.stop.is_empty() {
        turn.stop.as_str()
    } else if turn.calls.is_empty() {
        "end_turn"
    } else {
        "tool_use"
    };
    events.push(json!({
        "type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null},
        "usage": {"output_tokens": usage.output},
    }));
    events.push(json!({"type": "message_stop"}));
    events
}

fn chat(turn: &Turn, number: usize) -> Vec<Value> {
    let chunk = |delta: Value, stop: Value| {
        json!({
            "id": format!("chatcmpl-{number}"), "object": "chat.completion.chunk", "created": 0, "model": "scripted",
            "choices": [{"index": 0, "delta": delta, "finish_reason": stop}],
        })
    };
    let mut events = vec![chunk(json!({"role": "assistant", "content": ""}), Value::Null)];
    if !turn.thinking.is_empty() {
        events.push(chunk(json!({"reasoning_content": turn.thinking}), Value::Null));
    }
    events.extend(halves(&turn.text).map(|half| chunk(json!({"content": half}), Value::Null)));
    for (index, call) in turn.calls.iter().enumerate() {
        let mut first = json!({"index": index, "type": "function", "function": {"name": call.tool, "arguments": ""}});
        if let Some(id) = id(call, number, index) {
            first["id"] = id.into();
        }
        events.push(chunk(json!({"tool_calls": [first]}), Value::Null));
    }
    // The pieces of parallel calls alternate.
    for half in 0..2 {
        for (index, call) in turn.calls.iter().enumerate() {
            let arguments = arguments(call);
            let piece = json!({"index": index, "function": {"arguments": halves(&arguments)[half]}});
            events.push(chunk(json!({"tool_calls": [piece]}), Value::Null));
        }
    }
    let stop = if !turn.stop.is_empty() {
        turn.stop.as_str()
    } else if turn.calls.is_empty() {
        "stop"
    } else {
        "tool_calls"
    };
    events.push(chunk(json!({}), stop.into()));
    let usage = usage(turn);
    let read = usage.read();
    let mut last = chunk(Value::Null, Value::Null);
    last["choices"] = json!([]);
    last["usage"] = json!({
        "prompt_tokens": read, "completion_tokens": usage.output, "total_tokens": read + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached_read},
    });
    events.push(last);
    events
}

fn responses(turn: &Turn, number: usize) -> Vec<Value> {
    let mut response = json!({
        "id": format!("resp_{number}"), "object": "response", "created_at": 0, "status": "in_progress",
        "model": "scripted", "output": [], "error": null, "incomplete_details": null,
    });
    let mut events = vec![json!({"type": "response.created", "response": response})];
    let mut output = Vec::new();
    let mut item = |begun: Value, deltas: Vec<Value>, done: Value| {
        let at = output.len();
        events.push(json!({"type": "response.output_item.added", "output_index": at, "item": begun}));
        events.extend(deltas.into_iter().map(|mut delta| {
            delta["output_index"] = at.into();
            delta
        }));
        events.push(json!({"type": "response.output_item.done", "output_index": at, "item": done}));
        output.push(done);
    };
    if !turn.thinking.is_empty() {
        let begun = json!({"type": "reasoning", "id": format!("rs_{number}"), "summary": []});
        let delta =
            json!({"type": "response.reasoning_summary_text.delta", "summary_index": 0, "delta": turn.thinking});
        let mut done = begun.clone();
        done["summary"] = json!([{"type": "summary_text", "text": turn.thinking}]);
        done["encrypted_content"] = format!("sealed-{number}").into();
        item(begun, vec![delta], done);
    }
    if !turn.text.is_empty() {
        let begun = json!({"type": "message", "id": format!("msg_{number}"), "role": "assistant", "status": "in_progress", "content": []});
        let deltas = halves(&turn.text)
            .map(|half| json!({"type": "response.output_text.delta", "content_index": 0, "delta": half}));
        let mut done = begun.clone();
        done["status"] = "completed".into();
        done["content"] = json!([{"type": "output_text", "text": turn.text, "annotations": []}]);
        item(begun, deltas.into(), done);
    }
    for (index, call) in turn.calls.iter().enumerate() {
        let mut begun = json!({"type": "function_call", "id": format!("fc_{number}_{index}"), "name": call.tool, "arguments": "", "status": "in_progress"});
        if let Some(id) = id(call, number, index) {
            begun["call_id"] = id.into();
        }
        let arguments = arguments(call);
        let deltas =
            halves(&arguments).map(|half| json!({"type": "response.function_call_arguments.delta", "delta": half}));
        let mut done = begun.clone();
        (done["arguments"], done["status"]) = (arguments.clone().into(), "completed".into());
        item(begun, deltas.into(), done);
    }
    let usage = usage(turn);
    let is_cut = !turn.stop.is_empty();
    response["status"] = if is_cut { "incomplete" } else { "completed" }.into();
    if is_cut {
        let reason = if turn.stop == "max_tokens" { "max_output_tokens" } else { &turn.stop };
        response["incomplete_details"] = json!({"reason": reason});
    }
    response["output"] = output.into();
    response["usage"] = json!({
        "input_tokens": usage.read(), "input_tokens_details": {"cached_tokens": usage.cached_read},
        "output_tokens": usage.output, "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.read() + usage.output,
    });
    let name = if is_cut { "response.incomplete" } else { "response.completed" };
    events.push(json!({"type": name, "response": response}));
    events
}

fn ollama(turn: &Turn) -> Vec<Value> {
    let line = |message: Value| json!({"model": "scripted", "created_at": "1970-01-01T00:00:00Z", "message": message, "done": false});
    let mut lines = Vec::new();
    if !turn.thinking.is_empty() {
        lines.push(line(json!({"role": "assistant", "content": "", "thinking": turn.thinking})));
    }
    lines.extend(halves(&turn.text).map(|half| line(json!({"role": "assistant", "content": half}))));
    for call in &turn.calls {
        let params = match &call.arguments {
            Some(text) => Value::from(text.as_str()),
            None => Value::Object(call.params.clone()),
        };
        let mut made = json!({"function": {"name": call.tool, "arguments": params}});
        // Ollama gives ids only when the script does.
        if let Some(id) = call.id.as_deref().filter(|id| !id.is_empty()) {
            made["id"] = id.into();
        }
        lines.push(line(json!({"role": "assistant", "content": "", "tool_calls": [made]})));
    }
    let usage = usage(turn);
    let reason = match turn.stop.as_str() {
        "" => "stop",
        "max_tokens" => "length",
        other => other,
    };
    let mut last = line(json!({"role": "assistant", "content": ""}));
    (last["done"], last["done_reason"]) = (true.into(), reason.into());
    (last["prompt_eval_count"], last["eval_count"]) = (usage.read().into(), usage.output.into());
    lines.push(last);
    lines
}
