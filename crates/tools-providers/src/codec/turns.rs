//! Normalizes a history for all protocols: roles alternate, each call has one result in the next
//! turn, ids and names have a form that all accept. Missing parts are filled in, so that no history
//! is refused.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use serde_json::Value;
use tools_catalog::{canonical_bytes, canonical_object};
use tools_core::Media;

use crate::{Block, Message, Protocol, Role, Thinking, ToolUse};

/// Maximum length of an id in all protocols; OpenAI's is the shortest.
const MAX_ID_LEN: usize = 40;
/// Maximum length of a tool name.
const MAX_NAME_LEN: usize = 64;

pub(super) enum Turn<'a> {
    User { results: Vec<Answer<'a>>, rest: Vec<UserPart<'a>> },
    Assistant(Vec<AssistantPart<'a>>),
}

/// A part of a user's turn.
pub(super) enum UserPart<'a> {
    Text(Cow<'a, str>),
    Picture(&'a Media),
}

/// A part of a model's turn.
pub(super) enum AssistantPart<'a> {
    Text(&'a str),
    /// As the provider sent them.
    Thinking(&'a Value),
    Call(Call<'a>),
}

/// A call to be sent back.
pub(super) struct Call<'a> {
    pub(super) id: Cow<'a, str>,
    pub(super) name: Cow<'a, str>,
    /// The arguments as canonical JSON, always an object.
    pub(super) input: String,
}

/// The result of a call.
pub(super) struct Answer<'a> {
    pub(super) id: Cow<'a, str>,
    pub(super) name: Cow<'a, str>,
    pub(super) text: &'a str,
    pub(super) is_error: bool,
    pub(super) pictures: &'a [Media],
}

impl Answer<'_> {
    /// The text with a failure mark, for protocols without a field for failures.
    pub(super) fn marked(&self) -> Cow<'_, str> {
        const MARK: &str = "[tool_error]";
        if self.is_error && !self.text.starts_with(MARK) {
            Cow::Owned(format!("{MARK}\n{}", self.text))
        } else {
            Cow::Borrowed(self.text)
        }
    }
}

/// The turns of a history, with the thoughts that came from this protocol. The first is the user's.
pub(super) fn turns(messages: &[Arc<Message>], protocol: Protocol) -> Vec<Turn<'_>> {
    let mut turns = Vec::with_capacity(messages.len() + 1);
    let mut ids = BTreeSet::new();
    // Calls that the next user turn answers: the id in the history, the sent id, the name.
    let mut open: Vec<(&str, Cow<'_, str>, Cow<'_, str>)> = Vec::new();
    let mut at = 0;
    while at < messages.len() {
        let role = messages[at].role;
        let end = messages[at..].iter().position(|message| message.role != role).map_or(messages.len(), |n| at + n);
        let blocks = || messages[at..end].iter().flat_map(|message| &message.blocks);
        match role {
            Role::Assistant => {
                let mut wrote = Vec::new();
                for block in blocks() {
                    match block {
                        Block::Text(text) if !text.trim().is_empty() => wrote.push(AssistantPart::Text(text)),
                        Block::Thinking(Thinking { raw: Some((of, raw)), .. }) if *of == protocol => {
                            wrote.push(AssistantPart::Thinking(raw));
                        }
                        Block::ToolUse(call) => {
                            let (id, name) = (unused(&call.id, &mut ids), plain(&call.name, MAX_NAME_LEN, "unnamed"));
                            open.push((&call.id, id.clone(), name.clone()));
                            wrote.push(AssistantPart::Call(Call { id, name, input: input(call) }));
                        }
                        _ => {}
                    }
                }
                let says_something = wrote.iter().any(|part| !matches!(part, AssistantPart::Thinking(_)));
                if says_something {
                    if turns.is_empty() {
                        turns.push(Turn::User { results: vec![], rest: vec![UserPart::Text("(continued)".into())] });
                    }
                    match turns.last_mut() {
                        Some(Turn::Assistant(before)) => before.append(&mut wrote),
                        _ => turns.push(Turn::Assistant(wrote)),
                    }
                }
            }
            Role::User => {
                let (results, rest) = said(blocks(), std::mem::take(&mut open));
                push_user(&mut turns, results, rest);
            }
        }
        at = end;
    }
    if !open.is_empty() {
        let (results, rest) = said(std::iter::empty(), open);
        push_user(&mut turns, results, rest);
    }
    if turns.is_empty() {
        turns.push(Turn::User { results: vec![], rest: vec![UserPart::Text("(nothing was said)".into())] });
    }
    turns
}

