//! An agent over a toolbox: its calls, its limits, and where its conversations are saved.

mod assemble;
mod host;
#[cfg(feature = "scheduler")]
mod prompts;
#[cfg(feature = "memory")]
mod said;
#[cfg(feature = "postgres")]
mod session_database;
mod sessions;
mod settings;

pub use assemble::{agent_builder, agent_provider};
#[cfg(feature = "scheduler")]
pub use prompts::AgentPrompts;
#[cfg(feature = "memory")]
pub(crate) use said::ConversationStore;
pub use sessions::saved_sessions;
pub use settings::agent_settings;
