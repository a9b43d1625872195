//! Assembles a reply: its blocks in order, and calls whose arguments arrive in pieces.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{ReplyError, turns::plain};
use crate::{
    Block, Delta, Message, Protocol, Reply, Request, Role, Sink, StopReason, Thinking, ToolUse, Usage, parse_arguments,
};

/// Maximum size in bytes of an answer.
const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// An incomplete block.
#[derive(Debug)]
pub(super) enum Part {
    Text(String),
    Thinking { text: String, raw: Option<Value> },
    Call { id: String, name: String, arguments: String, index: usize },
}

/// Parts received so far.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) blocks: Vec<Part>,
    pub(super) usage: Usage,
    pub(super) stop: Option<StopReason>,
    calls: usize,
    held: usize,
}

impl Parts {
    fn hold(&mut self, more: usize) -> Result<(), ReplyError> {
        self.held = self.held.saturating_add(more);
        if self.held > MAX_ANSWER_BYTES {
            Err(ReplyError::protocol("the answer is longer than 64 MiB"))
        } else {
            Ok(())
        }
    }

    /// Appends text.
    pub(super) fn text(&mut self, more: &str, sink: &dyn Sink) -> Result<(), ReplyError> {
        if more.is_empty() {
            return Ok(());
        }
        self.hold(more.len())?;
        sink.take(Delta::Text(more));
        match self.blocks.last_mut() {
            Some(Part::Text(text)) => text.push_str(more),
            _ => self.blocks.push(Part::Text(more.to_owned())),
        }
        Ok(())
    }

    /// Appends thoughts that are not sent back.
    pub(super) fn thought(&mut self, more: &str, sink: &dyn Sink) -> Result<(), ReplyError> {
        if more.is_empty() {
            return Ok(());
        }
        self.hold(more.len())?;
        sink.take(Delta::Thinking(more));
        match self.blocks.last_mut() {
            Some(Part::Thinking { text, .. }) => text.push_str(more),
            _ => self.blocks.push(Part::Thinking { text: more.to_owned(), raw: None }),
        }
        Ok(())
    }

    /// Begins a call; returns its position among the parts.
    pub(super) fn call(&mut self, id: &str, name: &str, sink: &dyn Sink) -> Result<usize, ReplyError> {
        self.hold(id.len() + name.len() + 64)?;
        let index = self.calls;
        self.calls += 1;
        sink.take(Delta::CallStart { index, name });
        self.blocks.push(Part::Call { id: id.to_owned(), name: name.to_owned(), arguments: String::new(), index });
        Ok(self.blocks.len() - 1)
    }

    /// Appends to the arguments of the call at a position.
    pub(super) fn arguments(&mut self, at: usize, more: &str, sink: &dyn Sink) -> Result<(), ReplyError> {
        self.hold(more.len())?;
        if let Some(Part::Call { arguments, index, .. }) = self.blocks.get_mut(at) {
            arguments.push_str(more);
            sink.take(Delta::CallArguments { index: *index, text: more });
        }
        Ok(())
    }

    /// Completes the reply. Corrects provider faults: ids become present and unique, parameters
    /// become objects.
    pub(super) fn finish(
        self,
        protocol: Protocol,
        request: &Request<'_>,
        is_strict: bool,
    ) -> Result<Reply, ReplyError> {
        let Some(stop) = self.stop else { return Err(ReplyError::truncated()) };
        let mut ids = BTreeSet::new();
        let blocks: Vec<Block> = self
            .blocks
            .into_iter()
            .map(|part| match part {
                Part::Text(text) => Block::Text(text),
                Part::Thinking { text, raw } => Block::Thinking(Thinking { text, raw: raw.map(|raw| (protocol, raw)) }),
                Part::Call { id, name, arguments, index } => {
                    let mut id = id;
                    if id.is_empty() || ids.contains(&id) {
                        id = made_id(request.messages.len(), index, &name);
                    }
                    ids.insert(id.clone());
                    let mut input = parse_arguments(&arguments);
                    if is_strict {
                        input = input.map(|params| request.tools.without_nulls(&name, params));
                    }
                    Block::ToolUse(ToolUse { id, name, input })
                }
            })
            .collect();
        let stop = match (stop, self.calls > 0) {
            (StopReason::EndTurn, true) => StopReason::ToolUse,
            (StopReason::ToolUse, false) => StopReason::EndTurn,
            (stop, _) => stop,
        };
        Ok(Reply { message: Message { role: Role::Assistant, blocks }, usage: self.usage, stop })
    }
}

/// An id for a call that has none: from its position in the conversation and in the message, and
/// its name.
fn made_id(position: usize, index: usize, name: &str) -> String {
    format!("call_{position}_{index}_{}", plain(name, 20, "unnamed"))
}
