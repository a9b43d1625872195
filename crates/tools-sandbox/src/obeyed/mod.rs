//! Files that programs outside obey, around one child process: what is held while it runs, what it
//! changed all the same, and what it made without anybody's agreement, which is put aside.

mod agreement;
mod aside;
mod guard;
mod look;
mod report;

pub use agreement::{Agreement, NothingAgreed};
pub use guard::{After, Guard};
pub use look::Look;
pub use report::{ObeyedChange, ObeyedReport, note, note_in, replaced_note, unmasked_note};
