//! Decodes bytes to a reply, for each protocol.

use serde_json::Value;

use super::parts::Parts;
use super::server_error::interpret_error;
use super::stream::{Events, Lines};
use super::{Options, ReplyError, anthropic_reply, ollama_reply, openai_chat_reply, openai_responses_reply};
use crate::{Protocol, ProviderFault, Reply, Request, Sink, StopReason};

/// Decodes the answer to one request: a stream in pieces of any size, or a whole body.
#[derive(Debug)]
pub struct Decoder<'a> {
    request: &'a Request<'a>,
    protocol: Protocol,
    is_strict: bool,
    framing: Framing,
    state: State,
}

#[derive(Debug)]
enum Framing {
    Events(Events),
    Lines(Lines),
}

/// State of decoding.
#[derive(Debug, Default)]
struct State {
    is_done: bool,
    parts: Parts,
    anthropic: anthropic_reply::OpenBlocks,
    chat: openai_chat_reply::OpenCalls,
    responses: openai_responses_reply::OpenItems,
}

impl<'a> Decoder<'a> {
    /// Creates a decoder for the answer to a request.
    pub fn new(options: &Options, request: &'a Request<'a>) -> Self {
        let framing = match options.protocol {
            Protocol::Ollama => Framing::Lines(Lines::default()),
            _ => Framing::Events(Events::default()),
        };
        Self { request, protocol: options.protocol, is_strict: options.strict, framing, state: State::default() }
    }

    /// Handles the next bytes of a stream.
    ///
    /// # Errors
    /// `Protocol` for an invalid answer, and failures that the server reports in the stream.
    pub fn push(&mut self, bytes: &[u8], sink: &dyn Sink) -> Result<(), ReplyError> {
        let (protocol, state) = (self.protocol, &mut self.state);
        let each = |data: &str| state.event(protocol, data, sink);
        match &mut self.framing {
            Framing::Events(events) => events.push(bytes, each),
            Framing::Lines(lines) => lines.push(bytes, each),
        }
    }

    /// Whether the stream has reported its end; some servers leave the connection open then.
    pub fn is_done(&self) -> bool {
        self.state.is_done
    }

    /// The reply, after the last bytes of a stream.
    ///
    /// # Errors
    /// `Truncated` if the stream did not report its end.
    pub fn finish(mut self, sink: &dyn Sink) -> Result<Reply, ReplyError> {
        let (protocol, state) = (self.protocol, &mut self.state);
        let each = |data: &str| state.event(protocol, data, sink);
        let rest = match &mut self.framing {
            Framing::Events(events) => events.finish(each),
            Framing::Lines(lines) => lines.finish(each),
        };
        match rest {
            // An incomplete event means that the stream was cut.
            Err(broken) if broken.fault == ProviderFault::Protocol => return Err(ReplyError::truncated()),
            rest => rest?,
        }
        self.state.parts.finish(self.protocol, self.request, self.is_strict)
    }

    /// Decodes a body that is not a stream.
    ///
    /// # Errors
    /// As for a stream.
    pub fn whole(mut self, body: &[u8], sink: &dyn Sink) -> Result<Reply, ReplyError> {
        let text = std::str::from_utf8(body).map_err(|_| ReplyError::protocol("the answer is not valid UTF-8"))?;
        self.state.event(self.protocol, text, sink)?;
        self.state.parts.finish(self.protocol, self.request, self.is_strict)
    }
}

impl State {
    /// Handles one event of a stream, or a whole body: JSON that only differs in its layout between
    /// protocols.
    fn event(&mut self, protocol: Protocol, data: &str, sink: &dyn Sink) -> Result<(), ReplyError> {
        if data.trim().is_empty() {
            return Ok(());
        }
        if data == "[DONE]" {
            // A server may report the end without a reason.
            self.parts.stop.get_or_insert(StopReason::EndTurn);
            self.is_done = true;
            return Ok(());
        }
        let value: Value = serde_json::from_str(data)
            .map_err(|error| ReplyError::protocol(format!("the answer holds what is no JSON: {error}")))?;
        if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
            return Err(interpret_error(error, None));
        }
        let kind = value["type"].as_str().unwrap_or_default();
        let is_last = matches!(kind, "message_stop" | "response.completed" | "response.incomplete")
            || (protocol == Protocol::Ollama && value["done"] == true);
        self.is_done |= is_last;
        match protocol {
            Protocol::Anthropic => anthropic_reply::take(&mut self.parts, &mut self.anthropic, &value, sink),
            Protocol::OpenAiChat => openai_chat_reply::take(&mut self.parts, &mut self.chat, &value, sink),
            Protocol::OpenAiResponses => {
                openai_responses_reply::take(&mut self.parts, &mut self.responses, &value, sink)
            }
            Protocol::Ollama => ollama_reply::take(&mut self.parts, &value, sink),
        }
    }
}
