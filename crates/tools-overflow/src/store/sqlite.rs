//! Output in one SQLite file: the store of a single machine. Several processes may use the file at once.

use std::{
    io,
    ops::Range,
    path::{Path, PathBuf},
    time::Duration,
};

use async_trait::async_trait;
use sqlx::{
    Connection, Sqlite, SqliteConnection, SqlitePool, Transaction,
    sqlite::{SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use tokio::sync::OnceCell;

use super::number::{signed, unsigned};
use crate::{Facts, Key, NewEntry, OverflowError, OverflowStore, Reference};

/// The schema in its versions; the file knows how many of them it has.
const MIGRATIONS: &[&str] = &[include_str!("../../migrations/sqlite/0001_overflow.sql")];

/// How long a write waits for another process.
const BUSY: Duration = Duration::from_secs(5);
/// How long a call waits for the writer of this one.
const ACQUIRE: Duration = Duration::from_secs(20);
/// How often opening is tried: two processes that make one file get into each other's way without being told to wait.
const TRIES: u32 = 50;
/// Connections that read at once.
const READERS: u32 = 4;

/// A store in a SQLite file, which is opened when it is first used.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    pools: OnceCell<Pools>,
}

#[derive(Debug)]
struct Pools {
    /// One connection: writers wait here in order, not in the file's lock.
    writer: SqlitePool,
    readers: SqlitePool,
}

impl SqliteStore {
    /// The store in the file at `path`; nothing is touched until it is used.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), pools: OnceCell::new() }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    async fn pools(&self) -> Result<&Pools, OverflowError> {
        self.pools.get_or_try_init(|| self.open()).await
    }

    async fn open(&self) -> Result<Pools, OverflowError> {
        let folder = self.path.parent().map(Path::to_owned);
        tokio::task::spawn_blocking(move || folder.map_or(Ok(()), |folder| private_folder(&folder)))
            .await
            .map_err(OverflowError::store)?
            .map_err(OverflowError::store)?;
        let mut tries = 0;
        loop {
            match self.connect().await {
                Err(OverflowError::Store(error)) if tries < TRIES && is_busy(error.as_ref()) => {
                    tries += 1;
                    tokio::time::sleep(Duration::from_millis(u64::from(tries))).await;
                }
                other => return other,
            }
        }
    }

    async fn connect(&self) -> Result<Pools, OverflowError> {
        let options = SqliteConnectOptions::new()
            .filename(&self.path)
            .create_if_missing(true)
            .auto_vacuum(SqliteAutoVacuum::Incremental)
            .journal_mode(SqliteJournalMode::Wal)
            // What is committed outlives the process. A power cut may take the last entries, never the file.
            .synchronous(SqliteSynchronous::Normal)
            .foreign_keys(true)
            .busy_timeout(BUSY)
            .pragma("cache_size", "-4096");
        let writer = SqlitePoolOptions::new().max_connections(1).test_before_acquire(false).acquire_timeout(ACQUIRE);
        let writer = writer.connect_with(options.clone()).await?;
        migrate(&mut *writer.acquire().await?).await?;
        let readers = SqlitePoolOptions::new().max_connections(READERS).test_before_acquire(false);
        let readers = readers.connect_lazy_with(options.create_if_missing(false));
        Ok(Pools { writer, readers })
    }

    async fn reader(&self) -> Result<&SqlitePool, OverflowError> {
        Ok(&self.pools().await?.readers)
    }

    async fn write(&self) -> Result<Transaction<'static, Sqlite>, OverflowError> {
        Ok(self.pools().await?.writer.begin_with("BEGIN IMMEDIATE").await?)
    }
}

