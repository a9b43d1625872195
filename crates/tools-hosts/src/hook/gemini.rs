//! Hooks of Gemini CLI: `BeforeTool` and `AfterTool` (checked with 0.61). Standard output must
//! contain only JSON.

use serde_json::{Value, json};

use super::fields::{Fields, other_event, place, top, unknown};
use super::{Answer, Decision, Event, Format, HookRequest, HookStart, HostCall, Unreadable};

/// The format of Gemini CLI.
#[derive(Debug, Clone, Copy)]
pub struct Gemini;

impl Format for Gemini {
    fn read(&self, input: &Value) -> Result<Event, Unreadable> {
        let place = place(input, &["session_id"]);
        let meaning = match top(input, &["hook_event_name"]) {
            Some("BeforeTool") => before(input)?,
            Some("AfterTool") => {
                let result = input.get("tool_response").and_then(|response| response.get("llmContent"));
                let searched = matches!(top(input, &["tool_name"]), Some("search_file_content" | "grep_search"));
                HookRequest::After { result: result.cloned().unwrap_or_default(), searched }
            }
            Some(other) => other_event(input, other)?,
            None => return Err(Unreadable("the input has no `hook_event_name`".to_owned())),
        };
        Ok(Event { place, meaning })
    }

    fn answer(&self, _: &Value, answer: &Answer) -> Value {
        let word = match answer.decision {
            Decision::Allow => "allow",
            Decision::Leave => return json!({}),
            Decision::Ask => "ask",
            Decision::Deny => "deny",
        };
        let mut output = json!({"decision": word, "reason": answer.reason});
        if answer.decision == Decision::Ask {
            output["systemMessage"] = answer.reason.as_str().into();
        }
        if let Some(command) = &answer.command {
            output["hookSpecificOutput"] = json!({"hookEventName": "BeforeTool", "tool_input": {"command": command}});
        }
        output
    }

    fn can_ask(&self, _: &Value) -> bool {
        true
    }

    fn is_attended(&self, seat: &HookStart) -> bool {
        let has = |names: &[&str]| seat.arguments.iter().any(|word| names.contains(&word.as_str()));
        let is_script = has(&["-p", "--prompt"]) || seat.arguments.iter().any(|word| word.starts_with("--prompt="));
        has(&["--acp", "--experimental-acp"]) || seat.terminal && !is_script
    }

    fn replace(&self, _: &Value, result: &Value) -> Option<Value> {
        let text = result.as_str().map_or_else(|| result.to_string(), str::to_owned);
        Some(json!({"decision": "deny", "reason": text}))
    }
}

fn before(input: &Value) -> Result<HookRequest, Unreadable> {
    let tool = top(input, &["tool_name"]).ok_or_else(|| Unreadable("the input has no `tool_name`".to_owned()))?;
    if tool.starts_with("mcp_") || input.get("mcp_context").is_some_and(|context| !context.is_null()) {
        return Ok(HookRequest::Nothing);
    }
    let fields = Fields::new(tool, input.get("tool_input"))?;
    let call = match tool {
        "run_shell_command" => {
            HostCall::command(fields.text(&["command"])?, fields.optional(&["dir_path", "directory"])?)?
        }
        "read_file" => HostCall::with("read", "path", fields.path(&["file_path", "absolute_path", "path"])?),
        "write_file" => HostCall::new(
            "write",
            json!({"path": fields.path(&["file_path"])?, "content": fields.optional(&["content"])?.unwrap_or_default()}),
        ),
        "replace" => fields.editing(&["file_path"])?,
        "list_directory" => HostCall::with("list_directory", "path", fields.path(&["dir_path", "path"])?),
        "glob" => fields.searching("find_path")?,
        "search_file_content" | "grep_search" => return Ok(HookRequest::Before(fields.grepping()?)),
        "web_fetch" if fields.has(&["url"]) => HostCall::with("fetch", "url", fields.text(&["url"])?),
        _ if fields.is_about_files() || tool == "read_many_files" => return Err(unknown("Gemini CLI", tool)),
        _ => return Ok(HookRequest::Nothing),
    };
    Ok(HookRequest::Before(vec![call]))
}
