//! Removes old results from a conversation; the newest stay, and so do references to stored output.
//! Pure.

use std::sync::Arc;

use tools_providers::{Block, Message, ToolResult};

/// Text in place of a removed result.
const CLEARED: &str = "[old result taken out";
/// Number of latest messages with results that are left as they are.
const KEPT_RESULTS: usize = 3;
/// Maximum length of a result that stays.
const SHORT: usize = 400;

/// Index of the message before which results may be removed.
pub(super) fn boundary(messages: &[Arc<Message>]) -> usize {
    let with_results = |(at, message): (usize, &Arc<Message>)| message.tool_results().next().map(|_| at);
    messages.iter().enumerate().rev().filter_map(with_results).nth(KEPT_RESULTS - 1).unwrap_or(0)
}

/// The message without its long results, their number, and the number of bytes removed; `None` if
/// it has none.
pub(super) fn cleared(message: &Message) -> Option<(Message, usize, u64)> {
    let (mut count, mut saved) = (0, 0);
    let mut change = |block: &Block| {
        let Block::ToolResult(result) = block else { return block.clone() };
        let Some(short) = shortened(result) else { return block.clone() };
        count += 1;
        saved += (result.text.len() - short.len()) as u64;
        Block::ToolResult(ToolResult { text: short, images: vec![], ..result.clone() })
    };
    let blocks = message.blocks.iter().map(&mut change).collect();
    (count > 0).then_some((Message { blocks, ..message.clone() }, count, saved))
}

fn shortened(result: &ToolResult) -> Option<String> {
    if result.text.len() <= SHORT || result.text.starts_with(CLEARED) {
        return None;
    }
    let mut text = format!("{CLEARED}: {} bytes of `{}`]", result.text.len(), result.name);
    for line in kept_lines(&result.text) {
        text.push('\n');
        text.push_str(line);
    }
    (text.len() < result.text.len()).then_some(text)
}

/// Lines of a text that refer to stored output or background jobs. At most 20.
pub(crate) fn kept_lines(text: &str) -> impl Iterator<Item = &str> {
    let leads_back =
        |line: &&str| line.len() <= 300 && ["read_overflow", "job_read"].iter().any(|way| line.contains(way));
    text.lines().filter(leads_back).take(20)
}
