//! Hooks of Cursor: `beforeShellExecution`, `beforeReadFile` and `preToolUse`, according to its
//! public documentation; not tested with the program. It does not enforce a question from
//! `preToolUse`, so the call is refused instead.

use serde_json::{Value, json};

use super::fields::{Fields, other_event, place, top, unknown};
use super::{Answer, Decision, Event, Format, HookRequest, HostCall, Unreadable};

const PATH: [&str; 3] = ["file_path", "path", "target_file"];

/// The format of Cursor.
#[derive(Debug, Clone, Copy)]
pub struct Cursor;

impl Format for Cursor {
    fn read(&self, input: &Value) -> Result<Event, Unreadable> {
        let mut place = place(input, &["conversation_id", "session_id"]);
        if place.workdir.is_none() {
            let first = input.get("workspace_roots").and_then(|roots| roots.get(0)).and_then(Value::as_str);
            place.workdir = first.map(Into::into);
        }
        let meaning = match top(input, &["hook_event_name"]) {
            Some("beforeShellExecution") => {
                let line = top(input, &["command"]).ok_or_else(|| Unreadable("there is no `command`".to_owned()))?;
                HookRequest::Before(vec![HostCall::command(line, None)?])
            }
            Some("beforeReadFile") => {
                let path =
                    top(input, &["file_path"]).ok_or_else(|| Unreadable("there is no `file_path`".to_owned()))?;
                HookRequest::Before(vec![HostCall::with("read", "path", path)])
            }
            Some("preToolUse") => before(input)?,
            Some(other) => other_event(input, other)?,
            None => return Err(Unreadable("the input has no `hook_event_name`".to_owned())),
        };
        Ok(Event { place, meaning })
    }

    fn answer(&self, input: &Value, answer: &Answer) -> Value {
        let can_ask = self.can_ask(input);
        let word = match answer.decision {
            Decision::Allow => "allow",
            Decision::Leave => return json!({}),
            Decision::Ask if can_ask => "ask",
            Decision::Ask | Decision::Deny => "deny",
        };
        let mut output = json!({"permission": word, "user_message": answer.reason, "agent_message": answer.reason});
        let before = input.get("tool_input").filter(|input| input.is_object());
        if let (Some(command), Some(before)) = (&answer.command, before) {
            let mut updated = before.clone();
            updated["command"] = command.as_str().into();
            output["updated_input"] = updated;
        }
        output
    }

    fn can_ask(&self, input: &Value) -> bool {
        top(input, &["hook_event_name"]) == Some("beforeShellExecution")
    }

    fn replace(&self, _: &Value, _: &Value) -> Option<Value> {
        None
    }
}

fn before(input: &Value) -> Result<HookRequest, Unreadable> {
    let tool = top(input, &["tool_name"]).ok_or_else(|| Unreadable("the input has no `tool_name`".to_owned()))?;
    // Its MCP tools have a prefix.
    if tool.starts_with("MCP:") || tool.starts_with("mcp__") {
        return Ok(HookRequest::Nothing);
    }
    let fields = Fields::new(tool, input.get("tool_input"))?;
    let call = match tool {
        "Shell" => HostCall::command(fields.text(&["command"])?, fields.optional(&["working_directory", "cwd"])?)?,
        "Read" | "TabRead" => HostCall::with("read", "path", fields.path(&PATH)?),
        "Write" | "TabWrite" | "Edit" | "StrReplace" => fields.editing(&PATH)?,
        "Delete" => HostCall::with("delete_path", "path", fields.path(&PATH)?),
        "Grep" => return Ok(HookRequest::Before(fields.grepping()?)),
        "Glob" => fields.searching("find_path")?,
        "LS" => HostCall::with("list_directory", "path", fields.path(&["path"])?),
        _ if fields.is_about_files() => return Err(unknown("Cursor", tool)),
        _ => return Ok(HookRequest::Nothing),
    };
    Ok(HookRequest::Before(vec![call]))
}
