//! Models behind one trait.
//!
//! [`Message`], [`Request`] and [`Reply`] are the conversation as no interface has it; a [`Provider`] answers. What a call
//! may do, whether a failed request is repeated and what goes into the history is decided elsewhere.

mod arguments;
mod error;
mod message;
mod model_info;
mod protocol;
mod provider;
mod reply;
mod request;
mod tool_list;

pub use arguments::{BadArguments, parse_arguments};
pub use error::{ProviderError, ProviderFault};
pub use message::{Block, Message, Role, Thinking, ToolResult, ToolUse};
pub use model_info::{ModelInfo, Prices};
pub use protocol::Protocol;
pub use provider::{Delta, NoSink, Provider, Sink};
pub use reply::{Reply, StopReason, Usage};
pub use request::{Request, ToolChoice};
pub use tool_list::ToolList;
