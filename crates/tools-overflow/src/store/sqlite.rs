//! A store in one SQLite file, for a single machine. Several processes may use the file at once.

use std::{
    io,
    ops::Range,
    path::{Path, PathBuf},
    time::Duration,
};

use async_trait::async_trait;
use sqlx::{
    Connection, QueryBuilder, Sqlite, SqliteConnection, SqlitePool, Transaction,
    sqlite::{SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use tokio::sync::OnceCell;
use tools_sandbox::make_private_folder;
use tools_store::{StoreError, signed};

use super::{
    queries::sqlite as queries,
    sqlite_log::{Log, bound_log},
};
use crate::{Facts, Key, NewEntry, OverflowError, OverflowStore, Reference, chunk::Chunk};

/// The migrations of the schema; the file records how many of them it has.
const MIGRATIONS: &[&str] =
    &[include_str!("../../migrations/sqlite/0001_overflow.sql"), include_str!("../../migrations/sqlite/0002_gap.sql")];

/// Maximum time a write waits for another process.
const BUSY: Duration = Duration::from_secs(5);
/// Maximum time a call waits for the writer of this process.
const ACQUIRE: Duration = Duration::from_secs(20);
/// Maximum number of attempts to open: two processes that create the same file can make each other
/// fail without a wait.
const TRIES: u32 = 50;
/// Number of reading connections.
const READERS: u32 = 4;
/// Page size in bytes of a new file. With SQLite's own 4 KiB a large entry costs twice as much to
/// checkpoint. With more than this a small entry, which changes a page of every index, costs more
/// than it saves.
const PAGE: u32 = 16 << 10;
/// Number of chunks in one insert statement.
const BATCH: usize = 16;

/// A store in a SQLite file, which is opened at first use.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    pools: OnceCell<Pools>,
}

#[derive(Debug)]
struct Pools {
    /// A single connection, so that writers wait here in order instead of for the file's lock.
    writer: SqlitePool,
    readers: SqlitePool,
    log: Log,
}

impl SqliteStore {
    /// The store in the file at `path`, which is not touched before first use.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), pools: OnceCell::new() }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    async fn pools(&self) -> Result<&Pools, OverflowError> {
        tools_store::check_runtime()?;
        self.pools.get_or_try_init(|| self.open()).await
    }

    async fn open(&self) -> Result<Pools, OverflowError> {
        let path = self.path.clone();
        let made = tokio::task::spawn_blocking(move || make_private_file(&path)).await;
        made.map_err(OverflowError::store)?.map_err(OverflowError::store)?;
        let mut tries = 0;
        loop {
            match self.connect().await {
                Err(error) if tries < TRIES && error.is_passing() => {
                    tries += 1;
                    tokio::time::sleep(Duration::from_millis(u64::from(tries))).await;
                }
                other => return Ok(other?),
            }
        }
    }

    async fn connect(&self) -> Result<Pools, StoreError> {
        let options = SqliteConnectOptions::new()
            .filename(&self.path)
            .page_size(PAGE)
            .auto_vacuum(SqliteAutoVacuum::Incremental)
            .journal_mode(SqliteJournalMode::Wal)
            // Committed data survives the process. A power cut may lose the last entries, but never
            // corrupts the file.
            .synchronous(SqliteSynchronous::Normal)
            .foreign_keys(true)
            .busy_timeout(BUSY)
            .pragma("cache_size", "-4096")
            // Statement journals stay in memory; otherwise each would create and remove a file.
            .pragma("temp_store", "MEMORY");
        let pool = || SqlitePoolOptions::new().test_before_acquire(false).acquire_timeout(ACQUIRE);
        let writer = pool().max_connections(1).after_connect(|connection, _| Box::pin(bound_log(connection)));
        let writer = writer.connect_with(options.clone()).await?;
        migrate(&mut *writer.acquire().await?).await?;
        let readers = pool().max_connections(READERS).connect_lazy_with(options.clone());
        let log = Log::new(pool().max_connections(1).connect_lazy_with(options));
        Ok(Pools { writer, readers, log })
    }

    /// Brings what was stored from the log into the file, and waits for the disk: when this
    /// returns, not even a power cut takes it. Nobody has to call it, for what was stored outlives
    /// the process anyway.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn settle(&self) -> Result<(), OverflowError> {
        self.pools().await?.log.settle().await
    }

    async fn reader(&self) -> Result<&SqlitePool, OverflowError> {
        Ok(&self.pools().await?.readers)
    }

    async fn write(&self) -> Result<Transaction<'static, Sqlite>, OverflowError> {
        Ok(self.pools().await?.writer.begin_with("BEGIN IMMEDIATE").await?)
    }
}

