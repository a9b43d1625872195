//! Encodes requests to Ollama.

use super::Options;
use super::json::{Items, Members, object};
use super::turns::{Answer, AssistantPart, Turn, UserPart, turns};
use crate::{Protocol, Request, ToolChoice};

pub(super) fn encode(options: &Options, request: &Request<'_>, out: &mut Vec<u8>) {
    let most = u64::from(request.max_output_tokens.unwrap_or(options.max_output_tokens));
    object(out, |body| {
        body.text("model", &options.model);
        body.flag("stream", true);
        body.object("options", |member| {
            // Without it the server reads a few thousand tokens and silently drops the beginning.
            member.number("num_ctx", options.context_tokens);
            member.number("num_predict", most);
        });
        if options.thinking_tokens.is_some() {
            body.flag("think", true);
        }
        // The protocol has no tool choice: a model that may not call gets no tools.
        if !request.tools.is_empty() && request.tool_choice != ToolChoice::None {
            body.array("tools", |items| {
                for tool in request.tools.encoded(options.dialect()) {
                    items.raw(tool);
                }
            });
        }
        body.array("messages", |items| messages(items, request));
    });
}

fn messages(items: &mut Items<'_>, request: &Request<'_>) {
    if !request.system.trim().is_empty() {
        items.object(|message| {
            message.text("role", "system");
            message.text("content", request.system);
        });
    }
    for turn in turns(request.messages, Protocol::Ollama) {
        match turn {
            Turn::User { results, rest } => {
                for result in &results {
                    items.object(|message| tool(message, result));
                }
                user(items, &rest);
            }
            Turn::Assistant(parts) => items.object(|message| assistant(message, &parts)),
        }
    }
}

fn tool(message: &mut Members<'_>, result: &Answer<'_>) {
    message.text("role", "tool");
    message.text("tool_name", &result.name);
    message.text("content", &result.marked());
    if !result.pictures.is_empty() {
        message.array("images", |items| result.pictures.iter().for_each(|media| items.picture(media)));
    }
}

fn user(items: &mut Items<'_>, rest: &[UserPart<'_>]) {
    if rest.is_empty() {
        return;
    }
    items.object(|message| {
        message.text("role", "user");
        let texts: Vec<&str> = rest
            .iter()
            .filter_map(|part| if let UserPart::Text(text) = part { Some(text.as_ref()) } else { None })
            .collect();
        message.text("content", &texts.join("\n"));
        let pictures =
            || rest.iter().filter_map(|part| if let UserPart::Picture(media) = part { Some(*media) } else { None });
        if pictures().next().is_some() {
            message.array("images", |items| pictures().for_each(|media| items.picture(media)));
        }
    });
}

fn assistant(message: &mut Members<'_>, parts: &[AssistantPart<'_>]) {
    message.text("role", "assistant");
    let texts: Vec<&str> =
        parts.iter().filter_map(|part| if let AssistantPart::Text(text) = part { Some(*text) } else { None }).collect();
    message.text("content", &texts.join("\n"));
    let calls = || parts.iter().filter_map(|part| if let AssistantPart::Call(call) = part { Some(call) } else { None });
    if calls().next().is_none() {
        return;
    }
    message.array("tool_calls", |items| {
        for call in calls() {
            items.object(|member| {
                member.object("function", |function| {
                    function.text("name", &call.name);
                    function.raw("arguments", &call.input);
                });
            });
        }
    });
}
