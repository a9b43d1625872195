//! People who watch for questions in another terminal: where they are found, and when they are
//! asked.

use std::{path::PathBuf, time::Duration};

use tools_approvals::{Asker, Watchers};
#[cfg(feature = "mcp")]
use tools_core::{CallContext, Confirmer};

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

/// Those people, for clients that cannot ask.
#[cfg(feature = "mcp")]
pub(crate) struct Beside(pub(crate) Watchers);

#[cfg(feature = "mcp")]
impl tools_mcp::Elsewhere for Beside {
    fn confirmer(&self, client: &str, cx: &CallContext) -> Box<dyn Confirmer> {
        Box::new(self.0.on_behalf_of(client, cx.workdir()))
    }

    fn advice(&self) -> &'static str {
        "The user can also answer such questions in a terminal, with `haft approvals watch`."
    }
}
