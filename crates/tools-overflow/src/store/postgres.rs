//! Output in a PostgreSQL database: the store that many machines share.

use std::{fmt, ops::Range, str::FromStr as _, time::Duration};

use async_trait::async_trait;
use sqlx::{
    Connection as _, PgConnection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use tokio::sync::OnceCell;

use super::number::{signed, unsigned};
use crate::{Facts, Key, NewEntry, OverflowError, OverflowStore, Reference};

/// The schema in its versions; the database knows how many of them it has.
const MIGRATIONS: &[&str] = &[include_str!("../../migrations/postgres/0001_overflow.sql")];

/// Only one process at a time changes the schema. The number means nothing but this.
const MIGRATION_LOCK: i64 = 0x6861_6674_6f76_6572;

/// Connections of this process.
const CONNECTIONS: u32 = 16;
/// Chunks that go over the wire together.
const BATCH: usize = 16;
/// How long a call waits for a connection.
const ACQUIRE: Duration = Duration::from_secs(20);

/// A store in a PostgreSQL database, which is connected to when it is first used.
pub struct PostgresStore {
    options: PgConnectOptions,
    pool: OnceCell<PgPool>,
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The options hold a password.
        f.debug_struct("PostgresStore").field("database", &self.options.get_database()).finish_non_exhaustive()
    }
}

impl PostgresStore {
    /// The store in the database at a `postgres://` address; nothing is connected to until it is used.
    ///
    /// # Errors
    /// When it is no such address.
    pub fn at(address: &str) -> Result<Self, OverflowError> {
        if !["postgres://", "postgresql://"].iter().any(|scheme| address.starts_with(scheme)) {
            return Err(OverflowError::store("a `postgres://` address is expected"));
        }
        Ok(Self { options: PgConnectOptions::from_str(address)?, pool: OnceCell::new() })
    }

    async fn pool(&self) -> Result<&PgPool, OverflowError> {
        let open = || async {
            let pool = PgPoolOptions::new().max_connections(CONNECTIONS).acquire_timeout(ACQUIRE);
            let pool = pool.connect_with(self.options.clone()).await?;
            migrate(&mut *pool.acquire().await?).await?;
            Ok::<_, OverflowError>(pool)
        };
        self.pool.get_or_try_init(open).await
    }
}

async fn migrate(connection: &mut PgConnection) -> Result<(), OverflowError> {
    let mut change = connection.begin().await?;
    sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(MIGRATION_LOCK).execute(&mut *change).await?;
    sqlx::raw_sql("CREATE TABLE IF NOT EXISTS tool_overflow_schema (version BIGINT NOT NULL PRIMARY KEY)")
        .execute(&mut *change)
        .await?;
    let (have,): (i64,) = sqlx::query_as("SELECT count(*) FROM tool_overflow_schema").fetch_one(&mut *change).await?;
    let have = usize::try_from(have).map_err(OverflowError::store)?;
    if have > MIGRATIONS.len() {
        return Err(OverflowError::store("the database was made by a newer version"));
    }
    for (version, migration) in (1_i64..).zip(MIGRATIONS).skip(have) {
        sqlx::raw_sql(*migration).execute(&mut *change).await?;
        sqlx::query("INSERT INTO tool_overflow_schema VALUES ($1)").bind(version).execute(&mut *change).await?;
    }
    change.commit().await?;
    Ok(())
}

#[async_trait]
impl OverflowStore for PostgresStore {
    async fn put(&self, entry: NewEntry<'_>) -> Result<(), OverflowError> {
        let mut change = self.pool().await?.begin().await?;
        let stored_bytes = entry.stored_bytes();
        sqlx::query("INSERT INTO conversations (id, created_at) VALUES ($1, $2) ON CONFLICT DO NOTHING")
            .bind(entry.key.conversation)
            .bind(entry.created_at)
            .execute(&mut *change)
            .await?;
        let (number,): (i64,) = sqlx::query_as(
            "INSERT INTO tool_overflow (id, conversation_id, created_at, bytes, lines, lost, stored_bytes)
             VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING number",
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
        let mut position = 0_i64;
        for batch in entry.chunks.chunks(BATCH) {
            let positions: Vec<i64> = (position..).take(batch.len()).collect();
            position += signed(batch.len() as u64);
            let before: Vec<i64> = batch.iter().map(|chunk| signed(chunk.lines_before)).collect();
            let data: Vec<&[u8]> = batch.iter().map(|chunk| chunk.data.as_slice()).collect();
            sqlx::query(
                "INSERT INTO tool_overflow_chunk (entry, number, lines_before, data)
                 SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bytea[])",
            )
            .bind(number)
            .bind(positions)
            .bind(before)
            .bind(data)
            .execute(&mut *change)
            .await?;
        }
        change.commit().await?;
        Ok(())
    }

