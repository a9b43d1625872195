//! Approvals and rejections in a database. Every process reads the lines added since its last read;
//! a line is added in one transaction, in an order that is the same for all.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use sqlx::PgConnection;
use tokio::time::{Instant, timeout};
use tools_core::{ContentDigest, KeyFault, Locked as _, Script};
use tools_policy::permissions::{
    ApprovalSnapshot, ApprovalStore, ApprovalsConfig, ApprovalsError, OnUnreadable, StoredApproval, StoredRules,
    read_approvals,
};
use tools_store::{Server, ServerSchema, StoreError};

/// The schema; released versions are only extended.
const SCHEMA: ServerSchema =
    ServerSchema { name: "haft_approval", migrations: &[include_str!("../migrations/0001_approvals.sql")] };

/// Time limit for the database during a call.
const WAIT: Duration = Duration::from_secs(5);
/// Pause after a failure of the database, during which calls do not wait for it.
const PAUSE: Duration = Duration::from_secs(1);
/// Age up to which read data are used for calls about which nothing is stored.
const MAX_AGE: Duration = Duration::from_secs(1);
/// Maximum number of stored script texts; the oldest are removed.
const MAX_TEXTS: i64 = 512;
/// Maximum number of bytes of script texts that a process caches.
const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;

/// A database of approvals. It is connected at its first use.
#[derive(Debug)]
pub struct ApprovalDatabase {
    server: Server,
    failed_at: Mutex<Option<Instant>>,
}

impl ApprovalDatabase {
    /// The database at a `postgres://` address.
    ///
    /// # Errors
    /// If the address is invalid.
    pub fn at(address: &str) -> Result<Self, StoreError> {
        Ok(Self { server: Server::at(address, SCHEMA)?.waiting(WAIT), failed_at: Mutex::default() })
    }

    fn failed_at(&self) -> MutexGuard<'_, Option<Instant>> {
        self.failed_at.locked()
    }

    /// Runs `work` with a time limit.
    async fn within<T>(&self, work: impl Future<Output = Result<T, StoreError>>) -> Result<T, ApprovalsError> {
        let done = match timeout(WAIT, work).await {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(error)) => Err(ApprovalsError(error.into())),
            Err(late) => Err(ApprovalsError(late.into())),
        };
        *self.failed_at() = done.is_err().then(Instant::now);
        done
    }

    /// Lines after the last known one, or all if that no longer exists.
    async fn lines_since(&self, last: Option<&Line>) -> Result<ReadResult, StoreError> {
        let database = self.server.reader().await?;
        if let Some(last) = last {
            let rows: Vec<(i64, String)> =
                sqlx::query_as("SELECT number, line FROM haft_approval_line WHERE number >= $1 ORDER BY number")
                    .bind(last.number)
                    .fetch_all(database)
                    .await?;
            let mut lines = rows.into_iter().map(Line::from);
            // The last known line is gone or different: it was replaced, or another database is at
            // this address.
            if lines.next().as_ref() == Some(last) {
                return Ok(ReadResult::Added(lines.collect()));
            }
        }
        let rows: Vec<(i64, String)> =
            sqlx::query_as("SELECT number, line FROM haft_approval_line ORDER BY number").fetch_all(database).await?;
        Ok(ReadResult::All(rows.into_iter().map(Line::from).collect()))
    }

    /// Stored script texts by digest.
    async fn texts(&self, digests: Vec<String>) -> Result<HashMap<String, Arc<str>>, StoreError> {
        if digests.is_empty() {
            return Ok(HashMap::new());
        }
        let rows: Vec<(String, Vec<u8>)> = sqlx::query_as(
            "SELECT digest, text FROM haft_approval_script WHERE digest = ANY($1) ORDER BY at DESC LIMIT $2",
        )
        .bind(digests)
        .bind(MAX_TEXTS)
        .fetch_all(self.server.reader().await?)
        .await?;
        let mut left = MAX_TEXT_BYTES;
        let held = rows.into_iter().filter_map(|(digest, text)| {
            left = left.checked_sub(text.len())?;
            let is_it = ContentDigest::of(&text).to_hex() == digest;
            let text = String::from_utf8(text).ok().filter(|_| is_it)?;
            Some((digest, Arc::from(text)))
        });
        Ok(held.collect())
    }

    async fn add(&self, key: &str, line: &str, scripts: &[Script]) -> Result<(), StoreError> {
        let mut change = self.server.write().await?;
        for (digest, text) in scripts.iter().filter_map(|script| script.digest.zip(script.text.as_ref())) {
            keep_text(&mut change, &digest.to_hex(), text).await?;
        }
        sqlx::query("DELETE FROM haft_approval_line WHERE key = $1").bind(key).execute(&mut *change).await?;
        sqlx::query("INSERT INTO haft_approval_line (key, line) VALUES ($1, $2)")
            .bind(key)
            .bind(line)
            .execute(&mut *change)
            .await?;
        Ok(change.commit().await?)
    }
}

