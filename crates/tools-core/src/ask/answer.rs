//! What a person may answer, who puts the question to them, and who takes what they decide beyond
//! one call.

use async_trait::async_trait;

use super::{ConfirmPrompt, Refusal, StoredRule};
use crate::{CallContext, SessionId, ToolCall, ToolError};

/// Answer of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Yes, to this call.
    Once,
    /// Yes, and add [`ConfirmPrompt::would_store`] for the rest of the session.
    Session,
    /// Yes, and store [`ConfirmPrompt::would_store`].
    Always,
    /// No; `Some` tells the model why.
    No(Option<String>),
    /// No, and store [`ConfirmPrompt::would_store`] as a rule that refuses.
    Never,
    /// No person answered.
    Nobody(Absence),
}

/// Reason why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absence {
    /// There is no way to ask a person here.
    CannotAsk,
    /// The question was shown, and nobody answered in time.
    NoAnswer,
    /// The question was put away without an answer.
    Dismissed,
    /// The part that asks is longer than what the channel shows, so it was not asked.
    NotShown,
}

/// Puts a question to a person. Called by [`super::settle`] between a `ConfirmationRequired` and
/// the confirmed dispatch.
#[async_trait]
pub trait Confirmer: Send + Sync {
    /// Asks, and returns within the asker's own deadline; never hangs.
    ///
    /// What is shown should come from [`super::Question`], which puts what asks first and escapes
    /// it.
    async fn confirm(&self, prompt: &ConfirmPrompt) -> Answer;
}

/// Answers [`Absence::CannotAsk`] at once: for hosts without a person.
#[derive(Debug, Clone, Copy, Default)]
pub struct NobodyToAsk;

#[async_trait]
impl Confirmer for NobodyToAsk {
    async fn confirm(&self, _: &ConfirmPrompt) -> Answer {
        Answer::Nobody(Absence::CannotAsk)
    }
}

/// Takes what people decide beyond one call. Called by [`super::settle`] when an answer comes;
/// implemented by hosts that own the permission rules and the record. By default an answer counts
/// for its own call alone, and no record hears of a refusal.
#[async_trait]
pub trait Decisions: Send + Sync {
    /// From now on calls of this session that `rule` matches run without a question.
    fn allow_for_session(&self, session: &SessionId, rule: StoredRule) {
        let _ = (session, rule);
    }

    /// From now on calls that `rule` matches in the folder that `cx` works in run without a
    /// question.
    async fn allow_always(&self, cx: &CallContext, rule: StoredRule) {
        let _ = (cx, rule);
    }

    /// From now on calls that `rule` matches in the folder that `cx` works in are refused without a
    /// question.
    async fn reject_always(&self, cx: &CallContext, rule: StoredRule) {
        let _ = (cx, rule);
    }

    /// A person refused a call: for the record. `error` is what the model is told.
    async fn declined(&self, call: ToolCall, cx: &CallContext, refusal: Refusal, error: ToolError) {
        let _ = (call, cx, refusal, error);
    }
}