fn push_user<'a>(turns: &mut Vec<Turn<'a>>, mut results: Vec<Answer<'a>>, mut rest: Vec<UserPart<'a>>) {
    if results.is_empty() && rest.is_empty() {
        return;
    }
    match turns.last_mut() {
        // Two user turns in a row: the model's message between them had no content.
        Some(Turn::User { results: before, rest: said }) => {
            before.append(&mut results);
            said.append(&mut rest);
        }
        _ => turns.push(Turn::User { results, rest }),
    }
}

/// The content of a user turn: a result for each open call in the order of the calls, then
/// everything else.
fn said<'a>(
    blocks: impl Iterator<Item = &'a Block>,
    open: Vec<(&'a str, Cow<'a, str>, Cow<'a, str>)>,
) -> (Vec<Answer<'a>>, Vec<UserPart<'a>>) {
    let mut given: HashMap<&str, Vec<_>> = HashMap::new();
    let mut rest = Vec::new();
    for block in blocks {
        match block {
            Block::ToolResult(result) if open.iter().any(|(id, ..)| *id == result.id) => {
                given.entry(result.id.as_str()).or_default().push(result);
            }
            // A result whose call is no longer in the history.
            Block::ToolResult(result) => {
                rest.push(UserPart::Text(format!("[result of `{}`]\n{}", result.name, result.text).into()));
                rest.extend(result.images.iter().map(UserPart::Picture));
            }
            Block::Text(text) if !text.trim().is_empty() => rest.push(UserPart::Text(text.as_str().into())),
            Block::Image(picture) => rest.push(UserPart::Picture(picture)),
            _ => {}
        }
    }
    let results = open.into_iter().map(|(of, id, name)| {
        let result = given.get_mut(of).and_then(|results| (!results.is_empty()).then(|| results.remove(0)));
        match result {
            Some(result) => {
                Answer { id, name, text: &result.text, is_error: result.is_error, pictures: &result.images }
            }
            None => Answer { id, name, text: "the call was not made", is_error: true, pictures: &[] },
        }
    });
    (results.collect(), rest)
}

fn input(call: &ToolUse) -> String {
    match &call.input {
        Ok(params) => canonical_object(params),
        // The model's text is sent back, in a form that every server accepts.
        Err(bad) => canonical_bytes(&serde_json::json!({"not_json": bad.text})),
    }
}

/// A unique id for a call of the history, of characters that every protocol accepts.
fn unused<'a>(id: &'a str, used: &mut BTreeSet<String>) -> Cow<'a, str> {
    let plain = plain(id, MAX_ID_LEN, "call");
    if used.insert(plain.clone().into_owned()) {
        return plain;
    }
    let numbered = (2_u32..).map(|number| {
        let number = format!("_{number}");
        let stem: String = plain.chars().take(MAX_ID_LEN - number.len()).collect();
        stem + &number
    });
    for id in numbered {
        if used.insert(id.clone()) {
            return Cow::Owned(id);
        }
    }
    plain
}

/// Reduces a text to ASCII letters, digits, `_` and `-`, cuts it to a length, and replaces an empty
/// one.
pub(super) fn plain<'a>(text: &'a str, longest: usize, empty: &'static str) -> Cow<'a, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if text.is_empty() {
        Cow::Borrowed(empty)
    } else if text.len() <= longest && text.chars().all(is_plain) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.chars().take(longest).map(|c| if is_plain(c) { c } else { '_' }).collect())
    }
}
