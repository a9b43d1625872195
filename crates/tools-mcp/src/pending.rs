//! Questions that wait for an answer in a later request (2026-07-28, where a server may not ask by
//! itself).
//!
//! The client carries an opaque handle; everything that matters stays here, so there is nothing to
//! forge.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;
use tools_core::{ApprovalRequest, CallDigest};
use uuid::Uuid;

use crate::question::Form;

/// How many questions may be open at once; the oldest is forgotten.
const OPEN: usize = 64;

/// A question that was handed to the client.
struct Open {
    form: Form,
    asked: ApprovalRequest,
    until: Instant,
}

/// What a handle names.
#[derive(Debug)]
pub(crate) enum HandleTarget {
    /// An open question about this very call.
    Open { form: Form, asked: Box<ApprovalRequest> },
    /// A question about this call whose time is over.
    Late,
    /// No question, or one about another call.
    Unknown,
}

/// The open questions of one connection. Each is answered at most once, for the call it was about,
/// in time.
#[derive(Default)]
pub(crate) struct OpenQuestions(Mutex<VecDeque<(String, Open)>>);

impl OpenQuestions {
    /// Remembers a question; returns the handle that an answer must bring back.
    pub(crate) fn ask(&self, form: Form, asked: ApprovalRequest, patience: Duration) -> String {
        // 122 random bits: nobody guesses a handle within the time it lives.
        let handle = Uuid::new_v4().simple().to_string();
        let question = Open { form, asked, until: Instant::now() + patience };
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() == OPEN {
            open.pop_front();
        }
        open.push_back((handle.clone(), question));
        handle
    }

    /// Takes the question that `handle` names: it cannot be answered again.
    pub(crate) fn take(&self, handle: &str, digest: CallDigest) -> HandleTarget {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = open.iter().position(|(known, _)| known == handle).and_then(|position| open.remove(position));
        match found {
            Some((_, question)) if question.asked.digest() != digest => HandleTarget::Unknown,
            Some((_, question)) if Instant::now() > question.until => HandleTarget::Late,
            Some((_, Open { form, asked, .. })) => HandleTarget::Open { form, asked: Box::new(asked) },
            None => HandleTarget::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tools_core::{ConfirmPrompt, ToolCall, ToolError, ToolErrorCategory};

    use super::*;

    fn call(path: &str) -> ToolCall {
        ToolCall::new("rm", json!({"path": path})).unwrap()
    }

    fn ask(pending: &OpenQuestions, call: &ToolCall) -> String {
        let prompt = ConfirmPrompt::new(call.tool.clone(), "x", vec![]);
        let shown = crate::question::FormView { three_rows: false, titles: true };
        let form = Form::new(&prompt, false, shown).unwrap();
        let error = ToolError::new(ToolErrorCategory::ConfirmationRequired, "x", "x").with_prompt(prompt);
        let asked = ApprovalRequest::about(call, &Err(error)).unwrap().expect("it asks");
        pending.ask(form, asked, Duration::from_mins(2))
    }

    fn taken(pending: &OpenQuestions, handle: &str, call: &ToolCall) -> &'static str {
        match pending.take(handle, call.digest()) {
            HandleTarget::Open { .. } => "open",
            HandleTarget::Late => "late",
            HandleTarget::Unknown => "unknown",
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_handle_works_once_for_its_call_and_in_time() {
        let (a, b) = (call("a"), call("b"));
        let pending = OpenQuestions::default();
        let handle = ask(&pending, &a);
        assert_eq!(taken(&pending, "made-up", &a), "unknown");
        assert_eq!(taken(&pending, &handle, &a), "open");
        assert_eq!(taken(&pending, &handle, &a), "unknown");
        let handle = ask(&pending, &a);
        assert_eq!(taken(&pending, &handle, &b), "unknown");
        assert_eq!(taken(&pending, &handle, &a), "unknown");
        let handle = ask(&pending, &a);
        tokio::time::advance(Duration::from_secs(121)).await;
        assert_eq!(taken(&pending, &handle, &a), "late");
        assert_eq!(taken(&pending, &handle, &a), "unknown");
    }

    #[tokio::test]
    async fn the_oldest_question_is_forgotten_when_there_are_too_many() {
        let (pending, call) = (OpenQuestions::default(), call("a"));
        let handles: Vec<String> = (0..=OPEN).map(|_| ask(&pending, &call)).collect();
        assert_eq!(taken(&pending, &handles[0], &call), "unknown");
        assert_eq!(taken(&pending, &handles[1], &call), "open");
    }
}
