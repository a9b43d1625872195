//! Asks the person at the terminal. Without a terminal, collects the calls that need approval.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use haft::core::{Absence, Answer, ConfirmPrompt, Confirmer, Locked as _};
use tokio_util::sync::CancellationToken;

use crate::{args::NonInteractive, output::one_line, terminal::Terminal};

/// Collects the questions of a run without a person to answer them.
#[derive(Clone, Default)]
pub(super) struct Headless {
    mode: Option<NonInteractive>,
    wanted: Arc<Mutex<Vec<String>>>,
    /// Cancels the current turn.
    turn: Arc<Mutex<CancellationToken>>,
}

impl Headless {
    pub(super) fn of(mode: Option<NonInteractive>) -> Self {
        Self { mode, ..Self::default() }
    }

    pub(super) fn confirmer(&self) -> Arc<dyn Confirmer> {
        Arc::new(self.clone())
    }

    /// Takes the unanswered questions collected since the last call.
    pub(super) fn wanted(&self) -> Vec<String> {
        std::mem::take(&mut *self.wanted.locked())
    }

    /// Begins a turn, which `cancel` ends.
    pub(super) fn begins(&self, cancel: &CancellationToken) {
        *self.turn.locked() = cancel.clone();
    }
}

#[async_trait]
impl Confirmer for Headless {
    async fn confirm(&self, prompt: &ConfirmPrompt) -> Answer {
        let answer = match self.mode {
            None => Terminal::of_session().confirm(prompt).await,
            Some(_) => Answer::Nobody(Absence::CannotAsk),
        };
        if matches!(answer, Answer::Nobody(_)) {
            let asks = prompt.parts.iter().find(|part| part.verdict == haft::core::Verdict::Ask);
            let about = asks.map(|part| part.subject.text()).unwrap_or_default();
            let line = format!("{}: {} ({})", prompt.tool, one_line(&about), one_line(&prompt.reason));
            self.wanted.locked().push(line);
            if self.mode.is_some_and(NonInteractive::aborts) {
                self.turn.locked().cancel();
            }
        }
        answer
    }
}