    async fn facts(&self, key: Key<'_>) -> Result<Option<Facts>, OverflowError> {
        let found: Option<(i64, i64, i64)> =
            sqlx::query_as("SELECT bytes, lines, lost FROM tool_overflow WHERE id = $1 AND conversation_id = $2")
                .bind(key.reference.uuid().to_string())
                .bind(key.conversation)
                .fetch_optional(self.pool().await?)
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
             WHERE entry = (SELECT number FROM tool_overflow WHERE id = $1 AND conversation_id = $2)
               AND number >= $3 AND number < $4 ORDER BY number",
        )
        .bind(key.reference.uuid().to_string())
        .bind(key.conversation)
        .bind(signed(numbers.start))
        .bind(signed(numbers.end))
        .fetch_all(self.pool().await?)
        .await?;
        Ok(found.into_iter().map(|(data,)| data).collect())
    }

    async fn chunk_of_line(&self, key: Key<'_>, lines: u64) -> Result<Option<(u64, u64)>, OverflowError> {
        let found: Option<(i64, i64)> = sqlx::query_as(
            "SELECT number, lines_before FROM tool_overflow_chunk
             WHERE entry = (SELECT number FROM tool_overflow WHERE id = $1 AND conversation_id = $2)
               AND lines_before < $3 ORDER BY lines_before DESC, number DESC LIMIT 1",
        )
        .bind(key.reference.uuid().to_string())
        .bind(key.conversation)
        .bind(signed(lines))
        .fetch_optional(self.pool().await?)
        .await?;
        Ok(found.map(|(number, before)| (unsigned(number), unsigned(before))))
    }

    async fn conversation_of(&self, reference: Reference) -> Result<Option<String>, OverflowError> {
        let found: Option<(String,)> = sqlx::query_as("SELECT conversation_id FROM tool_overflow WHERE id = $1")
            .bind(reference.uuid().to_string())
            .fetch_optional(self.pool().await?)
            .await?;
        Ok(found.map(|(conversation,)| conversation))
    }

    async fn remove_conversation(&self, conversation: &str) -> Result<u64, OverflowError> {
        let mut change = self.pool().await?.begin().await?;
        let (count,): (i64,) = sqlx::query_as("SELECT count(*) FROM tool_overflow WHERE conversation_id = $1")
            .bind(conversation)
            .fetch_one(&mut *change)
            .await?;
        sqlx::query("DELETE FROM conversations WHERE id = $1").bind(conversation).execute(&mut *change).await?;
        change.commit().await?;
        Ok(unsigned(count))
    }

    async fn clean(&self, created_at: i64, most_bytes: Option<u64>) -> Result<u64, OverflowError> {
        let pool = self.pool().await?;
        let expired = sqlx::query("DELETE FROM tool_overflow WHERE created_at < $1").bind(created_at);
        let mut removed = expired.execute(pool).await?.rows_affected();
        if let Some(most) = most_bytes {
            // The newest that fit stay; a running sum over the index of ages tells where they begin.
            let oldest = sqlx::query(
                "DELETE FROM tool_overflow WHERE number IN (
                     SELECT number FROM (
                         SELECT number, sum(stored_bytes) OVER (ORDER BY created_at DESC, number DESC) AS newer
                         FROM tool_overflow
                     ) AS sums WHERE newer > $1)",
            );
            removed += oldest.bind(signed(most)).execute(pool).await?.rows_affected();
        }
        Ok(removed)
    }
}
