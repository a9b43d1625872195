//! Any bytes as the answer of a model's server, where the first byte selects the interface: the
//! reply does not depend on the chunks, and arguments of calls are an object or a fault.

use tools_providers::codec::{Decoder, Options, ReplyError, refused};
use tools_providers::{NoSink, Protocol, Reply, Request, ToolList, parse_arguments};

const PROTOCOLS: [Protocol; 4] =
    [Protocol::Anthropic, Protocol::OpenAiChat, Protocol::OpenAiResponses, Protocol::Ollama];

pub(crate) fn check(bytes: &[u8]) {
    let Some((first, answer)) = bytes.split_first() else { return };
    let protocol = PROTOCOLS[usize::from(*first) % PROTOCOLS.len()];
    let options = Options::new(protocol, "model");
    let whole = streamed(&options, &[answer]);
    let single: Vec<&[u8]> = answer.chunks(1).collect();
    assert_eq!(streamed(&options, &single), whole, "{protocol:?}: byte by byte");
    let tools = ToolList::default();
    let request = Request::new("", &tools, &[], "key");
    let _ = Decoder::new(&options, &request).whole(answer, &NoSink);
    let _ = refused(400, answer);
    if let Ok(text) = std::str::from_utf8(answer) {
        let _ = parse_arguments(text);
    }
}

fn streamed(options: &Options, pieces: &[&[u8]]) -> Result<Reply, String> {
    let tools = ToolList::default();
    let request = Request::new("", &tools, &[], "key");
    let mut decoder = Decoder::new(options, &request);
    let fault = |broken: ReplyError| format!("{broken:?}");
    for piece in pieces {
        decoder.push(piece, &NoSink).map_err(fault)?;
    }
    decoder.finish(&NoSink).map_err(fault)
}
