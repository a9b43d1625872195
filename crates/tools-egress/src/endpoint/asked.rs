//! What was decided about targets that no rule names: each command asks about each target once,
//! however many connections wait for the answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::sync::OnceCell;
use tools_core::Locked as _;

use super::keeper::{Keeper, Permit, UndecidedConnection};
use crate::request::Target;

/// Targets that are remembered at once, whatever commands try.
const MAX_TARGETS: usize = 4096;

type Answers = HashMap<(Option<u64>, Target), Arc<OnceCell<Permit>>>;

/// The answers of commands that run.
#[derive(Default)]
pub(super) struct AnswerCache(Mutex<Answers>);

impl AnswerCache {
    /// The answer, which all that ask at the same time wait for.
    pub(super) async fn answer(&self, keeper: &dyn Keeper, wanted: &UndecidedConnection) -> Permit {
        let cell = {
            let mut answers = self.0.locked();
            if answers.len() >= MAX_TARGETS {
                return Permit::Refused { by: "too many hosts".to_owned() };
            }
            Arc::clone(answers.entry((wanted.caller.command, wanted.target.clone())).or_default())
        };
        cell.get_or_init(|| keeper.ask(wanted)).await.clone()
    }

    /// Forgets what a command asked.
    pub(super) fn forget(&self, command: u64) {
        let mut answers = self.0.locked();
        answers.retain(|(of, _), _| of.is_some_and(|of| of != command));
    }
}
