//! The layer: counts how real executions end, and says so when a tool is blocked for it.

use std::sync::Arc;

use async_trait::async_trait;
use tools_core::{Invocation, Layer, Next, Outcome};

use super::{
    decide::{Severity, counts},
    health::ToolHealth,
};

/// Counts the results of executions. The gate that refuses is [`crate::trust::TrustGate`].
#[derive(Debug)]
pub struct AnomalyDetector(Arc<ToolHealth>);

impl AnomalyDetector {
    /// A detector over results that the gate shares.
    pub fn new(health: Arc<ToolHealth>) -> Self {
        Self(health)
    }
}

#[async_trait]
impl Layer for AnomalyDetector {
    fn name(&self) -> &'static str {
        "anomaly"
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        let outcome = next.run(inv).await;
        if !self.0.is_counting() {
            return outcome;
        }
        if let Some(failed) = counts(&outcome)
            && let Some((severity, failures, total)) = self.0.record(&inv.definition.name, failed)
        {
            let tool = &inv.definition.name;
            tracing::warn!(%tool, failures, total, ?severity, "a tool keeps failing");
            let consequence = if severity == Severity::Critical { "; it is blocked for a while" } else { "" };
            inv.context.journal().warn(format!("`{tool}` failed {failures} of its last {total} calls{consequence}"));
        }
        outcome
    }
}
