//! What the gates of a toolbox would decide about calls of its tools.

use tools_core::{CallContext, ToolCall};
use tools_policy::{Explanation, Gates, permissions::TestedExample};

use crate::Toolbox;

impl Toolbox {
    /// The gates: what people allow and take back, quotas, tools that are blocked.
    pub fn gates(&self) -> &Gates {
        &self.parts.wiring.gates
    }

    /// Predicts the decision about a call and names the rule behind it. The call is not run, no
    /// question is asked and nothing is recorded.
    pub async fn explain(&self, call: ToolCall, cx: &CallContext) -> Explanation {
        // Calls look anew, too; what cannot be read counts as it counts for them.
        let _ = self.gates().state.rules.refresh().await;
        self.gates().explain(&self.stack.inspect(call, cx).await)
    }

    /// Tests every rule by the examples that it carries. Nothing runs.
    pub async fn test_rules(&self) -> Vec<TestedExample> {
        let definitions = self.stack.definitions();
        let mut tested = Vec::new();
        for example in self.config.tools.permissions.examples() {
            let decided = match example.call(&definitions) {
                Ok(call) => Ok(self.explain(call, &self.context()).await),
                Err(problem) => Err(problem),
            };
            tested.push(example.tested(decided));
        }
        tested
    }
}
