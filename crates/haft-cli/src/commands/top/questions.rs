//! Open questions, stored for a page that connects and disconnects.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use haft::core::{Locked as _, Width};
use haft::questions::{Choice, Event, QuestionWatch};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::asking::TerminalQuestion;

/// Capacity of the queue of answers; a person gives one at a time.
const MAX_ANSWERS: usize = 16;

/// Open questions, for display.
#[derive(Debug, Clone)]
pub(super) struct Questions {
    open: Arc<Mutex<BTreeMap<u64, Open>>>,
    answers: mpsc::Sender<(u64, Choice)>,
}

#[derive(Debug)]
struct Open {
    shown: Value,
    until: Instant,
}

/// Keeps the list of open questions up to date.
pub(super) struct QuestionWatcher {
    watch: QuestionWatch,
    open: Arc<Mutex<BTreeMap<u64, Open>>>,
    answers: mpsc::Receiver<(u64, Choice)>,
}

impl Questions {
    /// Shares the questions of a watch.
    pub(super) fn watching(watch: QuestionWatch) -> (Self, QuestionWatcher) {
        let (to, answers) = mpsc::channel(MAX_ANSWERS);
        let open = Arc::default();
        (Self { open: Arc::clone(&open), answers: to }, QuestionWatcher { watch, open, answers })
    }

    /// Lists each question with its remaining seconds.
    pub(super) fn list(&self) -> Vec<Value> {
        let open = self.open.locked();
        let shown = open.values().map(|one| {
            let mut shown = one.shown.clone();
            shown["seconds"] = one.until.saturating_duration_since(Instant::now()).as_secs().into();
            shown
        });
        shown.collect()
    }

    /// Answers a question; `false` if it is not open or does not offer this answer.
    pub(super) fn answer(&self, id: u64, choice: Choice) -> bool {
        let open = self.open.locked();
        let Some(one) = open.get(&id) else { return false };
        let is_offered = match choice {
            Choice::Always => one.shown["stores"].is_string(),
            Choice::Session => one.shown["stores"].is_string() && one.shown["session_lasts"] == true,
            _ => true,
        };
        is_offered && self.answers.try_send((id, choice)).is_ok()
    }
}

impl QuestionWatcher {
    /// Waits for the next event or answer and handles it. Cancel-safe.
    pub(super) async fn step(&mut self) {
        tokio::select! {
            event = self.watch.next() => match event {
                Some(event) => self.heed(event),
                None => std::future::pending().await,
            },
            Some((id, choice)) = self.answers.recv() => self.watch.answer(id, choice),
        }
    }

    fn heed(&self, event: Event) {
        let mut open = self.open.locked();
        match event {
            Event::Asked(standing) => {
                let Some(shown) = TerminalQuestion::new(&standing.prompt, standing.asker.lasting) else { return };
                let value = json!({
                    "id": standing.id,
                    "client": standing.asker.client,
                    "workdir": standing.asker.workdir,
                    "session_lasts": standing.asker.lasting,
                    "question": shown.rows(Width::DIALOG),
                    "stores": shown.stores(),
                });
                open.insert(standing.id, Open { shown: value, until: Instant::now() + standing.left });
            }
            Event::Ended { id, .. } => {
                open.remove(&id);
            }
        }
    }
}
