//! Encodes requests to OpenAI's responses. Nothing is stored at the server: every request contains
//! the whole conversation.

use super::Options;
use super::json::{Items, Members, Picture, object};
use super::session::cache_key;
use super::turns::{Answer, AssistantPart, Turn, UserPart, plain, turns};
use crate::{CacheMode, Protocol, Request, ToolChoice};

pub(super) fn encode(options: &Options, request: &Request<'_>, out: &mut Vec<u8>) {
    object(out, |body| {
        body.text("model", &options.model);
        let most = request.max_output_tokens.unwrap_or(options.max_output_tokens);
        body.number("max_output_tokens", u64::from(most));
        body.flag("stream", true);
        body.flag("store", false);
        if let Some(effort) = &options.reasoning_effort {
            body.object("reasoning", |member| member.text("effort", effort));
            // Without storage, thoughts are returned only encrypted.
            body.array("include", |items| items.text("reasoning.encrypted_content"));
        }
        if options.cache != CacheMode::Off {
            body.text("prompt_cache_key", &cache_key(request.session_key));
        }
        if !request.tools.is_empty() {
            body.flag("parallel_tool_calls", true);
            tool_choice(body, request.tool_choice);
            body.array("tools", |items| {
                for tool in request.tools.encoded(options.dialect()) {
                    items.raw(tool);
                }
            });
        }
        if !request.system.trim().is_empty() {
            body.text("instructions", request.system);
        }
        body.array("input", |items| {
            for turn in turns(request.messages, Protocol::OpenAiResponses) {
                match turn {
                    Turn::User { results, rest } => user(items, &results, &rest),
                    Turn::Assistant(parts) => parts.iter().for_each(|part| assistant(items, part)),
                }
            }
        });
    });
}

fn tool_choice(body: &mut Members<'_>, choice: ToolChoice<'_>) {
    match choice {
        ToolChoice::Auto => {}
        ToolChoice::None => body.text("tool_choice", "none"),
        ToolChoice::Any => body.text("tool_choice", "required"),
        ToolChoice::Tool(name) => body.object("tool_choice", |member| {
            member.text("type", "function");
            member.text("name", &plain(name, 64, "unnamed"));
        }),
    }
}

fn user(items: &mut Items<'_>, results: &[Answer<'_>], rest: &[UserPart<'_>]) {
    for result in results {
        items.object(|item| {
            item.text("type", "function_call_output");
            item.text("call_id", &result.id);
            if result.pictures.is_empty() {
                return item.text("output", &result.marked());
            }
            item.array("output", |items| {
                items.object(|part| text(part, &result.marked()));
                result.pictures.iter().for_each(|media| items.object(|part| picture(part, media)));
            });
        });
    }
    if rest.is_empty() {
        return;
    }
    items.object(|item| {
        item.text("type", "message");
        item.text("role", "user");
        item.array("content", |items| {
            for part in rest {
                items.object(|member| match part {
                    UserPart::Text(said) => text(member, said),
                    UserPart::Picture(media) => picture(member, media),
                });
            }
        });
    });
}

fn assistant(items: &mut Items<'_>, part: &AssistantPart<'_>) {
    match part {
        AssistantPart::Text(said) => items.object(|item| {
            item.text("type", "message");
            item.text("role", "assistant");
            // A list would require the id that the server gave it.
            item.text("content", said);
        }),
        AssistantPart::Thinking(raw) => items.raw(&raw.to_string()),
        AssistantPart::Call(call) => items.object(|item| {
            item.text("type", "function_call");
            item.text("call_id", &call.id);
            item.text("name", &call.name);
            item.text("arguments", &call.input);
        }),
    }
}

fn text(part: &mut Members<'_>, said: &str) {
    part.text("type", "input_text");
    part.text("text", said);
}

fn picture(part: &mut Members<'_>, media: &tools_core::Media) {
    part.text("type", "input_image");
    part.text("detail", "auto");
    part.picture("image_url", media, Picture::DataUrl);
}
