//! What several processes share, on a real server; skipped where none is installed.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod approvals;
mod audit;
mod quota;
mod sessions;

use sqlx::{Connection as _, PgConnection};
use tools_testkit::PostgresServer;

/// A server, or the reason why there is none.
fn server() -> Option<PostgresServer> {
    PostgresServer::start().map_err(|missing| eprintln!("SKIPPED: {missing}")).ok()
}

/// The address of a database of its own.
async fn database(server: &PostgresServer, name: &str) -> String {
    let address = server.address();
    let mut connection = PgConnection::connect(&address).await.unwrap();
    let create = sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"));
    sqlx::raw_sql(create).execute(&mut connection).await.unwrap();
    format!("{}/{name}", address.strip_suffix("/postgres").unwrap())
}

/// Changes rows behind the back of the stores.
async fn tamper(address: &str, statement: &str) -> u64 {
    let mut connection = PgConnection::connect(address).await.unwrap();
    sqlx::query(sqlx::AssertSqlSafe(statement.to_owned())).execute(&mut connection).await.unwrap().rows_affected()
}
