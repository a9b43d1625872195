//! Encodes requests to OpenAI's chat completions and to compatible servers.

use super::Options;
use super::json::{Items, Members, Picture, object};
use super::session::cache_key;
use super::turns::{Answer, AssistantPart, Turn, UserPart, plain, turns};
use crate::{CacheMode, Protocol, Request, ToolChoice};

pub(super) fn encode(options: &Options, request: &Request<'_>, out: &mut Vec<u8>) {
    let most = u64::from(request.max_output_tokens.unwrap_or(options.max_output_tokens));
    object(out, |body| {
        body.text("model", &options.model);
        // Compatible servers know the older name of the limit, and some refuse unknown members.
        body.number(if options.is_compatible { "max_tokens" } else { "max_completion_tokens" }, most);
        body.flag("stream", true);
        body.object("stream_options", |member| member.flag("include_usage", true));
        if !options.is_compatible && options.cache != CacheMode::Off {
            body.text("prompt_cache_key", &cache_key(request.session_key));
        }
        if let Some(effort) = &options.reasoning_effort {
            body.text("reasoning_effort", effort);
        }
        if !request.tools.is_empty() {
            if !options.is_compatible {
                body.flag("parallel_tool_calls", true);
            }
            tool_choice(body, request.tool_choice);
            body.array("tools", |items| {
                for tool in request.tools.encoded(options.dialect()) {
                    items.raw(tool);
                }
            });
        }
        body.array("messages", |items| messages(items, request));
    });
}

fn tool_choice(body: &mut Members<'_>, choice: ToolChoice<'_>) {
    match choice {
        ToolChoice::Auto => {}
        ToolChoice::None => body.text("tool_choice", "none"),
        ToolChoice::Any => body.text("tool_choice", "required"),
        ToolChoice::Tool(name) => body.object("tool_choice", |member| {
            member.text("type", "function");
            member.object("function", |function| function.text("name", &plain(name, 64, "unnamed")));
        }),
    }
}

fn messages(items: &mut Items<'_>, request: &Request<'_>) {
    if !request.system.trim().is_empty() {
        items.object(|message| {
            message.text("role", "system");
            message.text("content", request.system);
        });
    }
    for turn in turns(request.messages, Protocol::OpenAiChat) {
        match turn {
            Turn::User { results, rest } => {
                for result in &results {
                    items.object(|message| tool(message, result));
                }
                user(items, &results, &rest);
            }
            Turn::Assistant(parts) => items.object(|message| assistant(message, &parts)),
        }
    }
}

fn tool(message: &mut Members<'_>, result: &Answer<'_>) {
    message.text("role", "tool");
    message.text("tool_call_id", &result.id);
    message.text("content", &result.marked());
}

/// The user's message, and the pictures of results, which tool messages cannot contain.
fn user(items: &mut Items<'_>, results: &[Answer<'_>], rest: &[UserPart<'_>]) {
    let with_pictures = || results.iter().filter(|result| !result.pictures.is_empty());
    if rest.is_empty() && with_pictures().next().is_none() {
        return;
    }
    items.object(|message| {
        message.text("role", "user");
        if let ([UserPart::Text(only)], None) = (rest, with_pictures().next()) {
            return message.text("content", only);
        }
        message.array("content", |items| {
            for result in with_pictures() {
                items.object(|part| text(part, &format!("Pictures of the result of `{}`:", result.name)));
                result.pictures.iter().for_each(|media| items.object(|part| picture(part, media)));
            }
            for part in rest {
                items.object(|member| match part {
                    UserPart::Text(said) => text(member, said),
                    UserPart::Picture(media) => picture(member, media),
                });
            }
        });
    });
}

fn assistant(message: &mut Members<'_>, parts: &[AssistantPart<'_>]) {
    message.text("role", "assistant");
    let texts: Vec<&str> =
        parts.iter().filter_map(|part| if let AssistantPart::Text(text) = part { Some(*text) } else { None }).collect();
    if texts.is_empty() {
        message.raw("content", "null");
    } else {
        message.text("content", &texts.join("\n"));
    }
    let calls = || parts.iter().filter_map(|part| if let AssistantPart::Call(call) = part { Some(call) } else { None });
    if calls().next().is_none() {
        return;
    }
    message.array("tool_calls", |items| {
        for call in calls() {
            items.object(|member| {
                member.text("id", &call.id);
                member.text("type", "function");
                member.object("function", |function| {
                    function.text("name", &call.name);
                    function.text("arguments", &call.input);
                });
            });
        }
    });
}

fn text(part: &mut Members<'_>, said: &str) {
    part.text("type", "text");
    part.text("text", said);
}

fn picture(part: &mut Members<'_>, media: &tools_core::Media) {
    part.text("type", "image_url");
    part.object("image_url", |url| url.picture("url", media, Picture::DataUrl));
}
