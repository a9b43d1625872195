//! Replays a saved conversation.

use std::collections::HashMap;

use tools_acp::SessionEvent;
use tools_core::{CallId, Redactor};
use tools_providers::{Block, Role};

use super::notifier::named;
use crate::{ToolHost, sessions::SavedSession};

/// Events of a saved conversation, in order: messages and calls.
///
/// # Errors
/// A sentence for a person, if the saved text is not a conversation.
pub fn replayed(
    host: &dyn ToolHost,
    redactor: &dyn Redactor,
    kept: &SavedSession,
) -> Result<Vec<SessionEvent>, String> {
    let history = kept.history.clone().restore();
    let history = history.map_err(|error| format!("the kept session cannot go on: {error}"))?;
    // Providers may reuse an id in a later answer.
    let mut calls = HashMap::new();
    let blocks = history.messages().iter().flat_map(|message| message.blocks.iter().map(|block| (message.role, block)));
    Ok(blocks.filter_map(|(role, block)| session_event(host, redactor, &mut calls, role, block)).collect())
}

fn session_event(
    host: &dyn ToolHost,
    redactor: &dyn Redactor,
    calls: &mut HashMap<String, CallId>,
    role: Role,
    block: &Block,
) -> Option<SessionEvent> {
    let clean = |text: &str| redactor.redact(text).into_owned();
    match (role, block) {
        (_, Block::Text(text)) if text.is_empty() => None,
        (Role::User, Block::Text(text)) => Some(SessionEvent::UserSaid { text: clean(text) }),
        (Role::Assistant, Block::Text(text)) => Some(SessionEvent::Said { text: clean(text) }),
        (_, Block::Thinking(thinking)) if !thinking.text.is_empty() => {
            Some(SessionEvent::Thought { text: clean(&thinking.text) })
        }
        (_, Block::ToolUse(used)) => {
            let call = CallId::generate();
            calls.insert(used.id.clone(), call.clone());
            let input = used.input.as_ref().ok().map(|params| redactor.redact_json(&params.clone().into()));
            let (title, kind) = named(host, &used.name);
            Some(SessionEvent::Called { call, tool: used.name.clone(), title, kind, input })
        }
        (_, Block::ToolResult(result)) => Some(SessionEvent::Answered {
            call: calls.remove(&result.id)?,
            is_error: result.is_error,
            text: clean(&result.text),
            diff: None,
            media: vec![],
            locations: vec![],
        }),
        _ => None,
    }
}
