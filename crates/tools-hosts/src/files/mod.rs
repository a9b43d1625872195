//! Configuration files of hosts: entries are put in and taken out, and every other byte stays as it
//! is. Each change is checked by reading the new text: it must say what the old one said, and the
//! entry.

mod entry;
mod jsonc;
mod plan;
mod spans;
mod toml;
mod yaml;

pub use entry::{Entry, Problem, Syntax, add, remove};
pub use plan::{Edits, HostPlaces, Launch, OsFamily, edits};
pub use spans::{Spans, inserted, without};
