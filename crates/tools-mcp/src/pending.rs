//! Questions that wait for an answer in a later request (2026-07-28, where a server may not ask by itself).
//!
//! The client carries an opaque handle; everything that matters stays here, so there is nothing to forge.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;
use tools_core::{CallDigest, ToolError};
use uuid::Uuid;

use crate::question::Question;

/// How many questions may be open at once; the oldest is forgotten.
const OPEN: usize = 64;

/// A question that was handed to the client.
pub(crate) struct Asked {
    pub(crate) question: Question,
    pub(crate) error: ToolError,
    digest: CallDigest,
    at: Instant,
    until: Instant,
}

impl Asked {
    /// How long it has been standing.
    pub(crate) fn waited(&self) -> Duration {
        self.at.elapsed()
    }
}

/// The open questions of one connection. Each is answered at most once, for the call it was about, in time.
#[derive(Default)]
pub(crate) struct Pending(Mutex<VecDeque<(String, Asked)>>);

impl Pending {
    /// Remembers a question; returns the handle that an answer must bring back.
    pub(crate) fn ask(&self, question: Question, error: ToolError, digest: CallDigest, patience: Duration) -> String {
        // 122 random bits: nobody guesses a handle within the time it lives.
        let handle = Uuid::new_v4().simple().to_string();
        let at = Instant::now();
        let asked = Asked { question, error, digest, at, until: at + patience };
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() == OPEN {
            open.pop_front();
        }
        open.push_back((handle.clone(), asked));
        handle
    }

    /// Takes the question that `handle` names; `None` when there is none, it was about another call or it is too late.
    pub(crate) fn take(&self, handle: &str, digest: CallDigest) -> Option<Asked> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let position = open.iter().position(|(known, _)| known == handle)?;
        let (_, asked) = open.remove(position)?;
        (asked.digest == digest && Instant::now() <= asked.until).then_some(asked)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tools_core::{ToolCall, ToolErrorCategory};

    use super::*;

    fn ask(pending: &Pending, digest: CallDigest) -> String {
        let question = Question { message: String::new(), stores: false };
        let error = ToolError::new(ToolErrorCategory::ConfirmationRequired, "x", "x");
        pending.ask(question, error, digest, Duration::from_mins(2))
    }

    #[tokio::test(start_paused = true)]
    async fn a_handle_works_once_for_its_call_and_in_time() {
        let digest = |path: &str| ToolCall::new("rm", json!({"path": path})).unwrap().digest();
        let pending = Pending::default();
        let handle = ask(&pending, digest("a"));
        assert!(pending.take("made-up", digest("a")).is_none());
        assert!(pending.take(&handle, digest("a")).is_some());
        assert!(pending.take(&handle, digest("a")).is_none());
        let handle = ask(&pending, digest("a"));
        assert!(pending.take(&handle, digest("b")).is_none());
        assert!(pending.take(&handle, digest("a")).is_none());
        let handle = ask(&pending, digest("a"));
        tokio::time::advance(Duration::from_secs(121)).await;
        assert!(pending.take(&handle, digest("a")).is_none());
    }

    #[test]
    fn the_oldest_question_is_forgotten_when_there_are_too_many() {
        let digest = ToolCall::new("rm", json!({})).unwrap().digest();
        let pending = Pending::default();
        let handles: Vec<String> = (0..=OPEN).map(|_| ask(&pending, digest)).collect();
        assert!(pending.take(&handles[0], digest).is_none());
        assert!(pending.take(&handles[1], digest).is_some());
    }
}
