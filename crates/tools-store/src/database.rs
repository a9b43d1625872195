//! A SQLite file with one connection for writing and several for reading, opened at the first use.

use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Connection as _, Sqlite, SqliteConnection, SqlitePool, Transaction};
use tokio::sync::OnceCell;

use crate::{Schema, StoreError, check_runtime};

/// How long a write waits for another process.
const BUSY: Duration = Duration::from_secs(5);
/// How long a call waits for the writer of this process.
const ACQUIRE: Duration = Duration::from_secs(20);
/// How often opening is tried: two processes that create the same file can disturb each other, and
/// SQLite then fails without waiting.
const TRIES: u32 = 50;
/// Maximum number of connections for reading.
const READERS: u32 = 4;

/// A database that is opened when it is first used. Changes that [`Database::write`] committed
/// survive the end of the process and a power cut. Several processes may use one file.
#[derive(Debug)]
pub struct Database {
    /// `None` for a database in memory.
    path: Option<PathBuf>,
    schema: Schema,
    pools: OnceCell<Pools>,
}

#[derive(Debug)]
struct Pools {
    /// One connection: writers wait here in order, not in the file's lock.
    writer: SqlitePool,
    readers: SqlitePool,
}

impl Database {
    /// The database in the file at `path`. The first use opens it, and creates the file and its
    /// folder if they are missing, with access for their owner only.
    pub fn at(path: impl Into<PathBuf>, schema: Schema) -> Self {
        Self { path: Some(path.into()), schema, pools: OnceCell::new() }
    }

    /// A database in memory, which is lost when this value is dropped.
    pub fn in_memory(schema: Schema) -> Self {
        Self { path: None, schema, pools: OnceCell::new() }
    }

    /// Connections for reading. A statement sees what was committed before it began.
    ///
    /// # Errors
    /// Why the database cannot be opened.
    pub async fn reader(&self) -> Result<&SqlitePool, StoreError> {
        Ok(&self.pools().await?.readers)
    }

    /// A transaction that writes. No other can run at the same time, in this process or another. If
    /// it is dropped without a commit, nothing is changed.
    ///
    /// # Errors
    /// Why the database cannot be opened, or [`StoreError::Busy`].
    pub async fn write(&self) -> Result<Transaction<'static, Sqlite>, StoreError> {
        Ok(self.pools().await?.writer.begin_with("BEGIN IMMEDIATE").await?)
    }

    /// Waits until everything is in the file and nothing of this process holds it.
    pub async fn close(self) {
        if let Some(pools) = self.pools.into_inner() {
            pools.readers.close().await;
            pools.writer.close().await;
        }
    }

    async fn pools(&self) -> Result<&Pools, StoreError> {
        check_runtime()?;
        self.pools.get_or_try_init(|| self.open()).await
    }

    async fn open(&self) -> Result<Pools, StoreError> {
        let pool = || SqlitePoolOptions::new().test_before_acquire(false).acquire_timeout(ACQUIRE);
        let Some(path) = self.path.clone() else {
            // A database in memory lives as long as its only connection.
            let options = SqliteConnectOptions::new().in_memory(true).foreign_keys(true);
            let only = pool().max_connections(1).idle_timeout(None).max_lifetime(None).connect_with(options).await?;
            self.schema.migrate(&mut *only.acquire().await?).await?;
            return Ok(Pools { writer: only.clone(), readers: only });
        };
        let file = path.clone();
        let made = tokio::task::spawn_blocking(move || make_private_file(&file)).await;
        made.map_err(|error| StoreError::Failed(error.into()))?.map_err(|error| StoreError::Unopened(error.into()))?;
        let options = SqliteConnectOptions::new().filename(&path).foreign_keys(true).busy_timeout(BUSY);
        let mut tries = 0;
        loop {
            match self.connect(&options).await {
                Err(error) if error.is_passing() && tries < TRIES => {
                    tries += 1;
                    tokio::time::sleep(Duration::from_millis(u64::from(tries))).await;
                }
                Err(error) => return Err(error),
                Ok(options) => {
                    let writer = pool().max_connections(1).connect_with(options.clone()).await?;
                    return Ok(Pools { writer, readers: pool().max_connections(READERS).connect_lazy_with(options) });
                }
            }
        }
    }

    /// Migrates the file to the newest schema. Switching the write-ahead log on writes to the file,
    /// so it is done only after the file is known to be ours.
    async fn connect(&self, plain: &SqliteConnectOptions) -> Result<SqliteConnectOptions, StoreError> {
        let mut looking = SqliteConnection::connect_with(plain).await?;
        let looked = self.schema.version(&mut looking).await;
        looking.close().await?;
        looked?;
        let options = plain.clone().journal_mode(SqliteJournalMode::Wal).synchronous(SqliteSynchronous::Full);
        let mut connection = SqliteConnection::connect_with(&options).await?;
        let migrated = self.schema.migrate(&mut connection).await;
        connection.close().await?;
        migrated.map(|()| options)
    }
}

/// Creates the folder and the file, with access for their owner only. The files that SQLite makes
/// beside it get the same rights.
fn make_private_file(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    match std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}
