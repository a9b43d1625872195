//! Tool definitions in the shapes that models and protocols take them in.

mod prompt;
mod provider;
mod tokens;

pub use prompt::prompt;
pub use provider::{anthropic, json, mcp, openai};
pub use tokens::estimate_tokens;
