//! A scripted provider in the process: encodes and decodes the bytes of its protocol, without a
//! connection.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use tools_core::Locked as _;

use super::answer::{End, answer};
use super::script::{Script, Turn};
use crate::codec::{Decoder, Options, ReplyError, encode, refused, retry_after};
use crate::{ModelInfo, Provider, ProviderError, ProviderFault, Reply, Request, Sink};

/// Answers as a script says. Each request uses one turn, even if it fails.
#[derive(Debug)]
pub struct ScriptedProvider {
    options: Options,
    info: ModelInfo,
    turns: Vec<Turn>,
    next: AtomicUsize,
    bodies: Mutex<Vec<Vec<u8>>>,
}

impl ScriptedProvider {
    /// A provider that follows `script`, in the protocol it names.
    pub fn new(script: Script) -> Self {
        let options = Options { context_tokens: script.context_tokens, ..Options::new(script.protocol, "scripted") };
        Self::with_options(script, options)
    }

    /// A provider that follows the script in a file.
    ///
    /// # Errors
    /// A sentence for a person, if the file cannot be read or is not a valid script.
    pub fn of_file(file: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(file).map_err(|error| format!("`{}`: {error}", file.display()))?;
        let script = Script::parse(&text).map_err(|error| format!("`{}`: {error}", file.display()))?;
        Ok(Self::new(script))
    }

    /// With other options, which set the protocol.
    pub fn with_options(script: Script, options: Options) -> Self {
        let info = ModelInfo {
            id: options.model.clone(),
            context_tokens: script.context_tokens,
            max_output_tokens: options.max_output_tokens,
            supports_tool_use: script.tool_use,
            cache_minimum: None,
            prices: None,
        };
        Self { options, info, turns: script.turns, next: AtomicUsize::new(0), bodies: Mutex::default() }
    }

    /// The bodies of all requests, in order.
    pub fn bodies(&self) -> Vec<Vec<u8>> {
        self.bodies.locked().clone()
    }

    fn turn(&self, request: &Request<'_>) -> Result<(&Turn, usize), ProviderError> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let refuse = |message: String| ProviderError::new("scripted", ProviderFault::InvalidRequest, message);
        let turn = self.turns.get(number).ok_or_else(|| refuse("the script has no further turn".to_owned()))?;
        let newest = request.messages.last().map(Arc::as_ref);
        let heard = newest.map(|message| {
            let results: Vec<&str> = message.tool_results().map(|result| result.text.as_str()).collect();
            format!("{}\n{}", message.text(), results.join("\n"))
        });
        if turn.expect.is_empty() || heard.is_some_and(|heard| heard.contains(&turn.expect)) {
            return Ok((turn, number));
        }
        Err(refuse(format!("turn {} of the script expects `{}` in the newest message", number + 1, turn.expect)))
    }
}

#[async_trait]
impl Provider for ScriptedProvider {
    #[expect(clippy::unnecessary_literal_bound, reason = "the trait's signature")]
    fn name(&self) -> &str {
        "scripted"
    }

    fn model(&self) -> &ModelInfo {
        &self.info
    }

    async fn complete(&self, request: &Request<'_>, sink: &dyn Sink) -> Result<Reply, ProviderError> {
        let body = encode(&self.options, request);
        self.bodies.locked().push(body);
        let (turn, number) = self.turn(request)?;
        let answer = answer(self.options.protocol, turn, number);
        let broken = |broken: ReplyError| ProviderError::new("scripted", broken.fault, broken.message);
        if answer.status != 200 {
            let header = (!answer.retry_after.is_empty()).then_some(answer.retry_after.as_str());
            return Err(ProviderError {
                status: Some(answer.status),
                retry_after: retry_after(header, None, jiff::Timestamp::UNIX_EPOCH),
                ..broken(refused(answer.status, &answer.pieces.concat()))
            });
        }
        let mut decoder = Decoder::new(&self.options, request);
        for piece in &answer.pieces {
            decoder.push(piece, sink).map_err(broken)?;
        }
        if answer.end == End::Stalled {
            return Err(ProviderError::new("scripted", ProviderFault::Stalled, "nothing comes any more"));
        }
        decoder.finish(sink).map_err(broken)
    }
}
