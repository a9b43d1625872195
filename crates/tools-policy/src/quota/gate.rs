//! The gate: charges a call to its session, or refuses it.

use std::sync::Arc;

use tools_core::{Invocation, KeyFault, Outcome, ToolError, ToolErrorCategory};

use super::{config::QuotaPolicy, decide::Charge, ledger::Ledger};
use crate::gate::{Applies, CompileContext, Gate, GateInfo, GatePosition, Ruling};

/// Holds a session to its quota of calls.
#[derive(Debug)]
pub struct QuotaGate(Arc<Ledger>);

impl QuotaGate {
    /// Creates a gate over the accounts of all sessions.
    pub fn new(ledger: Arc<Ledger>) -> Self {
        Self(ledger)
    }

    fn ruling(&self, policy: &QuotaPolicy, inv: &Invocation, charge: Charge) -> Ruling {
        if policy.calls.is_none() || charge == Charge::Paid {
            return Ruling::none();
        }
        let error = used_up(inv, self.0.state(inv.context.session()));
        Ruling::deny("tools.max_tool_calls_per_session", error)
    }
}

impl Gate for QuotaGate {
    type Config = Option<u64>;
    type Policy = QuotaPolicy;
    type Held = ();

    const ABOUT: GateInfo = GateInfo {
        name: "quota",
        sections: &["tools.max_tool_calls_per_session"],
        applies: Applies::Reload,
        position: GatePosition::BeforeCall,
        refuses_with: &["policy_blocked/quota_blocked"],
        why_here: "outside the gates, so that a loop of refused calls ends too; retries are further in and are free",
    };

    fn compile(config: &Self::Config, _: &CompileContext<'_>) -> Result<QuotaPolicy, KeyFault> {
        Ok(QuotaPolicy::compile(*config))
    }

    fn decide(&self, policy: &Arc<QuotaPolicy>, inv: &Invocation) -> Ruling {
        if policy.calls.is_none() {
            return Ruling::none();
        }
        self.ruling(policy, inv, self.0.would_charge(&inv.context))
    }

    async fn settle(&self, policy: &Arc<QuotaPolicy>, _: Ruling, inv: &Invocation, is_confirmed: bool) -> (Ruling, ()) {
        if policy.calls.is_none() {
            return (Ruling::none(), ());
        }
        let consented = is_confirmed.then(|| (&inv.call.id, inv.call.digest()));
        (self.ruling(policy, inv, self.0.charge(&inv.context, consented)), ())
    }

    fn ended(&self, policy: &Arc<QuotaPolicy>, (): (), inv: &Invocation, is_confirmed: bool, outcome: &Outcome) {
        let is_asked = |error: &ToolError| error.category() == ToolErrorCategory::ConfirmationRequired;
        if policy.calls.is_some() && !is_confirmed && outcome.as_ref().is_err_and(is_asked) {
            self.0.remember(inv.context.session(), inv.call.id.clone(), inv.call.digest());
        }
    }
}

fn used_up(inv: &Invocation, (used, most): (u64, Option<u64>)) -> ToolError {
    let most = most.unwrap_or(used);
    let message = format!("`{}` was not run: {used} of {most} calls of this session are used", inv.call.tool);
    ToolError::new(ToolErrorCategory::PolicyBlocked, "quota_blocked", message)
        .with_suggestion("Make no further calls; tell the user what is done and what is left.")
}
