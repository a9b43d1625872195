//! The gate that counts how executions end and blocks tools that keep failing.
//! [`crate::trust::TrustGate`] refuses the calls of blocked tools.

use std::sync::Arc;

use tools_core::{Invocation, KeyFault, Outcome};

use super::config::{AnomalyConfig, AnomalyPolicy};
use super::decide::{Severity, counts};
use super::health::ToolHealth;
use crate::gate::{Applies, CompileContext, Gate, GateInfo, GatePosition, Ruling};

/// Counts the results of executions.
#[derive(Debug)]
pub struct AnomalyGate(Arc<ToolHealth>);

impl AnomalyGate {
    /// Creates a gate over results that [`crate::trust::TrustGate`] shares.
    pub fn new(health: Arc<ToolHealth>) -> Self {
        Self(health)
    }
}

impl Gate for AnomalyGate {
    type Config = AnomalyConfig;
    type Policy = AnomalyPolicy;
    type Held = ();

    const ABOUT: GateInfo = GateInfo {
        name: "anomaly",
        sections: &["tools.anomaly"],
        applies: Applies::Reload,
        position: GatePosition::AroundExecution,
        refuses_with: &[],
        why_here: "counts how real executions end; the `trust` gate blocks tools by these counts",
    };

    fn compile(config: &AnomalyConfig, _: &CompileContext<'_>) -> Result<AnomalyPolicy, KeyFault> {
        config.compile().map_err(|fault| fault.below("tools.anomaly"))
    }

    fn decide(&self, _: &Arc<AnomalyPolicy>, _: &Invocation) -> Ruling {
        Ruling::none()
    }

    fn ended(&self, policy: &Arc<AnomalyPolicy>, (): (), inv: &Invocation, _: bool, outcome: &Outcome) {
        if !policy.0.enabled {
            return;
        }
        if let Some(failed) = counts(outcome)
            && let Some((severity, failures, total)) = self.0.record(&inv.definition.name, failed)
        {
            let tool = &inv.definition.name;
            tracing::warn!(%tool, failures, total, ?severity, "a tool keeps failing");
            let consequence = if severity == Severity::Critical { "; it is blocked for a while" } else { "" };
            inv.context.journal().warn(format!("`{tool}` failed {failures} of its last {total} calls{consequence}"));
        }
    }
}
