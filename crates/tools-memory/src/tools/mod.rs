//! The two tools, and what they share.

mod executors;
mod memory_save;
mod memory_search;
mod shared;

pub use shared::{ConversationHit, Conversations, MemoryTools};
