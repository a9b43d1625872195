//! A PostgreSQL database that many machines share: connected to at the first use, migrated by
//! numbered steps.

use std::{fmt, str::FromStr as _, time::Duration};

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection as _, PgConnection, PgPool, Postgres, Transaction};
use tokio::sync::OnceCell;

use crate::{StoreError, check_runtime};

/// Connections of this process.
const CONNECTIONS: u32 = 8;
/// How long a call waits for a connection.
const ACQUIRE: Duration = Duration::from_secs(20);
/// How long a change waits for another process.
const BUSY: &str = "SET LOCAL lock_timeout = '20s'";

/// A schema: the prefix of its tables, and the statements that migrate each version to the next.
/// Released migrations are never changed; new ones are added.
#[derive(Debug, Clone, Copy)]
pub struct ServerSchema {
    /// Common prefix of its tables: letters and `_`.
    pub name: &'static str,
    /// Migrations from version 0 to 1, from 1 to 2, and so on.
    pub migrations: &'static [&'static str],
}

/// A database on a server. The connection is made at the first use. How safe a committed change is
/// depends on the settings of the server.
pub struct Server {
    options: PgConnectOptions,
    schema: ServerSchema,
    acquire: Duration,
    pool: OnceCell<PgPool>,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The options hold a password.
        f.debug_struct("Server").field("database", &self.options.get_database()).finish_non_exhaustive()
    }
}

impl Server {
    /// The database at a `postgres://` address. The connection is made at the first use.
    ///
    /// # Errors
    /// [`StoreError::Address`].
    pub fn at(address: &str, schema: ServerSchema) -> Result<Self, StoreError> {
        let is_one = ["postgres://", "postgresql://"].iter().any(|scheme| address.starts_with(scheme));
        let options = PgConnectOptions::from_str(address).ok().filter(|_| is_one).ok_or(StoreError::Address)?;
        Ok(Self { options, schema, acquire: ACQUIRE, pool: OnceCell::new() })
    }

    /// The same database with this limit on the time that a call waits for a connection.
    #[must_use]
    pub fn waiting(self, acquire: Duration) -> Self {
        Self { acquire, ..self }
    }

    /// Connections for reading. A statement sees what was committed before it began.
    pub async fn reader(&self) -> Result<&PgPool, StoreError> {
        let open = || async {
            let pool = PgPoolOptions::new().max_connections(CONNECTIONS).acquire_timeout(self.acquire);
            let pool = pool.connect_with(self.options.clone()).await?;
            self.migrate(&mut *pool.acquire().await?).await?;
            Ok::<_, StoreError>(pool)
        };
        check_runtime()?;
        self.pool.get_or_try_init(open).await
    }

    /// A transaction that writes. No other can run at the same time, in this process or another. If
    /// it is dropped without a commit, nothing is changed.
    ///
    /// # Errors
    /// Why the database cannot be used, or [`StoreError::Busy`].
    pub async fn write(&self) -> Result<Transaction<'static, Postgres>, StoreError> {
        let mut change = self.reader().await?.begin().await?;
        self.lock(&mut change).await?;
        Ok(change)
    }

    /// Locks the schema until the end of the transaction.
    async fn lock(&self, change: &mut PgConnection) -> Result<(), StoreError> {
        sqlx::raw_sql(BUSY).execute(&mut *change).await?;
        sqlx::query("SELECT pg_advisory_xact_lock(hashtext($1))").bind(self.schema.name).execute(change).await?;
        Ok(())
    }

    async fn migrate(&self, connection: &mut PgConnection) -> Result<(), StoreError> {
        let ServerSchema { name, migrations } = self.schema;
        let mut change = connection.begin().await?;
        self.lock(&mut change).await?;
        // The name is a constant of the program.
        let run = |text: String| sqlx::raw_sql(sqlx::AssertSqlSafe(text));
        run(format!("CREATE TABLE IF NOT EXISTS {name}_schema (version BIGINT NOT NULL PRIMARY KEY)"))
            .execute(&mut *change)
            .await?;
        let count = sqlx::query_scalar(sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {name}_schema")));
        let found: i64 = count.fetch_one(&mut *change).await?;
        let found = usize::try_from(found).unwrap_or(usize::MAX);
        if found > migrations.len() {
            return Err(StoreError::Newer { found, known: migrations.len() });
        }
        for (version, migration) in (1..).zip(migrations).skip(found) {
            run(format!("{migration};\nINSERT INTO {name}_schema VALUES ({version})")).execute(&mut *change).await?;
        }
        change.commit().await?;
        Ok(())
    }
}
