//! The wire formats as pure functions: requests are encoded to bytes, bytes are decoded to replies.
//! Opens no connections.

mod json;
mod options;
mod session;
mod turns;

mod encode;

mod anthropic;
mod ollama;
mod openai_chat;
mod openai_responses;

mod decode;
mod parts;
mod reply_error;
mod stream;

mod anthropic_reply;
mod ollama_reply;
mod openai_chat_reply;
mod openai_responses_reply;

mod server_error;

pub use decode::Decoder;
pub use encode::{encode, path};
pub use options::Options;
pub use reply_error::ReplyError;
pub use server_error::{refused, retry_after};
