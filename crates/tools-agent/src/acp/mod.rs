//! An agent in an editor: a conversation of the Agent Client Protocol over any [`crate::ToolHost`],
//! saved after each turn.

mod conversation;
mod desk;
mod notifier;
mod replay;

pub use conversation::{AgentConversation, Closing, ConversationParts};
pub use replay::replayed;
