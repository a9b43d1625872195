//! Asking a person: the content of the question, its display, and the effects of an answer.
//! Library, terminal and MCP use the same steps; only the way to the person differs.

mod approval;
mod change;
mod prompt;

mod answer;
mod refusal;

mod question;
mod rows;

mod approval_request;
mod desk;
mod settle;

mod input;

pub use answer::{Absence, Answer, Confirmer, Decisions, NobodyToAsk};
pub use approval::{Approval, Refusal};
pub use approval_request::{ApprovalRequest, RuleLifetime, Settlement};
pub use change::{Change, ChangePreview};
pub use desk::{Desk, Questions};
pub use input::{InputAnswer, InputError, InputKind, InputRequest, InputSource};
pub use prompt::{ConfirmPrompt, PromptPart, StoredRule, Verdict};
pub use question::Question;
pub use refusal::{RefusalReason, is_unanswered, refusal};
pub use rows::{Row, RowKind, Width};
pub use settle::{ApprovalContext, announce, settle};
