//! Current content of the page.

use std::{collections::VecDeque, path::PathBuf, sync::Mutex};

use haft::audit::view::{Follower, Row};
use haft::core::Locked as _;
use haft::tasks::Scheduler;
use serde_json::{Value, json};

use super::{figures::Figures, questions::Questions, sources};
use crate::args::CommonArgs;
use crate::commands::open::{load, workdir};

/// Maximum number of calls shown individually.
const LISTED_CALLS: usize = 100;

/// Everything that the page shows.
pub(super) struct Board {
    pub(super) questions: Questions,
    common: CommonArgs,
    file: PathBuf,
    folder: String,
    scheduler: Option<Scheduler>,
    record: Mutex<Record>,
}

/// The record as far as it was read. It is opened once it exists.
#[derive(Default)]
struct Record {
    follower: Option<Follower>,
    figures: Figures,
    last: VecDeque<Row>,
}

impl Board {
    /// Reads the record from its beginning.
    pub(super) fn new(common: &CommonArgs, questions: Questions) -> Result<Self, String> {
        let loaded = load(common)?;
        let file = loaded.config.tools.audit.file(&haft::config::places::state_dir());
        let scheduler = haft::schedule(&loaded).map_err(|error| error.to_string())?;
        let folder = workdir(common)?.to_string_lossy().into_owned();
        let board = Self { questions, common: common.clone(), file, folder, scheduler, record: Mutex::default() };
        board.look();
        Ok(board)
    }

    /// Reads what was added to the record.
    pub(super) fn look(&self) {
        let mut record = self.record.locked();
        let Record { follower, figures, last } = &mut *record;
        if follower.is_none() {
            *follower = Follower::from_start(&self.file).ok();
        }
        let lines = match follower.as_mut().map(Follower::poll) {
            Some(Ok(lines)) => lines,
            // The file is gone: a new one is read from its beginning.
            Some(Err(_)) => {
                *follower = None;
                return;
            }
            None => return,
        };
        for line in lines {
            figures.add(&line);
            if let Some(row) = Row::of(&line) {
                last.push_back(row);
                if last.len() > LISTED_CALLS {
                    last.pop_front();
                }
            }
        }
    }

    /// The whole state, for the page.
    pub(super) async fn state(&self) -> Value {
        let tasks = sources::tasks(self.scheduler.as_ref(), &self.folder).await;
        let record = self.record.locked();
        json!({
            "record": self.file,
            "folder": self.folder,
            "figures": record.figures,
            "running": sources::running(),
            "calls": record.last.iter().rev().collect::<Vec<_>>(),
            "questions": self.questions.list(),
            "tasks": tasks,
            "hosts": sources::hosts(&self.common),
        })
    }
}
