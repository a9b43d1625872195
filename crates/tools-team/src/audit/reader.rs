//! Reads the record: all lines in the order in which they were stored, and those of one session.

use sqlx::{Postgres, Transaction};
use tools_audit::{AuditConfig, AuditError, SessionRows, view::Row};
use tools_store::{Server, StoreError, signed, unsigned};

use super::schema::{failed, server};
use crate::host::host;

/// Number of lines read at once.
pub(super) const LINES: i64 = 2_000;

/// A record in a database, for reading.
#[derive(Debug)]
pub struct AuditDatabase(Server);

/// Lines of the record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// The lines, without newlines, in the order in which they were stored.
    pub lines: Vec<String>,
    /// The number of the last one; `None` if there is none.
    pub last: Option<u64>,
    /// The number after which the next page begins; `None` at the end.
    pub next: Option<u64>,
}

impl AuditDatabase {
    /// The record in the database at a `postgres://` address; it is connected at its first use.
    ///
    /// # Errors
    /// If the address is invalid.
    pub fn at(address: &str) -> Result<Self, StoreError> {
        Ok(Self(server(address)?))
    }

    /// The record in the configured database; `None` if it is in a file.
    ///
    /// # Errors
    /// If the address is invalid.
    pub fn of(config: &AuditConfig) -> Result<Option<Self>, String> {
        let database = (!config.database.is_empty()).then(|| Self::at(&config.database));
        database.transpose().map_err(|error| format!("`tools.audit.database`: {error}"))
    }

    /// Lines of all chains after a number.
    pub async fn lines(&self, after: u64) -> Result<Page, AuditError> {
        let found: Vec<(i64, String)> =
            sqlx::query_as("SELECT number, line FROM haft_audit_line WHERE number > $1 ORDER BY number LIMIT $2")
                .bind(signed(after))
                .bind(LINES)
                .fetch_all(self.0.reader().await.map_err(failed)?)
                .await
                .map_err(failed)?;
        Ok(page(found, LINES))
    }

    /// The number after which the last `count` lines begin.
    pub async fn before_last(&self, count: usize) -> Result<u64, AuditError> {
        let number: Option<i64> =
            sqlx::query_scalar("SELECT number FROM haft_audit_line ORDER BY number DESC OFFSET $1 LIMIT 1")
                .bind(signed(count))
                .fetch_optional(self.0.reader().await.map_err(failed)?)
                .await
                .map_err(failed)?;
        Ok(number.map_or(0, unsigned))
    }

    /// The calls of a session after a number, at most `most`, and the number after which the next
    /// ones begin.
    pub async fn of_session(&self, session: &str, after: u64, most: usize) -> Result<SessionRows, AuditError> {
        let most = i64::try_from(most).unwrap_or(LINES).clamp(1, LINES);
        let found: Vec<(i64, String)> = sqlx::query_as(
            "SELECT number, line FROM haft_audit_line
             WHERE session = $1 AND session <> '' AND number > $2 ORDER BY number LIMIT $3",
        )
        .bind(session)
        .bind(signed(after))
        .bind(most)
        .fetch_all(self.0.reader().await.map_err(failed)?)
        .await
        .map_err(failed)?;
        let page = page(found, most);
        let rows = page.lines.iter().filter_map(|line| Row::of(line.as_bytes())).collect();
        Ok(SessionRows { rows, next: page.next })
    }

    /// The other machines that recorded calls of a session, by name.
    pub async fn other_machines_of(&self, session: &str) -> Result<Vec<String>, AuditError> {
        let found = sqlx::query_scalar(
            "SELECT DISTINCT host FROM haft_audit_chain
             WHERE host <> $2 AND id IN (SELECT chain FROM haft_audit_line WHERE session = $1 AND session <> '')
             ORDER BY host",
        );
        found.bind(session).bind(host()).fetch_all(self.0.reader().await.map_err(failed)?).await.map_err(failed)
    }

    pub(super) fn server(&self) -> &Server {
        &self.0
    }

    /// A consistent snapshot of all data.
    pub(super) async fn snapshot(&self) -> Result<Transaction<'static, Postgres>, AuditError> {
        let mut snapshot = self.0.reader().await.map_err(failed)?.begin().await.map_err(failed)?;
        let isolation = sqlx::raw_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
        isolation.execute(&mut *snapshot).await.map_err(failed)?;
        Ok(snapshot)
    }
}

fn page(found: Vec<(i64, String)>, most: i64) -> Page {
    let is_full = i64::try_from(found.len()).is_ok_and(|count| count >= most);
    let last = found.last().map(|(number, _)| unsigned(*number));
    Page { last, next: last.filter(|_| is_full), lines: found.into_iter().map(|(_, line)| line).collect() }
}
