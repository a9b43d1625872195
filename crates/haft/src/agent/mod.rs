//! An agent over a toolbox: its calls, its limits, and the conversations that are kept.

mod assemble;
mod host;
mod sessions;
mod settings;

pub use assemble::{agent_builder, agent_provider, scripted_provider};
pub use sessions::{KeptSession, Sessions};
pub use settings::agent_settings;
