//! Saved conversations: what is saved, who may write one, and where they are: files of this user,
//! or a database that several machines share.

mod config;
#[cfg(feature = "postgres")]
mod database;
mod folder;
mod saved;
mod store;

pub use config::{OnSessionsAway, SessionsConfig};
pub use saved::{HeldSession, KeptSession, SessionEntry, Sessions};
pub use store::SessionsError;
