//! SQLite's log beside the file: what is stored lands there and is readable at once; bringing it
//! into the file, which has to wait for the disk twice, is nobody's to wait for and happens beside.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use sqlx::{SqliteConnection, SqlitePool};
use tokio::sync::Mutex;

use crate::OverflowError;

/// Bytes in the log from which on it is brought into the file.
const DUE: u64 = 4 << 20;
/// Bytes in the log at which whoever stores brings it into the file, since nobody else came to it.
const MAX_LOG_BYTES: i64 = 64 << 20;

/// Brings the log into the file. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Log {
    /// One connection of its own: neither reader nor writer waits for it.
    own: SqlitePool,
    grown: Arc<AtomicU64>,
    under_way: Arc<Mutex<()>>,
}

impl Log {
    pub(super) fn new(own: SqlitePool) -> Self {
        Self { own, grown: Arc::default(), under_way: Arc::default() }
    }

    /// Takes note of bytes that were stored; brings them into the file, beside, when there are
    /// enough of them.
    pub(super) fn grew(&self, bytes: u64) {
        if self.grown.fetch_add(bytes, Ordering::Relaxed) + bytes < DUE {
            return;
        }
        let Ok(turn) = Arc::clone(&self.under_way).try_lock_owned() else { return };
        self.grown.store(0, Ordering::Relaxed);
        let own = self.own.clone();
        tokio::spawn(async move {
            // Takes what it can without keeping anybody waiting. Left undone, the next one does it.
            if let Err(error) = sqlx::raw_sql("PRAGMA wal_checkpoint(PASSIVE)").execute(&own).await {
                tracing::debug!(%error, "the log of the store stays for now");
            }
            drop(turn);
        });
    }

    /// Waits until the log is in the file, and the file on the disk.
    pub(super) async fn settle(&self) -> Result<(), OverflowError> {
        let _turn = self.under_way.lock().await;
        sqlx::raw_sql("PRAGMA wal_checkpoint(FULL)").execute(&self.own).await?;
        Ok(())
    }
}

/// Lets a connection that writes bring the log into the file only when it has grown far beyond what
/// is usual. The bound is counted in pages, whose size the file decides.
pub(super) async fn bound_log(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let (page,): (i64,) = sqlx::query_as("PRAGMA page_size").fetch_one(&mut *connection).await?;
    let bound = format!(
        "PRAGMA wal_autocheckpoint = {0}; PRAGMA journal_size_limit = {MAX_LOG_BYTES}",
        MAX_LOG_BYTES / page.max(512)
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(bound)).execute(connection).await?;
    Ok(())
}
