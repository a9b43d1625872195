//! The gate: lowers the trust of the context, and refuses calls that this rules out and calls of
//! blocked tools.

use std::sync::Arc;

use tools_core::{Invocation, KeyFault, ToolDef, ToolError, ToolErrorCategory, TrustLevel, Verdict};

use super::config::{TrustConfig, TrustPolicy};
use super::decide::{effective, floor};
use crate::anomaly::{Admission, Probe, ToolHealth};
use crate::gate::{Applies, CompileContext, Gate, GateInfo, GatePosition, Ruling};
use crate::names::unknown;

/// Holds a call to the trust in its origin and in its tool.
#[derive(Debug)]
pub struct TrustGate(Arc<ToolHealth>);

impl TrustGate {
    /// Creates a gate over the health of the tools.
    pub fn new(health: Arc<ToolHealth>) -> Self {
        Self(health)
    }
}

impl Gate for TrustGate {
    type Config = TrustConfig;
    type Policy = TrustPolicy;
    /// A probe is returned if the call ends without having probed.
    type Held = Option<Probe>;

    const ABOUT: GateInfo = GateInfo {
        name: "trust",
        sections: &["tools.trust"],
        applies: Applies::Reload,
        position: GatePosition::BeforeCall,
        refuses_with: &["policy_blocked/trust_blocked"],
        why_here: "lowers the trust in the origin before the permissions read it, and refuses tools that are blocked for failing",
    };

    fn compile(config: &TrustConfig, _: &CompileContext<'_>) -> Result<TrustPolicy, KeyFault> {
        config.compile()
    }

    fn decide(&self, policy: &Arc<TrustPolicy>, inv: &Invocation) -> Ruling {
        let (call, cx) = (&inv.call, &inv.context);
        let level = effective(policy, cx.trust(), call.caller_id.as_ref(), call.tool.as_str());
        // The permissions see the same level, and apply the verdict between "allow" and "deny".
        if level != TrustLevel::Trusted && floor(level, &inv.definition) == Verdict::Deny {
            return match inv.inspection() {
                Ok(_) => Ruling::deny(format!("trust: {}", word(level)), untrusted(inv, level)),
                Err(error) => Ruling::unreadable(error),
            };
        }
        if let Some(why) = self.0.would_block(&inv.definition) {
            return Ruling::deny("tools.anomaly", blocked(inv, &why));
        }
        Ruling { trust: (level != cx.trust()).then_some(level), ..Ruling::none() }
    }

    async fn settle(&self, _: &Arc<TrustPolicy>, ruling: Ruling, inv: &Invocation, _: bool) -> (Ruling, Option<Probe>) {
        if ruling.refusal.is_some() {
            return (ruling, None);
        }
        match self.0.admit(&inv.definition) {
            Admission::Free => (ruling, None),
            Admission::Probe(probe) => (ruling, Some(probe)),
            Admission::Blocked(why) => (Ruling::deny("tools.anomaly", blocked(inv, &why)), None),
        }
    }

    fn lint(&self, policy: &Arc<TrustPolicy>, tools: &[Arc<ToolDef>]) -> Vec<String> {
        policy
            .config
            .tools
            .keys()
            .filter_map(|tool| unknown(&format!("tools.trust.tools.{tool}"), tool, tools))
            .collect()
    }
}

fn word(level: TrustLevel) -> &'static str {
    match level {
        TrustLevel::Untrusted => "untrusted",
        TrustLevel::Provisional => "provisional",
        TrustLevel::Trusted => "trusted",
    }
}

fn untrusted(inv: &Invocation, level: TrustLevel) -> ToolError {
    let message = format!("`{}` is not for calls whose origin is {}", inv.call.tool, word(level));
    ToolError::new(ToolErrorCategory::PolicyBlocked, "trust_blocked", message)
}

fn blocked(inv: &Invocation, why: &str) -> ToolError {
    let message = format!("`{}` is {why}", inv.call.tool);
    ToolError::new(ToolErrorCategory::PolicyBlocked, "trust_blocked", message)
}
