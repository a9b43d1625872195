//! Codex, as `codex exec`.

use std::{process::Command, sync::Arc};

use serde_json::{Value, json};

use super::Host;
use crate::{
    home::Home,
    model::{Responses, Wire},
};

/// The host.
pub struct Codex;

impl Host for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn program(&self) -> &'static str {
        "codex"
    }

    fn wire(&self) -> Arc<dyn Wire> {
        Arc::new(Responses)
    }

    fn files(&self) -> &'static [(&'static str, &'static str)] {
        &[(".codex/config.toml", "# mine\ncheck_for_update_on_startup = false\n\n[analytics]\nenabled = false\n")]
    }

    fn session(&self, command: &mut Command, _: &Home, port: u16) {
        let provider = format!(
            "model_providers.scripted={{name=\"scripted\",base_url=\"http://127.0.0.1:{port}/v1\",wire_api=\"responses\"}}"
        );
        command
            .args(["exec", "--sandbox", "workspace-write", "--dangerously-bypass-hook-trust", "-m", "scripted"])
            .args(["-c", "model_provider=\"scripted\"", "-c", &provider, "go"]);
    }

    fn is_shell(&self) -> fn(&str) -> bool {
        |name| ["exec_command", "shell_command", "shell"].contains(&name)
    }

    fn shell(&self, line: &str) -> Value {
        json!({"cmd": line, "command": line})
    }
}
