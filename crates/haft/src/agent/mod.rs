//! An agent over a toolbox: its calls, its limits, and where its conversations are saved.

mod assemble;
mod host;
#[cfg(feature = "scheduler")]
mod prompts;
#[cfg(feature = "postgres")]
mod session_database;
mod sessions;

pub use assemble::{agent_builder, agent_provider};
#[cfg(feature = "scheduler")]
pub use prompts::AgentPrompts;
pub use sessions::saved_sessions;
