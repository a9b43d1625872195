//! The two tools, and their common parts.

mod executors;
mod memory_save;
mod memory_search;
mod passages;
mod shared;

pub use passages::Passage;
pub use shared::{ConversationHit, Conversations, MemoryTools};