/// Creates the folder and the file for their owner alone, since output of commands is private.
/// SQLite gives its auxiliary files the permissions of the file.
fn make_private_file(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt as _;
    if let Some(folder) = path.parent() {
        make_private_folder(folder)?;
    }
    match std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

async fn migrate(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    if version(connection).await? == MIGRATIONS.len() {
        return Ok(());
    }
    let mut change = connection.begin_with("BEGIN IMMEDIATE").await?;
    // Another process may have migrated first.
    let have = version(&mut change).await?;
    if have > MIGRATIONS.len() {
        return Err(StoreError::Newer { found: have, known: MIGRATIONS.len() });
    }
    for migration in &MIGRATIONS[have..] {
        sqlx::raw_sql(*migration).execute(&mut *change).await?;
    }
    let version = format!("PRAGMA user_version = {}", MIGRATIONS.len());
    sqlx::raw_sql(sqlx::AssertSqlSafe(version)).execute(&mut *change).await?;
    change.commit().await?;
    Ok(())
}

async fn version(connection: &mut SqliteConnection) -> Result<usize, StoreError> {
    let (version,): (i64,) = sqlx::query_as("PRAGMA user_version").fetch_one(connection).await?;
    usize::try_from(version).map_err(|_| StoreError::Foreign)
}

/// Inserts chunks, several with one statement.
async fn insert_chunks(
    change: &mut SqliteConnection,
    entry: i64,
    first: u64,
    chunks: Vec<Chunk>,
) -> Result<(), OverflowError> {
    let mut rows = (signed(first)..).zip(chunks).peekable();
    while rows.peek().is_some() {
        let mut insert = QueryBuilder::new("INSERT INTO tool_overflow_chunk (entry, number, lines_before, data) ");
        insert.push_values(rows.by_ref().take(BATCH), |mut row, (number, chunk)| {
            row.push_bind(entry).push_bind(number).push_bind(signed(chunk.lines_before)).push_bind(chunk.data);
        });
        insert.build().execute(&mut *change).await?;
    }
    Ok(())
}

/// Releases free pages when they are a quarter of the file. Fewer are soon reused, and releasing a
/// page costs as much as writing it.
async fn shrink(connection: &mut SqliteConnection) -> Result<(), OverflowError> {
    let (free,): (i64,) = sqlx::query_as("PRAGMA freelist_count").fetch_one(&mut *connection).await?;
    let (pages,): (i64,) = sqlx::query_as("PRAGMA page_count").fetch_one(&mut *connection).await?;
    if free > pages / 4 {
        sqlx::raw_sql("PRAGMA incremental_vacuum").execute(connection).await?;
    }
    Ok(())
}

#[async_trait]
impl OverflowStore for SqliteStore {
    async fn put(&self, entry: NewEntry<'_>) -> Result<(), OverflowError> {
        let mut change = self.write().await?;
        let bytes = entry.stored_bytes();
        queries::insert_conversation(&mut change, entry.key.conversation, entry.created_at).await?;
        let number = queries::insert_entry(&mut change, &entry).await?;
        insert_chunks(&mut change, number, 0, entry.chunks).await?;
        change.commit().await?;
        self.pools().await?.log.grew(bytes);
        Ok(())
    }

    async fn begin(&self, key: Key<'_>, created_at: i64) -> Result<(), OverflowError> {
        let mut change = self.write().await?;
        queries::insert_conversation(&mut change, key.conversation, created_at).await?;
        queries::begin_entry(&mut change, key, created_at).await?;
        change.commit().await?;
        Ok(())
    }

    async fn append(&self, key: Key<'_>, first: u64, chunks: Vec<Chunk>) -> Result<(), OverflowError> {
        let bytes = chunks.iter().map(|chunk| chunk.data.len() as u64).sum();
        let mut change = self.write().await?;
        let number = queries::grow_entry(&mut change, key, bytes).await?;
        insert_chunks(&mut change, number, first, chunks).await?;
        change.commit().await?;
        self.pools().await?.log.grew(bytes);
        Ok(())
    }

    async fn seal(&self, key: Key<'_>, facts: Facts) -> Result<(), OverflowError> {
        let mut change = self.write().await?;
        queries::seal_entry(&mut change, key, facts).await?;
        change.commit().await?;
        Ok(())
    }

    async fn remove(&self, key: Key<'_>) -> Result<(), OverflowError> {
        let mut change = self.write().await?;
        queries::remove_entry(&mut change, key).await?;
        change.commit().await?;
        Ok(())
    }

    async fn facts(&self, key: Key<'_>) -> Result<Option<Facts>, OverflowError> {
        queries::facts(self.reader().await?, key).await
    }

    async fn entries(
        &self,
        conversation: &str,
        after: Option<Reference>,
        most: u32,
    ) -> Result<Vec<(Reference, Facts)>, OverflowError> {
        queries::entries(self.reader().await?, conversation, after, most).await
    }

    async fn chunks(&self, key: Key<'_>, numbers: Range<u64>) -> Result<Vec<Vec<u8>>, OverflowError> {
        queries::chunks(self.reader().await?, key, numbers).await
    }

    async fn chunk_of_line(&self, key: Key<'_>, lines: u64) -> Result<Option<(u64, u64)>, OverflowError> {
        queries::chunk_of_line(self.reader().await?, key, lines).await
    }

    async fn conversation_of(&self, reference: Reference) -> Result<Option<String>, OverflowError> {
        queries::conversation_of(self.reader().await?, reference).await
    }

    async fn remove_conversation(&self, conversation: &str) -> Result<u64, OverflowError> {
        let mut change = self.write().await?;
        let count = queries::remove_conversation(&mut change, conversation).await?;
        change.commit().await?;
        Ok(count)
    }

    async fn clean(&self, created_at: i64, most_bytes: Option<u64>) -> Result<u64, OverflowError> {
        let mut change = self.write().await?;
        let removed = queries::remove_old_entries(&mut change, created_at, most_bytes).await?;
        sqlx::query(
            "DELETE FROM conversations WHERE created_at < $1
             AND NOT EXISTS (SELECT 1 FROM tool_overflow WHERE conversation_id = conversations.id)",
        )
        .bind(created_at)
        .execute(&mut *change)
        .await?;
        change.commit().await?;
        if removed > 0 {
            shrink(&mut *self.pools().await?.writer.acquire().await?).await?;
        }
        Ok(removed)
    }
}
