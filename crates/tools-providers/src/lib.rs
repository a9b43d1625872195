//! Models behind one trait.
//!
//! [`Message`], [`Request`] and [`Reply`] represent the conversation independently of any protocol;
//! a [`Provider`] answers. What a call may do, whether a failed request is repeated and what goes
//! into the history is decided elsewhere.
//!
//! [`codec`] encodes and decodes the four wire formats as pure functions. Feature `http` (default)
//! adds configured providers and the connections to their servers, `scripted` a provider that
//! follows a script.

mod arguments;
mod cache_mode;
mod error;
mod message;
mod model_info;
mod protocol;
mod provider;
mod reply;
mod request;
mod tool_list;

pub mod codec;

mod ask;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "scripted")]
pub mod scripted;

pub use arguments::{BadArguments, parse_arguments};
pub use ask::{ModelJudge, rewrite_parameters};
pub use cache_mode::CacheMode;
pub use error::{ProviderError, ProviderFault};
#[cfg(feature = "http")]
pub use http::{HttpProvider, Key, KeyReader, LlmConfig, Models, ProviderConfig, ProviderKind};
pub use message::{Block, Message, Role, Thinking, ToolResult, ToolUse};
pub use model_info::{ModelInfo, Prices};
pub use protocol::Protocol;
pub use provider::{Delta, NoSink, Provider, Sink};
pub use reply::{Reply, StopReason, Usage};
pub use request::{Request, ToolChoice};
pub use tool_list::ToolList;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
