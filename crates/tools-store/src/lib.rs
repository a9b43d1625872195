//! Databases of tools: SQLite files of this machine (feature `sqlite`) and databases of a server
//! that many machines share (feature `postgres`). The first use opens a database and migrates it to
//! the newest schema of the program; a file is accessible to its owner only. A database that is
//! damaged, that a newer version wrote or that belongs to another program is refused and not
//! changed.
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

mod address;
#[cfg(feature = "sqlite")]
mod database;
mod error;
mod number;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod runtime;
#[cfg(feature = "sqlite")]
mod schema;
#[cfg(feature = "postgres")]
mod server;

pub use address::{NO_ADDRESS, NO_SERVERS};
#[cfg(feature = "sqlite")]
pub use database::Database;
pub use error::StoreError;
pub use number::{signed, unsigned};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub use runtime::check_runtime;
#[cfg(feature = "sqlite")]
pub use schema::Schema;
#[cfg(feature = "postgres")]
pub use server::{Server, ServerSchema};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
