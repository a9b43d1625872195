//! Estimated size of a message in bytes of a request. All APIs are of the same order.

use tools_providers::{Block, Message};

/// Assumed bytes of an API's syntax around a block.
const AROUND: usize = 24;
/// Assumed bytes of a picture, whatever its size: APIs count by area.
const IMAGE: usize = 6_400;

/// Size of a message in bytes.
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
