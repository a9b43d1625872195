//! Caches decisions about targets without a rule: each command asks about each target once, however
//! many connections wait for the answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::sync::OnceCell;
use tools_core::Locked as _;

use super::keeper::{Keeper, Permit, UndecidedConnection};
use crate::request::Target;

/// Maximum number of remembered targets.
const MAX_TARGETS: usize = 4096;

type Answers = HashMap<(Option<u64>, Target), Arc<OnceCell<Permit>>>;

/// Answers for running commands.
#[derive(Default)]
pub(super) struct AnswerCache(Mutex<Answers>);

impl AnswerCache {
    /// The answer; concurrent requests for the same target share it.
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

    /// Forgets the answers for a command.
    pub(super) fn forget(&self, command: u64) {
        let mut answers = self.0.locked();
        answers.retain(|(of, _), _| of.is_some_and(|of| of != command));
    }
}
