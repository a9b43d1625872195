//! Heads of other chains: finds those that a process has not noted yet, and builds the line that
//! notes them.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use sqlx::PgConnection;
use tools_core::{Clock as _, SystemClock};
use tools_store::{signed, unsigned};

/// Event name of a line that notes heads.
pub(super) const EVENT: &str = "heads";

/// Maximum number of heads in one line; further ones go into the next.
const MAX_HEADS: i64 = 500;
/// Overlap in milliseconds between two reads: a statement takes effect later than the time it
/// writes.
const OVERLAP_MS: i64 = 60_000;

/// Name, number, hash, last line about a call and time of a head, and the time of the read.
type HeadRow = (String, i64, String, i64, i64, i64);

/// The head of another chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct NotedHead {
    pub(super) chain: String,
    pub(super) seq: u64,
    pub(super) hash: String,
}

/// The heads that a process has noted.
#[derive(Debug, Default)]
pub(super) struct HeadNotes {
    /// Number of the last line about a call, by chain.
    seen: HashMap<String, i64>,
    /// Time of the last read, by the clock of the database.
    looked_at: Option<i64>,
}

impl HeadNotes {
    /// Heads to note: of chains with new lines other than notes of heads. Otherwise two idle
    /// processes would note each other's notes for ever.
    pub(super) async fn heads_to_note(
        &mut self,
        database: &mut PgConnection,
        own: &str,
    ) -> Result<Vec<NotedHead>, sqlx::Error> {
        // At first, those that nobody has noted and those of running processes.
        let rows: Vec<HeadRow> = sqlx::query_as(
            "SELECT id, seq, hash, call_seq, moved_at, now.at FROM haft_audit_chain,
                 (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS at) AS now
             WHERE id <> $1 AND call_seq > 0
               AND (moved_at > coalesce($2, now.at) - $3 OR ($2 IS NULL AND call_seq > noted_seq))
             ORDER BY moved_at LIMIT $4",
        )
        .bind(own)
        .bind(self.looked_at)
        .bind(OVERLAP_MS)
        .bind(MAX_HEADS)
        .fetch_all(database)
        .await?;
        let Some((.., moved_at, now)) = rows.last() else { return Ok(vec![]) };
        let is_whole = rows.len() < usize::try_from(MAX_HEADS).unwrap_or(usize::MAX);
        if is_whole {
            self.looked_at = Some(*now);
        } else if self.looked_at.is_some() {
            self.looked_at = Some(moved_at.saturating_add(OVERLAP_MS));
        }
        let is_new = |(id, _, _, call_seq, ..): &HeadRow| self.seen.get(id).is_none_or(|seen| seen < call_seq);
        let head = |(chain, seq, hash, ..): HeadRow| NotedHead { chain, seq: unsigned(seq), hash };
        Ok(rows.into_iter().filter(is_new).map(head).collect())
    }

    /// Marks heads as noted in this process's chain, so that other processes need not look for them
    /// at their start.
    pub(super) async fn remember(
        &mut self,
        database: &mut PgConnection,
        heads: &[NotedHead],
    ) -> Result<(), sqlx::Error> {
        for head in heads {
            self.seen.insert(head.chain.clone(), signed(head.seq));
        }
        // Rows locked by others can wait for the next time.
        sqlx::query(
            "UPDATE haft_audit_chain SET noted_seq = greatest(noted_seq, noted.seq)
             FROM unnest($1::text[], $2::bigint[]) AS noted (id, seq)
             WHERE haft_audit_chain.id = noted.id AND haft_audit_chain.id IN (
                 SELECT id FROM haft_audit_chain WHERE id = ANY($1) FOR UPDATE SKIP LOCKED)",
        )
        .bind(heads.iter().map(|head| head.chain.as_str()).collect::<Vec<_>>())
        .bind(heads.iter().map(|head| signed(head.seq)).collect::<Vec<_>>())
        .execute(database)
        .await?;
        Ok(())
    }
}

/// The members of a line that notes heads.
pub(super) fn body(heads: &[NotedHead]) -> String {
    let heads = serde_json::to_string(heads).unwrap_or_default();
    format!(r#""ts":"{:.3}","event":"{EVENT}","heads":{heads}"#, SystemClock.now())
}

/// The heads that a line notes; empty for any other line.
pub(super) fn of_line(line: &str) -> Vec<NotedHead> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Members {
        event: String,
        heads: Vec<NotedHead>,
    }
    // Only lines that may be one are parsed.
    if !line.contains(r#""event":"heads""#) {
        return vec![];
    }
    let members: Members = serde_json::from_str(line).unwrap_or_default();
    if members.event == EVENT { members.heads } else { vec![] }
}
