//! Asks people by another way than through the client.

use tools_core::{CallContext, Confirmer};

/// Another way to ask people, for a client that cannot ask, dismisses the question or shows too
/// little of it. Implemented by hosts.
pub trait FallbackConfirmer: Send + Sync {
    /// Who is asked about a call of this client. If nobody can be asked here either, the confirmer
    /// has to return [`tools_core::Absence::CannotAsk`] at once.
    fn confirmer(&self, client: &str, cx: &CallContext) -> Box<dyn Confirmer>;

    /// A sentence for the model, added to the refusal of a call that nobody approved. It says how
    /// the user can be asked.
    fn advice(&self) -> &str;
}
