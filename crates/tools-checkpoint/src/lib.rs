//! Undo for tool calls: before a call changes a file, its content is copied to a store outside of
//! the workspace; after the call its changes are recorded. Does not use version control, and never
//! overwrites changes that somebody else made meanwhile or since.

mod config;
mod error;

mod hash;
mod state;

mod folder;

mod record;
mod repository;

mod index;
mod store;

mod attributes;

mod attribute;
mod changes;
mod copies;
mod current;
mod folder_state;
mod keep;
mod overlap;

mod cleanup;
mod layer;
mod running;
mod unfinished;

mod decide;
mod select;
mod undo;

mod checkpoints;
mod diff;

pub use checkpoints::{Checkpoints, Coverage};
pub use config::CheckpointConfig;
pub use diff::patch;
pub use error::CheckpointError;
pub use folder::Folder;
pub use record::{Change, Checkpoint, Repository};
pub use select::UndoSelection;
pub use state::{EntryKind, Name, State};
pub use undo::{Refusal, Undone};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
