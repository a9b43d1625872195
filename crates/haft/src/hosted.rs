//! Calls that another program runs: judged and put on record as if they were ours, and left to it.

use std::{path::Path, sync::Arc};

use tools_core::{
    Approval, CallContext, Executed, Inspection, Stack, ToolCall, ToolDefs, ToolError, ToolErrorCategory, ToolExecutor,
    ToolOutput, Verdict,
};

use crate::{Toolbox, config::HaftConfig};

/// What is decided about a call that another program runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// Whether it may run, needs a person, or may not.
    pub verdict: Verdict,
    /// Why, and what to do next: for the person who is asked or the model that is refused. Empty where it may run.
    pub reason: String,
}

impl Toolbox {
    /// Judges a call that another program runs, by the same gates as a call of our own, and puts it on record. Nothing runs.
    ///
    /// A call that cannot be judged, because its parameters are not understood or no tool has its name, needs a person.
    pub async fn judge(&self, call: ToolCall, cx: &CallContext) -> Judged {
        let stack = Stack::new(self.parts.judging.0.clone(), Left(Arc::clone(&self.stack)));
        match stack.dispatch(call, cx).await {
            Ok(_) => Judged { verdict: Verdict::Allow, reason: String::new() },
            Err(error) => Judged::of(&error),
        }
    }
}

impl Judged {
    fn of(error: &ToolError) -> Self {
        let verdict = match error.category() {
            ToolErrorCategory::PolicyBlocked => Verdict::Deny,
            // What was not understood was not judged either.
            _ => Verdict::Ask,
        };
        let rules = error.prompt().map(|prompt| {
            let asking = prompt.parts.iter().filter(|part| part.verdict == Verdict::Ask);
            let rows: Vec<String> = asking.map(|part| format!("{}: {}", part.subject.text(), part.rule)).collect();
            rows.join("; ")
        });
        let reason = match (verdict, rules.filter(|rows| !rows.is_empty())) {
            (_, Some(rows)) => format!("haft asks: {rows}"),
            (Verdict::Deny, None) => format!("haft refuses: {}. {}", error.message(), error.suggestion()),
            (_, None) => format!("haft asks: {}", error.message()),
        };
        Self { verdict, reason: reason.trim_end().to_owned() }
    }
}

impl HaftConfig {
    /// The same configuration, with tools kept in `root` where it names no folders.
    pub fn kept_in(mut self, root: &Path) -> Self {
        if self.tools.file.allowed_paths.is_empty() {
            self.tools.file.allowed_paths = vec![root.to_owned()];
        }
        if self.tools.shell.allowed_paths.is_empty() {
            self.tools.shell.allowed_paths = vec![root.to_string_lossy().into_owned()];
        }
        self
    }
}

/// The tools of a stack, looked at and never run: whoever asked runs the call.
struct Left(Arc<Stack>);

impl Left {
    async fn looked_at(&self, call: &ToolCall, cx: &CallContext) -> Executed {
        self.inspect(call, cx).await?;
        Ok(Some(ToolOutput::text("left to the host")))
    }
}

impl ToolExecutor for Left {
    fn tool_definitions(&self) -> ToolDefs {
        self.0.definitions()
    }

    async fn inspect(&self, call: &ToolCall, cx: &CallContext) -> Result<Inspection, ToolError> {
        self.0.inspect(call.clone(), cx).await.inspection().cloned()
    }

    async fn execute_tool_call(&self, call: &ToolCall, cx: &CallContext) -> Executed {
        self.looked_at(call, cx).await
    }

    async fn execute_tool_call_confirmed(&self, call: &ToolCall, _: &Approval, cx: &CallContext) -> Executed {
        self.looked_at(call, cx).await
    }
}
