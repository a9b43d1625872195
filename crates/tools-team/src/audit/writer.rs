//! The thread that writes a chain: one connection, one statement at a time, and recovery when the
//! database does not answer.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use sqlx::{Postgres, pool::PoolConnection};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, sleep_until, timeout};
use tools_audit::{AuditError, Head};
use tools_core::Locked as _;
use tools_store::Server;

use super::chain::{self, Batch};
use super::heads::{self, HeadNotes, NotedHead};
use super::schema::failed;
use crate::host;

/// Maximum number of lines of one statement.
const MAX_BATCH_LINES: usize = 64;
/// Maximum number of bytes of one statement, except for a single longer line.
const MAX_BATCH_BYTES: usize = 4 * 1024 * 1024;
/// Time limit of a statement.
const STATEMENT: Duration = Duration::from_secs(5);
/// Number of attempts before lines count as lost.
const ATTEMPTS: u32 = 2;
/// Interval of reading the heads of other chains.
const LOOK: Duration = Duration::from_secs(30);
/// Interval of checking the database while no lines arrive.
const PROBE: Duration = Duration::from_secs(10);
/// Interval at which an idle process marks its chain as alive.
const TOUCH: Duration = Duration::from_hours(1);
/// Pause after a failure of the database.
const PAUSE: Duration = Duration::from_secs(1);

/// A line to be stored, and its waiting sender.
pub(super) struct PendingLine {
    pub(super) body: String,
    pub(super) done: Box<dyn FnOnce(Result<Head, Failure>) + Send>,
}

/// Why lines are not stored.
#[derive(Debug, Clone)]
pub(super) enum Failure {
    /// The database does not accept them.
    Database(Arc<dyn std::error::Error + Send + Sync>),
    /// The chain in the database is not the one that was written.
    Changed(String),
}

impl Failure {
    /// The thread has ended.
    pub(super) fn ended() -> Self {
        Self::Database(Arc::new(std::io::Error::other("the thread that writes it has ended")))
    }
}

impl From<Failure> for AuditError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Database(error) => Self::Database(error),
            Failure::Changed(chain) => Self::Changed(chain),
        }
    }
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        match failed(error) {
            AuditError::Database(error) => Self::Database(error),
            other => Self::Database(Arc::new(other)),
        }
    }
}

/// Whether the last write to the database succeeded.
#[derive(Debug, Default)]
pub(super) struct Health {
    state: Mutex<State>,
    known: Condvar,
}

#[derive(Debug, Default)]
enum State {
    /// The first connection is being made.
    #[default]
    Unknown,
    Usable,
    Failing(Failure),
}

impl Health {
    /// Waits until the first connection succeeded or failed.
    pub(super) fn usable(&self) -> Result<(), AuditError> {
        let state = self.state.locked();
        let state = self.known.wait_while(state, |state| matches!(state, State::Unknown));
        match &*state.unwrap_or_else(PoisonError::into_inner) {
            State::Failing(failure) => Err(failure.clone().into()),
            State::Unknown | State::Usable => Ok(()),
        }
    }

    fn set(&self, result: &Result<(), Failure>) {
        let mut state = self.state.locked();
        if let Err(failure) = result
            && !matches!(*state, State::Failing(_))
        {
            tracing::error!(?failure, "the audit database cannot be used");
        }
        *state = match result {
            Ok(()) => State::Usable,
            Err(failure) => State::Failing(failure.clone()),
        };
        self.known.notify_all();
    }
}

/// The writer of one chain.
pub(super) struct Writer {
    server: Server,
    chain: String,
    health: Arc<Health>,
    connection: Option<PoolConnection<Postgres>>,
    head: Head,
    /// Heads after lines that follow `head` and may or may not be stored: at most one of them is.
    unsettled: Vec<Head>,
    /// The stored chain differs from what was written: nothing is added to it.
    is_changed: bool,
    noted: HeadNotes,
    next_probe: Instant,
    next_look: Instant,
    next_touch: Instant,
}

impl Writer {
    pub(super) fn new(server: Server, chain: String, health: Arc<Health>) -> Self {
        let now = Instant::now();
        Self {
            server,
            chain,
            health,
            connection: None,
            head: Head::default(),
            unsettled: vec![],
            is_changed: false,
            noted: HeadNotes::default(),
            next_probe: now,
            next_look: now + LOOK,
            next_touch: now + TOUCH,
        }
    }

