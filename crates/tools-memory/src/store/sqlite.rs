//! Memories in one SQLite file, with an index of their words.

use std::path::PathBuf;

use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::{Row as _, SqliteConnection, sqlite::SqliteRow};
use tools_core::sha256_hex;
use tools_store::{Database, Schema};

use super::{Embedding, Filter, Limits, MemoryStore, Ranked, Stored, Vector};
use crate::{Kind, Memory, MemoryError, NewMemory, Scope, words};

/// The schema; what was released is only added to.
const SCHEMA: Schema =
    Schema { application: 0x6861_666d, migrations: &[include_str!("../../migrations/sqlite/0001_memories.sql")] };

/// Memories in a SQLite file, which is opened when it is first used. Several processes may use it at once.
#[derive(Debug)]
pub struct SqliteMemories(Database);

impl SqliteMemories {
    /// Those in the file at `path`.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(Database::at(path, SCHEMA))
    }

    /// Memories that end with this value: for tests, and for hosts that want nothing on the disk.
    pub fn in_memory() -> Self {
        Self(Database::in_memory(SCHEMA))
    }
}

/// What a filter lets through, as a condition with its parameters from `$1` to `$6`.
macro_rules! visible {
    () => {
        "memories.superseded_by IS NULL AND (memories.expires_at IS NULL OR memories.expires_at > $1)
         AND ((memories.scope = 'user' AND $2) OR (memories.scope = 'project' AND memories.owner = $3)
              OR (memories.scope = 'session' AND memories.owner = $4))
         AND ($5 IS NULL OR memories.kind = $5) AND ($6 IS NULL OR memories.created_at >= $6)"
    };
}

/// Binds the parameters of [`visible`].
macro_rules! bind_filter {
    ($query:expr, $filter:expr, $now:expr) => {
        $query
            .bind($now.as_microsecond())
            .bind($filter.user)
            .bind($filter.project.as_deref())
            .bind($filter.session.as_deref())
            .bind($filter.kind.map(Kind::as_str))
            .bind($filter.since.map(Timestamp::as_microsecond))
    };
}

