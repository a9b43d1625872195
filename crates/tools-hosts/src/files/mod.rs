//! Adds entries to configuration files of hosts and removes them; every other byte stays unchanged.
//! Each change is checked by parsing the new text: it must have the old content and the entry.

mod entry;
mod jsonc;
mod plan;
mod spans;
mod toml;
mod yaml;

pub use entry::{Entry, Problem, Syntax, add, remove};
pub use plan::{Edits, HostPlaces, Launch, OsFamily, edits};
pub use spans::{Spans, inserted, without};