async fn keep_text(change: &mut PgConnection, digest: &str, text: &str) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO haft_approval_script (digest, text, at)
         VALUES ($1, $2, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
         ON CONFLICT (digest) DO UPDATE SET at = excluded.at",
    )
    .bind(digest)
    .bind(text.as_bytes())
    .execute(&mut *change)
    .await?;
    sqlx::query(
        "DELETE FROM haft_approval_script WHERE digest IN
         (SELECT digest FROM haft_approval_script ORDER BY at DESC, digest OFFSET $1)",
    )
    .bind(MAX_TEXTS)
    .execute(change)
    .await?;
    Ok(())
}

/// A stored line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    number: i64,
    text: String,
}

impl From<(i64, String)> for Line {
    fn from((number, text): (i64, String)) -> Self {
        Self { number, text }
    }
}

/// Result of reading.
enum ReadResult {
    /// Lines after the known ones.
    Added(Vec<Line>),
    /// All lines.
    All(Vec<Line>),
}

/// Approvals in a database, as read by one set of rules.
#[derive(Debug)]
pub struct PostgresApprovals {
    database: Arc<ApprovalDatabase>,
    on_error: OnUnreadable,
    seen: Mutex<Seen>,
}

/// State read so far.
#[derive(Debug, Clone, Default)]
struct Seen {
    lines: Arc<[Line]>,
    /// Has number 0 before the first read.
    snapshot: ApprovalSnapshot,
}

/// The approvals in the configured database, which is opened once per address in this process;
/// `None` if none is configured.
///
/// # Errors
/// If the address is invalid.
pub fn shared(config: &ApprovalsConfig) -> Result<Option<Arc<dyn ApprovalStore>>, KeyFault> {
    let database = crate::shared::shared(&config.database, ApprovalDatabase::at)?;
    Ok(database.map(|database| Arc::new(PostgresApprovals::over(database, config.on_unreadable())) as _))
}

impl PostgresApprovals {
    /// Approvals of a database.
    pub fn over(database: Arc<ApprovalDatabase>, on_error: OnUnreadable) -> Self {
        Self { database, on_error, seen: Mutex::default() }
    }

    async fn look(&self) -> Result<ApprovalSnapshot, StoreError> {
        loop {
            let before = self.seen.locked().clone();
            let lines: Arc<[Line]> = match self.database.lines_since(before.lines.last()).await? {
                ReadResult::Added(added) if added.is_empty() && before.snapshot.number > 0 => {
                    return Ok(before.snapshot);
                }
                ReadResult::Added(added) => before.lines.iter().cloned().chain(added).collect(),
                ReadResult::All(lines) => lines.into(),
            };
            let rules = self.compiled(&lines).await;
            let mut seen = self.seen.locked();
            // Another read finished first and may have seen less or more: repeat.
            if Arc::ptr_eq(&seen.lines, &before.lines) {
                let number = before.snapshot.number + 1;
                *seen = Seen { lines, snapshot: ApprovalSnapshot { number, rules } };
                return Ok(seen.snapshot.clone());
            }
        }
    }

    async fn compiled(&self, lines: &[Line]) -> StoredRules {
        let text: String = lines.iter().map(|line| line.text.as_str()).collect();
        let (mut standing, useless) = read_approvals(text.as_bytes());
        if useless > 0 {
            tracing::warn!(useless, "stored approvals cannot be read and allow nothing");
        }
        let scripts = |approval: &StoredApproval| approval.scripts.clone().unwrap_or_default();
        let digests = standing.iter().flat_map(scripts).filter_map(|script| Some(script.digest?.to_hex()));
        // An approval is bound by digests; without a text, only the question is less detailed.
        let texts = self.database.texts(digests.collect()).await.unwrap_or_default();
        for script in standing.iter_mut().filter_map(|approval| approval.scripts.as_mut()).flatten() {
            script.text = script.digest.and_then(|digest| texts.get(&digest.to_hex()).cloned());
        }
        StoredRules::compile(standing)
    }
}

#[async_trait]
impl ApprovalStore for PostgresApprovals {
    async fn read(&self) -> Result<ApprovalSnapshot, ApprovalsError> {
        let is_resting = self.database.failed_at().is_some_and(|at| at.elapsed() < PAUSE);
        if is_resting {
            return Err(ApprovalsError("the database failed a moment ago".into()));
        }
        self.database.within(self.look()).await
    }

    async fn add(&self, line: &StoredApproval) -> Result<(), ApprovalsError> {
        let failed = |error: serde_json::Error| ApprovalsError(error.into());
        let (key, text) = (line.key().map_err(failed)?, line.to_line().map_err(failed)?);
        self.database.within(self.database.add(&key, &text, line.scripts.as_deref().unwrap_or_default())).await
    }

    fn max_age(&self) -> Duration {
        MAX_AGE
    }

    fn on_error(&self) -> OnUnreadable {
        self.on_error
    }
}
