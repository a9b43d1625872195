//! Asking a person: what the question says, how it is put, what an answer leads to. Library,
//! terminal and MCP use the same steps; they differ only in how the question reaches the person.

mod approval;
mod change;
mod prompt;

mod answer;
mod refusal;

mod question;
mod rows;

mod asked;
mod desk;
mod settle;

mod input;

pub use answer::{Absence, Answer, Confirmer, Decisions, NobodyToAsk};
pub use approval::{Approval, Refusal};
pub use asked::{ApprovalRequest, RuleLifetime, Settlement};
pub use change::{Change, ChangePreview};
pub use desk::{Desk, Questions};
pub use input::{InputAnswer, InputError, InputKind, InputRequest, InputSource};
pub use prompt::{ConfirmPrompt, PromptPart, StoredRule, Verdict};
pub use question::Question;
pub use refusal::{RefusalReason, is_unanswered, refusal};
pub use rows::{Row, RowKind, Width};
pub use settle::{ApprovalContext, announce, settle};
