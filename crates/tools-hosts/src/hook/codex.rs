//! Hooks of Codex: `PreToolUse` and `PostToolUse` (checked with 0.169). They support neither
//! questions nor plain consent: where a person would be asked, the call is refused with the way to
//! allow it. The sandbox of Codex keeps commands from writing, but lets them read every file of the
//! user, so allowed commands are still rewritten.

use serde_json::{Value, json};

use super::fields::{Fields, other_event, place, top, unknown};
use super::{Answer, Decision, Event, Format, HookRequest, HostCall, Unreadable, patch};

/// The format of Codex.
#[derive(Debug, Clone, Copy)]
pub struct Codex;

impl Format for Codex {
    fn read(&self, input: &Value) -> Result<Event, Unreadable> {
        let place = place(input, &["session_id"]);
        let meaning = match top(input, &["hook_event_name"]) {
            Some("PreToolUse") => before(input)?,
            Some("PostToolUse") => {
                HookRequest::After { result: input.get("tool_response").cloned().unwrap_or_default(), searched: false }
            }
            Some(other) => other_event(input, other)?,
            None => return Err(Unreadable("the input has no `hook_event_name`".to_owned())),
        };
        Ok(Event { place, meaning })
    }

    fn answer(&self, input: &Value, answer: &Answer) -> Value {
        let is_rewritten = input["tool_input"].get("command").is_some_and(Value::is_string);
        let refused = |reason: &str| {
            json!({"hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                // An empty reason is an error of the hook, and the call would run.
                "permissionDecisionReason": if reason.is_empty() { "refused" } else { reason },
            }})
        };
        match (answer.decision, &answer.command) {
            (Decision::Allow, Some(command)) if is_rewritten => json!({"hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "allow",
                "updatedInput": {"command": command},
            }}),
            (Decision::Allow | Decision::Leave, _) => json!({}),
            (Decision::Ask, _) => refused(&format!("{} (Codex cannot ask from a hook)", answer.reason)),
            (Decision::Deny, _) => refused(&answer.reason),
        }
    }

    fn can_ask(&self, _: &Value) -> bool {
        false
    }

    fn has_sandbox(&self) -> bool {
        true
    }

    fn replace(&self, _: &Value, result: &Value) -> Option<Value> {
        let text = result.as_str().map_or_else(|| result.to_string(), str::to_owned);
        Some(json!({"decision": "block", "reason": text}))
    }
}

fn before(input: &Value) -> Result<HookRequest, Unreadable> {
    let tool = top(input, &["tool_name"]).ok_or_else(|| Unreadable("the input has no `tool_name`".to_owned()))?;
    if tool.starts_with("mcp__") {
        return Ok(HookRequest::Nothing);
    }
    let given = input.get("tool_input");
    // Some versions pass only the patch.
    if let (Some(text), true) = (given.and_then(Value::as_str), is_patch(tool)) {
        return Ok(HookRequest::Before(patch::calls(text)?));
    }
    let fields = Fields::new(tool, given)?;
    let calls = match tool {
        "Bash" | "shell" | "shell_command" | "local_shell" | "exec_command" | "unified_exec" | "container.exec" => {
            vec![HostCall::command(fields.text(&["command", "cmd"])?, fields.optional(&["workdir", "cwd"])?)?]
        }
        _ if is_patch(tool) && fields.has(&["command", "input", "patch"]) => {
            patch::calls(fields.text(&["command", "input", "patch"])?)?
        }
        "Edit" => vec![fields.editing(&["file_path", "path"])?],
        "Write" => vec![HostCall::new("write", json!({"path": fields.path(&["file_path", "path"])?, "content": ""}))],
        "Read" | "read_file" | "view_image" => {
            vec![HostCall::with("read", "path", fields.path(&["file_path", "path"])?)]
        }
        "write_stdin" | "update_plan" => return Ok(HookRequest::Nothing),
        _ if fields.is_about_files() => return Err(unknown("Codex", tool)),
        _ => return Ok(HookRequest::Nothing),
    };
    Ok(HookRequest::Before(calls))
}

fn is_patch(tool: &str) -> bool {
    ["apply_patch", "Edit", "Write"].contains(&tool)
}
