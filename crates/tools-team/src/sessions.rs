//! Saved sessions of agents in a database: many can read, only the holder of a session's lease can
//! write. A lease expires when its process is gone; no database lock is held meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::PgPool;
use thiserror::Error;
use tokio::{task::AbortHandle, time::timeout};
use tools_agent::sessions::{
    SavedSession, SessionEntry, SessionHold, SessionStore, Sessions, SessionsConfig, SessionsError,
};
use tools_core::{KeyFault, SessionId};
use tools_store::{Server, ServerSchema, StoreError, signed};

/// The schema; released versions are only extended.
const SCHEMA: ServerSchema =
    ServerSchema { name: "haft_session", migrations: &[include_str!("../migrations/0001_sessions.sql")] };

/// Time limit of a statement.
const WAIT: Duration = Duration::from_secs(5);
/// Time in milliseconds until a lease expires without renewal.
const LEASE_MS: i64 = 15_000;
/// Interval of lease renewals.
const RENEWAL: Duration = Duration::from_secs(5);
/// The time by the clock of the database, in milliseconds.
const NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/// A database of saved sessions. It is connected at its first use.
#[derive(Debug)]
pub struct SessionDatabase {
    server: Server,
}

/// The saved sessions of one owner in a database.
#[derive(Debug)]
pub struct PostgresSessions {
    database: Arc<SessionDatabase>,
    owner: String,
}

/// Reason why a session cannot be locked, written or removed.
#[derive(Debug, Error)]
enum SessionError {
    /// Another process holds it.
    #[error("process {pid} on `{host}` holds it; its lease ends in {} s unless it is renewed", left_ms.div_euclid(1000) + 1)]
    Held { host: String, pid: i64, left_ms: i64 },
    /// It was removed while its lease was not renewed.
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

impl From<SessionError> for SessionsError {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Held { .. } => Self::InUse(error.to_string()),
            SessionError::Removed => Self::Removed,
            SessionError::Store(_) | SessionError::Late => Self::Away(error.into()),
        }
    }
}

async fn within<T>(work: impl Future<Output = Result<T, SessionError>>) -> Result<T, SessionError> {
    timeout(WAIT, work).await.unwrap_or(Err(SessionError::Late))
}

impl SessionDatabase {
    /// The database at a `postgres://` address.
    ///
    /// # Errors
    /// If the address is invalid.
    pub fn at(address: &str) -> Result<Self, StoreError> {
        Ok(Self { server: Server::at(address, SCHEMA)?.waiting(WAIT) })
    }

    /// Takes the lease of a session; returns the session's version.
    async fn take(&self, owner: &str, id: &str, holder: &str) -> Result<i64, SessionError> {
        let database = self.server.reader().await?;
        // Remove those of processes that were killed before they wrote anything.
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
}

/// The conversations in the configured database, which is opened once per address in this process;
/// `None` if none is configured.
///
/// # Errors
/// If the address is invalid.
pub fn shared(config: &SessionsConfig) -> Result<Option<Sessions>, KeyFault> {
    let database = crate::shared::shared(&config.database, SessionDatabase::at)?;
    let store = database.map(|database| Arc::new(PostgresSessions::over(database, &config.owner)));
    Ok(store.map(|store| Sessions::over(store, config.on_error)))
}

impl PostgresSessions {
    /// Sessions of `owner`; if that is empty, of the current user, by name.
    pub fn over(database: Arc<SessionDatabase>, owner: &str) -> Self {
        let owner = if owner.is_empty() { user() } else { owner.to_owned() };
        Self { database, owner }
    }
}

/// Name of the current user, or the user's number if there is no name.
fn user() -> String {
    let uid = rustix::process::geteuid().as_raw();
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let mut names = users.lines().filter_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(uid)).then(|| name.to_owned())
    });
    names.next().unwrap_or_else(|| uid.to_string())
}

/// A row of the list: name, folder, title, turns, messages, and time of the last write.
type Row = (String, String, String, i64, i64, i64);

