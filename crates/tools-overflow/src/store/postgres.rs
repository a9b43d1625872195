//! A store in a PostgreSQL database, which many machines can share.

use std::ops::Range;

use async_trait::async_trait;
use sqlx::{PgConnection, PgPool, Postgres, Transaction};
use tools_store::{Server, ServerSchema, signed};

use super::queries::postgres as queries;
use crate::{Facts, Key, NewEntry, OverflowError, OverflowStore, Reference, chunk::Chunk};

const SCHEMA: ServerSchema = ServerSchema {
    name: "tool_overflow",
    migrations: &[
        include_str!("../../migrations/postgres/0001_overflow.sql"),
        include_str!("../../migrations/postgres/0002_gap.sql"),
    ],
};

/// The advisory lock that lets only one process at a time clean. The number has no other meaning.
const CLEANING_LOCK: i64 = 0x6861_6674_6f76_6573;
/// Number of chunks sent together.
const BATCH: usize = 16;

/// A store in a PostgreSQL database, which is connected at first use.
#[derive(Debug)]
pub struct PostgresStore(Server);

impl PostgresStore {
    /// The store in the database at a `postgres://` address, which is not connected before first
    /// use.
    ///
    /// # Errors
    /// When the address is invalid.
    pub fn at(address: &str) -> Result<Self, OverflowError> {
        Ok(Self(Server::at(address, SCHEMA)?))
    }

    async fn pool(&self) -> Result<&PgPool, OverflowError> {
        Ok(self.0.reader().await?)
    }

    /// A transaction beside those of other processes: it locks the rows it touches, not the schema.
    async fn change(&self) -> Result<Transaction<'static, Postgres>, OverflowError> {
        Ok(self.pool().await?.begin().await?)
    }
}

/// Inserts chunks in batches.
async fn insert_chunks(
    change: &mut PgConnection,
    entry: i64,
    first: u64,
    chunks: &[Chunk],
) -> Result<(), OverflowError> {
    for (first, batch) in (first..).step_by(BATCH).zip(chunks.chunks(BATCH)) {
        let numbers: Vec<i64> = (first..).map(signed).take(batch.len()).collect();
        let before: Vec<i64> = batch.iter().map(|chunk| signed(chunk.lines_before)).collect();
        let data: Vec<&[u8]> = batch.iter().map(|chunk| chunk.data.as_slice()).collect();
        sqlx::query(
            "INSERT INTO tool_overflow_chunk (entry, number, lines_before, data)
             SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bytea[])",
        )
        .bind(entry)
        .bind(numbers)
        .bind(before)
        .bind(data)
        .execute(&mut *change)
        .await?;
    }
    Ok(())
}

/// Inserts the conversation if it does not exist, and keeps [`remove_empty_conversations`] from
/// removing it meanwhile.
async fn hold_conversation(
    change: &mut PgConnection,
    conversation: &str,
    created_at: i64,
) -> Result<(), OverflowError> {
    loop {
        queries::insert_conversation(change, conversation, created_at).await?;
        let held = sqlx::query("SELECT 1 FROM conversations WHERE id = $1 FOR KEY SHARE")
            .bind(conversation)
            .execute(&mut *change)
            .await?;
        if held.rows_affected() > 0 {
            return Ok(());
        }
    }
}

/// Removes empty conversations made before a time.
///
/// It locks them first and checks again. A process that stores in one of them either did so before,
/// which the second check sees, or waits and inserts it again. A conversation locked by such a
/// process is skipped until the next time.
async fn remove_empty_conversations(change: &mut PgConnection, created_at: i64) -> Result<(), OverflowError> {
    let empty: Vec<(String,)> = sqlx::query_as(
        "SELECT id FROM conversations WHERE created_at < $1
         AND NOT EXISTS (SELECT 1 FROM tool_overflow WHERE conversation_id = conversations.id)
         FOR UPDATE SKIP LOCKED",
    )
    .bind(created_at)
    .fetch_all(&mut *change)
    .await?;
    let empty: Vec<String> = empty.into_iter().map(|(id,)| id).collect();
    sqlx::query(
        "DELETE FROM conversations WHERE id = ANY($1)
         AND NOT EXISTS (SELECT 1 FROM tool_overflow WHERE conversation_id = conversations.id)",
    )
    .bind(empty)
    .execute(change)
    .await?;
    Ok(())
}

#[async_trait]
impl OverflowStore for PostgresStore {
    async fn put(&self, entry: NewEntry<'_>) -> Result<(), OverflowError> {
        let mut change = self.change().await?;
        hold_conversation(&mut change, entry.key.conversation, entry.created_at).await?;
        let number = queries::insert_entry(&mut change, &entry).await?;
        insert_chunks(&mut change, number, 0, &entry.chunks).await?;
        change.commit().await?;
        Ok(())
    }

    async fn begin(&self, key: Key<'_>, created_at: i64) -> Result<(), OverflowError> {
        let mut change = self.change().await?;
        hold_conversation(&mut change, key.conversation, created_at).await?;
        queries::begin_entry(&mut change, key, created_at).await?;
        change.commit().await?;
        Ok(())
    }

    async fn append(&self, key: Key<'_>, first: u64, chunks: Vec<Chunk>) -> Result<(), OverflowError> {
        let bytes = chunks.iter().map(|chunk| chunk.data.len() as u64).sum();
        let mut change = self.change().await?;
        let number = queries::grow_entry(&mut change, key, bytes).await?;
        insert_chunks(&mut change, number, first, &chunks).await?;
        change.commit().await?;
        Ok(())
    }

    async fn seal(&self, key: Key<'_>, facts: Facts) -> Result<(), OverflowError> {
        queries::seal_entry(&mut *self.pool().await?.acquire().await?, key, facts).await
    }

    async fn remove(&self, key: Key<'_>) -> Result<(), OverflowError> {
        queries::remove_entry(&mut *self.pool().await?.acquire().await?, key).await
    }

    async fn facts(&self, key: Key<'_>) -> Result<Option<Facts>, OverflowError> {
        queries::facts(self.pool().await?, key).await
    }

    async fn entries(
        &self,
        conversation: &str,
        after: Option<Reference>,
        most: u32,
    ) -> Result<Vec<(Reference, Facts)>, OverflowError> {
        queries::entries(self.pool().await?, conversation, after, most).await
    }

    async fn chunks(&self, key: Key<'_>, numbers: Range<u64>) -> Result<Vec<Vec<u8>>, OverflowError> {
        queries::chunks(self.pool().await?, key, numbers).await
    }

    async fn chunk_of_line(&self, key: Key<'_>, lines: u64) -> Result<Option<(u64, u64)>, OverflowError> {
        queries::chunk_of_line(self.pool().await?, key, lines).await
    }

    async fn conversation_of(&self, reference: Reference) -> Result<Option<String>, OverflowError> {
        queries::conversation_of(self.pool().await?, reference).await
    }

    async fn remove_conversation(&self, conversation: &str) -> Result<u64, OverflowError> {
        let mut change = self.change().await?;
        let count = queries::remove_conversation(&mut change, conversation).await?;
        change.commit().await?;
        Ok(count)
    }

    async fn clean(&self, created_at: i64, most_bytes: Option<u64>) -> Result<u64, OverflowError> {
        let mut change = self.change().await?;
        // Two processes that clean at once would wait for each other's rows.
        sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(CLEANING_LOCK).execute(&mut *change).await?;
        let removed = queries::remove_old_entries(&mut change, created_at, most_bytes).await?;
        remove_empty_conversations(&mut change, created_at).await?;
        change.commit().await?;
        Ok(removed)
    }
}
