//! One turn at the command line: shows its events, cancels it on an interrupt, saves it at the end.

use std::cell::Cell;

use haft::Toolbox;
use haft::agents::sessions::{HeldSession, SavedSession};
use haft::agents::{Agent, AgentEvent, Turn};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{confirm::Headless, show::EventView};
use crate::{commands::call::interrupt, output};

/// A running agent.
pub(super) struct AgentRun {
    pub(super) toolbox: Toolbox,
    pub(super) agent: Agent,
    pub(super) receiver: mpsc::Receiver<AgentEvent>,
    pub(super) shown: EventView,
    pub(super) headless: Headless,
    /// Beginning of the user's first message.
    pub(super) title: String,
    /// Lock that permits saving the session.
    pub(super) held: HeldSession,
}

/// How a turn ended.
pub(super) struct TurnEnd {
    pub(super) turn: Turn,
    /// Number of the signal that cancelled it.
    pub(super) signal: Option<u8>,
}

impl AgentRun {
    /// Runs a turn and shows it.
    pub(super) async fn turn(&mut self, task: &str) -> TurnEnd {
        let (cancel, signal) = (CancellationToken::new(), Cell::new(None));
        self.headless.begins(&cancel);
        let Self { agent, receiver, shown, .. } = self;
        let interrupted = async {
            signal.set(Some(interrupt().await));
            cancel.cancel();
            std::future::pending::<()>().await;
        };
        let turn = {
            let running = agent.run_until(task, &cancel);
            tokio::pin!(running, interrupted);
            loop {
                tokio::select! {
                    biased;
                    Some(event) = receiver.recv() => shown.event(&event),
                    turn = &mut running => break turn,
                    () = &mut interrupted => unreachable!("it waits for ever"),
                }
            }
        };
        while let Ok(event) = receiver.try_recv() {
            shown.event(&event);
        }
        shown.ended(&turn.text, &turn.stop.notice());
        TurnEnd { turn, signal: signal.get() }
    }

    /// Saves the conversation so that it can be resumed; returns whether it may continue.
    pub(super) async fn keep(&mut self, task: &str) -> bool {
        if self.title.is_empty() {
            self.title = SavedSession::title_of(task);
        }
        let kept = SavedSession::of(&self.toolbox.context(), &self.agent, &self.title);
        let Err(error) = self.held.keep(&kept).await else { return true };
        output::note(&format!("warning: the session is not saved: {error}"));
        !self.held.must_keep()
    }

    /// Tokens, context, cost and confidence of the filters, on one line.
    pub(super) fn status_line(&self) -> String {
        let status = self.agent.status();
        let usage = status.totals.usage;
        let context = status
            .limit
            .filter(|limit| *limit > 0)
            .map_or_else(String::new, |limit| format!(" · context {} %", status.tokens.saturating_mul(100) / limit));
        let cost = status.totals.millionths.map_or_else(String::new, |millionths| {
            format!(" · cost {}.{:04}", millionths / 1_000_000, millionths % 1_000_000 / 100)
        });
        let filters = self.toolbox.parts().filters.pipeline.load();
        let (full, partial, fallback) = filters.metrics().confidence().totals();
        format!(
            "[tokens {} in, {} cached, {} out{context}{cost} · filters {full} F {partial} P {fallback} B]",
            usage.input + usage.cache_write,
            usage.cached_read,
            usage.output
        )
    }
}
