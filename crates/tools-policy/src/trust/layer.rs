//! The gate: lowers the trust of the context, refuses what that leaves no way to, and what is blocked for failing.

use std::sync::Arc;

use async_trait::async_trait;
use tools_core::{Invocation, Layer, Next, Outcome, Shared, ToolError, ToolErrorCategory, TrustLevel, Verdict};

use super::{
    config::TrustPolicy,
    decide::{effective, floor},
};
use crate::anomaly::{Admission, ToolHealth};

/// Holds a call to the trust in its origin and in its tool.
#[derive(Debug)]
pub struct TrustGate {
    policy: Shared<TrustPolicy>,
    health: Arc<ToolHealth>,
}

impl TrustGate {
    /// A gate over levels that may be swapped, and over the tools that kept failing.
    pub fn new(policy: Shared<TrustPolicy>, health: Arc<ToolHealth>) -> Self {
        Self { policy, health }
    }
}

#[async_trait]
impl Layer for TrustGate {
    fn name(&self) -> &'static str {
        "trust"
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        let (call, cx) = (&inv.call, &inv.context);
        let level = effective(&self.policy.load(), cx.trust(), call.caller_id.as_ref(), call.tool.as_str());
        // The verdict between "allow" and "deny" is for the permissions, which see the same level.
        if level != TrustLevel::Trusted && floor(level, &inv.definition) == Verdict::Deny {
            inv.inspection()?;
            cx.journal().gate("trust", Verdict::Deny);
            return Err(untrusted(inv, level));
        }
        // A probe is given back when the call ends without having been one.
        let _probe = match self.health.admit(&inv.definition) {
            Admission::Free => None,
            Admission::Probe(probe) => Some(probe),
            Admission::Blocked(why) => {
                cx.journal().gate("trust", Verdict::Deny);
                return Err(blocked(inv, &why));
            }
        };
        if level == cx.trust() {
            return next.run(inv).await;
        }
        next.run(&inv.in_context(cx.clone().capped(level))).await
    }
}

fn untrusted(inv: &Invocation, level: TrustLevel) -> ToolError {
    let level = match level {
        TrustLevel::Untrusted => "untrusted",
        TrustLevel::Provisional => "provisional",
        TrustLevel::Trusted => "trusted",
    };
    let message = format!("`{}` is not for calls whose origin is {level}", inv.call.tool);
    ToolError::new(ToolErrorCategory::PolicyBlocked, "trust_blocked", message)
}

fn blocked(inv: &Invocation, why: &str) -> ToolError {
    let message = format!("`{}` is {why}", inv.call.tool);
    ToolError::new(ToolErrorCategory::PolicyBlocked, "trust_blocked", message)
}
