//! People who are asked in another way than through the client.

use tools_core::{CallContext, Confirmer};

/// How a host asks people where the client cannot, puts the question away unanswered, or shows too little of it.
pub trait Elsewhere: Send + Sync {
    /// Who is asked about a call of this client. [`tools_core::Absence::CannotAsk`] means that nobody is there either, and
    /// has to come at once.
    fn confirmer(&self, client: &str, cx: &CallContext) -> Box<dyn Confirmer>;

    /// What a model is told, after the refusal, of a call that nobody agreed to: how its user can be asked.
    fn advice(&self) -> &str;
}
