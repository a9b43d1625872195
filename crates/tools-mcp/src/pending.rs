//! Calls that wait for an answer in a later request (2026-07-28, where a server may not send
//! requests): approvals, and input for tools.
//!
//! The client gets an opaque handle; all state stays here, so nothing can be forged.

use std::{collections::VecDeque, sync::Mutex, time::Duration};

use rmcp::model::InputResponses;
use tokio::time::Instant;
use tools_core::{ApprovalRequest, CallDigest, Locked as _};
use uuid::Uuid;

use crate::question::Form;

/// Maximum number of open questions; beyond it the oldest is dropped.
const OPEN: usize = 64;

/// Prefix of handles that do not include an approval question.
const INPUT: &str = "input-";

/// A call that the client has to send again, with answers.
#[derive(Debug)]
pub(crate) struct WaitingCall {
    /// The approval question; `None` if only the tool asks.
    pub(crate) question: Option<(Form, ApprovalRequest)>,
    /// Answers that the tool got in earlier requests.
    pub(crate) answers: InputResponses,
}

struct Open {
    call: WaitingCall,
    digest: CallDigest,
    until: Instant,
}

/// Target of a handle.
#[derive(Debug)]
pub(crate) enum HandleTarget {
    /// This call, still waiting.
    Open(Box<WaitingCall>),
    /// This call, but its time limit has passed.
    Late,
    /// Nothing, or another call.
    Unknown,
}

/// Whether a handle has the prefix of a call whose tool asks.
pub(crate) fn is_of_input(handle: &str) -> bool {
    handle.starts_with(INPUT)
}

/// The waiting calls of one connection. Each can be answered once, for the same call, within its
/// time limit.
#[derive(Default)]
pub(crate) struct OpenQuestions(Mutex<VecDeque<(String, Open)>>);

impl OpenQuestions {
    /// Stores a call; returns the handle that its answers must contain.
    pub(crate) fn ask(&self, call: WaitingCall, digest: CallDigest, patience: Duration) -> String {
        // 122 random bits: nobody can guess a handle within its lifetime.
        let kind = if call.question.is_some() { "" } else { INPUT };
        let handle = format!("{kind}{}", Uuid::new_v4().simple());
        let waiting = Open { call, digest, until: Instant::now() + patience };
        let mut open = self.0.locked();
        if open.len() == OPEN {
            open.pop_front();
        }
        open.push_back((handle.clone(), waiting));
        handle
    }

    /// Takes the call of `handle`, so that it cannot be answered again.
    pub(crate) fn take(&self, handle: &str, digest: CallDigest) -> HandleTarget {
        let mut open = self.0.locked();
        let found = open.iter().position(|(known, _)| known == handle).and_then(|position| open.remove(position));
        match found {
            Some((_, waiting)) if waiting.digest != digest => HandleTarget::Unknown,
            Some((_, waiting)) if Instant::now() > waiting.until => HandleTarget::Late,
            Some((_, Open { call, .. })) => HandleTarget::Open(Box::new(call)),
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
        let waiting = WaitingCall { question: Some((form, asked)), answers: InputResponses::new() };
        pending.ask(waiting, call.digest(), Duration::from_mins(2))
    }

    fn taken(pending: &OpenQuestions, handle: &str, call: &ToolCall) -> &'static str {
        match pending.take(handle, call.digest()) {
            HandleTarget::Open(_) => "open",
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
