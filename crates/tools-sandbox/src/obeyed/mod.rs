//! Files that outside programs obey, around one child process: keeps them read-only while it runs,
//! reports its changes, and renames new ones that nobody agreed to.

mod agreement;
mod aside;
mod guard;
mod look;
mod report;

pub use agreement::{Agreement, NoAgreement};
pub use guard::{Guard, GuardFindings};
pub use look::ObeyedLook;
pub use report::{ObeyedChange, ObeyedReport, note, note_in, replaced_note, unmasked_note};
