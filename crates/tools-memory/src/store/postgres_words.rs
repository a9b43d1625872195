//! The word index in PostgreSQL: its text search provides stems, ranked by BM25 with the constants
//! of FTS5.

use jiff::Timestamp;
use sqlx::Row as _;
use tools_store::signed;
use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};

use super::rows::{bind_filter, postgres, visible};
use super::{Filter, RankedMemory};
use crate::{Memory, MemoryError, words};

type Connection = postgres::Connection;

/// Removes accents, as FTS5 does, and NUL, which PostgreSQL cannot store.
fn plain(text: &str) -> String {
    text.nfd().filter(|c| !is_combining_mark(*c) && *c != '\0').collect()
}

pub(super) async fn insert(change: &mut Connection, number: i64, memory: &Memory) -> Result<(), MemoryError> {
    // A word in the tags counts twice.
    sqlx::query(
        "WITH stems AS (
             SELECT lexeme AS stem, cardinality(positions) AS times FROM unnest(to_tsvector('haft_words', $2))
             UNION ALL
             SELECT lexeme, 2 * cardinality(positions) FROM unnest(to_tsvector('haft_words', $3))
         ), counted AS (
             UPDATE memories SET words = (SELECT coalesce(sum(times), 0) FROM stems) WHERE number = $1
         )
         INSERT INTO memory_words (stem, number, times) SELECT stem, $1, sum(times) FROM stems GROUP BY stem",
    )
    .bind(number)
    .bind(plain(&words::indexed(&memory.content)))
    .bind(plain(&words::indexed(&memory.tags.join(" "))))
    .execute(change)
    .await?;
    Ok(())
}

pub(super) async fn remove(change: &mut Connection, id: &str) -> Result<(), MemoryError> {
    sqlx::query("DELETE FROM memory_words WHERE number = (SELECT number FROM memories WHERE id = $1)")
        .bind(id)
        .execute(change)
        .await?;
    Ok(())
}

/// Index rows are deleted together with their memories.
#[expect(clippy::unused_async, reason = "the index of the other database has something to do")]
pub(super) async fn remove_expired(_: &mut Connection, _: i64) -> Result<(), MemoryError> {
    Ok(())
}

pub(super) async fn search(
    read: &mut Connection,
    text: &str,
    filter: &Filter,
    most: usize,
    now: Timestamp,
) -> Result<Vec<RankedMemory>, MemoryError> {
    let Some(words) = words::telling(text) else { return Ok(vec![]) };
    let found = sqlx::query(concat!(
        "WITH asked AS (SELECT DISTINCT lexeme AS stem FROM unnest(to_tsvector('haft_words', $7))),
              whole AS (SELECT count(*)::float8 AS memories, greatest(avg(words)::float8, 1.0) AS mean
                        FROM memories WHERE superseded_by IS NULL),
              rare AS (SELECT stem, greatest(ln((memories - count(*) + 0.5) / (count(*) + 0.5)), 0.000001) AS weight
                       FROM memory_words JOIN asked USING (stem), whole GROUP BY stem, memories),
              ranked AS (SELECT number, sum(weight * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * words / mean))) AS score
                         FROM memory_words JOIN rare USING (stem) JOIN memories USING (number), whole GROUP BY number)
         SELECT memories.*, ranked.score::float8 AS score FROM ranked JOIN memories USING (number) WHERE ",
        visible!(),
        " ORDER BY score DESC, memories.created_at DESC, memories.id LIMIT $8"
    ));
    let found = bind_filter!(found, filter, now).bind(plain(&words.join(" ")));
    let rows = found.bind(signed(most)).fetch_all(read).await?;
    rows.iter().map(|row| Ok(RankedMemory { memory: postgres::memory(row)?, score: row.try_get("score")? })).collect()
}
