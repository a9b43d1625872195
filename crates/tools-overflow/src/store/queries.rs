//! Queries that both databases share. Only the start of a transaction and the batch size of chunks
//! differ.

/// Defines the queries for one database, on any of its connections.
macro_rules! queries {
    ($database:ty) => {
        use std::ops::Range;

        use sqlx::Executor;
        use tools_store::{signed, unsigned};

        use crate::{Facts, Key, LineGap, NewEntry, OverflowError, Reference};

        type Connection = <$database as sqlx::Database>::Connection;

        /// Inserts an entry without its chunks; returns its number.
        pub(in crate::store) async fn insert_entry(
            change: &mut Connection,
            entry: &NewEntry<'_>,
        ) -> Result<i64, OverflowError> {
            let (number,): (i64,) = sqlx::query_as(
                "INSERT INTO tool_overflow
                     (id, conversation_id, created_at, bytes, lines, lost, stored_bytes, gap_first, gap_last)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING number",
            )
            .bind(entry.key.reference.uuid().to_string())
            .bind(entry.key.conversation)
            .bind(entry.created_at)
            .bind(signed(entry.facts.bytes))
            .bind(signed(entry.facts.lines))
            .bind(signed(entry.facts.lost))
            .bind(signed(entry.stored_bytes()))
            .bind(signed(entry.facts.gap.map_or(0, |gap| gap.first)))
            .bind(signed(entry.facts.gap.map_or(0, |gap| gap.last)))
            .fetch_one(change)
            .await?;
            Ok(number)
        }

        /// Inserts an entry whose text arrives in pieces. Its number of lines is negative until it
        /// is sealed.
        pub(in crate::store) async fn begin_entry(
            change: &mut Connection,
            key: Key<'_>,
            created_at: i64,
        ) -> Result<(), OverflowError> {
            sqlx::query(
                "INSERT INTO tool_overflow (id, conversation_id, created_at, bytes, lines, lost, stored_bytes)
                 VALUES ($1, $2, $3, 0, -1, 0, 0)",
            )
            .bind(key.reference.uuid().to_string())
            .bind(key.conversation)
            .bind(created_at)
            .execute(change)
            .await?;
            Ok(())
        }

        /// Adds bytes to an unsealed entry; returns its number.
        pub(in crate::store) async fn grow_entry(
            change: &mut Connection,
            key: Key<'_>,
            bytes: u64,
        ) -> Result<i64, OverflowError> {
            let found: Option<(i64,)> = sqlx::query_as(
                "UPDATE tool_overflow SET stored_bytes = stored_bytes + $3
                 WHERE id = $1 AND conversation_id = $2 AND lines < 0 RETURNING number",
            )
            .bind(key.reference.uuid().to_string())
            .bind(key.conversation)
            .bind(signed(bytes))
            .fetch_optional(change)
            .await?;
            found.map(|(number,)| number).ok_or(OverflowError::NotFound)
        }

        pub(in crate::store) async fn seal_entry(
            change: &mut Connection,
            key: Key<'_>,
            facts: Facts,
        ) -> Result<(), OverflowError> {
            let sealed = sqlx::query(
                "UPDATE tool_overflow SET bytes = $3, lines = $4, lost = $5, gap_first = $6, gap_last = $7
                 WHERE id = $1 AND conversation_id = $2 AND lines < 0",
            )
            .bind(key.reference.uuid().to_string())
            .bind(key.conversation)
            .bind(signed(facts.bytes))
            .bind(signed(facts.lines))
            .bind(signed(facts.lost))
            .bind(signed(facts.gap.map_or(0, |gap| gap.first)))
            .bind(signed(facts.gap.map_or(0, |gap| gap.last)))
            .execute(change)
            .await?;
            if sealed.rows_affected() == 0 { Err(OverflowError::NotFound) } else { Ok(()) }
        }

        pub(in crate::store) async fn remove_entry(
            change: &mut Connection,
            key: Key<'_>,
        ) -> Result<(), OverflowError> {
            sqlx::query("DELETE FROM tool_overflow WHERE id = $1 AND conversation_id = $2")
                .bind(key.reference.uuid().to_string())
                .bind(key.conversation)
                .execute(change)
                .await?;
            Ok(())
        }

        /// Inserts a conversation if it does not exist.
        pub(in crate::store) async fn insert_conversation(
            change: &mut Connection,
            conversation: &str,
            created_at: i64,
        ) -> Result<(), OverflowError> {
            sqlx::query("INSERT INTO conversations (id, created_at) VALUES ($1, $2) ON CONFLICT DO NOTHING")
                .bind(conversation)
                .bind(created_at)
                .execute(change)
                .await?;
            Ok(())
        }

        pub(in crate::store) async fn facts(
            database: impl Executor<'_, Database = $database>,
            key: Key<'_>,
        ) -> Result<Option<Facts>, OverflowError> {
            let found: Option<(i64, i64, i64, i64, i64)> = sqlx::query_as(
                "SELECT bytes, lines, lost, gap_first, gap_last FROM tool_overflow
                 WHERE id = $1 AND conversation_id = $2 AND lines >= 0",
            )
            .bind(key.reference.uuid().to_string())
            .bind(key.conversation)
            .fetch_optional(database)
            .await?;
            Ok(found.map(known))
        }

        /// Sealed entries of a conversation, newest first.
        pub(in crate::store) async fn entries(
            database: impl Executor<'_, Database = $database>,
            conversation: &str,
            after: Option<Reference>,
            most: u32,
        ) -> Result<Vec<(Reference, Facts)>, OverflowError> {
            let found: Vec<(String, i64, i64, i64, i64, i64)> = sqlx::query_as(
                "SELECT id, bytes, lines, lost, gap_first, gap_last FROM tool_overflow
                 WHERE conversation_id = $1 AND lines >= 0 AND ($2 = '' OR number < (
                     SELECT number FROM tool_overflow WHERE id = $2 AND conversation_id = $1))
                 ORDER BY number DESC LIMIT $3",
            )
            .bind(conversation)
            .bind(after.map(|after| after.uuid().to_string()).unwrap_or_default())
            .bind(i64::from(most))
            .fetch_all(database)
            .await?;
            let entry = |(id, bytes, lines, lost, first, last): (String, i64, i64, i64, i64, i64)| {
                Ok((id.parse()?, known((bytes, lines, lost, first, last))))
            };
            found.into_iter().map(entry).collect()
        }

        /// The facts in a row.
        fn known((bytes, lines, lost, first, last): (i64, i64, i64, i64, i64)) -> Facts {
            Facts {
                bytes: unsigned(bytes),
                lines: unsigned(lines),
                lost: unsigned(lost),
                gap: (first > 0).then(|| LineGap { first: unsigned(first), last: unsigned(last.max(first)) }),
            }
        }

        pub(in crate::store) async fn chunks(
            database: impl Executor<'_, Database = $database>,
            key: Key<'_>,
            numbers: Range<u64>,
        ) -> Result<Vec<Vec<u8>>, OverflowError> {
            let found: Vec<(Vec<u8>,)> = sqlx::query_as(
                "SELECT data FROM tool_overflow_chunk
                 WHERE entry = (SELECT number FROM tool_overflow WHERE id = $1 AND conversation_id = $2)
                   AND number >= $3 AND number < $4 ORDER BY number",
            )
            .bind(key.reference.uuid().to_string())
            .bind(key.conversation)
            .bind(signed(numbers.start))
            .bind(signed(numbers.end))
            .fetch_all(database)
            .await?;
            Ok(found.into_iter().map(|(data,)| data).collect())
        }

        pub(in crate::store) async fn chunk_of_line(
            database: impl Executor<'_, Database = $database>,
            key: Key<'_>,
            lines: u64,
        ) -> Result<Option<(u64, u64)>, OverflowError> {
            let found: Option<(i64, i64)> = sqlx::query_as(
                "SELECT number, lines_before FROM tool_overflow_chunk
                 WHERE entry = (SELECT number FROM tool_overflow WHERE id = $1 AND conversation_id = $2)
                   AND lines_before < $3 ORDER BY lines_before DESC, number DESC LIMIT 1",
            )
            .bind(key.reference.uuid().to_string())
            .bind(key.conversation)
            .bind(signed(lines))
            .fetch_optional(database)
            .await?;
            Ok(found.map(|(number, before)| (unsigned(number), unsigned(before))))
        }

        pub(in crate::store) async fn conversation_of(
            database: impl Executor<'_, Database = $database>,
            reference: Reference,
        ) -> Result<Option<String>, OverflowError> {
            let found: Option<(String,)> = sqlx::query_as("SELECT conversation_id FROM tool_overflow WHERE id = $1")
                .bind(reference.uuid().to_string())
                .fetch_optional(database)
                .await?;
            Ok(found.map(|(conversation,)| conversation))
        }

        /// Removes a conversation with its entries; returns the number of entries.
        pub(in crate::store) async fn remove_conversation(
            change: &mut Connection,
            conversation: &str,
        ) -> Result<u64, OverflowError> {
            let (count,): (i64,) = sqlx::query_as("SELECT count(*) FROM tool_overflow WHERE conversation_id = $1")
                .bind(conversation)
                .fetch_one(&mut *change)
                .await?;
            sqlx::query("DELETE FROM conversations WHERE id = $1").bind(conversation).execute(change).await?;
            Ok(unsigned(count))
        }

        /// Removes entries older than a time, and the oldest of those that exceed `most` bytes;
        /// returns the number of removed entries.
        pub(in crate::store) async fn remove_old_entries(
            change: &mut Connection,
            created_at: i64,
            most: Option<u64>,
        ) -> Result<u64, OverflowError> {
            let expired = sqlx::query("DELETE FROM tool_overflow WHERE created_at < $1").bind(created_at);
            let mut removed = expired.execute(&mut *change).await?.rows_affected();
            if let Some(most) = most {
                // The newest entries that fit stay; a running sum over the index of ages finds the
                // first of them.
                let oldest = sqlx::query(
                    "DELETE FROM tool_overflow WHERE number IN (
                         SELECT number FROM (
                             SELECT number, sum(stored_bytes) OVER (ORDER BY created_at DESC, number DESC) AS newer
                             FROM tool_overflow
                         ) AS sums WHERE newer > $1)",
                );
                removed += oldest.bind(signed(most)).execute(change).await?.rows_affected();
            }
            Ok(removed)
        }
    };
}

#[cfg(feature = "postgres")]
pub(super) mod postgres {
    queries!(sqlx::Postgres);
}
#[cfg(feature = "sqlite")]
pub(super) mod sqlite {
    queries!(sqlx::Sqlite);
}
