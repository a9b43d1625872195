//! Appends to a chain: computes the lines that follow its head, and stores them.

use serde::Deserialize;
use sqlx::PgConnection;
use tools_audit::{Head, seal};
use tools_core::{Clock as _, SystemClock};
use tools_store::{signed, unsigned};

/// Sealed lines that may not be stored yet.
pub(super) struct Batch {
    /// The head before them.
    pub(super) before: Head,
    /// The head after them.
    pub(super) after: Head,
    /// The head after each of them.
    pub(super) heads: Vec<Head>,
    lines: Vec<String>,
    sessions: Vec<String>,
    /// The number of the last line about a call; `None` if there is none.
    call_seq: Option<i64>,
}

/// Members of a line that are needed here.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Members {
    session: String,
    event: String,
}

impl Batch {
    /// Chains the members of lines to a head.
    pub(super) fn seal<'a>(before: &Head, bodies: impl IntoIterator<Item = &'a str>) -> Self {
        let mut batch = Self {
            before: before.clone(),
            after: before.clone(),
            heads: vec![],
            lines: vec![],
            sessions: vec![],
            call_seq: None,
        };
        for body in bodies {
            let mut line = String::with_capacity(body.len() + 200);
            batch.after = seal(&batch.after, body, None, &mut line);
            line.pop();
            let members: Members = serde_json::from_str(&line).unwrap_or_default();
            if members.event != super::heads::EVENT {
                batch.call_seq = Some(signed(batch.after.seq));
            }
            batch.heads.push(batch.after.clone());
            batch.lines.push(line);
            batch.sessions.push(members.session);
        }
        batch
    }

    /// Stores all lines or none; false if the chain does not end with the head that they follow.
    ///
    /// This is one statement: lines are stored if and only if the head is, so a process whose
    /// statement is late finds another head and stores nothing.
    pub(super) async fn store(&self, database: &mut PgConnection, chain: &str) -> Result<bool, sqlx::Error> {
        let numbers: Vec<i64> = self.heads.iter().map(|head| signed(head.seq)).collect();
        let stored = sqlx::query(
            "WITH moved AS (
                 UPDATE haft_audit_chain
                 SET seq = $4, hash = $5, moved_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
                     call_seq = coalesce($6, call_seq)
                 WHERE id = $1 AND seq = $2 AND hash = $3 RETURNING id
             )
             INSERT INTO haft_audit_line (chain, seq, session, line)
             SELECT moved.id, new.seq, new.session, new.line
             FROM moved, unnest($7::bigint[], $8::text[], $9::text[]) AS new (seq, session, line)",
        )
        .bind(chain)
        .bind(signed(self.before.seq))
        .bind(&self.before.hash)
        .bind(signed(self.after.seq))
        .bind(&self.after.hash)
        .bind(self.call_seq)
        .bind(numbers)
        .bind(&self.sessions)
        .bind(&self.lines)
        .execute(database)
        .await?;
        Ok(stored.rows_affected() > 0)
    }
}

/// Creates an empty chain.
pub(super) async fn begin(database: &mut PgConnection, chain: &str, host: &str, pid: u32) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO haft_audit_chain (id, host, pid, began_at, seq, hash, moved_at, call_seq)
         SELECT $1, $2, $3, now.at, 0, $4, now.at, 0
         FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS at) AS now ON CONFLICT DO NOTHING",
    )
    .bind(chain)
    .bind(host)
    .bind(i64::from(pid))
    .bind(Head::default().hash)
    .execute(database)
    .await?;
    Ok(())
}

/// Members of the first line, which binds a chain to its name.
pub(super) fn began(chain: &str, host: &str) -> String {
    let (host, pid) = (serde_json::Value::String(host.to_owned()), std::process::id());
    format!(r#""ts":"{:.3}","event":"chain_began","chain":"{chain}","host":{host},"pid":{pid}"#, SystemClock.now())
}

/// Marks the process of a chain as alive, although it adds nothing.
pub(super) async fn touch(database: &mut PgConnection, chain: &str) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE haft_audit_chain SET moved_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint WHERE id = $1",
    )
    .bind(chain)
    .execute(database)
    .await?;
    Ok(())
}

/// The head of a chain in the database; `None` if the chain does not exist.
pub(super) async fn head(database: &mut PgConnection, chain: &str) -> Result<Option<Head>, sqlx::Error> {
    let found: Option<(i64, String)> = sqlx::query_as("SELECT seq, hash FROM haft_audit_chain WHERE id = $1")
        .bind(chain)
        .fetch_optional(database)
        .await?;
    Ok(found.map(|(seq, hash)| Head { seq: unsigned(seq), hash }))
}
