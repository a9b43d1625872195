//! Encodes a request to its body, for each protocol.

use super::{Options, anthropic, ollama, openai_chat, openai_responses};
use crate::{Protocol, Request};

/// The body of a request, as JSON. Equal requests give equal bytes, and a request with further
/// messages gives the same prefix, except for Anthropic's cache marks.
///
/// Every history is accepted: a call without a result gets one that says so, a result without its
/// call becomes text, a message without content is left out.
pub fn encode(options: &Options, request: &Request<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    match options.protocol {
        Protocol::Anthropic => anthropic::encode(options, request, &mut out),
        Protocol::OpenAiChat => openai_chat::encode(options, request, &mut out),
        Protocol::OpenAiResponses => openai_responses::encode(options, request, &mut out),
        Protocol::Ollama => ollama::encode(options, request, &mut out),
    }
    out
}

/// The path of a request, below the base URL.
pub fn path(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Anthropic => "v1/messages",
        Protocol::OpenAiChat => "chat/completions",
        Protocol::OpenAiResponses => "responses",
        Protocol::Ollama => "api/chat",
    }
}
