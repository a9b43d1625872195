//! Saved conversations: their content, the lock for writing one, and their storage: files of this
//! user, or a store of the host.

mod config;
#[cfg(feature = "memory")]
mod conversations;
mod folder;
mod saved;
mod store;

pub use config::{OnSessionsAway, SessionsConfig};
#[cfg(feature = "memory")]
pub use conversations::SavedConversations;
pub use folder::FolderSessions;
pub use saved::{HeldSession, SavedSession, SessionEntry, Sessions};
pub use store::{SessionHold, SessionStore, SessionsError};