/// Whether somebody else is at the file just now.
fn is_busy(error: &(dyn std::error::Error + 'static)) -> bool {
    let database = error.downcast_ref::<sqlx::Error>().and_then(sqlx::Error::as_database_error);
    // The low byte of an extended code is the code: 5 is `SQLITE_BUSY`, 6 is `SQLITE_LOCKED`.
    let code = database.and_then(|error| error.code()?.parse::<u32>().ok());
    code.is_some_and(|code| matches!(code & 0xff, 5 | 6))
}

/// Makes the folder, for its owner alone: output of commands is nobody else's business.
fn private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

async fn migrate(connection: &mut SqliteConnection) -> Result<(), OverflowError> {
    if version(connection).await? == MIGRATIONS.len() {
        return Ok(());
    }
    let mut change = connection.begin_with("BEGIN IMMEDIATE").await?;
    // Another process may have been first.
    let have = version(&mut change).await?;
    if have > MIGRATIONS.len() {
        return Err(OverflowError::store("the database was made by a newer version"));
    }
    for migration in &MIGRATIONS[have..] {
        sqlx::raw_sql(*migration).execute(&mut *change).await?;
    }
    let version = format!("PRAGMA user_version = {}", MIGRATIONS.len());
    sqlx::raw_sql(sqlx::AssertSqlSafe(version)).execute(&mut *change).await?;
    change.commit().await?;
    Ok(())
}

async fn version(connection: &mut SqliteConnection) -> Result<usize, OverflowError> {
    let (version,): (i64,) = sqlx::query_as("PRAGMA user_version").fetch_one(connection).await?;
    usize::try_from(version).map_err(OverflowError::store)
}

#[async_trait]
impl OverflowStore for SqliteStore {
    async fn put(&self, entry: NewEntry<'_>) -> Result<(), OverflowError> {
        let mut change = self.write().await?;
        let stored_bytes = entry.stored_bytes();
        sqlx::query("INSERT OR IGNORE INTO conversations (id, created_at) VALUES (?1, ?2)")
            .bind(entry.key.conversation)
            .bind(entry.created_at)
            .execute(&mut *change)
            .await?;
        let (number,): (i64,) = sqlx::query_as(
            "INSERT INTO tool_overflow (id, conversation_id, created_at, bytes, lines, lost, stored_bytes)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING number",
        )
        .bind(entry.key.reference.uuid().to_string())
        .bind(entry.key.conversation)
        .bind(entry.created_at)
        .bind(signed(entry.facts.bytes))
        .bind(signed(entry.facts.lines))
        .bind(signed(entry.facts.lost))
        .bind(signed(stored_bytes))
        .fetch_one(&mut *change)
        .await?;
        for (position, chunk) in (0_i64..).zip(entry.chunks) {
            sqlx::query("INSERT INTO tool_overflow_chunk (entry, number, lines_before, data) VALUES (?1, ?2, ?3, ?4)")
                .bind(number)
                .bind(position)
                .bind(signed(chunk.lines_before))
                .bind(chunk.data)
                .execute(&mut *change)
                .await?;
        }
        change.commit().await?;
        Ok(())
    }

    async fn facts(&self, key: Key<'_>) -> Result<Option<Facts>, OverflowError> {
        let found: Option<(i64, i64, i64)> =
            sqlx::query_as("SELECT bytes, lines, lost FROM tool_overflow WHERE id = ?1 AND conversation_id = ?2")
                .bind(key.reference.uuid().to_string())
                .bind(key.conversation)
                .fetch_optional(self.reader().await?)
                .await?;
        Ok(found.map(|(bytes, lines, lost)| Facts {
            bytes: unsigned(bytes),
            lines: unsigned(lines),
            lost: unsigned(lost),
        }))
    }

    async fn chunks(&self, key: Key<'_>, numbers: Range<u64>) -> Result<Vec<Vec<u8>>, OverflowError> {
        let found: Vec<(Vec<u8>,)> = sqlx::query_as(
            "SELECT data FROM tool_overflow_chunk
             WHERE entry = (SELECT number FROM tool_overflow WHERE id = ?1 AND conversation_id = ?2)
               AND number >= ?3 AND number < ?4 ORDER BY number",
        )
        .bind(key.reference.uuid().to_string())
        .bind(key.conversation)
        .bind(signed(numbers.start))
        .bind(signed(numbers.end))
        .fetch_all(self.reader().await?)
        .await?;
        Ok(found.into_iter().map(|(data,)| data).collect())
    }

    async fn chunk_of_line(&self, key: Key<'_>, lines: u64) -> Result<Option<(u64, u64)>, OverflowError> {
        let found: Option<(i64, i64)> = sqlx::query_as(
            "SELECT number, lines_before FROM tool_overflow_chunk
             WHERE entry = (SELECT number FROM tool_overflow WHERE id = ?1 AND conversation_id = ?2)
               AND lines_before < ?3 ORDER BY lines_before DESC, number DESC LIMIT 1",
        )
        .bind(key.reference.uuid().to_string())
        .bind(key.conversation)
        .bind(signed(lines))
        .fetch_optional(self.reader().await?)
        .await?;
        Ok(found.map(|(number, before)| (unsigned(number), unsigned(before))))
    }

    async fn conversation_of(&self, reference: Reference) -> Result<Option<String>, OverflowError> {
        let found: Option<(String,)> = sqlx::query_as("SELECT conversation_id FROM tool_overflow WHERE id = ?1")
            .bind(reference.uuid().to_string())
            .fetch_optional(self.reader().await?)
            .await?;
        Ok(found.map(|(conversation,)| conversation))
    }

    async fn remove_conversation(&self, conversation: &str) -> Result<u64, OverflowError> {
        let mut change = self.write().await?;
        let (count,): (i64,) = sqlx::query_as("SELECT count(*) FROM tool_overflow WHERE conversation_id = ?1")
            .bind(conversation)
            .fetch_one(&mut *change)
            .await?;
        sqlx::query("DELETE FROM conversations WHERE id = ?1").bind(conversation).execute(&mut *change).await?;
        change.commit().await?;
        Ok(unsigned(count))
    }

    async fn clean(&self, created_at: i64, most_bytes: Option<u64>) -> Result<u64, OverflowError> {
        let mut change = self.write().await?;
        let expired = sqlx::query("DELETE FROM tool_overflow WHERE created_at < ?1").bind(created_at);
        let mut removed = expired.execute(&mut *change).await?.rows_affected();
        if let Some(most) = most_bytes {
            // The newest that fit stay; a running sum over the index of ages tells where they begin.
            let oldest = sqlx::query(
                "DELETE FROM tool_overflow WHERE number IN (
                     SELECT number FROM (
                         SELECT number, sum(stored_bytes) OVER (ORDER BY created_at DESC, number DESC) AS newer
                         FROM tool_overflow
                     ) WHERE newer > ?1)",
            );
            removed += oldest.bind(signed(most)).execute(&mut *change).await?.rows_affected();
        }
        if removed > 0 {
            sqlx::query(
                "DELETE FROM conversations WHERE created_at < ?1
                 AND NOT EXISTS (SELECT 1 FROM tool_overflow WHERE conversation_id = conversations.id)",
            )
            .bind(created_at)
            .execute(&mut *change)
            .await?;
        }
        change.commit().await?;
        if removed > 0 {
            sqlx::raw_sql("PRAGMA incremental_vacuum").execute(&self.pools().await?.writer).await?;
        }
        Ok(removed)
    }
}
