//! Saved sessions of agents in a database: read by many, written by whoever holds the lease of a
//! session. A lease ends by itself when its process is gone; nothing is locked meanwhile.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use sqlx::PgPool;
use thiserror::Error;
use tokio::{task::AbortHandle, time::timeout};
use tools_store::{Server, ServerSchema, StoreError, signed};

/// The schema; what was released is only added to.
const SCHEMA: ServerSchema =
    ServerSchema { name: "haft_session", migrations: &[include_str!("../migrations/0001_sessions.sql")] };

/// How long a statement is waited for.
const WAIT: Duration = Duration::from_secs(5);
/// How long a lease lasts without being renewed, in milliseconds.
const LEASE_MS: i64 = 15_000;
/// How often a lease is renewed.
const RENEWAL: Duration = Duration::from_secs(5);
/// The time, by the clock of the database.
const NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/// A database of saved sessions, which is connected to when it is first used.
#[derive(Debug)]
pub struct SessionDatabase {
    server: Server,
}

/// A saved session without what was said in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    /// Its name.
    pub id: String,
    /// The folder that it works in.
    pub workdir: String,
    /// Its title.
    pub title: String,
    /// Number of its turns.
    pub turns: i64,
    /// Number of its messages.
    pub messages: i64,
    /// When it was written last, in milliseconds since 1970.
    pub written_at: i64,
}

/// Reason why a session cannot be held, written or removed.
#[derive(Debug, Error)]
pub enum SessionError {
    /// Another process holds it.
    #[error("process {pid} on `{host}` holds it; its lease ends in {} s unless it is renewed", left_ms.div_euclid(1000) + 1)]
    Held {
        /// Name of the machine.
        host: String,
        /// Number of the process.
        pid: i64,
        /// Until the lease ends, in milliseconds.
        left_ms: i64,
    },
    /// It was removed while nobody renewed the lease.
    #[error("it was removed by another process")]
    Removed,
    /// The database cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The database does not answer.
    #[error("the database does not answer within {} s", WAIT.as_secs())]
    Late,
}

impl From<sqlx::Error> for SessionError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

async fn within<T>(work: impl Future<Output = Result<T, SessionError>>) -> Result<T, SessionError> {
    timeout(WAIT, work).await.unwrap_or(Err(SessionError::Late))
}

impl SessionDatabase {
    /// That at a `postgres://` address.
    ///
    /// # Errors
    /// When it is no such address.
    pub fn at(address: &str) -> Result<Self, StoreError> {
        Ok(Self { server: Server::at(address, SCHEMA)?.waiting(WAIT) })
    }

    /// Takes the lease of a session, which may not be there yet. It is renewed for as long as the
    /// result lives.
    ///
    /// # Errors
    /// [`SessionError::Held`] while another process, or another part of this one, holds it.
    pub async fn hold(self: &Arc<Self>, owner: &str, id: &str) -> Result<SessionLease, SessionError> {
        let holder = uuid::Uuid::new_v4().to_string();
        let taken = within(self.take(owner, id, &holder)).await?;
        let renewing = Renewal { database: Arc::clone(self), owner: owner.to_owned(), id: id.to_owned(), holder };
        let task = tokio::spawn(renewing.clone().run()).abort_handle();
        Ok(SessionLease { lease: renewing, version: AtomicI64::new(taken), task })
    }

    /// The version of the session whose lease was taken.
    async fn take(&self, owner: &str, id: &str, holder: &str) -> Result<i64, SessionError> {
        let database = self.server.reader().await?;
        // Those of processes that were killed before they wrote anything.
        sqlx::query(sqlx::AssertSqlSafe(format!(
            "DELETE FROM haft_session WHERE body IS NULL AND lease_until < {NOW} - 86400000"
        )))
        .execute(database)
        .await?;
        let taken: Option<i64> = sqlx::query_scalar(sqlx::AssertSqlSafe(format!(
            "INSERT INTO haft_session AS session (owner, id, holder, host, pid, lease_until)
             VALUES ($1, $2, $3, $4, $5, {NOW} + $6)
             ON CONFLICT (owner, id) DO UPDATE
             SET holder = excluded.holder, host = excluded.host, pid = excluded.pid, lease_until = excluded.lease_until
             WHERE session.holder IS NULL OR session.lease_until < {NOW}
             RETURNING version"
        )))
        .bind(owner)
        .bind(id)
        .bind(holder)
        .bind(crate::host())
        .bind(i64::from(std::process::id()))
        .bind(LEASE_MS)
        .fetch_optional(database)
        .await?;
        match taken {
            Some(version) => Ok(version),
            None => Err(held(database, owner, id).await?),
        }
    }

    /// The saved sessions of an owner, the latest first.
    pub async fn list(&self, owner: &str) -> Result<Vec<SessionRow>, SessionError> {
        within(async {
            let rows: Vec<(String, String, String, i64, i64, i64)> = sqlx::query_as(
                "SELECT id, workdir, title, turns, messages, written_at FROM haft_session
                 WHERE owner = $1 AND body IS NOT NULL ORDER BY written_at DESC, id",
            )
            .bind(owner)
            .fetch_all(self.server.reader().await?)
            .await?;
            let row = |(id, workdir, title, turns, messages, written_at)| SessionRow {
                id,
                workdir,
                title,
                turns,
                messages,
                written_at,
            };
            Ok(rows.into_iter().map(row).collect())
        })
        .await
    }

    /// The texts that were written of sessions, in no order; those that are not there are left out.
    pub async fn bodies(&self, owner: &str, ids: &[&str]) -> Result<Vec<String>, SessionError> {
        within(async {
            let rows = sqlx::query_scalar(
                "SELECT body FROM haft_session WHERE owner = $1 AND id = ANY($2) AND body IS NOT NULL",
            );
            Ok(rows.bind(owner).bind(ids).fetch_all(self.server.reader().await?).await?)
        })
        .await
    }

