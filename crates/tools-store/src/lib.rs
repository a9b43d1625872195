//! Databases of tools. SQLite files are opened when they are first used, for their owner alone, and
//! brought to the schema that the program knows; with the feature `postgres` so are databases of a
//! server that many machines share. A file that is damaged, that a newer version wrote or that
//! belongs to another program is refused and stays as it is.
//!
//! ```
//! use tools_store::{Database, Schema};
//!
//! const NOTES: Schema =
//!     Schema { application: 0x6e6f_7465, migrations: &["CREATE TABLE notes (text TEXT NOT NULL)"] };
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), tools_store::StoreError> {
//! let database = Database::in_memory(NOTES);
//! let mut change = database.write().await?;
//! sqlx::query("INSERT INTO notes VALUES ('milk')").execute(&mut *change).await?;
//! change.commit().await?;
//! # Ok(())
//! # }
//! ```

mod database;
mod error;
mod schema;
#[cfg(feature = "postgres")]
mod server;

pub use database::Database;
pub use error::StoreError;
pub use schema::Schema;
#[cfg(feature = "postgres")]
pub use server::{Server, ServerSchema};
