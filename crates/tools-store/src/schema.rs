//! The versions of the schema of a SQLite database. A file holds its version (`user_version`) and
//! the program it belongs to (`application_id`).

use sqlx::{Connection as _, SqliteConnection};

use crate::StoreError;

/// A schema: the program whose files have it, and the statements that migrate each version to the
/// next. Released migrations are never changed; new ones are added.
#[derive(Debug, Clone, Copy)]
pub struct Schema {
    /// The number that SQLite keeps in the file for its application; other than 0.
    pub application: i32,
    /// Migrations from version 0 to 1, from 1 to 2, and so on.
    pub migrations: &'static [&'static str],
}

impl Schema {
    /// Migrates a database to the newest version.
    pub(crate) async fn migrate(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        if self.version(connection).await? == self.migrations.len() {
            return Ok(());
        }
        let mut change = connection.begin_with("BEGIN IMMEDIATE").await?;
        // Another process may have migrated it in the meantime.
        let have = self.version(&mut change).await?;
        for migration in self.migrations.iter().skip(have) {
            sqlx::raw_sql(*migration).execute(&mut *change).await?;
        }
        let (application, version) = (self.application, self.migrations.len());
        let mark = format!("PRAGMA application_id = {application}; PRAGMA user_version = {version}");
        sqlx::raw_sql(sqlx::AssertSqlSafe(mark)).execute(&mut *change).await?;
        change.commit().await?;
        Ok(())
    }

    /// How many of the migrations a database has.
    pub(crate) async fn version(&self, connection: &mut SqliteConnection) -> Result<usize, StoreError> {
        // In one transaction: if another process created the schema between these reads, the file
        // would seem to belong to another program.
        let mut look = connection.begin().await?;
        let (application,): (i32,) = sqlx::query_as("PRAGMA application_id").fetch_one(&mut *look).await?;
        let (version,): (i64,) = sqlx::query_as("PRAGMA user_version").fetch_one(&mut *look).await?;
        let (tables,): (i64,) = sqlx::query_as("SELECT count(*) FROM sqlite_schema").fetch_one(&mut *look).await?;
        look.commit().await?;
        if application != self.application && (application != 0 || version != 0 || tables != 0) {
            return Err(StoreError::Foreign);
        }
        let found = usize::try_from(version).map_err(|_| StoreError::Foreign)?;
        let known = self.migrations.len();
        if found > known { Err(StoreError::Newer { found, known }) } else { Ok(found) }
    }
}
