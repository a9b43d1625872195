//! An executor that acts as scripted and records its calls.

use std::sync::{Arc, Mutex};

use schemars::json_schema;
use tools_core::{
    Approval, CallContext, CallId, ExecuteResult, Inspection, Locked as _, OutputStream, ToolCall, ToolDef, ToolDefs,
    ToolError, ToolErrorCategory, ToolExecutor, ToolKind, ToolName, ToolOutput, ToolTraits,
};

/// Behaviour of a scripted tool.
#[derive(Debug, Clone)]
pub enum Behaviour {
    /// Answers with this output.
    Reply(Box<ToolOutput>),
    /// Fails with this error.
    Fail(ToolError),
    /// Prints these texts and answers with nothing.
    Print(Vec<(OutputStream, String)>),
    /// Panics.
    Panic,
    /// Never returns.
    Hang,
}

impl Behaviour {
    /// Answers with this text.
    pub fn reply(text: impl Into<String>) -> Self {
        Self::Reply(Box::new(ToolOutput::text(text)))
    }
}

/// Confirmation of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathTaken {
    /// No person was asked.
    Unconfirmed,
    /// A person agreed.
    Confirmed,
}

/// Record of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRecord {
    /// The call.
    pub call: CallId,
    /// Its tool.
    pub tool: ToolName,
    /// Its confirmation.
    pub path: PathTaken,
}

/// An executor of scripted tools; clones share the record of runs.
#[derive(Debug, Clone, Default)]
pub struct ScriptedExecutor {
    tools: Vec<ScriptedTool>,
    ran: Arc<Mutex<Vec<RunRecord>>>,
    calls: Arc<Mutex<Vec<ToolCall>>>,
}

#[derive(Debug, Clone)]
struct ScriptedTool {
    definition: Arc<ToolDef>,
    behaviour: Behaviour,
    inspection: Result<Inspection, ToolError>,
}

impl ScriptedExecutor {
    /// An executor without tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool that takes any parameters and touches nothing.
    pub fn tool(self, name: &str, traits: ToolTraits, behaviour: Behaviour) -> Self {
        let inspection = Inspection { read_only: traits.read_only, ..Inspection::default() };
        self.inspected(name, traits, behaviour, Ok(inspection))
    }

    /// Adds a tool whose calls have the given inspection.
    pub fn inspected(
        self,
        name: &str,
        traits: ToolTraits,
        behaviour: Behaviour,
        inspection: Result<Inspection, ToolError>,
    ) -> Self {
        let name = ToolName::parse(name).expect("a test names its tools well");
        let schema = json_schema!({"type": "object"});
        self.push(ToolDef::new(name, "Does what a test says.", schema, ToolKind::Other, traits), behaviour, inspection)
    }

    /// Adds a tool with this definition, which touches nothing.
    pub fn defined(self, definition: ToolDef, behaviour: Behaviour) -> Self {
        let inspection = Inspection { read_only: definition.traits.read_only, ..Inspection::default() };
        self.push(definition, behaviour, Ok(inspection))
    }

    fn push(mut self, definition: ToolDef, behaviour: Behaviour, inspection: Result<Inspection, ToolError>) -> Self {
        self.tools.push(ScriptedTool { definition: Arc::new(definition), behaviour, inspection });
        self
    }

    /// The runs so far.
    pub fn ran(&self) -> Vec<RunRecord> {
        self.ran.locked().clone()
    }

    /// The calls that ran so far, as the executor received them.
    pub fn calls(&self) -> Vec<ToolCall> {
        self.calls.locked().clone()
    }

    fn find(&self, call: &ToolCall) -> Option<&ScriptedTool> {
        self.tools.iter().find(|tool| tool.definition.name == call.tool)
    }

    async fn perform(&self, call: &ToolCall, cx: &CallContext, path: PathTaken) -> ExecuteResult {
        let Some(tool) = self.find(call) else { return Ok(None) };
        let ran = RunRecord { call: call.id.clone(), tool: call.tool.clone(), path };
        self.ran.locked().push(ran);
        self.calls.locked().push(call.clone());
        match &tool.behaviour {
            Behaviour::Print(texts) => {
                for (stream, text) in texts {
                    cx.events().output(*stream, text.as_str());
                }
                Ok(Some(ToolOutput::default()))
            }
            Behaviour::Reply(output) => Ok(Some(output.as_ref().clone())),
            Behaviour::Fail(error) => Err(error.clone()),
            Behaviour::Panic => panic!("the script says so"),
            Behaviour::Hang => std::future::pending().await,
        }
    }
}

impl ToolExecutor for ScriptedExecutor {
    fn tool_definitions(&self) -> ToolDefs {
        self.tools.iter().map(|tool| Arc::clone(&tool.definition)).collect()
    }

    async fn inspect(&self, call: &ToolCall, _: &CallContext) -> Result<Inspection, ToolError> {
        self.find(call).map_or_else(|| Ok(Inspection::default()), |tool| tool.inspection.clone())
    }

    async fn execute_tool_call(&self, call: &ToolCall, cx: &CallContext) -> ExecuteResult {
        if let Some(Ok(inspection)) = self.find(call).map(|tool| &tool.inspection)
            && let Some(confirm) = &inspection.confirm
        {
            return Err(ToolError::new(
                ToolErrorCategory::ConfirmationRequired,
                "confirmation_required",
                confirm.reason.clone(),
            ));
        }
        self.perform(call, cx, PathTaken::Unconfirmed).await
    }

    async fn execute_tool_call_confirmed(&self, call: &ToolCall, _: &Approval, cx: &CallContext) -> ExecuteResult {
        self.perform(call, cx, PathTaken::Confirmed).await
    }
}
