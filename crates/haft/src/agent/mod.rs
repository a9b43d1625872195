//! An agent over a toolbox: its calls, its limits, and the conversations that are kept.

mod assemble;
mod host;
#[cfg(feature = "scheduler")]
mod prompts;
#[cfg(feature = "memory")]
mod said;
mod sessions;
mod settings;

pub use assemble::{agent_builder, agent_provider, scripted_provider};
#[cfg(feature = "scheduler")]
pub use prompts::AgentPrompts;
#[cfg(feature = "memory")]
pub(crate) use said::ConversationStore;
pub use sessions::{HeldSession, KeptSession, OnSessionsAway, SessionEntry, Sessions, SessionsConfig, SessionsError};
pub use settings::agent_settings;
