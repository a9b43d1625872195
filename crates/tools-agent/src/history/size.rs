//! How many bytes of a request a message takes. An estimate of the same order as any interface's.

use tools_providers::{Block, Message};

/// What the punctuation of an interface around a block comes to.
const AROUND: usize = 24;
/// What a picture is taken for, whatever its size: interfaces count by area.
const IMAGE: usize = 6_400;

/// How many bytes a message takes.
pub(super) fn bytes(message: &Message) -> u64 {
    let sum: usize = message.blocks.iter().map(|block| block_bytes(block) + AROUND).sum();
    sum as u64
}

fn block_bytes(block: &Block) -> usize {
    match block {
        Block::Text(text) => text.len(),
        Block::Thinking(thinking) => {
            thinking.text.len() + thinking.raw.as_ref().map_or(0, |(_, raw)| raw.to_string().len())
        }
        Block::ToolUse(call) => {
            let input = match &call.input {
                Ok(params) => params.iter().map(|(name, value)| name.len() + value.to_string().len() + 4).sum(),
                Err(bad) => bad.text.len(),
            };
            call.id.len() + call.name.len() + input
        }
        Block::ToolResult(result) => result.id.len() + result.text.len() + result.images.len() * IMAGE,
        Block::Image(_) => IMAGE,
    }
}
