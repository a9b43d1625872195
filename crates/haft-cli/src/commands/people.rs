//! Who answers questions of a command: the person at its terminal, else those at `haft approvals
//! watch`.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use haft::config::places::watch_dir;
use haft::core::{Absence, Answer, CallContext, ConfirmPrompt, Confirmer};
use haft::questions::Watchers;

use crate::terminal::Terminal;

/// Asks at the controlling terminal. Where there is none, asks every `haft approvals watch` of this
/// user.
#[derive(Debug)]
pub(crate) struct People {
    terminal: Terminal,
    workdir: PathBuf,
}

impl People {
    /// The people who answer questions of calls in this context.
    pub(crate) fn of(cx: &CallContext) -> Self {
        let workdir: &Path = cx.workdir();
        Self { terminal: Terminal::default(), workdir: workdir.to_owned() }
    }
}

#[async_trait]
impl Confirmer for People {
    async fn confirm(&self, prompt: &ConfirmPrompt) -> Answer {
        match self.terminal.confirm(prompt).await {
            Answer::Nobody(Absence::CannotAsk) => {
                let watchers = Watchers::of_process(watch_dir(), self.terminal.patience, false);
                watchers.on_behalf_of("haft", &self.workdir).confirm(prompt).await
            }
            answer => answer,
        }
    }
}
