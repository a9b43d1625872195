//! A judge that answers as scripted and records the questions.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use tools_core::{Judge, JudgeError, JudgeRequest, Locked as _};

/// Behaviour of a scripted judge.
#[derive(Debug, Clone)]
pub enum Ruling {
    /// Answers with this text.
    Answer(String),
    /// Fails with this text.
    Fail(String),
    /// Never answers.
    Hang,
}

/// A judge with a script; after its end it repeats the last ruling. Clones share script and record.
#[derive(Debug, Clone)]
pub struct FakeJudge {
    script: Arc<Mutex<VecDeque<Ruling>>>,
    asked: Arc<Mutex<Vec<JudgeRequest>>>,
}

impl FakeJudge {
    /// A judge that rules in this order.
    pub fn new(script: impl IntoIterator<Item = Ruling>) -> Self {
        Self { script: Arc::new(Mutex::new(script.into_iter().collect())), asked: Arc::default() }
    }

    /// A judge that always answers with this text.
    pub fn answering(text: &str) -> Self {
        Self::new([Ruling::Answer(text.to_owned())])
    }

    /// The questions so far.
    pub fn asked(&self) -> Vec<JudgeRequest> {
        self.asked.locked().clone()
    }
}

#[async_trait]
impl Judge for FakeJudge {
    fn model(&self) -> &'static str {
        "fake"
    }

    async fn judge(&self, request: &JudgeRequest) -> Result<String, JudgeError> {
        self.asked.locked().push(request.clone());
        let ruling = {
            let mut script = self.script.locked();
            if script.len() > 1 { script.pop_front() } else { script.front().cloned() }
        };
        match ruling {
            Some(Ruling::Answer(text)) => Ok(text),
            Some(Ruling::Fail(problem)) => Err(problem.into()),
            Some(Ruling::Hang) | None => std::future::pending().await,
        }
    }
}
