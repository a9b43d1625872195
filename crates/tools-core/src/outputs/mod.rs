//! What a call gives: the output, what it rests on, and how its text is measured, redacted and made
//! visible.

mod basis;
mod credential;
mod ended;
mod intake;
mod output;
mod raw;
mod redact;
mod tokens;
mod visible;
mod window;

pub use basis::{Basis, BasisSlot};
pub use credential::{is_credential_key, is_credential_name};
pub use ended::{Ended, Stopped};
pub(crate) use intake::Taking;
pub use intake::{Digest, Intake, KeptText, Middle, Showing, Skipped, TextSink};
pub use output::{
    ClaimSource, Complete, FileDiff, FilterConfidence, FilterStats, Gap, Location, Media, Shown, ToolOutput,
};
pub(crate) use raw::Tapped;

pub use raw::ByteTap;
pub use redact::{NoRedaction, Redactor};
pub use tokens::estimate_tokens;
pub use visible::{Visible, is_hidden, visible_json, visible_lines};
pub use window::{AnswerBudget, Filling, Window};
