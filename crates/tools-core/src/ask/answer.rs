//! Answers of a person, the interface that asks for them, and the interface that keeps decisions
//! beyond one call.

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
    /// The part that asks is longer than the channel can show, so nobody was asked.
    NotShown,
}

/// Puts a question to a person. Called by [`super::settle`] between a `ConfirmationRequired` and
/// the confirmed dispatch.
#[async_trait]
pub trait Confirmer: Send + Sync {
    /// Asks, and returns within the asker's own deadline; never hangs.
    ///
    /// Implementations should show a [`super::Question`], which puts the parts that ask first and
    /// escapes them.
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

/// Stores decisions that go beyond one call. Called by [`super::settle`] when an answer comes;
/// implemented by hosts that own the permission rules and the record. By default an answer applies
/// only to its own call, and refusals are not recorded.
#[async_trait]
pub trait Decisions: Send + Sync {
    /// Lets calls of this session that `rule` matches run without a question from now on.
    fn allow_for_session(&self, session: &SessionId, rule: StoredRule) {
        let _ = (session, rule);
    }

    /// Lets calls that `rule` matches in the working directory of `cx` run without a question from
    /// now on.
    async fn allow_always(&self, cx: &CallContext, rule: StoredRule) {
        let _ = (cx, rule);
    }

    /// Refuses calls that `rule` matches in the working directory of `cx` without a question from
    /// now on.
    async fn reject_always(&self, cx: &CallContext, rule: StoredRule) {
        let _ = (cx, rule);
    }

    /// Records that a person refused a call. `error` is the model's error.
    async fn declined(&self, call: ToolCall, cx: &CallContext, refusal: Refusal, error: ToolError) {
        let _ = (call, cx, refusal, error);
    }
}
