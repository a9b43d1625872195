//! Conversion of a [`Tool`] to an executor: the only file in which the two paths of a typed tool
//! differ.

use std::{fmt, sync::Arc};

use crate::{
    Approval, CallContext, ConfirmPrompt, ConfirmReason, ExecuteResult, Inspection, PromptPart, Tool, ToolCall,
    ToolDef, ToolDefs, ToolError, ToolErrorCategory, ToolExecutor, Verdict, obeyed::AgreedCall,
};

use super::ScriptStates;

/// A [`Tool`] as an executor of one tool.
pub struct Typed<T> {
    tool: T,
    definition: Arc<ToolDef>,
    definitions: ToolDefs,
}

impl<T: Tool> Typed<T> {
    /// Wraps a tool; its definition is requested once.
    pub fn new(tool: T) -> Self {
        let definition = Arc::new(tool.definition());
        Self { tool, definitions: Arc::from([Arc::clone(&definition)]), definition }
    }

    fn owns(&self, call: &ToolCall) -> bool {
        call.tool == self.definition.name
    }

    /// Decodes and inspects the arguments: on both paths, at the moment of use.
    async fn look(&self, call: &ToolCall, cx: &CallContext) -> Result<(T::Args, Inspection), ToolError> {
        let args: T::Args = call.parse()?;
        let inspection = self.tool.inspect(&args, cx).await?;
        Ok((args, inspection))
    }

    /// Inspects again just before the run: the code files must be those that were judged.
    async fn look_again(&self, call: &ToolCall, cx: &CallContext) -> Result<(T::Args, Inspection), ToolError> {
        let (args, inspection) = self.look(call, cx).await?;
        match cx.judged_scripts() {
            Some(judged) => check_scripts(judged, &inspection, cx).map(|()| (args, inspection)),
            None => Ok((args, inspection)),
        }
    }
}

impl<T: Tool> ToolExecutor for Typed<T> {
    fn tool_definitions(&self) -> ToolDefs {
        Arc::clone(&self.definitions)
    }

    async fn inspect(&self, call: &ToolCall, cx: &CallContext) -> Result<Inspection, ToolError> {
        if !self.owns(call) {
            return Ok(Inspection::default());
        }
        let (_, inspection) = self.look(call, cx).await?;
        Ok(Inspection { read_only: inspection.read_only || self.definition.traits.read_only, ..inspection })
    }

    async fn execute_tool_call(&self, call: &ToolCall, cx: &CallContext) -> ExecuteResult {
        if !self.owns(call) {
            return Ok(None);
        }
        let (args, inspection) = self.look_again(call, cx).await?;
        if let Some(reason) = &inspection.confirm {
            return Err(needs_a_person(call, &inspection, reason).await);
        }
        let _agreed = AgreedCall::new(&inspection.subjects);
        self.tool.run_inspected(args, inspection, cx).await.map(Some)
    }

    async fn execute_tool_call_confirmed(
        &self,
        call: &ToolCall,
        approval: &Approval,
        cx: &CallContext,
    ) -> ExecuteResult {
        if !self.owns(call) {
            return Ok(None);
        }
        approval.check(call)?;
        let (args, inspection) = self.look_again(call, cx).await?;
        let _agreed = AgreedCall::new(&inspection.subjects);
        self.tool.run_inspected(args, inspection, cx).await.map(Some)
    }
}

async fn needs_a_person(call: &ToolCall, inspection: &Inspection, why: &ConfirmReason) -> ToolError {
    let part = |subject: &crate::Subject| PromptPart {
        subject: subject.clone(),
        verdict: Verdict::Ask,
        rule: why.rule.clone(),
    };
    let parts = inspection.subjects.iter().map(part).collect();
    let prompt = ConfirmPrompt::of_tool(call.tool.clone(), why, parts).with_predicted_changes(inspection).await;
    ToolError::new(
        ToolErrorCategory::ConfirmationRequired,
        "confirmation_required",
        format!("`{}` needs approval: {}", call.tool, why.reason),
    )
    .with_prompt(prompt)
}

/// Compares the code files that a call runs with their earlier states.
fn check_scripts(before: &ScriptStates, now: &Inspection, cx: &CallContext) -> Result<(), ToolError> {
    let states = now.script_states();
    if states == *before {
        return Ok(());
    }
    let is_other = |state: &&(std::path::PathBuf, _)| !before.contains(state);
    let missing = || before.iter().find(|state| !states.contains(state));
    let path = states.iter().find(is_other).or_else(missing).map(|(path, _)| path.as_path());
    Err(script_changed(path.unwrap_or(cx.workdir()), cx))
}

/// Error of a call whose code file differs from the one that was judged or agreed to.
pub(crate) fn script_changed(path: &std::path::Path, cx: &CallContext) -> ToolError {
    let shown = path.strip_prefix(cx.workdir()).unwrap_or(path).display();
    ToolError::new(
        ToolErrorCategory::PolicyBlocked,
        "script_changed",
        format!("`{shown}` changed after the call that runs it was judged; nothing was run"),
    )
    .with_suggestion("Call again when nothing changes the file any more: it is judged as it is then.")
}

impl<T> fmt::Debug for Typed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Typed").field(&self.definition.name.as_str()).finish()
    }
}
