//! Results of calls: the output, its basis, and how its text is measured, redacted and made
//! visible.

mod basis;
mod command_end;
mod credential;
mod intake;
mod json_texts;
mod lossy;
mod output;
mod placeholder;
mod raw;
mod redact;
mod report;
mod tokens;
mod visible;
mod window;

pub use basis::{Basis, BasisSlot};
pub use command_end::{CommandEnd, StopReason};
pub use credential::{is_credential_key, is_credential_name};
pub use intake::{Digest, Intake, KeptText, LineSelection, Middle, SkippedPart, TextSink};
pub use json_texts::with_texts;
pub use lossy::utf8_lossy;
pub use output::{
    ClaimSource, FileDiff, FilterConfidence, FilterStats, Gap, Location, Media, OriginalText, SummaryKind, ToolOutput,
};
pub use placeholder::{PlaceholderMatch, placeholders};

pub use raw::ByteTap;
pub use redact::{NoRedaction, Redactor, redacted_lines};
pub use report::{CallReport, ConfirmationReport, ErrorReport};
pub use tokens::estimate_tokens;
pub use visible::{VisibleText, is_hidden, visible_json, visible_lines};
pub use window::{AnswerBudget, Window, WindowWriter};
