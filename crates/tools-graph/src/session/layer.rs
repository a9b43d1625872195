//! The layer that holds back calls of tools with unmet requirements, and notes which calls succeed.

use std::sync::Arc;

use async_trait::async_trait;
use tools_core::{CommandEnd, Invocation, Layer, LayerInfo, Next, Outcome, ToolError, ToolErrorCategory};

use super::SessionLists;

/// Refuses a call of a tool whose requirements are not met in its session, and notes successful
/// calls. It permits nothing: a call that it passes still meets every gate.
#[derive(Debug)]
pub struct DependencyLayer {
    lists: Arc<SessionLists>,
}

impl DependencyLayer {
    /// Its row in a list of layers.
    pub const INFO: LayerInfo = LayerInfo {
        name: "dependencies",
        owner: "tools-graph",
        refuses_with: &["policy_blocked/needs_tool_first"],
        why: "before every gate: nobody is asked about a call that has to wait for another tool, and the final outcome of each call is seen",
    };

    /// A layer over these lists.
    pub fn new(lists: Arc<SessionLists>) -> Self {
        Self { lists }
    }
}

#[async_trait]
impl Layer for DependencyLayer {
    fn name(&self) -> &'static str {
        Self::INFO.name
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        let (session, tool) = (inv.context.session(), &inv.call.tool);
        let missing: Vec<String> =
            self.lists.missing(session, tool).iter().map(|needed| format!("`{needed}`")).collect();
        if !missing.is_empty() {
            let missing = missing.join(" and ");
            let message = format!("`{tool}` needs {missing} first");
            let error = ToolError::new(ToolErrorCategory::PolicyBlocked, "needs_tool_first", message);
            return Err(error.with_suggestion(format!("Call {missing}; when that has succeeded, call `{tool}` again.")));
        }
        let outcome = next.run(inv).await;
        let has_failed = |output: &tools_core::ToolOutput| output.ended.as_ref().is_some_and(CommandEnd::is_failure);
        if outcome.as_ref().is_ok_and(|output| !has_failed(output)) {
            self.lists.complete(session, tool);
        }
        outcome
    }
}
