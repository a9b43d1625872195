//! A server whose setup failed: it lists its tools, and answers each call with the fault.

use tools_core::{
    Approval, CallContext, ExecuteResult, Inspection, Stack, ToolCall, ToolDefs, ToolError, ToolErrorCategory,
    ToolExecutor,
};

/// Tools that answer every call with the reason why they do not run.
pub struct FaultyTools {
    definitions: ToolDefs,
    fault: ToolError,
}

impl FaultyTools {
    /// A stack of the tools of `definitions`, all of which fail with `fault`; `remedy` is the
    /// advice to a model.
    pub fn stack(definitions: ToolDefs, fault: &str, remedy: &str) -> Stack {
        let message = format!("the server could not be set up, so nothing runs: {fault}");
        let fault = ToolError::new(ToolErrorCategory::PermanentFailure, "not_set_up", message);
        Stack::new(vec![], Self { definitions, fault: fault.with_suggestion(remedy) })
    }
}

impl ToolExecutor for FaultyTools {
    fn tool_definitions(&self) -> ToolDefs {
        self.definitions.clone()
    }

    async fn inspect(&self, _: &ToolCall, _: &CallContext) -> Result<Inspection, ToolError> {
        Ok(Inspection::read_only())
    }

    async fn execute_tool_call(&self, _: &ToolCall, _: &CallContext) -> ExecuteResult {
        Err(self.fault.clone())
    }

    async fn execute_tool_call_confirmed(&self, _: &ToolCall, _: &Approval, _: &CallContext) -> ExecuteResult {
        Err(self.fault.clone())
    }
}
