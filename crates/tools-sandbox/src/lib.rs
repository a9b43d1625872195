//! Confinement: which parts of this machine a tool may access, and access to them without races.
//! The gates above decide which calls are allowed at all.
//!
//! The path half ([`Roots`], [`Directory`], [`Entry`], [`ReadRules`]) opens everything beneath a
//! directory handle; no other crate turns a path that a model wrote into an open file. The process
//! half ([`process`], [`kernel`]) is the one place where children start, confined by the kernel
//! before their first instruction.

mod access;
mod account;
mod alternatives;
mod below;
mod error;
mod globs;
mod handle;
mod near;
mod open;
mod places;
mod plain;
mod private;
mod reserved;
mod roots;
mod sources;
mod spelling;
mod store_places;
mod unclosed;
mod workspace;

pub mod kernel;
pub mod obeyed;
pub mod process;
pub mod tree;
pub mod view;

pub use access::{ReadRules, SECRET_PRESET, Scope};
pub use account::{Account, expand_home, home, homes};
pub use alternatives::{Group, UnbalancedBraces, first_group};
pub use error::PathError;
pub use globs::CompiledGlob;
pub use handle::{Beneath, Directory, Entry, FileId, FileKind, Metadata, Replace, set_modified};
pub use near::{folder_hint, near_folder};
pub use open::Resolver;
pub use places::{closed_places, named_place};
pub use plain::{open_lock, read_plain, replace_file};
pub use private::{PrivateFolder, make_private_below, make_private_folder, sweep, temporary_places};
pub use reserved::ReservedFiles;
pub use roots::{ResolvedPath, Roots, keeps_times};
pub use sources::{Candidate, FileAccess, Sources, Space, Visitor, WalkSummary};
pub use spelling::{name_spelled, shown, spelled};
pub use store_places::store_places;
pub use workspace::WorkspaceLayer;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
