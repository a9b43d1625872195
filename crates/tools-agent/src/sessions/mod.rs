//! Saved conversations: what is saved, who may write one, and where they are: files of this user,
//! or a store of the host.

mod config;
mod folder;
mod saved;
mod store;

pub use config::{OnSessionsAway, SessionsConfig};
pub use folder::FolderSessions;
pub use saved::{HeldSession, KeptSession, SessionEntry, Sessions};
pub use store::{SessionHold, SessionStore, SessionsError};
