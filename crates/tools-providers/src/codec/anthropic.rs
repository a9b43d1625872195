//! Encodes requests to Anthropic's messages.

use super::Options;
use super::json::{Items, Members, Picture, object};
use super::turns::{Answer, AssistantPart, Turn, UserPart, plain, turns};
use crate::{CacheMode, Protocol, Request, ToolChoice};

/// How long a request prefix is cached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    FiveMinutes,
    Hour,
}

/// Positions of cache marks: at most four, with a minimum distance.
struct Marks {
    mode: CacheMode,
    minimum: usize,
}

impl Marks {
    /// The mark after the part that does not change between turns. `written` is the number of bytes
    /// so far; four make a token.
    fn fixed(&self, written: usize) -> Option<Mark> {
        let mark = match self.mode {
            CacheMode::Off => return None,
            CacheMode::Auto => Mark::FiveMinutes,
            CacheMode::Hour => Mark::Hour,
        };
        (written / 4 >= self.minimum).then_some(mark)
    }

    /// The mark after a turn; shorter-lived marks must come after longer-lived ones.
    fn rolling(&self, written: usize) -> Option<Mark> {
        self.fixed(written).map(|_| Mark::FiveMinutes)
    }
}

/// Tools, system text and turns, in the order in which the provider caches them.
pub(super) fn encode(options: &Options, request: &Request<'_>, out: &mut Vec<u8>) {
    let minimum = usize::try_from(options.cache_minimum).unwrap_or(usize::MAX);
    let marks = Marks { mode: options.cache, minimum };
    let most = request.max_output_tokens.unwrap_or(options.max_output_tokens);
    let turns = turns(request.messages, Protocol::Anthropic);
    let thinking = options.thinking_tokens.map(|budget| budget.max(1_024)).filter(|_| may_think(&turns));
    object(out, |body| {
        body.text("model", &options.model);
        // Thoughts count as output, so the limit must exceed their budget.
        body.number("max_tokens", u64::from(thinking.map_or(most, |budget| most.max(budget.saturating_add(1_024)))));
        body.flag("stream", true);
        if let Some(budget) = thinking {
            body.object("thinking", |member| {
                member.text("type", "enabled");
                member.number("budget_tokens", u64::from(budget));
            });
        }
        if !request.tools.is_empty() {
            tool_choice(body, request.tool_choice, thinking.is_some());
            body.array("tools", |items| tools(items, request, options, &marks));
        }
        if !request.system.trim().is_empty() {
            body.array("system", |items| {
                let written = items.written() + request.system.len();
                items.object(|block| text(block, request.system, marks.fixed(written)));
            });
        }
        body.array("messages", |items| messages(items, &turns, &marks));
    });
}

fn tool_choice(body: &mut Members<'_>, choice: ToolChoice<'_>, thinks: bool) {
    let kind = match choice {
        ToolChoice::None => "none",
        // A model that thinks cannot be forced to call.
        ToolChoice::Any if !thinks => "any",
        ToolChoice::Tool(_) if !thinks => "tool",
        _ => return,
    };
    body.object("tool_choice", |member| {
        member.text("type", kind);
        if let ToolChoice::Tool(name) = choice {
            member.text("name", &plain(name, 64, "unnamed"));
        }
    });
}

fn tools(items: &mut Items<'_>, request: &Request<'_>, options: &Options, marks: &Marks) {
    let Some((last, others)) = request.tools.encoded(options.dialect()).split_last() else { return };
    for tool in others {
        items.raw(tool);
    }
    match marks.fixed(items.written() + last.len()) {
        None => items.raw(last),
        Some(mark) => {
            let open = last.strip_suffix('}').unwrap_or(last);
            items.raw(&format!("{open},\"cache_control\":{}}}", control(mark)));
        }
    }
}

/// Whether thinking is allowed: the calls being answered came with thoughts, or there are none. The
/// provider refuses anything else.
fn may_think(turns: &[Turn<'_>]) -> bool {
    match turns {
        [.., Turn::Assistant(parts), Turn::User { results, .. }] if !results.is_empty() => {
            matches!(parts.first(), Some(AssistantPart::Thinking(_)))
        }
        _ => true,
    }
}

fn messages(items: &mut Items<'_>, turns: &[Turn<'_>], marks: &Marks) {
    let users: Vec<usize> = (0..turns.len()).filter(|at| matches!(turns[*at], Turn::User { .. })).collect();
    // The newest turn, with which the next request's prefix ends, and the one before it, the prefix
    // of this request.
    let marked = &users[users.len().saturating_sub(2)..];
    for (at, turn) in turns.iter().enumerate() {
        items.object(|message| match turn {
            Turn::User { results, rest } => {
                message.text("role", "user");
                message.array("content", |items| user(items, results, rest, marked.contains(&at).then_some(marks)));
            }
            Turn::Assistant(parts) => {
                message.text("role", "assistant");
                message.array("content", |items| assistant(items, parts));
            }
        });
    }
}

fn user(items: &mut Items<'_>, results: &[Answer<'_>], rest: &[UserPart<'_>], marks: Option<&Marks>) {
    let count = results.len() + rest.len();
    let mark_of =
        |at: usize, written: usize| marks.filter(|_| at + 1 == count).and_then(|marks| marks.rolling(written));
    for (at, result) in results.iter().enumerate() {
        let mark = mark_of(at, items.written() + result.text.len());
        items.object(|block| {
            block.text("type", "tool_result");
            block.text("tool_use_id", &result.id);
            if result.is_error {
                block.flag("is_error", true);
            }
            block.array("content", |items| {
                if !result.text.trim().is_empty() {
                    items.object(|block| text(block, result.text, None));
                }
                for media in result.pictures {
                    items.object(|block| picture(block, media, None));
                }
            });
            cache_control(block, mark);
        });
    }
    for (at, part) in rest.iter().enumerate() {
        let written = items.written();
        items.object(|block| match part {
            UserPart::Text(said) => text(block, said, mark_of(results.len() + at, written + said.len())),
            UserPart::Picture(media) => picture(block, media, mark_of(results.len() + at, written)),
        });
    }
}

fn assistant(items: &mut Items<'_>, parts: &[AssistantPart<'_>]) {
    for part in parts {
        match part {
            AssistantPart::Text(said) => items.object(|block| text(block, said, None)),
            AssistantPart::Thinking(raw) => items.raw(&raw.to_string()),
            AssistantPart::Call(call) => items.object(|block| {
                block.text("type", "tool_use");
                block.text("id", &call.id);
                block.text("name", &call.name);
                block.raw("input", &call.input);
            }),
        }
    }
}

fn text(block: &mut Members<'_>, said: &str, mark: Option<Mark>) {
    block.text("type", "text");
    block.text("text", said);
    cache_control(block, mark);
}

fn picture(block: &mut Members<'_>, media: &tools_core::Media, mark: Option<Mark>) {
    block.text("type", "image");
    block.object("source", |source| {
        source.text("type", "base64");
        source.text("media_type", &media.mime);
        source.picture("data", media, Picture::Base64);
    });
    cache_control(block, mark);
}

fn cache_control(block: &mut Members<'_>, mark: Option<Mark>) {
    if let Some(mark) = mark {
        block.raw("cache_control", control(mark));
    }
}

fn control(mark: Mark) -> &'static str {
    match mark {
        Mark::FiveMinutes => r#"{"type":"ephemeral"}"#,
        Mark::Hour => r#"{"type":"ephemeral","ttl":"1h"}"#,
    }
}
