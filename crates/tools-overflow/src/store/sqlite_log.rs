//! SQLite's write-ahead log: stored data is readable as soon as it is in the log. The checkpoint
//! into the file, which waits for the disk twice, runs in the background, so no caller waits for
//! it.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use sqlx::{SqliteConnection, SqlitePool};
use tokio::sync::Mutex;

use crate::OverflowError;

/// Minimum bytes in the log for a checkpoint.
const DUE: u64 = 4 << 20;
/// Bytes in the log at which a writer runs the checkpoint itself, because no background one did.
const MAX_LOG_BYTES: i64 = 64 << 20;

/// Checkpoints the log. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Log {
    /// A separate connection, so that neither readers nor the writer wait for it.
    own: SqlitePool,
    grown: Arc<AtomicU64>,
    under_way: Arc<Mutex<()>>,
}

impl Log {
    pub(super) fn new(own: SqlitePool) -> Self {
        Self { own, grown: Arc::default(), under_way: Arc::default() }
    }

    /// Counts stored bytes; starts a background checkpoint when there are enough of them.
    pub(super) fn grew(&self, bytes: u64) {
        if self.grown.fetch_add(bytes, Ordering::Relaxed) + bytes < DUE {
            return;
        }
        let Ok(turn) = Arc::clone(&self.under_way).try_lock_owned() else { return };
        self.grown.store(0, Ordering::Relaxed);
        let own = self.own.clone();
        tokio::spawn(async move {
            // A passive checkpoint makes nobody wait. What it cannot do is left to the next one.
            if let Err(error) = sqlx::raw_sql("PRAGMA wal_checkpoint(PASSIVE)").execute(&own).await {
                tracing::debug!(%error, "the log of the store stays for now");
            }
            drop(turn);
        });
    }

    /// Waits until the log is in the file, and the file on disk.
    pub(super) async fn settle(&self) -> Result<(), OverflowError> {
        let _turn = self.under_way.lock().await;
        sqlx::raw_sql("PRAGMA wal_checkpoint(FULL)").execute(&self.own).await?;
        Ok(())
    }
}

/// Makes a writing connection checkpoint only when the log is far larger than usual. The limit is
/// counted in pages, whose size depends on the file.
pub(super) async fn bound_log(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let (page,): (i64,) = sqlx::query_as("PRAGMA page_size").fetch_one(&mut *connection).await?;
    let bound = format!(
        "PRAGMA wal_autocheckpoint = {0}; PRAGMA journal_size_limit = {MAX_LOG_BYTES}",
        MAX_LOG_BYTES / page.max(512)
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(bound)).execute(connection).await?;
    Ok(())
}
