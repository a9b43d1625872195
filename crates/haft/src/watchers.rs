//! People who watch for questions in another terminal: where they are found, and when they are
//! asked.

use std::{path::PathBuf, time::Duration};

use tools_approvals::{Asker, Watchers};

use crate::config::places;

/// The folder in which `haft approvals watch` listens.
pub fn watch_folder() -> PathBuf {
    places::state_dir().join("watch")
}

/// The people who watch, asked on behalf of this process for as long as `patience`. `lasting` is
/// whether its session goes on after a call.
pub fn watchers(patience: Duration, lasting: bool) -> Watchers {
    let asker = Asker { process: std::process::id(), lasting, ..Asker::default() };
    Watchers::new(watch_folder(), asker, patience)
}
