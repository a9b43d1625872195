//! Saved conversations: their content, the lock for writing one, and their storage: files of this
//! user, or a store of the host.

mod config;
mod folder;
#[cfg(feature = "memory")]
mod said;
mod saved;
mod store;

pub use config::{OnSessionsAway, SessionsConfig};
pub use folder::FolderSessions;
#[cfg(feature = "memory")]
pub use said::SaidBefore;
pub use saved::{HeldSession, KeptSession, SessionEntry, Sessions};
pub use store::{SessionHold, SessionStore, SessionsError};