#[async_trait]
impl MemoryStore for SqliteMemories {
    async fn save(
        &self,
        id: String,
        new: NewMemory,
        embedding: Option<Embedding>,
        limits: Limits,
        now: Timestamp,
    ) -> Result<Stored, MemoryError> {
        let mut change = self.0.write().await?;
        remove_expired(&mut change, now).await?;
        let hash = sha256_hex(new.content.as_bytes());
        if let Some(there) = same(&mut change, new.scope, &new.owner, &hash).await? {
            change.commit().await?;
            return Ok(Stored::Duplicate(there));
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
            // What nobody finds any more needs no place in the index.
            sqlx::query("DELETE FROM memory_words WHERE rowid = (SELECT number FROM memories WHERE id = $1)")
                .bind(old)
                .execute(&mut *change)
                .await?;
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
        Ok(Stored::New(id))
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
        if is_there {
            return Ok(false);
        }
        insert(&mut change, &memory, &hash, None, limits).await?;
        change.commit().await?;
        Ok(true)
    }

    async fn by_words(
        &self,
        text: &str,
        filter: &Filter,
        most: usize,
        now: Timestamp,
    ) -> Result<Vec<Ranked>, MemoryError> {
        let Some(query) = words::query(text) else { return Ok(vec![]) };
        let found = sqlx::query(concat!(
            "SELECT memories.*, bm25(memory_words, 1.0, 2.0) AS rank
             FROM memory_words JOIN memories ON memories.number = memory_words.rowid
             WHERE memory_words MATCH $7 AND ",
            visible!(),
            " ORDER BY rank, memories.created_at DESC, memories.id LIMIT $8"
        ));
        let found = bind_filter!(found, filter, now).bind(query).bind(i64::try_from(most).unwrap_or(i64::MAX));
        let rows = found.fetch_all(self.0.reader().await?).await?;
        rows.iter().map(|row| Ok(Ranked { memory: memory(row)?, score: -row.try_get::<f64, _>("rank")? })).collect()
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
            .bind(filter_or_all.kind.map(Kind::as_str))
            .bind(filter_or_all.since.map(Timestamp::as_microsecond));
        found.fetch_all(self.0.reader().await?).await?.iter().map(memory).collect()
    }

    async fn remove(&self, id: &str) -> Result<bool, MemoryError> {
        let mut change = self.0.write().await?;
        sqlx::query("DELETE FROM memory_words WHERE rowid = (SELECT number FROM memories WHERE id = $1)")
            .bind(id)
            .execute(&mut *change)
            .await?;
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

async fn remove_expired(change: &mut SqliteConnection, now: Timestamp) -> Result<(), MemoryError> {
    let now = now.as_microsecond();
    sqlx::query("DELETE FROM memory_words WHERE rowid IN (SELECT number FROM memories WHERE expires_at <= $1)")
        .bind(now)
        .execute(&mut *change)
        .await?;
    sqlx::query("DELETE FROM memories WHERE expires_at <= $1").bind(now).execute(change).await?;
    Ok(())
}

/// The memory of the same owner with the same text.
async fn same(
    change: &mut SqliteConnection,
    scope: Scope,
    owner: &str,
    hash: &str,
) -> Result<Option<String>, MemoryError> {
    let found = sqlx::query_scalar(
        "SELECT id FROM memories WHERE scope = $1 AND owner = $2 AND content_hash = $3 AND superseded_by IS NULL",
    );
    Ok(found.bind(scope.as_str()).bind(owner).bind(hash).fetch_optional(change).await?)
}

async fn insert(
    change: &mut SqliteConnection,
    memory: &Memory,
    hash: &str,
    embedding: Option<Embedding>,
    limits: Limits,
) -> Result<(), MemoryError> {
    let bytes = memory.content.len() + memory.tags.iter().map(String::len).sum::<usize>();
    let (entries, taken): (i64, i64) =
        sqlx::query_as("SELECT count(*), coalesce(sum(bytes), 0) FROM memories").fetch_one(&mut *change).await?;
    let (entries, taken) = (entries.unsigned_abs() + 1, taken.unsigned_abs() + bytes as u64);
    if entries > limits.entries || taken > limits.bytes {
        return Err(MemoryError::Full(limits));
    }
    let (model, vector) = embedding.map(|embedding| (embedding.by, embedding.vector)).unzip();
    let vector = vector.map(|vector| vector.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>());
    let tags = serde_json::to_string(&memory.tags).map_err(|error| MemoryError::Content(error.to_string()))?;
    let inserted = sqlx::query(
        "INSERT INTO memories (id, scope, owner, kind, content, content_hash, tags, origin, call_id, session_id,
                               untrusted, created_at, last_used_at, uses, expires_at, superseded_by, bytes, embedding,
                               embedded_by)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)",
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
        .bind(i64::try_from(memory.uses).unwrap_or(i64::MAX))
        .bind(memory.expires_at.map(Timestamp::as_microsecond))
        .bind(&memory.superseded_by)
        .bind(i64::try_from(bytes).unwrap_or(i64::MAX))
        .bind(vector)
        .bind(model);
    let number = inserted.execute(&mut *change).await?.last_insert_rowid();
    if memory.superseded_by.is_none() {
        sqlx::query("INSERT INTO memory_words (rowid, words, tags) VALUES ($1, $2, $3)")
            .bind(number)
            .bind(words::indexed(&memory.content))
            .bind(words::indexed(&memory.tags.join(" ")))
            .execute(change)
            .await?;
    }
    Ok(())
}

fn memory(row: &SqliteRow) -> Result<Memory, MemoryError> {
    let damaged = |what: &str| MemoryError::Damaged(what.to_owned());
    let time = |micros: i64| Timestamp::from_microsecond(micros).map_err(|_| damaged("a time"));
    let scope: String = row.try_get("scope")?;
    let kind: String = row.try_get("kind")?;
    let tags: String = row.try_get("tags")?;
    Ok(Memory {
        id: row.try_get("id")?,
        scope: Scope::parse(&scope).ok_or_else(|| damaged("a scope"))?,
        owner: row.try_get("owner")?,
        kind: Kind::parse(&kind).ok_or_else(|| damaged("a kind"))?,
        content: row.try_get("content")?,
        tags: serde_json::from_str(&tags).map_err(|_| damaged("tags"))?,
        origin: row.try_get("origin")?,
        call: row.try_get("call_id")?,
        session: row.try_get("session_id")?,
        untrusted: row.try_get("untrusted")?,
        created_at: time(row.try_get("created_at")?)?,
        expires_at: row.try_get::<Option<i64>, _>("expires_at")?.map(time).transpose()?,
        superseded_by: row.try_get("superseded_by")?,
        uses: row.try_get::<i64, _>("uses")?.unsigned_abs(),
        last_used_at: row.try_get::<Option<i64>, _>("last_used_at")?.map(time).transpose()?,
    })
}