fn entry((id, workdir, title, turns, messages, written_at): Row) -> Option<SessionEntry> {
    Some(SessionEntry {
        session: SessionId::parse(&id).ok()?,
        workdir: workdir.into(),
        title,
        turns: u64::try_from(turns).unwrap_or(0),
        messages: usize::try_from(messages).unwrap_or(0),
        written: Timestamp::from_millisecond(written_at).ok()?,
    })
}

#[async_trait]
impl SessionStore for PostgresSessions {
    async fn hold(&self, session: &SessionId) -> Result<Box<dyn SessionHold>, SessionsError> {
        let (database, owner, id) = (Arc::clone(&self.database), self.owner.clone(), session.as_str().to_owned());
        let holder = uuid::Uuid::new_v4().to_string();
        let taken = within(database.take(&owner, &id, &holder)).await?;
        let lease = Renewal { database, owner, id, holder };
        let task = tokio::spawn(lease.clone().run()).abort_handle();
        Ok(Box::new(SessionLease { lease, version: AtomicI64::new(taken), task }))
    }

    async fn list(&self) -> Result<Vec<SessionEntry>, SessionsError> {
        let rows = within(async {
            let rows = sqlx::query_as(
                "SELECT id, workdir, title, turns, messages, written_at FROM haft_session
                 WHERE owner = $1 AND body IS NOT NULL ORDER BY written_at DESC, id",
            );
            Ok(rows.bind(&self.owner).fetch_all(self.database.server.reader().await?).await?)
        });
        Ok(rows.await?.into_iter().filter_map(entry).collect())
    }

    async fn read(&self, sessions: &[SessionId]) -> Result<Vec<SavedSession>, SessionsError> {
        let ids: Vec<&str> = sessions.iter().map(SessionId::as_str).collect();
        let bodies: Vec<String> = within(async {
            let rows = sqlx::query_scalar(
                "SELECT body FROM haft_session WHERE owner = $1 AND id = ANY($2) AND body IS NOT NULL",
            );
            Ok(rows.bind(&self.owner).bind(ids).fetch_all(self.database.server.reader().await?).await?)
        })
        .await?;
        let read = |body: &String| serde_json::from_str(body).map_err(|error| SessionsError::Away(error.into()));
        if let [body] = &bodies[..] {
            return Ok(vec![read(body)?]);
        }
        let mut found: Vec<SavedSession> = bodies.iter().filter_map(|body| read(body).ok()).collect();
        found.sort_by(|a, b| b.written.cmp(&a.written).then_with(|| a.session.cmp(&b.session)));
        Ok(found)
    }

    async fn remove(&self, session: &SessionId) -> Result<bool, SessionsError> {
        let (owner, id) = (&self.owner, session.as_str());
        let removed = within(async {
            let database = self.database.server.reader().await?;
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
        });
        Ok(removed.await?)
    }
}

/// The current holder of a session.
///
/// # Errors
/// [`SessionError::Removed`] if there is no such session.
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

/// The lease of a session, renewed until it is dropped.
struct SessionLease {
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

#[async_trait]
impl SessionHold for SessionLease {
    async fn keep(&self, session: &SavedSession) -> Result<(), SessionsError> {
        let body = serde_json::to_string(session).map_err(|error| SessionsError::Away(error.into()))?;
        let Renewal { database, owner, id, holder } = &self.lease;
        let version = self.version.fetch_add(1, Ordering::AcqRel) + 1;
        let written = within(async {
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
            .bind(session.workdir.to_string_lossy())
            .bind(session.title.replace('\0', ""))
            .bind(signed(session.turns))
            .bind(signed(session.history.len()))
            .bind(session.written.as_millisecond())
            .bind(body)
            .bind(LEASE_MS)
            .execute(database)
            .await?;
            if written.rows_affected() > 0 { Ok(()) } else { Err(held(database, owner, id).await?) }
        });
        Ok(written.await?)
    }

    async fn release(self: Box<Self>) {
        self.task.abort();
        self.lease.clone().end().await;
    }
}

impl Drop for SessionLease {
    fn drop(&mut self) {
        self.task.abort();
        // Release the lease now, so that others need not wait until it expires. This needs a
        // runtime.
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

    /// Releases the session, and removes one that was never written.
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
