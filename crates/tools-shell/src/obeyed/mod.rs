//! Files that programs outside obey, around one command: what is held while it runs, what it
//! changed all the same, and what it made without anybody's agreement, which is put aside.

mod aside;
mod grants;
mod guard;
mod report;

pub(crate) use grants::Grants;
pub(crate) use guard::{After, Guard};
pub use report::{ObeyedChange, ObeyedReport};
pub(crate) use report::{note, note_in, unmasked_note};
