//! `invoke_skill`: activates a skill with arguments for the rest of the turn.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tools_core::{CallContext, Inspection, Tool, ToolDef, ToolError, ToolErrorCategory, ToolOutput};

use super::shared::{definition, inspected, judged, open, shown};
use crate::{InlineTool, Skills, substitute::substituted};

/// The tool, with the skills and their descriptions.
pub(super) struct InvokeSkill(pub(super) Skills, pub(super) Arc<[(String, String)]>);

/// Follows a skill for the rest of the turn: reads what it says to do with these arguments. Where
/// it names the tools it needs, no others can be called meanwhile; tools that it declares are there
/// meanwhile.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The skill.
    name: String,
    /// Its arguments: a text, or an object with values by name.
    args: Option<Value>,
}

fn check(args: Option<&Value>) -> Result<(), ToolError> {
    match args {
        None | Some(Value::String(_) | Value::Object(_)) => Ok(()),
        Some(_) => {
            Err(ToolError::new(ToolErrorCategory::TypeMismatch, "invalid_arguments", "`args` is a text or an object"))
        }
    }
}

/// Describes the tools available while the skill is active, for models whose host does not list
/// them again, and why others are not.
fn declared(skills: &Skills, tools: &[InlineTool], left_out: &[String]) -> String {
    let faults = left_out.iter().flat_map(|fault| ["\n[", fault, "]"]).collect::<String>();
    if tools.is_empty() {
        return faults;
    }
    let line = |tool: &InlineTool| {
        let definition = skills.definition_of(tool);
        format!(
            "\n- {}: {} Parameters: {}",
            tool.name,
            definition.description,
            definition.input.as_value()["properties"]
        )
    };
    format!("\nTools until the turn ends:{}{faults}", tools.iter().map(line).collect::<String>())
}

impl Tool for InvokeSkill {
    type Args = Args;

    fn definition(&self) -> ToolDef {
        definition::<Args>("invoke_skill", "Invoke skill", &self.1)
    }

    async fn inspect(&self, args: &Args, _: &CallContext) -> Result<Inspection, ToolError> {
        check(args.args.as_ref())?;
        Ok(inspected(open(&self.0, &args.name).await?))
    }

    async fn run(&self, args: Args, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        self.run_inspected(args, Inspection::read_only(), cx).await
    }

    async fn run_inspected(
        &self,
        args: Args,
        inspection: Inspection,
        cx: &CallContext,
    ) -> Result<ToolOutput, ToolError> {
        check(args.args.as_ref())?;
        let opened = judged(&self.0, &args.name, &inspection).await?;
        self.0.agreed(&opened)?;
        self.0.activate(cx.session(), &opened.skill);
        let body = substituted(&opened.skill.body, args.args.as_ref());
        let allowed: Option<Vec<&str>> = opened.skill.allowed.as_ref().map(|allowed| allowed.tools().collect());
        let tools: Vec<&str> = opened.skill.tools.iter().map(|tool| tool.name.as_str()).collect();
        let raw = json!({
            "name": opened.skill.name,
            "files": opened.tree.files,
            "allowed_tools": allowed,
            "tools": tools,
            "left_out": opened.skill.tool_faults,
        });
        let tools = declared(&self.0, &opened.skill.tools, &opened.skill.tool_faults);
        Ok(shown(&opened, &body, self.0.config.max_body, &tools).with_raw_response(raw))
    }
}
