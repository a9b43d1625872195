//! Tools declared by an active skill. They are names for calls of the shell: the gates, the
//! sandbox, the filters and the record see the shell call.

use std::sync::Arc;

use serde_json::json;
use tools_core::{CallContext, SessionId, StandIns, ToolCall, ToolDef, ToolDefs, ToolError, ToolName, keys};

use crate::Skills;

/// The tool that runs commands, and its parameter for them.
const SHELL: &str = "bash";
const COMMAND: &str = "command";

impl Skills {
    /// The tools `shown` to a session, followed by those that its active skill declares.
    pub fn with_declared(&self, session: &SessionId, listed: &ToolDefs, shown: ToolDefs) -> ToolDefs {
        let declared = self.declared(session, listed);
        if declared.is_empty() {
            return shown;
        }
        shown.iter().cloned().chain(declared).collect()
    }

    /// The tools that the active skill of a session declares, to be listed after all others. None
    /// if commands are not among `listed`; a name in `listed` belongs to that tool.
    pub fn declared(&self, session: &SessionId, listed: &ToolDefs) -> Vec<Arc<ToolDef>> {
        let Some(active) = self.active(session) else { return vec![] };
        let is_there = |name: &str| listed.iter().any(|tool| tool.name.as_str() == name);
        if !is_there(SHELL) {
            return vec![];
        }
        let own = active.tools.iter().filter(|(tool, _)| !is_there(tool.name.as_str()));
        own.map(|(_, definition)| Arc::clone(definition)).collect()
    }
}

impl StandIns for Skills {
    fn meant(&self, call: &ToolCall, cx: &CallContext) -> Result<Option<ToolCall>, ToolError> {
        let Some(active) = self.active(cx.session()) else { return Ok(None) };
        let Some((tool, _)) = active.tools.iter().find(|(tool, _)| tool.name == call.tool) else { return Ok(None) };
        // A call with wrong parameters is answered with that error, not as a tool that the skill
        // does not allow.
        let note = |call: &ToolCall| self.active.note_stand_in_call(cx.session(), call.digest());
        let line = tool.line(&call.params).inspect_err(|_| note(call))?;
        let meant = ToolCall::new(SHELL, json!({ COMMAND: line }))?;
        let meant = ToolCall { id: call.id.clone(), caller_id: call.caller_id.clone(), ..meant };
        cx.journal().note(keys::SKILL, json!({ "name": active.skill, "tool": tool.name }));
        note(&meant);
        Ok(Some(meant))
    }

    fn definition(&self, tool: &ToolName) -> Option<Arc<ToolDef>> {
        self.active.definition(tool.as_str())
    }
}
