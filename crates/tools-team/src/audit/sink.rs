//! Passes lines to the thread that writes them, and waits until they are stored.

use std::fmt;
use std::sync::{Arc, mpsc};

use async_trait::async_trait;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tools_audit::{AuditConfig, AuditError, AuditSink, Head, RecordStore, SessionRows};
use tools_core::KeyFault;
use tools_store::StoreError;
use uuid::Uuid;

use super::AuditDatabase;
use super::schema::server;
use super::writer::{Failure, Health, PendingLine, Writer};

/// A record in a PostgreSQL database; this value writes its own chain. An acknowledged line is
/// committed. Lines that arrive while others are being stored are stored together.
pub struct PostgresSink {
    chain: String,
    lines: UnboundedSender<PendingLine>,
    health: Arc<Health>,
    database: AuditDatabase,
}

/// The record in the configured database, one chain per address in this process; `None` if none is
/// configured.
///
/// # Errors
/// As [`PostgresSink::at`].
pub fn shared(config: &AuditConfig) -> Result<Option<Arc<dyn RecordStore>>, KeyFault> {
    Ok(crate::shared::shared(&config.database, PostgresSink::at)?.map(|sink| sink as _))
}

impl PostgresSink {
    /// A new chain in the database at a `postgres://` address. A thread connects to it at once; the
    /// chain is created with its first line.
    ///
    /// # Errors
    /// If the address is invalid, or the system cannot start a thread.
    pub fn at(address: &str) -> Result<Self, StoreError> {
        let server = server(address)?;
        let chain = Uuid::now_v7().to_string();
        let (lines, pending) = unbounded_channel();
        let health = Arc::new(Health::default());
        let writer = Writer::new(server, chain.clone(), Arc::clone(&health));
        std::thread::Builder::new()
            .name("audit-database".to_owned())
            .spawn(move || writer.run(pending))
            .map_err(|error| StoreError::Failed(error.into()))?;
        Ok(Self { chain, lines, health, database: AuditDatabase::at(address)? })
    }

    /// The name of the chain.
    pub fn chain(&self) -> &str {
        &self.chain
    }

    fn hand_over(&self, body: &str, done: Box<dyn FnOnce(Result<Head, Failure>) + Send>) -> Result<(), AuditError> {
        // If the database is known to fail, do not wait; the thread keeps trying.
        self.health.usable()?;
        let ended = |_| Failure::ended().into();
        self.lines.send(PendingLine { body: body.to_owned(), done }).map_err(ended)
    }
}

#[async_trait]
impl AuditSink for PostgresSink {
    fn append(&self, body: &str) -> Result<Head, AuditError> {
        let (done, answer) = mpsc::sync_channel(1);
        self.hand_over(body, Box::new(move |stored| drop(done.send(stored))))?;
        Ok(answer.recv().unwrap_or_else(|_| Err(Failure::ended()))?)
    }

    async fn store(&self, body: String) -> Result<Head, AuditError> {
        let (done, answer) = oneshot::channel();
        self.hand_over(&body, Box::new(move |stored| drop(done.send(stored))))?;
        Ok(answer.await.unwrap_or_else(|_| Err(Failure::ended()))?)
    }

    fn prepare(&self) -> Result<(), AuditError> {
        self.health.usable()
    }
}

#[async_trait]
impl RecordStore for PostgresSink {
    async fn of_session(&self, session: &str, after: u64, most: usize) -> Result<SessionRows, AuditError> {
        self.database.of_session(session, after, most).await
    }
}

impl fmt::Display for PostgresSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgreSQL (`tools.audit.database`), chain {}", self.chain)
    }
}

tools_core::partial_debug!(PostgresSink { chain });
