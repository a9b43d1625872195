//! Shortens the conversation by a summary: the summary is written first, then it replaces the
//! messages. On any failure nothing changes.

use thiserror::Error;
use tokio_util::sync::CancellationToken;
use tools_core::{CallId, ToolError};

use super::Agent;
use crate::{AgentEvent, Compression, CompressionStrategy, history::NoGain, history::render, summarize};

/// Number of latest messages that a summary leaves alone.
pub(crate) const KEPT_MESSAGES: usize = 6;

/// Reason why a conversation was not shortened. It is unchanged.
#[derive(Debug, Clone, Error)]
pub enum CompressError {
    /// The model gave no summary.
    #[error("{0}")]
    Model(ToolError),
    /// The summary was not shorter enough.
    #[error("{0}")]
    NoGain(NoGain),
}

impl Agent {
    /// Replaces all but the latest messages by a summary; `focus` says what must not be lost.
    /// Returns the number of replaced messages: 0 if there are too few.
    ///
    /// # Errors
    /// If there is no summary, or it is not shorter enough. The conversation is then unchanged.
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
