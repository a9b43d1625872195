//! The index of words in SQLite: FTS5, which stems and ranks by BM25.

use jiff::Timestamp;
use sqlx::Row as _;

use super::{
    Filter, Ranked,
    queries::{bind_filter, sqlite, visible},
};
use crate::{Memory, MemoryError, words};

type Connection = sqlite::Connection;

pub(super) async fn insert(change: &mut Connection, number: i64, memory: &Memory) -> Result<(), MemoryError> {
    sqlx::query("INSERT INTO memory_words (rowid, words, tags) VALUES ($1, $2, $3)")
        .bind(number)
        .bind(words::indexed(&memory.content))
        .bind(words::indexed(&memory.tags.join(" ")))
        .execute(change)
        .await?;
    Ok(())
}

pub(super) async fn remove(change: &mut Connection, id: &str) -> Result<(), MemoryError> {
    sqlx::query("DELETE FROM memory_words WHERE rowid = (SELECT number FROM memories WHERE id = $1)")
        .bind(id)
        .execute(change)
        .await?;
    Ok(())
}

pub(super) async fn remove_expired(change: &mut Connection, now: i64) -> Result<(), MemoryError> {
    sqlx::query("DELETE FROM memory_words WHERE rowid IN (SELECT number FROM memories WHERE expires_at <= $1)")
        .bind(now)
        .execute(change)
        .await?;
    Ok(())
}

pub(super) async fn search(
    read: &mut Connection,
    text: &str,
    filter: &Filter,
    most: usize,
    now: Timestamp,
) -> Result<Vec<Ranked>, MemoryError> {
    let Some(words) = words::telling(text) else { return Ok(vec![]) };
    let rare = rare(read, &words).await?;
    if !rare.is_empty() && rare.len() < words.len() {
        let found = ranked(read, &rare, filter, most, now).await?;
        if found.len() >= most {
            return Ok(found);
        }
    }
    ranked(read, &words, filter, most, now).await
}

/// The words that stand in at most half of the entries. BM25 as SQLite computes it gives the others
/// no weight, and with them most entries have to be ranked.
async fn rare<'a>(read: &mut Connection, words: &'a [String]) -> Result<Vec<&'a String>, MemoryError> {
    let half: i64 = sqlx::query_scalar("SELECT count(*) / 2 FROM memories").fetch_one(&mut *read).await?;
    let mut rare = Vec::new();
    for word in words {
        let entries: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM (SELECT 1 FROM memory_words WHERE memory_words MATCH $1 LIMIT $2)",
        )
        .bind(words::any_of([word]))
        .bind(half + 1)
        .fetch_one(&mut *read)
        .await?;
        if entries <= half {
            rare.push(word);
        }
    }
    Ok(rare)
}

async fn ranked(
    read: &mut Connection,
    words: impl IntoIterator<Item = impl AsRef<str>>,
    filter: &Filter,
    most: usize,
    now: Timestamp,
) -> Result<Vec<Ranked>, MemoryError> {
    let found = sqlx::query(concat!(
        "SELECT memories.*, bm25(memory_words, 1.0, 2.0) AS rank
         FROM memory_words JOIN memories ON memories.number = memory_words.rowid
         WHERE memory_words MATCH $7 AND ",
        visible!(),
        " ORDER BY rank, memories.created_at DESC, memories.id LIMIT $8"
    ));
    let query = words::any_of(words);
    let found = bind_filter!(found, filter, now).bind(query).bind(i64::try_from(most).unwrap_or(i64::MAX));
    let rows = found.fetch_all(read).await?;
    rows.iter().map(|row| Ok(Ranked { memory: sqlite::memory(row)?, score: -row.try_get::<f64, _>("rank")? })).collect()
}
