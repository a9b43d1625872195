//! Making the conversation shorter by a summary: the summary is written first, and then takes the
//! place of what it stands for. Where anything fails nothing has changed.

use thiserror::Error;
use tokio_util::sync::CancellationToken;
use tools_core::{CallId, ToolError};

use super::Agent;
use crate::{AgentEvent, Compression, CompressionStrategy, history::NoGain, history::render, summarize};

/// Messages at the end that a summary leaves alone.
pub(crate) const KEPT_MESSAGES: usize = 6;

/// Reason why a conversation did not become shorter. It is what it was.
#[derive(Debug, Clone, Error)]
pub enum CompressError {
    /// The model gave no summary.
    #[error("{0}")]
    Model(ToolError),
    /// The summary was no gain.
    #[error("{0}")]
    NoGain(NoGain),
}

impl Agent {
    /// Puts a summary in the place of all but the latest messages; `focus` says what must not be
    /// lost. How many messages it stands for: 0 where there are too few.
    ///
    /// # Errors
    /// When there is no summary, or none that is a gain. The conversation is then what it was.
    pub async fn compact(&mut self, focus: Option<&str>) -> Result<usize, CompressError> {
        self.compact_for(CompressionStrategy::Manual, focus, &CancellationToken::new()).await
    }

    pub(super) async fn compact_for(
        &mut self,
        strategy: CompressionStrategy,
        focus: Option<&str>,
        cancel: &CancellationToken,
    ) -> Result<usize, CompressError> {
        let Some(selection) = self.state.history.select(KEPT_MESSAGES) else { return Ok(0) };
        let cx = self.shared.context(cancel);
        let messages = &self.state.history.messages()[..selection.end];
        let record = render(messages, selection.knowledge);
        let written = summarize::conversation(&*self.shared.compressor, &cx, &record, focus).await;
        let written = written.map_err(CompressError::Model)?;
        let id = CallId::generate().to_string();
        let compression = selection.summarised(messages, &written, id, strategy).map_err(CompressError::NoGain)?;
        let before = self.tokens();
        let Compression { selection, .. } = compression;
        self.state.history.swap(compression);
        let after = self.tokens();
        let messages = selection.end;
        self.shared.events.send(AgentEvent::Compacted { strategy, messages, before, after }).await;
        Ok(messages)
    }
}
