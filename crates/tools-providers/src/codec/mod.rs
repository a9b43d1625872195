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

mod broken;
mod decode;
mod parts;
mod stream;

mod anthropic_reply;
mod ollama_reply;
mod openai_chat_reply;
mod openai_responses_reply;

mod refused;

pub use broken::Broken;
pub use decode::Decoder;
pub use encode::{encode, path};
pub use options::Options;
pub use refused::{refused, retry_after};
