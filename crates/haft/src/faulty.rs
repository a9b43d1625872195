//! A server that could not be set up: its tools are listed, and each call is answered with the
//! fault.

use tools_core::{
    Approval, CallContext, ExecuteResult, Inspection, Stack, ToolCall, ToolDefs, ToolError, ToolErrorCategory,
    ToolExecutor,
};

/// Tools that say why they do not run.
pub(crate) struct Faulty {
    definitions: ToolDefs,
    fault: ToolError,
}

impl Faulty {
    /// The tools of `definitions`, of which none runs because of `fault`.
    pub(crate) fn stack(definitions: ToolDefs, fault: &str) -> Stack {
        let message = format!("the server could not be set up, so nothing runs: {fault}");
        let fault = ToolError::new(ToolErrorCategory::PermanentFailure, "not_set_up", message).with_suggestion(
            "Do not work around it. Tell the user what the fault is; `haft config check` shows where, and the server has to be started again.",
        );
        Stack::new(vec![], Self { definitions, fault })
    }
}

impl ToolExecutor for Faulty {
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