    /// Removes a session; whether there was one.
    ///
    /// # Errors
    /// [`SessionError::Held`] while a process holds it.
    pub async fn remove(&self, owner: &str, id: &str) -> Result<bool, SessionError> {
        within(async {
            let database = self.server.reader().await?;
            let removed: Option<bool> = sqlx::query_scalar(sqlx::AssertSqlSafe(format!(
                "DELETE FROM haft_session WHERE owner = $1 AND id = $2 AND (holder IS NULL OR lease_until < {NOW})
                 RETURNING body IS NOT NULL"
            )))
            .bind(owner)
            .bind(id)
            .fetch_optional(database)
            .await?;
            match (removed, held(database, owner, id).await) {
                (Some(was_written), _) => Ok(was_written),
                (None, Err(SessionError::Removed)) => Ok(false),
                (None, held) => Err(held?),
            }
        })
        .await
    }
}

/// Who holds a session.
///
/// # Errors
/// [`SessionError::Removed`] when there is no such session.
async fn held(database: &PgPool, owner: &str, id: &str) -> Result<SessionError, SessionError> {
    let found: Option<(String, i64, i64)> = sqlx::query_as(sqlx::AssertSqlSafe(format!(
        "SELECT host, pid, lease_until - {NOW} FROM haft_session WHERE owner = $1 AND id = $2"
    )))
    .bind(owner)
    .bind(id)
    .fetch_optional(database)
    .await?;
    let (host, pid, left_ms) = found.ok_or(SessionError::Removed)?;
    Ok(SessionError::Held { host, pid, left_ms: left_ms.max(0) })
}

/// The right to write a session, renewed until this is dropped.
#[derive(Debug)]
pub struct SessionLease {
    lease: Renewal,
    version: AtomicI64,
    task: AbortHandle,
}

#[derive(Debug, Clone)]
struct Renewal {
    database: Arc<SessionDatabase>,
    owner: String,
    id: String,
    holder: String,
}

impl SessionLease {
    /// Writes the session, whole. When this returns, it outlives this process.
    ///
    /// # Errors
    /// [`SessionError::Held`] or [`SessionError::Removed`] when the lease ended and another process
    /// took or removed the session: nothing is written then.
    pub async fn write(&self, row: &SessionRow, body: &str) -> Result<(), SessionError> {
        let Renewal { database, owner, id, holder } = &self.lease;
        let version = self.version.fetch_add(1, Ordering::AcqRel) + 1;
        within(async {
            let database = database.server.reader().await?;
            let written = sqlx::query(sqlx::AssertSqlSafe(format!(
                "UPDATE haft_session SET version = $4, workdir = $5, title = $6, turns = $7, messages = $8,
                     written_at = $9, body = $10, lease_until = {NOW} + $11
                 WHERE owner = $1 AND id = $2 AND holder = $3 AND version < $4"
            )))
            .bind(owner)
            .bind(id)
            .bind(holder)
            .bind(version)
            .bind(&row.workdir)
            .bind(&row.title)
            .bind(row.turns)
            .bind(row.messages)
            .bind(row.written_at)
            .bind(body)
            .bind(LEASE_MS)
            .execute(database)
            .await?;
            if written.rows_affected() > 0 { Ok(()) } else { Err(held(database, owner, id).await?) }
        })
        .await
    }
}

impl SessionLease {
    /// Gives the session free, and waits until others can have it.
    pub async fn end(self) {
        self.task.abort();
        self.lease.clone().end().await;
    }
}

impl Drop for SessionLease {
    fn drop(&mut self) {
        self.task.abort();
        // Others need not wait for the end of the lease, where the process lives long enough.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(self.lease.clone().end());
        }
    }
}

impl Renewal {
    async fn run(self) {
        loop {
            tokio::time::sleep(RENEWAL).await;
            let renewed = within(async {
                let renewal = sqlx::query(sqlx::AssertSqlSafe(format!(
                    "UPDATE haft_session SET lease_until = {NOW} + $4 WHERE owner = $1 AND id = $2 AND holder = $3"
                )));
                let renewal = renewal.bind(&self.owner).bind(&self.id).bind(&self.holder).bind(LEASE_MS);
                Ok(renewal.execute(self.database.server.reader().await?).await?.rows_affected())
            });
            match renewed.await {
                Ok(0) => return tracing::warn!(session = self.id, "the lease of a session was lost"),
                Ok(_) => {}
                Err(error) => tracing::warn!(%error, session = self.id, "the lease of a session cannot be renewed"),
            }
        }
    }

    /// Gives the session free, and leaves nothing of one that was never written.
    async fn end(self) {
        let ended = within(async {
            let database = self.database.server.reader().await?;
            for statement in [
                "DELETE FROM haft_session WHERE owner = $1 AND id = $2 AND holder = $3 AND body IS NULL",
                "UPDATE haft_session SET holder = NULL WHERE owner = $1 AND id = $2 AND holder = $3",
            ] {
                let ending = sqlx::query(statement).bind(&self.owner).bind(&self.id).bind(&self.holder);
                ending.execute(database).await?;
            }
            Ok(())
        });
        if let Err(error) = ended.await {
            tracing::warn!(%error, session = self.id, "the lease of a session ends by itself");
        }
    }
}

impl SessionRow {
    /// The row of a session with these counts.
    pub fn new(id: &str, workdir: &str, title: &str, turns: u64, messages: usize, written_at: i64) -> Self {
        let (id, workdir, title) = (id.to_owned(), workdir.to_owned(), title.replace('\0', ""));
        Self { id, workdir, title, turns: signed(turns), messages: signed(messages), written_at }
    }
}
