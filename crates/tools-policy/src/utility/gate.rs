//! The gate: scores a call, skips it or lets it run, and remembers its output.

use std::sync::Arc;

use tools_core::{Invocation, KeyFault, Outcome, ToolError, ToolErrorCategory};

use super::config::{UtilityConfig, UtilityPolicy};
use super::decide::{UtilityDecision, UtilityQuestion, decide};
use super::history::History;
use crate::gate::{Applies, CompileContext, Gate, GateInfo, GatePosition, Ruling};

/// Skips calls that are not worth making.
#[derive(Debug)]
pub struct UtilityGate(Arc<History>);

impl UtilityGate {
    /// Creates a gate over the history of earlier calls.
    pub fn new(history: Arc<History>) -> Self {
        Self(history)
    }
}

impl Gate for UtilityGate {
    type Config = UtilityConfig;
    type Policy = UtilityPolicy;
    type Held = ();

    const ABOUT: GateInfo = GateInfo {
        name: "utility",
        sections: &["tools.utility"],
        applies: Applies::Reload,
        position: GatePosition::BeforeCall,
        refuses_with: &["policy_blocked/utility_skipped"],
        why_here: "before a model or a person is asked about a call that is not worth making",
    };

    fn compile(config: &UtilityConfig, _: &CompileContext<'_>) -> Result<UtilityPolicy, KeyFault> {
        config.compile().map_err(|fault| fault.below("tools.utility"))
    }

    fn decide(&self, policy: &Arc<UtilityPolicy>, inv: &Invocation) -> Ruling {
        if !policy.0.enabled {
            return Ruling::none();
        }
        let inspection = match inv.inspection() {
            Ok(inspection) => inspection,
            Err(error) => return Ruling::unreadable(error),
        };
        let experience = self.0.experience(inv.context.session(), &inv.call.tool, inspection);
        let question = UtilityQuestion {
            definition: &inv.definition,
            inspection,
            requested_by_user: inv.context.is_requested_by_user(),
            experience: &experience,
        };
        match decide(policy, &question) {
            UtilityDecision::Skip(score) => {
                Ruling::deny("tools.utility.threshold", skipped(score.total, policy.0.threshold))
            }
            UtilityDecision::Exempt | UtilityDecision::Run(_) => Ruling::none(),
        }
    }

    fn ended(&self, policy: &Arc<UtilityPolicy>, (): (), inv: &Invocation, _: bool, outcome: &Outcome) {
        if let (true, Ok(output), Ok(inspection)) = (policy.0.enabled, outcome, inv.inspection()) {
            self.0.record(inv.context.session(), &inv.call.tool, inspection, &output.summary);
        }
    }
}

fn skipped(score: f64, threshold: f64) -> ToolError {
    let message = format!("not_executed: low utility ({score:.2} < {threshold:.2})");
    ToolError::new(ToolErrorCategory::PolicyBlocked, "utility_skipped", message)
        .with_suggestion("Use what earlier calls gave, or ask for something new.")
}