    /// Writes until all senders are gone.
    pub(super) fn run(mut self, pending: UnboundedReceiver<PendingLine>) {
        let _ended = EndGuard(Arc::clone(&self.health));
        match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime.block_on(self.write(pending)),
            Err(error) => self.health.set(&Err(error.into())),
        }
    }

    async fn write(&mut self, mut pending: UnboundedReceiver<PendingLine>) {
        let connected = self.settle().await;
        self.tell(&connected);
        loop {
            tokio::select! {
                biased;
                line = pending.recv() => {
                    let Some(line) = line else { break };
                    let lines = gather(line, &mut pending);
                    self.store(lines).await;
                }
                () = sleep_until(self.next_probe) => {
                    let probed = self.probe().await;
                    self.tell(&probed);
                }
            }
        }
        self.abandon();
    }

    fn tell(&mut self, result: &Result<(), Failure>) {
        self.health.set(result);
        self.next_probe = Instant::now() + if result.is_ok() { PROBE } else { PAUSE };
    }

    /// Stores lines and notifies their senders.
    async fn store(&mut self, lines: Vec<PendingLine>) {
        // The heads of others come first in a chain, then regularly.
        let heads = if self.head.seq == 0 { self.heads_to_note().await } else { Ok(vec![]) };
        let bodies = lines.iter().map(|line| line.body.as_str()).collect();
        let stored = match heads {
            Ok(heads) => self.store_with(&heads, bodies).await,
            Err(failure) => Err(failure),
        };
        match stored {
            Ok(after) => {
                self.tell(&Ok(()));
                // Lines before these were added by the writer itself.
                let own = after.len().saturating_sub(lines.len());
                for (line, head) in lines.into_iter().zip(after.into_iter().skip(own)) {
                    (line.done)(Ok(head));
                }
            }
            Err(failure) => {
                // Set first, so that a notified sender does not find it usable.
                self.tell(&Err(failure.clone()));
                for line in lines {
                    (line.done)(Err(failure.clone()));
                }
            }
        }
    }

    /// Checks the database, and from time to time notes the heads of others.
    async fn probe(&mut self) -> Result<(), Failure> {
        if Instant::now() < self.next_look {
            self.settle().await?;
            return self.compare().await;
        }
        let heads = self.heads_to_note().await?;
        if !heads.is_empty() {
            self.store_with(&heads, vec![]).await?;
        }
        self.next_look = Instant::now() + LOOK;
        self.touch().await
    }

    /// Marks this process as alive from time to time.
    async fn touch(&mut self) -> Result<(), Failure> {
        let Some(connection) = self.connection.as_mut().filter(|_| Instant::now() >= self.next_touch) else {
            return Ok(());
        };
        let touched = timeout(STATEMENT, chain::touch(connection, &self.chain)).await;
        if !matches!(touched, Ok(Ok(()))) {
            self.abandon();
        }
        touched??;
        self.next_touch = Instant::now() + TOUCH;
        Ok(())
    }

    async fn heads_to_note(&mut self) -> Result<Vec<NotedHead>, Failure> {
        self.settle().await?;
        let Some(connection) = &mut self.connection else { return Err(Failure::ended()) };
        let news = timeout(STATEMENT, self.noted.heads_to_note(connection, &self.chain)).await;
        if !matches!(news, Ok(Ok(_))) {
            self.abandon();
        }
        Ok(news??)
    }

    /// Stores heads of others and lines; returns the head after each line, including its own ones.
    async fn store_with(&mut self, heads: &[NotedHead], lines: Vec<&str>) -> Result<Vec<Head>, Failure> {
        let noted = (!heads.is_empty()).then(|| heads::body(heads));
        let began = chain::began(&self.chain, &host());
        // Sealed once: the head shows whether it was stored.
        let mut batch: Option<Batch> = None;
        let mut attempt = 1;
        loop {
            let tried = self.try_store(&mut batch, |head| {
                let began = (head.seq == 0).then_some(began.as_str());
                Batch::seal(head, began.into_iter().chain(noted.as_deref()).chain(lines.iter().copied()))
            });
            match tried.await {
                Ok(after) => {
                    self.remember(heads).await;
                    return Ok(after);
                }
                Err(failure) => {
                    self.abandon();
                    if attempt == ATTEMPTS || self.is_changed {
                        return Err(failure);
                    }
                    attempt += 1;
                }
            }
        }
    }

    async fn try_store(
        &mut self,
        batch: &mut Option<Batch>,
        seal: impl Fn(&Head) -> Batch,
    ) -> Result<Vec<Head>, Failure> {
        loop {
            self.settle().await?;
            if let Some(stored) = batch.as_ref().filter(|batch| batch.after == self.head) {
                return Ok(stored.heads.clone());
            }
            let is_next = batch.as_ref().is_some_and(|batch| batch.before == self.head);
            let batch =
                if is_next { batch.get_or_insert_with(|| seal(&self.head)) } else { batch.insert(seal(&self.head)) };
            let Some(connection) = &mut self.connection else { return Err(Failure::ended()) };
            if !self.unsettled.contains(&batch.after) {
                self.unsettled.push(batch.after.clone());
            }
            if timeout(STATEMENT, batch.store(connection, &self.chain)).await?? {
                self.head = batch.after.clone();
                self.unsettled.clear();
                return Ok(batch.heads.clone());
            }
            // An abandoned statement was stored first; the head shows which. If none was, the chain
            // is not ours any more.
            let before = self.head.clone();
            self.compare().await?;
            if self.head == before {
                self.is_changed = true;
            }
        }
    }

    /// Marks heads as noted for other processes. If that fails, they note them again, which does no
    /// harm.
    async fn remember(&mut self, heads: &[NotedHead]) {
        let Some(connection) = self.connection.as_mut().filter(|_| !heads.is_empty()) else { return };
        let told = timeout(STATEMENT, self.noted.remember(connection, heads)).await;
        if !matches!(told, Ok(Ok(()))) {
            self.abandon();
        }
    }

    /// Connects if necessary, and determines which lines are stored.
    async fn settle(&mut self) -> Result<(), Failure> {
        if self.is_changed {
            return Err(Failure::Changed(self.chain.clone()));
        }
        if self.connection.is_some() && self.unsettled.is_empty() {
            return Ok(());
        }
        if self.connection.is_none() {
            self.connection = Some(self.server.reader().await?.acquire().await?);
        }
        self.compare().await
    }

    /// Compares the head in the database with what was written.
    async fn compare(&mut self) -> Result<(), Failure> {
        let Some(connection) = &mut self.connection else { return Err(Failure::ended()) };
        let looking = async {
            if self.head.seq == 0 {
                chain::begin(connection, &self.chain, &host(), std::process::id()).await?;
            }
            chain::head(connection, &self.chain).await
        };
        let found = match timeout(STATEMENT, looking).await {
            Ok(Ok(found)) => found,
            failed => {
                self.abandon();
                failed??
            }
        };
        match found {
            // An abandoned statement may still be running.
            Some(found) if found == self.head => Ok(()),
            Some(found) if self.unsettled.contains(&found) => {
                self.head = found;
                // They followed a line that is no longer the last.
                self.unsettled.clear();
                Ok(())
            }
            _ => {
                self.is_changed = true;
                Err(Failure::Changed(self.chain.clone()))
            }
        }
    }

    /// Closes the connection: a late answer must not be taken for that of the next statement.
    fn abandon(&mut self) {
        drop(self.connection.take().map(PoolConnection::detach));
    }
}

/// Collects lines that arrived meanwhile, after the first.
fn gather(first: PendingLine, pending: &mut UnboundedReceiver<PendingLine>) -> Vec<PendingLine> {
    let mut bytes = first.body.len();
    let mut lines = vec![first];
    while lines.len() < MAX_BATCH_LINES
        && bytes < MAX_BATCH_BYTES
        && let Ok(line) = pending.try_recv()
    {
        bytes += line.body.len();
        lines.push(line);
    }
    lines
}

/// Reports the end of the thread, whatever the reason.
struct EndGuard(Arc<Health>);

impl Drop for EndGuard {
    fn drop(&mut self) {
        self.0.set(&Err(Failure::ended()));
    }
}
