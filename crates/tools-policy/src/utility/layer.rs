//! The gate: scores a call, skips it or goes on, and remembers what it gave.

use std::sync::Arc;

use async_trait::async_trait;
use tools_core::{Invocation, Layer, Next, Outcome, Shared, ToolError, ToolErrorCategory, Verdict};

use super::{
    config::UtilityPolicy,
    decide::{UtilityDecision, UtilityQuestion, decide},
    history::History,
};

/// Skips calls that are not worth making.
#[derive(Debug)]
pub struct UtilityScorer {
    policy: Shared<UtilityPolicy>,
    history: Arc<History>,
}

impl UtilityScorer {
    /// A gate over a policy that may be swapped, and over what was seen of earlier calls.
    pub fn new(policy: Shared<UtilityPolicy>, history: Arc<History>) -> Self {
        Self { policy, history }
    }
}

#[async_trait]
impl Layer for UtilityScorer {
    fn name(&self) -> &'static str {
        "utility"
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        let policy = self.policy.load();
        if !policy.0.enabled {
            return next.run(inv).await;
        }
        let (call, cx, inspection) = (&inv.call, &inv.context, inv.inspection()?);
        let experience = self.history.experience(cx.session(), &call.tool, inspection);
        let question = UtilityQuestion {
            definition: &inv.definition,
            inspection,
            requested_by_user: cx.is_requested_by_user(),
            experience: &experience,
        };
        if let UtilityDecision::Skip(score) = decide(&policy, &question) {
            cx.journal().gate("utility", Verdict::Deny);
            return Err(skipped(score.total, policy.0.threshold));
        }
        let outcome = next.run(inv).await;
        if let Ok(output) = &outcome {
            self.history.record(cx.session(), &call.tool, inspection, &output.summary);
        }
        outcome
    }
}

fn skipped(score: f64, threshold: f64) -> ToolError {
    let message = format!("not_executed: low utility ({score:.2} < {threshold:.2})");
    ToolError::new(ToolErrorCategory::PolicyBlocked, "utility_skipped", message)
        .with_suggestion("Use what earlier calls gave, or ask for something new.")
}
