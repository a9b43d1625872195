//! Claude Code, as `claude -p`.

use std::{process::Command, sync::Arc};

use serde_json::{Value, json};

use super::Host;
use crate::{
    home::Home,
    model::{Messages, Wire},
};

/// The host.
pub struct ClaudeCode;

impl Host for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn program(&self) -> &'static str {
        "claude"
    }

    fn wire(&self) -> Arc<dyn Wire> {
        Arc::new(Messages)
    }

    fn files(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (".claude.json", "{\"hasCompletedOnboarding\": true}"),
            (".claude/settings.json", "{\n  \"env\": {\"MINE\": \"1\"},\n  \"hooks\": {\"PreToolUse\": []}\n}\n"),
        ]
    }

    fn session(&self, command: &mut Command, _: &Home, port: u16) {
        command
            .args(["-p", "go", "--max-turns", "60", "--allowedTools", "mcp__haft"])
            .env("ANTHROPIC_BASE_URL", format!("http://127.0.0.1:{port}"))
            .env("ANTHROPIC_API_KEY", "sk-ant-made-up")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .env("DISABLE_TELEMETRY", "1")
            .env("DISABLE_ERROR_REPORTING", "1");
    }

    fn is_ours(&self, tool: &'static str) -> fn(&str) -> bool {
        match tool {
            "bash" => |name| name == "mcp__haft__bash",
            _ => |name| name == "mcp__haft__diagnostics",
        }
    }

    fn is_shell(&self) -> fn(&str) -> bool {
        |name| name == "Bash"
    }

    fn shell(&self, line: &str) -> Value {
        json!({"command": line, "description": "a step"})
    }
}
