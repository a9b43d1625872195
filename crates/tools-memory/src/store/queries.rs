//! Queries that are the same for both databases: all except the word index. A change locks the
//! whole store: by the file's lock in SQLite, by a transaction lock in PostgreSQL.

/// Implements the store for a database handle with `reader` and `write`; `$rows` are its entries
/// and `$index` is its word index.
macro_rules! store {
    ($store:ty, $rows:path, $index:path) => {
        use jiff::Timestamp;
        use sqlx::Row as _;
        use tools_core::sha256_hex;
        use tools_store::signed;
        use $index as index;
        use $rows::{Connection, memory};

        use super::rows::{bind_filter, visible};
        use crate::{
            Embedding, Filter, Limits, Memory, MemoryError, MemoryKind, MemoryStore, NewMemory, RankedMemory, Scope,
            StoreOutcome, Vector,
        };

        #[async_trait::async_trait]
        impl MemoryStore for $store {
            async fn save(
                &self,
                id: String,
                new: NewMemory,
                embedding: Option<Embedding>,
                limits: Limits,
                now: Timestamp,
            ) -> Result<StoreOutcome, MemoryError> {
                let mut change = self.0.write().await?;
                remove_expired(&mut change, now).await?;
                let hash = sha256_hex(new.content.as_bytes());
                if let Some(there) = same(&mut change, new.scope, &new.owner, &hash).await? {
                    change.commit().await?;
                    return Ok(StoreOutcome::Duplicate(there));
                }
                if let Some(old) = &new.supersedes {
                    let superseded = sqlx::query(
                        "UPDATE memories SET superseded_by = $1
                         WHERE id = $2 AND scope = $3 AND owner = $4 AND superseded_by IS NULL",
                    );
                    let superseded = superseded.bind(&id).bind(old).bind(new.scope.as_str()).bind(&new.owner);
                    if superseded.execute(&mut *change).await?.rows_affected() == 0 {
                        return Err(MemoryError::NotFound(old.clone()));
                    }
                    // A replaced memory is no longer searched.
                    index::remove(&mut change, old).await?;
                }
                let NewMemory { content, kind, tags, scope, owner, origin, call, session, untrusted, expires_at, .. } = new;
                let memory = Memory {
                    id: id.clone(),
                    scope,
                    owner,
                    kind,
                    content,
                    tags,
                    origin,
                    call,
                    session,
                    untrusted,
                    created_at: now,
                    expires_at,
                    superseded_by: None,
                    uses: 0,
                    last_used_at: None,
                };
                insert(&mut change, &memory, &hash, embedding, limits).await?;
                change.commit().await?;
                Ok(StoreOutcome::New(id))
            }

            async fn restore(&self, memory: Memory, limits: Limits, now: Timestamp) -> Result<bool, MemoryError> {
                let mut change = self.0.write().await?;
                remove_expired(&mut change, now).await?;
                let hash = sha256_hex(memory.content.as_bytes());
                let known = sqlx::query("SELECT 1 FROM memories WHERE id = $1").bind(&memory.id);
                let is_there = known.fetch_optional(&mut *change).await?.is_some()
                    || (memory.superseded_by.is_none()
                        && same(&mut change, memory.scope, &memory.owner, &hash).await?.is_some())
                    || memory.expires_at.is_some_and(|at| at <= now);
                if !is_there {
                    insert(&mut change, &memory, &hash, None, limits).await?;
                }
                change.commit().await?;
                Ok(!is_there)
            }

            async fn by_words(
                &self,
                text: &str,
                filter: &Filter,
                most: usize,
                now: Timestamp,
            ) -> Result<Vec<RankedMemory>, MemoryError> {
                index::search(&mut *self.0.reader().await?.acquire().await?, text, filter, most, now).await
            }

            async fn vectors(&self, model: &str, filter: &Filter, now: Timestamp) -> Result<Vec<Vector>, MemoryError> {
                let found = sqlx::query(concat!(
                    "SELECT id, embedding FROM memories WHERE embedded_by = $7 AND embedding IS NOT NULL AND ",
                    visible!()
                ));
                let rows = bind_filter!(found, filter, now).bind(model).fetch_all(self.0.reader().await?).await?;
                rows.iter()
                    .map(|row| {
                        let bytes: Vec<u8> = row.try_get("embedding")?;
                        let vector = bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
                        Ok(Vector { id: row.try_get("id")?, vector })
                    })
                    .collect()
            }

            async fn get(&self, id: &str) -> Result<Option<Memory>, MemoryError> {
                let row = sqlx::query("SELECT * FROM memories WHERE id = $1").bind(id);
                row.fetch_optional(self.0.reader().await?).await?.as_ref().map(memory).transpose()
            }

            async fn list(&self, filter: Option<&Filter>) -> Result<Vec<Memory>, MemoryError> {
                let all = Filter::default();
                let filter_or_all = filter.unwrap_or(&all);
                let found = sqlx::query(
                    "SELECT * FROM memories
                     WHERE ($1 OR (scope = 'user' AND $2) OR (scope = 'project' AND owner = $3)
                            OR (scope = 'session' AND owner = $4))
                     AND ($5 IS NULL OR kind = $5) AND ($6 IS NULL OR created_at >= $6)
                     ORDER BY created_at DESC, id",
                );
                let found = found
                    .bind(filter.is_none())
                    .bind(filter_or_all.user)
                    .bind(filter_or_all.project.as_deref())
                    .bind(filter_or_all.session.as_deref())
                    .bind(filter_or_all.kind.map(MemoryKind::as_str))
                    .bind(filter_or_all.since.map(Timestamp::as_microsecond));
                found.fetch_all(self.0.reader().await?).await?.iter().map(memory).collect()
            }

            async fn readable(&self) -> Result<(Vec<Memory>, u64), MemoryError> {
                let mut read = self.0.reader().await?.acquire().await?;
                let last: Option<i64> = sqlx::query_scalar("SELECT max(number) FROM memories").fetch_one(&mut *read).await?;
                let (mut found, mut lost) = (vec![], 0);
                // One by one, so that a damaged page affects only its own entries.
                for number in 1..=last.unwrap_or_default() {
                    let row = sqlx::query("SELECT * FROM memories WHERE number = $1").bind(number);
                    let row = row.fetch_optional(&mut *read).await.map_err(MemoryError::from);
                    match row.and_then(|row| row.as_ref().map(memory).transpose()) {
                        Ok(memory) => found.extend(memory),
                        Err(_) => lost += 1,
                    }
                }
                Ok((found, lost))
            }

            async fn remove(&self, id: &str) -> Result<bool, MemoryError> {
                let mut change = self.0.write().await?;
                index::remove(&mut change, id).await?;
                let removed = sqlx::query("DELETE FROM memories WHERE id = $1").bind(id).execute(&mut *change).await?;
                change.commit().await?;
                Ok(removed.rows_affected() > 0)
            }

            async fn used(&self, ids: &[String], now: Timestamp) -> Result<(), MemoryError> {
                let mut change = self.0.write().await?;
                for id in ids {
                    sqlx::query("UPDATE memories SET uses = uses + 1, last_used_at = $1 WHERE id = $2")
                        .bind(now.as_microsecond())
                        .bind(id)
                        .execute(&mut *change)
                        .await?;
                }
                Ok(change.commit().await?)
            }
        }

        async fn remove_expired(change: &mut Connection, now: Timestamp) -> Result<(), MemoryError> {
            let now = now.as_microsecond();
            index::remove_expired(change, now).await?;
            sqlx::query("DELETE FROM memories WHERE expires_at <= $1").bind(now).execute(change).await?;
            Ok(())
        }

        /// The memory of the same owner with the same text.
        async fn same(
            change: &mut Connection,
            scope: Scope,
            owner: &str,
            hash: &str,
        ) -> Result<Option<String>, MemoryError> {
            let found = sqlx::query_scalar(
                "SELECT id FROM memories
                 WHERE scope = $1 AND owner = $2 AND content_hash = $3 AND superseded_by IS NULL",
            );
            Ok(found.bind(scope.as_str()).bind(owner).bind(hash).fetch_optional(change).await?)
        }

        async fn insert(
            change: &mut Connection,
            memory: &Memory,
            hash: &str,
            embedding: Option<Embedding>,
            limits: Limits,
        ) -> Result<(), MemoryError> {
            let bytes = memory.content.len() + memory.tags.iter().map(String::len).sum::<usize>();
            let taken = "SELECT count(*), CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM memories";
            let (entries, taken): (i64, i64) = sqlx::query_as(taken).fetch_one(&mut *change).await?;
            let (entries, taken) = (entries.unsigned_abs() + 1, taken.unsigned_abs() + bytes as u64);
            if entries > limits.entries || taken > limits.bytes {
                return Err(MemoryError::Full(limits));
            }
            let (model, vector) = embedding.map(|embedding| (embedding.by, embedding.vector)).unzip();
            let vector = vector.map(|vector| vector.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>());
            let tags = serde_json::to_string(&memory.tags).map_err(|error| MemoryError::Content(error.to_string()))?;
            let inserted = sqlx::query_scalar(
                "INSERT INTO memories (id, scope, owner, kind, content, content_hash, tags, origin, call_id, session_id,
                                       untrusted, created_at, last_used_at, uses, expires_at, superseded_by, bytes,
                                       embedding, embedded_by)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
                 RETURNING number",
            );
            let inserted = inserted
                .bind(&memory.id)
                .bind(memory.scope.as_str())
                .bind(&memory.owner)
                .bind(memory.kind.as_str())
                .bind(&memory.content)
                .bind(hash)
                .bind(tags)
                .bind(&memory.origin)
                .bind(&memory.call)
                .bind(&memory.session)
                .bind(memory.untrusted)
                .bind(memory.created_at.as_microsecond())
                .bind(memory.last_used_at.map(Timestamp::as_microsecond))
                .bind(signed(memory.uses))
                .bind(memory.expires_at.map(Timestamp::as_microsecond))
                .bind(&memory.superseded_by)
                .bind(signed(bytes))
                .bind(vector)
                .bind(model);
            let number: i64 = inserted.fetch_one(&mut *change).await?;
            if memory.superseded_by.is_none() {
                index::insert(change, number, memory).await?;
            }
            Ok(())
        }
    };
}

pub(super) use store;
