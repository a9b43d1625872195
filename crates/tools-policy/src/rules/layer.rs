//! The gate: asks the rules, notes what they say, refuses or goes on.

use async_trait::async_trait;
use tools_core::{Invocation, Layer, Next, Outcome, Shared, ToolError, ToolErrorCategory, Verdict, keys};

use super::{
    config::PolicyEnforcer,
    decide::{PolicyQuestion, decide},
};

/// Refuses what the operator's rules deny, before anybody is asked about it.
#[derive(Debug)]
pub struct PolicyGate(Shared<PolicyEnforcer>);

impl PolicyGate {
    /// A gate over rules that may be swapped.
    pub fn new(enforcer: Shared<PolicyEnforcer>) -> Self {
        Self(enforcer)
    }

    fn judge(&self, inv: &Invocation) -> Result<(), ToolError> {
        let enforcer = self.0.load();
        if enforcer.is_empty() {
            return Ok(());
        }
        let question = PolicyQuestion {
            definition: &inv.definition,
            params: &inv.call.params,
            inspection: inv.inspection()?,
            workdir: inv.context.workdir(),
        };
        let decision = decide(&enforcer, &question);
        let verdict = if decision.is_denied() { Verdict::Deny } else { Verdict::Allow };
        let journal = inv.context.journal();
        journal.gate("policy", verdict);
        if let Some(trace) = decision.trace {
            journal.note(keys::POLICY_MATCH, trace);
        }
        match verdict {
            Verdict::Deny => Err(denied(inv)),
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl Layer for PolicyGate {
    fn name(&self) -> &'static str {
        "policy"
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        self.judge(inv)?;
        next.run(inv).await
    }
}

fn denied(inv: &Invocation) -> ToolError {
    let message = format!("the policy does not let `{}` do this", inv.call.tool);
    ToolError::new(ToolErrorCategory::PolicyBlocked, "policy_denied", message)
}
