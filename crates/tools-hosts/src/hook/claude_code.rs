//! Hooks of Claude Code: `PreToolUse` and `PostToolUse` (checked with 2.1.330).

use serde_json::{Value, json};

use super::fields::{Fields, other_event, place, top, unknown};
use super::{Answer, Decision, Event, Format, HookRequest, HostCall, Unreadable};

/// Tools that use neither files nor commands of this machine, or that act only through other tools
/// of the host.
const HARMLESS: [&str; 23] = [
    "Agent",
    "AskUserQuestion",
    "BashOutput",
    "CronCreate",
    "CronDelete",
    "CronList",
    "EnterPlanMode",
    "ExitPlanMode",
    "KillShell",
    "ListMcpResourcesTool",
    "ReadMcpResourceTool",
    "SendMessage",
    "Skill",
    "SlashCommand",
    "Task",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoWrite",
    "ToolSearch",
];

/// The format of Claude Code.
#[derive(Debug, Clone, Copy)]
pub struct ClaudeCode;

impl Format for ClaudeCode {
    fn read(&self, input: &Value) -> Result<Event, Unreadable> {
        let place = place(input, &["session_id"]);
        let meaning = match top(input, &["hook_event_name"]) {
            Some("PreToolUse" | "PermissionRequest") => before(input)?,
            Some("PostToolUse") => {
                let searched = top(input, &["tool_name"]) == Some("Grep");
                HookRequest::After { result: input.get("tool_response").cloned().unwrap_or_default(), searched }
            }
            Some(other) => other_event(input, other)?,
            None => return Err(Unreadable("the input has no `hook_event_name`".to_owned())),
        };
        Ok(Event { place, meaning })
    }

    fn answer(&self, input: &Value, answer: &Answer) -> Value {
        let word = match answer.decision {
            Decision::Allow => "allow",
            Decision::Leave => return json!({}),
            Decision::Ask => "ask",
            Decision::Deny => "deny",
        };
        let mut output = json!({
            "hookEventName": "PreToolUse",
            "permissionDecision": word,
            "permissionDecisionReason": answer.reason,
        });
        if let (Some(command), Some(before)) = (&answer.command, input.get("tool_input").filter(|it| it.is_object())) {
            // The host replaces all parameters by these.
            let mut updated = before.clone();
            updated["command"] = command.as_str().into();
            output["updatedInput"] = updated;
        }
        json!({"hookSpecificOutput": output})
    }

    fn can_ask(&self, _: &Value) -> bool {
        true
    }

    fn replace(&self, _: &Value, result: &Value) -> Option<Value> {
        Some(json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": result}}))
    }
}

fn before(input: &Value) -> Result<HookRequest, Unreadable> {
    let tool = top(input, &["tool_name"]).ok_or_else(|| Unreadable("the input has no `tool_name`".to_owned()))?;
    if HARMLESS.contains(&tool) || tool.starts_with("mcp__") {
        return Ok(HookRequest::Nothing);
    }
    let fields = Fields::new(tool, input.get("tool_input"))?;
    let call = match tool {
        "Bash" => HostCall::command(fields.text(&["command"])?, None)?,
        "Read" => HostCall::with("read", "path", fields.path(&["file_path"])?),
        "Write" => HostCall::new(
            "write",
            json!({"path": fields.path(&["file_path"])?, "content": fields.optional(&["content"])?.unwrap_or_default()}),
        ),
        "Edit" => fields.editing(&["file_path"])?,
        "MultiEdit" => {
            HostCall::new("edit", json!({"path": fields.path(&["file_path"])?, "old_string": "-", "new_string": "+"}))
        }
        "NotebookEdit" => HostCall::new(
            "write",
            json!({"path": fields.path(&["notebook_path"])?, "content": fields.optional(&["new_source"])?.unwrap_or_default()}),
        ),
        "NotebookRead" => HostCall::with("read", "path", fields.path(&["notebook_path"])?),
        "LS" => HostCall::with("list_directory", "path", fields.path(&["path"])?),
        "Glob" => fields.searching("find_path")?,
        "Grep" => return Ok(HookRequest::Before(fields.grepping()?)),
        "WebFetch" => HostCall::with("fetch", "url", fields.text(&["url"])?),
        _ if fields.is_about_files() => return Err(unknown("Claude Code", tool)),
        _ => return Ok(HookRequest::Nothing),
    };
    Ok(HookRequest::Before(vec![call]))
}
