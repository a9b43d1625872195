//! Keeps connections: one for each server and session, started on demand and restarted after a
//! failure, with increasing delays after repeated failures.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use tokio::sync::{Mutex as AsyncMutex, Notify};
use tools_core::{CallContext, Locked as _, SessionId};
use tools_sandbox::obeyed::ObeyedLook;

use crate::connection::{Connection, Judge};
use crate::log_text::LogText;
use crate::prepared::{Launcher, PreparedServer};
use crate::{McpError, Server};

/// Minimum age of a connection whose end does not count as a failure.
const STEADY: Duration = Duration::from_mins(1);
/// Maximum delay between two starts.
const MAX_WAIT: Duration = Duration::from_mins(1);
/// Maximum number of ended sessions whose servers still get time to exit.
const MAX_STOPPING: usize = 64;

/// Identifies a connection: server, session, and the base of relative paths, which determines what
/// it may access.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    server: String,
    session: SessionId,
    workdir: PathBuf,
}

#[derive(Debug, Default)]
struct Slot {
    connection: Option<Arc<Connection>>,
    /// Number of consecutive failures.
    failures: u32,
    /// Earliest time of the next start.
    not_before: Option<Instant>,
}

/// The connections of all sessions.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    by_key: Mutex<HashMap<Key, Arc<AsyncMutex<Slot>>>>,
    #[cfg(feature = "http")]
    net: std::sync::OnceLock<Arc<crate::http::Net>>,
    log: LogText,
}

impl Slots {
    /// Sets the redactor of servers' text in the log.
    pub(crate) fn logging(self, log: LogText) -> Self {
        Self { log, ..self }
    }

    /// The redactor of servers' text.
    pub(crate) fn log(&self) -> &LogText {
        &self.log
    }

    /// The connection of a server in a session: the existing one, or a new one.
    pub(crate) async fn connection(
        &self,
        server: &Arc<Server>,
        launcher: &Launcher,
        cx: &CallContext,
        judge: &Judge,
        woken: &Arc<Notify>,
    ) -> Result<Arc<Connection>, McpError> {
        let key =
            Key { server: server.id().to_owned(), session: cx.session().clone(), workdir: cx.workdir().to_owned() };
        let slot = Arc::clone(self.lock().entry(key).or_default());
        let mut slot = slot.lock().await;
        if let Some(connection) = &slot.connection {
            if !connection.is_closed() {
                return Ok(Arc::clone(connection));
            }
            if connection.since.elapsed() > STEADY {
                slot.failures = 0;
            }
            slot.connection = None;
            slot.failed();
        }
        if let Some(wait) = slot.not_before.and_then(|at| at.checked_duration_since(Instant::now())) {
            return Err(McpError::BackingOff { server: server.id().to_owned(), failures: slot.failures, wait });
        }
        let opened = async {
            let prepared =
                launcher(server, cx).map_err(|problem| McpError::Start { server: server.id().to_owned(), problem })?;
            let (server, judge, woken) = (Arc::clone(server), Arc::clone(judge), Arc::clone(woken));
            let log = self.log.clone();
            match prepared {
                PreparedServer::Child(prepared) => {
                    let look = prepared.look.clone();
                    let started = Connection::start(server, *prepared, judge, woken, log);
                    ObeyedLook::around(look.as_ref(), cx, Box::pin(started)).await
                }
                #[cfg(feature = "http")]
                PreparedServer::Remote(prepared) => {
                    let net = Arc::clone(self.net.get_or_init(Arc::default));
                    Connection::reach(server, prepared, net, judge, woken, log).await
                }
                #[cfg(not(feature = "http"))]
                PreparedServer::Remote(_) => Err(McpError::Start {
                    server: server.id().to_owned(),
                    problem: "this build reaches no servers over HTTP".to_owned(),
                }),
            }
        };
        match opened.await {
            Ok(connection) => {
                let connection = Arc::new(connection);
                slot.connection = Some(Arc::clone(&connection));
                Ok(connection)
            }
            // No delay, so that a login in the meantime takes effect at once.
            Err(error @ McpError::LoginNeeded { .. }) => Err(error),
            Err(error) => {
                slot.failed();
                Err(error)
            }
        }
    }

    /// Open connections of a session, without those that are still being started.
    pub(crate) fn open(&self, session: &SessionId) -> Vec<Arc<Connection>> {
        let slots = self.lock();
        let own = slots.iter().filter(|(key, _)| key.session == *session);
        own.filter_map(|(_, slot)| slot.try_lock().ok()?.connection.clone()).collect()
    }

    /// Ends the servers of a session. If there is a runtime, they get time to exit.
    pub(crate) fn end(&self, session: &SessionId) {
        let ended: Vec<_> = self.lock().extract_if(|key, _| key.session == *session).map(|(_, slot)| slot).collect();
        if let Ok(runtime) = tokio::runtime::Handle::try_current()
            && ended.len() <= MAX_STOPPING
        {
            runtime.spawn(stop_all(ended));
        }
    }

    /// Ends all servers and waits until they are gone.
    pub(crate) async fn stop(&self) {
        let ended: Vec<_> = self.lock().drain().map(|(_, slot)| slot).collect();
        stop_all(ended).await;
    }

    /// Number of open connections.
    pub(crate) fn count(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Arc<AsyncMutex<Slot>>>> {
        self.by_key.locked()
    }
}

async fn stop_all(slots: Vec<Arc<AsyncMutex<Slot>>>) {
    let mut stopping = tokio::task::JoinSet::new();
    for slot in slots {
        stopping.spawn(async move {
            if let Some(connection) = slot.lock().await.connection.take() {
                connection.stop().await;
            }
        });
    }
    while stopping.join_next().await.is_some() {}
}

impl Slot {
    /// Counts a failure. After the first the next start is immediate: it may have been an accident.
    fn failed(&mut self) {
        self.failures = self.failures.saturating_add(1);
        self.not_before = wait(self.failures).map(|wait| Instant::now() + wait);
    }
}

/// Delay after a number of consecutive failures.
fn wait(failures: u32) -> Option<Duration> {
    let doublings = failures.checked_sub(2)?;
    Some(Duration::from_secs(1u64.checked_shl(doublings.min(16)).unwrap_or(u64::MAX)).min(MAX_WAIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_up_to_a_minute() {
        let seconds: Vec<Option<u64>> =
            [0, 1, 2, 3, 4, 8, 9, 1000].map(|n| wait(n).map(|wait| wait.as_secs())).to_vec();
        assert_eq!(seconds, [None, None, Some(1), Some(2), Some(4), Some(60), Some(60), Some(60)]);
    }
}
