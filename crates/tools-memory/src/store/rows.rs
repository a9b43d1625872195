//! Reads entries of both databases, and defines the conditions of a filter.

/// The condition of a filter, with its parameters `$1` to `$6`.
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
            .bind($filter.kind.map(crate::MemoryKind::as_str))
            .bind($filter.since.map(jiff::Timestamp::as_microsecond))
    };
}

/// Defines the entries of one database.
macro_rules! rows {
    ($database:ty) => {
        use jiff::Timestamp;
        use sqlx::Row as _;

        use crate::{Memory, MemoryError, MemoryKind, Scope};

        pub(in crate::store) type Connection = <$database as sqlx::Database>::Connection;
        type Row = <$database as sqlx::Database>::Row;

        pub(in crate::store) fn memory(row: &Row) -> Result<Memory, MemoryError> {
            let damaged = |what: &str| MemoryError::Damaged(what.to_owned());
            let time = |micros: i64| Timestamp::from_microsecond(micros).map_err(|_| damaged("a time"));
            let scope: String = row.try_get("scope")?;
            let kind: String = row.try_get("kind")?;
            let tags: String = row.try_get("tags")?;
            Ok(Memory {
                id: row.try_get("id")?,
                scope: Scope::parse(&scope).ok_or_else(|| damaged("a scope"))?,
                owner: row.try_get("owner")?,
                kind: MemoryKind::parse(&kind).ok_or_else(|| damaged("a kind"))?,
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
    };
}

pub(super) mod sqlite {
    //! The entries in SQLite.
    rows!(sqlx::Sqlite);
}

#[cfg(feature = "postgres")]
pub(super) mod postgres {
    //! The entries in PostgreSQL.
    rows!(sqlx::Postgres);
}

pub(super) use {bind_filter, visible};
