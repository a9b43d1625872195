//! The gate: asks the rules, and refuses what they deny before a person is asked.

use std::{path::Path, sync::Arc};

use tools_core::{Invocation, KeyFault, ToolDef, ToolError, ToolErrorCategory};

use super::closed_paths::closes;
use super::config::{AuthorizationConfig, PolicyConfig, PolicyEnforcer};
use super::decide::{PolicyQuestion, decide};
use super::lint::lint;
use crate::gate::{Applies, CompileContext, Gate, GateInfo, GatePosition, ReadRestriction, Ruling};

/// Refuses what the operator's rules deny.
#[derive(Debug, Clone, Copy, Default)]
pub struct PolicyGate;

impl Gate for PolicyGate {
    type Config = (PolicyConfig, AuthorizationConfig);
    type Policy = PolicyEnforcer;
    type Held = ();

    const ABOUT: GateInfo = GateInfo {
        name: "policy",
        sections: &["tools.policy", "tools.authorization"],
        applies: Applies::Reload,
        position: GatePosition::BeforeCall,
        refuses_with: &["policy_blocked/policy_denied"],
        why_here: "`[tools.policy]`, then `[tools.authorization]`: no layer further in lifts what they deny",
    };

    fn compile((policy, authorization): &Self::Config, cx: &CompileContext<'_>) -> Result<PolicyEnforcer, KeyFault> {
        PolicyEnforcer::compile(policy, authorization, cx.home)
    }

    fn decide(&self, policy: &Arc<PolicyEnforcer>, inv: &Invocation) -> Ruling {
        if policy.is_empty() {
            return Ruling::none();
        }
        let inspection = match inv.inspection() {
            Ok(inspection) => inspection,
            Err(error) => return Ruling::unreadable(error),
        };
        let question = PolicyQuestion {
            definition: &inv.definition,
            params: &inv.call.params,
            inspection,
            workdir: inv.context.workdir(),
        };
        let decision = decide(policy, &question);
        let is_denied = decision.is_denied();
        let is_rule = decision.trace.is_some();
        let by = decision.trace.unwrap_or_default();
        let ruling = if is_denied { Ruling::deny(by, denied(inv)) } else { Ruling::allow(by) };
        Ruling { is_rule, ..ruling }
    }

    fn hides(policy: &PolicyEnforcer, tool: &str) -> bool {
        policy.denies_always(tool)
    }

    fn closes(policy: &Arc<PolicyEnforcer>, tool: &str, workdir: &Path) -> Option<ReadRestriction> {
        closes(policy, tool, workdir)
    }

    fn lint(&self, policy: &Arc<PolicyEnforcer>, tools: &[Arc<ToolDef>]) -> Vec<String> {
        lint(policy, tools)
    }
}

fn denied(inv: &Invocation) -> ToolError {
    let message = format!("the policy does not let `{}` do this", inv.call.tool);
    ToolError::new(ToolErrorCategory::PolicyBlocked, "policy_denied", message)
}
