//! The word index in SQLite: FTS5, with stems and BM25 ranking.

use jiff::Timestamp;
use sqlx::Row as _;
use tools_store::signed;

use super::rows::{bind_filter, sqlite, visible};
use super::{Filter, RankedMemory};
use crate::{Memory, MemoryError, words};

type Connection = sqlite::Connection;

/// Maximum number of entries that the words of a query may match, counted once for each word: about
/// what 10 ms suffice for.
const RANKED: i64 = 2_500;

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
) -> Result<Vec<RankedMemory>, MemoryError> {
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

/// The rarest words, as many as match [`RANKED`] entries together, each in at most half of all. A
/// search takes time for the entries it ranks; BM25 in SQLite gives common words little weight, and
/// none to a word in more than half of the entries.
async fn rare(read: &mut Connection, words: &[String]) -> Result<Vec<String>, MemoryError> {
    let quoted: Vec<String> = words.iter().map(|word| words::any_of([word])).collect();
    let quoted = serde_json::to_string(&quoted).map_err(|error| MemoryError::Content(error.to_string()))?;
    let counted = sqlx::query_as(
        "SELECT word.key,
                (SELECT count(*) FROM (SELECT 1 FROM memory_words WHERE memory_words MATCH word.value
                                       LIMIT $2 + 1)) AS entries,
                (SELECT count(*) FROM (SELECT 1 FROM memories LIMIT 2 * $2)) AS stored
         FROM json_each($1) AS word ORDER BY entries, word.key",
    );
    let counted: Vec<(i64, i64, i64)> = counted.bind(quoted).bind(RANKED).fetch_all(read).await?;
    let mut together = 0;
    let fits = |(_, entries, stored): &&(i64, i64, i64)| {
        together += entries;
        *entries <= stored / 2 && together <= RANKED
    };
    let rare = counted.iter().take_while(fits);
    Ok(rare.filter_map(|(at, ..)| words.get(usize::try_from(*at).ok()?).cloned()).collect())
}

async fn ranked(
    read: &mut Connection,
    words: &[String],
    filter: &Filter,
    most: usize,
    now: Timestamp,
) -> Result<Vec<RankedMemory>, MemoryError> {
    // Sort short rows, and read only the shown entries completely.
    let found = sqlx::query(concat!(
        "SELECT memories.*, best.rank FROM (
             SELECT memories.number, bm25(memory_words, 1.0, 2.0) AS rank
             FROM memory_words JOIN memories ON memories.number = memory_words.rowid
             WHERE memory_words MATCH $7 AND ",
        visible!(),
        " ORDER BY rank, memories.created_at DESC, memories.id LIMIT $8
         ) AS best JOIN memories ON memories.number = best.number
         ORDER BY best.rank, memories.created_at DESC, memories.id"
    ));
    let query = words::any_of(words);
    let found = bind_filter!(found, filter, now).bind(query).bind(signed(most));
    let rows = found.fetch_all(read).await?;
    rows.iter()
        .map(|row| Ok(RankedMemory { memory: sqlite::memory(row)?, score: -row.try_get::<f64, _>("rank")? }))
        .collect()
}
