//! Tool definitions in the shapes that models and protocols take them in.

mod prompt;
mod provider;

pub use prompt::prompt;
pub use provider::{anthropic, json, mcp, openai};
pub use tools_core::estimate_tokens;
