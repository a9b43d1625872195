//! An agent over a toolbox: its calls, its limits, and the conversations that are kept.

mod host;
mod sessions;
mod settings;

pub use sessions::{KeptSession, Sessions};
pub use settings::agent_settings;
