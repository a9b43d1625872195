//! The gate: charges a call to its session, or refuses it.

use std::sync::Arc;

use async_trait::async_trait;
use tools_core::{Invocation, Layer, Next, Outcome, ToolError, ToolErrorCategory, Verdict};

use super::{decide::Charge, ledger::Ledger};

/// Holds a session to its quota of calls.
#[derive(Debug)]
pub struct QuotaGate(Arc<Ledger>);

impl QuotaGate {
    /// A gate over the accounts of all sessions.
    pub fn new(ledger: Arc<Ledger>) -> Self {
        Self(ledger)
    }
}

#[async_trait]
impl Layer for QuotaGate {
    fn name(&self) -> &'static str {
        "quota"
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        if !self.0.is_limited() {
            return next.run(inv).await;
        }
        let (call, cx) = (&inv.call, &inv.context);
        let consented = next.approval().is_some();
        let charge = self.0.charge(cx, consented.then(|| (&call.id, call.digest())));
        if charge == Charge::Refused {
            cx.journal().gate("quota", Verdict::Deny);
            return Err(used_up(inv, self.0.state(cx.session())));
        }
        let outcome = next.run(inv).await;
        let is_asked = |error: &ToolError| error.category() == ToolErrorCategory::ConfirmationRequired;
        if !consented && outcome.as_ref().is_err_and(is_asked) {
            self.0.remember(cx.session(), call.id.clone(), call.digest());
        }
        outcome
    }
}

fn used_up(inv: &Invocation, (used, most): (u64, Option<u64>)) -> ToolError {
    let most = most.unwrap_or(used);
    let message = format!("`{}` was not run: {used} of {most} calls of this session are used", inv.call.tool);
    ToolError::new(ToolErrorCategory::PolicyBlocked, "quota_blocked", message)
        .with_suggestion("Make no further calls; tell the user what is done and what is left.")
}
